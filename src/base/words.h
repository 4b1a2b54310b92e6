#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// The words of a command as a shell would take them apart: blanks separate, '...' and "..." hold
/// together, a backslash takes the next character as it is. Nothing is expanded.
Result<std::vector<std::string>> split_words(std::string_view text, std::string_view where);

/// One text that split_words() and a shell take apart into the same words.
std::string join_words(std::span<const std::string> words);

}  // namespace kstar
