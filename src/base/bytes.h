#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kstar {

/// "40GB", "512MiB", "8B": bytes; nothing for any other text.
std::optional<double> parse_bytes(std::string_view text);

/// For people: "8 B", "256 KiB", "8 GiB" where it is a whole number of these, otherwise "14 GB".
std::string size_text(double bytes);

}  // namespace kstar
