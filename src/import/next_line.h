#pragma once

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace kstar {

/// Takes the first line off `rest`, and gives it without the blanks around it.
inline std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

}  // namespace kstar
