#pragma once

#include <string>
#include <string_view>

/// The units in which work is counted, in the many ways that people write them.
namespace kstar::comparing {

/// One name for "images", "image" and "img", in small letters.
std::string unit_name(std::string_view unit);

/// Whether it says what is counted: importing calls the unit of a bare throughput one too.
bool is_known_unit(std::string_view unit);

}  // namespace kstar::comparing
