#include "dag/read/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace kstar::dag {

Error error_at(const Source& source, const char* at, std::string message, std::string hint) {
  const std::string_view text = source.text;
  const auto offset = std::min(static_cast<std::size_t>(at - text.data()), text.size());
  const std::size_t before = text.substr(0, offset).rfind('\n');
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  const auto number =
      1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + begin, '\n'));
  return line_error({source.name, number, text.substr(begin, end - begin)}, offset - begin,
                    std::move(message), std::move(hint));
}

Error wrong_value(const Source& source, std::string_view value, std::string_view what,
                  std::string hint) {
  constexpr std::size_t kShown = 40;
  return error_at(source, value.data(),
                  fmt::format("expected {}, got '{}'", what, shorten(printable(value), kShown)),
                  std::move(hint));
}

Result<double> read_amount(const Source& source, std::string_view value, std::string_view what) {
  const std::optional<double> amount = parse_double(value);
  if (!amount || *amount < 0) {
    return fail(wrong_value(source, value, fmt::format("{} of 0 or more", what)));
  }
  return *amount;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == line.npos) return words;
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

}  // namespace kstar::dag
