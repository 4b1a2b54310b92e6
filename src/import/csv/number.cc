#include "import/csv/number.h"

#include <algorithm>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "import/csv/name_table.h"

namespace kstar {

namespace {

/// Sign, digits, points, commas, an exponent and the marks between thousands.
std::string_view number_part(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const char c = text[end];
    const bool sign =
        (c == '-' || c == '+') && (end == 0 || text[end - 1] == 'e' || text[end - 1] == 'E');
    const bool exponent = (c == 'e' || c == 'E') && end > 0 && end + 1 < text.size() &&
                          (is_digit(text[end + 1]) || text[end + 1] == '-' || text[end + 1] == '+');
    const bool mark = (c == ' ' || c == '\'') && end > 0 && is_digit(text[end - 1]) &&
                      end + 1 < text.size() && is_digit(text[end + 1]);
    if (!is_digit(c) && c != '.' && c != ',' && !sign && !exponent && !mark) break;
    ++end;
  }
  return text.substr(0, end);
}

/// Drops `mark` between groups of three digits; nothing where the groups are others.
std::optional<std::string> without_marks(std::string_view text, char mark, char point) {
  const std::string_view whole = text.substr(0, text.find_first_of(std::string{point, 'e', 'E'}));
  if (text.find(mark, whole.size()) != std::string_view::npos) return std::nullopt;
  std::string kept;
  const auto groups = split(whole, mark);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool first = i == 0;
    const auto digits = std::count_if(groups[i].begin(), groups[i].end(), is_digit);
    // 0.125 has no thousands.
    const bool fine = first ? digits > 0 && digits < 4 && groups[i] != "0" : groups[i].size() == 3;
    if (groups.size() > 1 && !fine) return std::nullopt;
    kept += groups[i];
  }
  return kept + std::string(text.substr(whole.size()));
}

/// One mark with three digits behind it, and one to three before.
bool may_be_thousands(std::string_view number, char mark) {
  number = number_part(trim(number));
  const std::size_t at = number.find(mark);
  if (at == std::string_view::npos || number.find_first_of(".,", at + 1) != number.npos) {
    return false;
  }
  std::string_view before = number.substr(0, at), behind = number.substr(at + 1);
  if (before.starts_with('-') || before.starts_with('+')) before.remove_prefix(1);
  // 0,123 has no thousands, and 1234,567 would have had a second comma.
  return behind.size() == 3 && std::all_of(behind.begin(), behind.end(), is_digit) &&
         !before.empty() && before.size() <= 3 && before[0] != '0' &&
         std::all_of(before.begin(), before.end(), is_digit);
}

}  // namespace

Comma comma_in(std::string_view number) {
  number = number_part(trim(number));
  const auto commas = std::count(number.begin(), number.end(), ',');
  if (commas == 0) return has_grouped_points(number) ? Comma::kDecimal : Comma::kUnknown;
  if (commas > 1) return Comma::kThousands;
  const std::size_t comma = number.find(','), point = number.find('.');
  if (point != std::string_view::npos) return point > comma ? Comma::kThousands : Comma::kDecimal;
  return is_ambiguous(number) ? Comma::kUnknown : Comma::kDecimal;
}

Comma both(Comma a, Comma b) {
  if (a == Comma::kUnknown || a == b) return b;
  return b == Comma::kUnknown ? a : Comma::kMixed;
}

bool is_ambiguous(std::string_view number) {
  return may_be_thousands(number, ',');
}

bool is_unclear_point(std::string_view number) {
  return may_be_thousands(number, '.');
}

bool has_grouped_points(std::string_view number) {
  number = number_part(trim(number));
  if (number.find(',') != std::string_view::npos) return false;
  return std::count(number.begin(), number.end(), '.') > 1 &&
         read_number(number, Comma::kDecimal).has_value();
}

std::optional<double> read_number(std::string_view text, Comma comma) {
  // A million cells: one look at each character.
  const bool decimal = comma == Comma::kDecimal;
  const bool marked = std::any_of(text.begin(), text.end(), [&](char c) {
    return c == ',' || c == ' ' || c == '\'' || (decimal && c == '.');
  });
  if (!marked) return parse_double(text);
  const char point = comma == Comma::kDecimal ? ',' : '.';
  std::optional<std::string> plain(text);
  const char other = point == ',' ? '.' : ',';
  for (const char mark : {' ', '\'', other}) {
    if (plain && plain->find(mark) != std::string::npos) plain = without_marks(*plain, mark, point);
  }
  if (!plain) return std::nullopt;
  std::replace(plain->begin(), plain->end(), ',', '.');
  return parse_double(*plain);
}

bool is_number(std::string_view text) {
  return read_number(text, Comma::kThousands) || read_number(text, Comma::kDecimal);
}

namespace {

/// Behind "100 \u00B1 2" and "100 (\u00B1 2)" stands a unit of both.
std::string_view behind_deviation(std::string_view unit) {
  if (const std::size_t end = unit.find(')'); unit.starts_with('(') && end != unit.npos) {
    const std::string_view inside = trim(unit.substr(1, end - 1));
    const std::string_view left = behind_deviation(inside);
    if (left != inside) return left.empty() ? trim(unit.substr(end + 1)) : left;
    return unit;
  }
  for (const std::string_view sign : {"\xC2\xB1", "+/-", "+-"}) {
    const std::size_t at = unit.find(sign);
    if (at == std::string_view::npos) continue;
    if (at > 0) return trim(unit.substr(0, at));
    const std::string_view rest = trim(unit.substr(sign.size()));
    const std::string_view number = number_part(rest);
    return number.empty() ? unit : trim(rest.substr(number.size()));
  }
  return unit;
}

}  // namespace

std::optional<WrittenQuantity> read_quantity(std::string_view text, Comma comma) {
  if (comma != Comma::kDecimal) {
    if (const auto plain = parse_double(text)) return WrittenQuantity{*plain, {}};
  }
  text = trim(text);
  bool approximate = false;
  for (const std::string_view sign : {"~", "\xE2\x89\x88", "\xE2\x89\x83"}) {
    if (!text.starts_with(sign)) continue;
    text = trim(text.substr(sign.size()));
    approximate = true;
  }
  const std::string_view number = number_part(text);
  const std::optional<double> value = read_number(number, comma);
  if (!value) return std::nullopt;
  std::string_view unit = trim(text.substr(number.size()));
  for (const std::string_view mark : {"*", "\xE2\x80\xA0"}) {  // a dagger
    if (!unit.ends_with(mark)) continue;
    unit = trim(unit.substr(0, unit.find(mark)));
    approximate = true;
  }
  return WrittenQuantity{*value, behind_deviation(unit), approximate};
}

bool is_shortened(const WrittenQuantity& quantity) {
  return quantity.unit == "k" || quantity.unit == "K" || quantity.unit == "M" ||
         quantity.unit == "G" || quantity.unit == "T";
}

double shortened_by(const WrittenQuantity& quantity) {
  if (!is_shortened(quantity)) return 1;
  switch (quantity.unit[0]) {
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 1e3;
  }
}

bool is_times_sign(std::string_view unit) {
  return unit == "x" || unit == "X" || unit == "\xC3\x97" || unit == "\xE2\x9C\x95";
}

std::pair<double, std::string_view> prefix_of_rate(std::string_view unit) {
  const std::size_t blank = unit.find(' ');
  if (blank == std::string_view::npos) return {1, unit};
  const WrittenQuantity prefix{1, unit.substr(0, blank)};
  if (!is_shortened(prefix)) return {1, unit};
  return {shortened_by(prefix), trim(unit.substr(blank))};
}

std::string_view counted_thing(std::string_view unit) {
  if (unit.empty()) return {};
  for (const std::string_view cross : {"x", "X", "\xC3\x97", "\xE2\x9C\x95"}) {
    if (!unit.starts_with(cross)) continue;
    const std::string_view rest = unit.substr(cross.size());
    const bool apart = !rest.empty() && (rest[0] == ' ' || (rest[0] >= 'A' && rest[0] <= 'Z'));
    return apart ? trim(rest) : std::string_view();
  }
  return {};
}

std::optional<double> seconds_in_written_unit(std::string_view unit) {
  if (const auto seconds = seconds_in_unit(unit)) return seconds;
  if (unit.find('/') != std::string_view::npos) return std::nullopt;
  if (unit.ends_with("(s)")) unit.remove_suffix(3);  // "12.3 second(s)"
  const Words words = words_of(unit);
  return words.size() == 1 ? seconds_of(words[0]) : std::nullopt;
}

std::optional<double> per_second(std::string_view unit) {
  if (lower_case(unit).ends_with("flops")) return 1;
  const std::size_t slash = unit.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const auto seconds = seconds_of(lower_case(trim(unit.substr(slash + 1))));
  return seconds ? std::optional(1 / *seconds) : std::nullopt;
}

bool is_not_finite(std::string_view text) {
  const std::string lower = lower_case(text);
  return lower == "nan" || lower == "inf" || lower == "-inf" || lower == "infinity" ||
         lower == "-nan";
}

bool is_absent(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  if (text.size() > kLongest || (!text.empty() && is_digit(text[0]))) return false;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower.empty() || lower == "-" || lower == "--" || lower == "\xE2\x80\x94" ||
         lower == "\xE2\x80\x93" || lower == "na" || lower == "n/a" || lower == "null" ||
         lower == "none";
}

bool is_failure(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), is_digit)) return false;
  const Words words = words_of(text);
  return holds(words, Sense::kFailed) || words == Words{"out", "of", "memory"};
}

}  // namespace kstar
