#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kstar/result.h"

/// Where something stands in a text from outside, for messages that show it.
namespace kstar {

/// One line of a file, without its end.
struct Line {
  std::string_view file;
  std::size_t number = 0;  ///< from 1
  std::string_view text;
  std::size_t skipped = 0;  ///< bytes of the line that stand before `text`
};

/// An error at byte `offset` of the line's text: file:line:column, and the line with a caret. Of a
/// long line the part around the caret is shown.
Error line_error(const Line& line, std::size_t offset, std::string message, std::string hint = {});

/// expected() about a value of the command line, wrong from byte `offset` of `text` on: the text is
/// shown with a caret there. Without a value nothing stands where something should. One of usage.
Error expected_at(std::string_view where, std::string_view text, std::size_t offset,
                  std::string_view what, std::string_view value, std::string_view hint);

/// The nearest place at or before `offset` where a UTF-8 character starts.
std::size_t character_start(std::string_view text, std::size_t offset);

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
