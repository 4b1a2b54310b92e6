#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "kstar/audit.h"

//   claim   = value ("at" | "on" | "with" | "@") workers     180x at 256
//           | ("S" | "E") "(" workers ")" "=" value          E(64) = 0.9
//   value   = a number above 0, with x, times, fold or "speedup"; or with % or "efficiency"
//   workers = a whole number; 1,024 is one, too
// Other words may stand around: "scaling efficiency of 94% on 1,024 GPUs".
namespace kstar {

namespace {

constexpr std::string_view kHint = "as in '180x at 256' or '0.9 efficiency at 64'";
constexpr double kMostWorkers = 1e9;
constexpr std::size_t kNone = std::string_view::npos;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A piece of the claim, and where in the claim it stands.
struct Piece {
  std::string_view text;
  std::size_t start = 0;

  std::size_t end() const { return start + text.size(); }
};

/// What one side of the claim says: a number, and words around it.
struct Part {
  Piece number;
  double value = 0;
  double rounding = 0;  ///< half of the last digit that is written
};

/// Commas between thousands are left out; none where they stand elsewhere.
std::optional<double> value_of(std::string_view digits) {
  std::string plain;
  const std::size_t end = std::min(digits.find('.'), digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool thousands = i < end && i > 0 && (end - i) % 4 == 0;
    if ((digits[i] == ',') != (thousands && digits.find(',') != kNone)) return {};
    if (digits[i] != ',') plain += digits[i];
  }
  return parse_double(plain);
}

double rounding_of_digits(std::string_view digits) {
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == kNone ? 0 : digits.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals));
}

class ClaimReader {
 public:
  ClaimReader(std::string_view text, std::string_view where)
      : text_(text), small_(lower_case(text)), where_(where) {}

  Result<Claim> read() const {
    const auto sides = this->sides();
    if (!sides) return fail(sides.error());
    const auto [said, at] = *sides;
    const Result<Part> value = part(said, "a speedup or an efficiency");
    if (!value) return fail(value.error());
    const Result<Part> workers = part(at, "a number of workers");
    if (!workers) return fail(workers.error());
    if (workers->value < 1 || workers->value > kMostWorkers ||
        workers->value != std::floor(workers->value)) {
      return wrong(workers->number, "a whole number of workers from 1 to a billion");
    }
    return claim(said, *value, workers->value);
  }

 private:
  tl::unexpected<Error> wrong(const Piece& piece, std::string_view what) const {
    return fail(expected_at(where_, text_, piece.start, what,
                            text_.substr(piece.start, piece.text.size()), kHint));
  }

  Piece piece(std::size_t start, std::size_t end) const {
    return {std::string_view(small_).substr(start, end - start), start};
  }

  /// The value, and the workers that it is about.
  Result<std::pair<Piece, Piece>> sides() const {
    if (trim(small_).empty()) return wrong(piece(0, 0), "a speedup or an efficiency at a K");
    for (const std::string_view word : {" at ", " on ", " with ", "@"}) {
      const std::size_t found = small_.find(word);
      if (found == kNone) continue;
      return std::pair{piece(0, found), piece(found + word.size(), small_.size())};
    }
    const std::size_t open = small_.find('('), close = small_.find(')');
    if (open != kNone && close != kNone && open < close) {
      return std::pair{piece(close + 1, small_.size()), piece(open + 1, close)};
    }
    return wrong(piece(small_.size(), small_.size()), "'at' and a number of workers");
  }

  Piece number_in(const Piece& side, std::size_t from) const {
    const auto starts = [&](std::size_t i) {
      return is_digit(small_[i]) ||
             (small_[i] == '.' && i + 1 < side.end() && is_digit(small_[i + 1]));
    };
    std::size_t start = from;
    while (start < side.end() && !starts(start)) ++start;
    std::size_t end = start;
    while (end < side.end() &&
           (is_digit(small_[end]) || small_[end] == '.' || small_[end] == ',')) {
      ++end;
    }
    while (end > start && !is_digit(small_[end - 1])) --end;  // the end of a sentence
    return piece(start, end);
  }

  Result<Part> part(const Piece& side, std::string_view what) const {
    const Piece number = number_in(side, side.start);
    if (number.text.empty()) {
      const std::size_t blanks = std::min(side.text.find_first_not_of(' '), side.text.size());
      const std::size_t start = side.start + blanks;
      return wrong(piece(start, start + trim(side.text).size()), what);
    }
    const bool minus = number.start > side.start && small_[number.start - 1] == '-';
    const std::optional<double> value = value_of(number.text);
    if (minus || !value || !(*value > 0)) {
      return wrong(piece(number.start - (minus ? 1 : 0), number.end()), "a number above 0");
    }
    if (const Piece second = number_in(side, number.end()); !second.text.empty()) {
      return wrong(second, "one number on each side of a claim");
    }
    return Part{.number = number, .value = *value, .rounding = rounding_of_digits(number.text)};
  }

  bool starts_with(char letter) const {
    const std::string_view start = trim(small_);
    if (!start.starts_with(letter)) return false;
    const std::string_view rest = trim(start.substr(1));
    return rest.starts_with('(') || rest.starts_with('=');
  }

  static bool says(std::string_view text, std::string_view word) {
    return text.find(word) != kNone;
  }

  /// "x", "times", "-fold" behind the number.
  static bool is_times(const Piece& behind) {
    std::string_view text = trim(behind.text);
    if (text.starts_with('-')) text.remove_prefix(1);
    const auto all = {"x", "\xC3\x97", "times", "fold"};
    return std::any_of(all.begin(), all.end(),
                       [&](const char* word) { return text.starts_with(word); });
  }

  Result<Claim> claim(const Piece& said, const Part& value, double workers) const {
    constexpr double kMostRounding = 0.02;
    const Piece behind = piece(value.number.end(), said.end());
    const bool percent = says(said.text, "%") || says(said.text, "percent");
    const bool efficiency = percent || says(small_, "eff") || starts_with('e');
    const bool speedup = is_times(behind) || says(small_, "speed") || starts_with('s');
    if (!efficiency && !speedup) return wrong(behind, "an x behind a speedup, or % or efficiency");
    if (efficiency && speedup) return wrong(said, "either a speedup or an efficiency");
    Claim claim{.workers = workers, .of_speedup = speedup, .text = std::string(trim(text_))};
    const double unit = (percent ? 0.01 : 1) * (speedup ? 1 : workers);
    claim.speedup = value.value * unit;
    claim.efficiency = claim.speedup / workers;
    claim.rounding = std::min(value.rounding * unit, kMostRounding * claim.speedup);
    if (efficiency && claim.efficiency > 10) {
      return wrong(value.number, "an efficiency as a share, or in percent with %");
    }
    return claim;
  }

  std::string_view text_;
  std::string small_;
  std::string_view where_;
};

}  // namespace

Result<Claim> parse_claim(std::string_view text, std::string_view where) {
  return ClaimReader(text, where).read();
}

}  // namespace kstar
