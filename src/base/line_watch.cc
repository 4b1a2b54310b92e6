#include "base/line_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/source_line.h"

namespace kstar {

std::optional<Error> LineWatch::see(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    if (length_ + end > longest_) {
      const std::size_t at = longest_ - length_;
      const Line line{path_, number_, piece.substr(0, end), length_};
      return line_error(
          line, at,
          fmt::format("the line is longer than {} MiB, the longest that is read", longest_ >> 20U));
    }
    length_ += end;
    if (end == piece.size()) break;
    piece.remove_prefix(end + 1);
    ++number_;
    length_ = 0;
  }
  return {};
}

}  // namespace kstar
