#pragma once

#include <span>
#include <string_view>

namespace kstar {

/// A text file of the repository that was built into the program (see cmake/Embed.cmake).
struct EmbeddedText {
  std::string_view name;  ///< the file's name without folder and ending
  std::string_view text;
  std::string_view sha256;  ///< of the text, in base64: how a page names what it trusts
};

}  // namespace kstar
