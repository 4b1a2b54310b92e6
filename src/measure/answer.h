#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kstar {

/// Why `answer` does not agree with `reference`, in a few words; nothing when it does.
std::optional<std::string> disagreement(std::string_view answer, std::string_view reference,
                                        std::optional<double> tolerance);

}  // namespace kstar
