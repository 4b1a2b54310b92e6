#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "kstar/result.h"

namespace kstar {

/// Watches a text that comes in pieces for a line that is longer than anybody writes, so that a
/// file of one endless line is refused where that shows, not when it fills the memory.
class LineWatch {
 public:
  /// `path` stands for the file in the message, and must outlive this; `number` is that of the
  /// first line.
  LineWatch(std::string_view path, std::size_t longest, std::size_t number = 1)
      : path_(path), longest_(longest), number_(number) {}

  /// The next piece; an error, with its place, once a line is longer than `longest` bytes.
  std::optional<Error> see(std::string_view piece);

 private:
  std::string_view path_;
  std::size_t longest_;
  std::size_t number_;      ///< of the line that the next byte belongs to
  std::size_t length_ = 0;  ///< of it so far
};

}  // namespace kstar
