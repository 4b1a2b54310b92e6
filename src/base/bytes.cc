#include "base/bytes.h"

#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr double kKibi = 1024;

std::optional<std::string> binary_text(double bytes) {
  static constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(kNames) && bytes >= kKibi) bytes /= kKibi, ++unit;
  if (bytes != std::floor(bytes) || bytes >= kKibi) return std::nullopt;
  return shortest(bytes) + " " + kNames[unit];
}

}  // namespace

std::optional<double> parse_bytes(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"B", 1},     {"kB", 1e3},   {"KB", 1e3},      {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  const std::size_t last = text.find_last_of("0123456789.");
  if (last == text.npos) return std::nullopt;
  const std::optional<double> number = parse_double(text.substr(0, last + 1));
  const std::string_view unit = trim(text.substr(last + 1));
  for (const auto& [name, bytes] : kUnits) {
    if (number && name == unit) return *number * bytes;
  }
  return std::nullopt;
}

std::string size_text(double bytes) {
  if (!std::isfinite(bytes) || bytes < 0) return "?";
  if (const auto binary = binary_text(bytes)) return *binary;
  static constexpr const char* kNames[] = {"B", "kB", "MB", "GB", "TB"};
  constexpr double kKilo = 1e3;
  constexpr int kDigits = 3;
  std::size_t unit = 0;
  while (unit + 1 < std::size(kNames) && bytes >= kKilo) bytes /= kKilo, ++unit;
  return significant(bytes, kDigits) + " " + kNames[unit];
}

}  // namespace kstar
