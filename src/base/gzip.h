#pragma once

#include <string>
#include <string_view>

namespace kstar {

/// One gzip member, the same bytes for the same text: it holds no time and no name.
std::string gzip(std::string_view text);

}  // namespace kstar
