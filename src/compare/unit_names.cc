#include "compare/unit_names.h"

#include <map>

#include "base/text.h"

namespace kstar::comparing {

std::string unit_name(std::string_view unit) {
  static const std::map<std::string_view, const char*> short_names = {
      {"img", "image"},   {"tok", "token"},    {"smp", "sample"},     {"seq", "sequence"},
      {"req", "request"}, {"it", "iteration"}, {"iter", "iteration"}, {"op", "operation"}};
  constexpr std::size_t kSymbol = 2;  // GB and Gb are not the same
  const std::string_view text = trim(unit);
  std::string name = text.size() > kSymbol ? lower_case(text) : std::string(text);
  const bool plural = name.size() > 2 && name.ends_with('s') && !name.ends_with("ss");
  if (plural) name.pop_back();
  const auto found = short_names.find(name);
  return found == short_names.end() ? name : found->second;
}

bool is_known_unit(std::string_view unit) {
  return !unit.empty() && unit != "units of the rate";  // as src/import writes it
}

}  // namespace kstar::comparing
