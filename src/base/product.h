#pragma once

#include <optional>
#include <string_view>

namespace kstar {

/// The number that "4096", "512 x 512 x 128" or "64^3" is; none of anything else. Factors are
/// above 0.
std::optional<double> parse_product(std::string_view text);

}  // namespace kstar
