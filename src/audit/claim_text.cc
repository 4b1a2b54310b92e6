#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/audit.h"

namespace kstar {

namespace {

constexpr const char* kExpected = "a speedup or an efficiency at a K";
constexpr const char* kHint = "as in '180x at 256' or '0.9 efficiency at 64'";
constexpr double kMostWorkers = 1e9;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return result;
}

bool is_in_number(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

/// A text with one number in it, and the rest.
struct Part {
  double number = 0;
  std::string rest;
};

std::optional<Part> part_of(std::string_view text) {
  std::size_t start = 0;
  while (start < text.size() && !is_in_number(text[start])) ++start;
  std::size_t end = start;
  while (end < text.size() && is_in_number(text[end])) ++end;
  const auto number = parse_double(text.substr(start, end - start));
  if (!number || (start > 0 && text[start - 1] == '-')) return {};
  Part part{.number = *number,
            .rest = std::string(text.substr(0, start)) + " " + std::string(text.substr(end))};
  for (const char c : part.rest) {
    if (is_in_number(c)) return {};
  }
  return part;
}

struct Halves {
  std::string_view value;
  std::string_view workers;
};

/// "VALUE at K", "VALUE on K workers", "S(K) = VALUE".
std::optional<Halves> halves_of(std::string_view text) {
  for (const std::string_view word : {" at ", " on ", " with ", "@"}) {
    const std::size_t found = text.find(word);
    if (found == std::string_view::npos) continue;
    return Halves{text.substr(0, found), text.substr(found + word.size())};
  }
  const std::size_t open = text.find('('), close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return Halves{text.substr(close + 1), text.substr(open + 1, close - open - 1)};
}

bool says(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

}  // namespace

Result<Claim> parse_claim(std::string_view text, std::string_view where) {
  const auto wrong = [&] { return fail(expected(where, kExpected, text, kHint)); };
  const std::string small = lower(text);
  const auto halves = halves_of(small);
  if (!halves) return wrong();
  const auto value = part_of(halves->value), workers = part_of(halves->workers);
  if (!value || !workers || !(value->number > 0)) return wrong();
  if (workers->number < 1 || workers->number > kMostWorkers ||
      workers->number != std::floor(workers->number)) {
    return wrong();
  }
  const std::string_view start = trim(small);
  const bool percent = says(value->rest, "%");
  const bool efficiency = percent || says(small, "eff") || start.starts_with("e(") ||
                          start.starts_with("e=") || start.starts_with("e =");
  const bool speedup = says(value->rest, "x") || says(small, "speed") || start.starts_with("s(") ||
                       start.starts_with("s=") || start.starts_with("s =");
  if (efficiency == speedup) return wrong();
  Claim claim{.workers = workers->number, .of_speedup = speedup, .text = std::string(trim(text))};
  const double number = percent ? value->number / 100 : value->number;
  claim.speedup = speedup ? number : number * claim.workers;
  claim.efficiency = claim.speedup / claim.workers;
  if (efficiency && claim.efficiency > 10) {
    return fail(expected(where, "an efficiency as a share or in percent", text, kHint));
  }
  return claim;
}

}  // namespace kstar
