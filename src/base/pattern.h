#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace re2 {
class RE2;
}

namespace kstar {

/// A pattern of the user's, with one group where values are wanted. The library behind it (RE2)
/// takes time in proportion to the text, whatever the pattern.
class Pattern {
 public:
  /// `where` is the flag or the place it was said at. ^ and $ match at every line.
  static Result<Pattern> compile(std::string_view text, std::string_view where);

  /// One that is only asked whether it is in a text: any number of groups.
  static Result<Pattern> compile_name(std::string_view text, std::string_view where);
  bool is_in(std::string_view text) const;

  /// What the group held at each match, in order, the first `most` of them; they point into `text`.
  std::vector<std::string_view> matches(std::string_view text,
                                        std::size_t most = std::string_view::npos) const;

  const std::string& text() const { return text_; }

 private:
  std::shared_ptr<const re2::RE2> compiled_;
  std::string text_;
};

}  // namespace kstar
