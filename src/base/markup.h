#pragma once

#include <string>
#include <string_view>

namespace kstar {

/// As the text or the attribute of XML and HTML. What the medium cannot show at all must be gone.
std::string markup_escaped(std::string_view text);

}  // namespace kstar
