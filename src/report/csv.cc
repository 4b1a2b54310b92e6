#include "report/csv.h"

#include <cmath>
#include <string_view>

#include "base/number.h"

namespace kstar {

std::string csv_cell(const std::string& text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@").find(text[0]) != text.npos && !parse_double(text);
  std::string plain = (formula ? "'" : "") + text;
  if (plain.find_first_of(",\"\n\r") == std::string::npos) return plain;
  std::string safe = "\"";
  for (const char c : plain) safe += c == '"' ? std::string("\"\"") : std::string(1, c);
  return safe + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? shortest(value) : "";
}

}  // namespace kstar
