// What a claim says, in the ways that people write it.
//
//   claim   = value, workers, and a base where it is not one worker, in any order
//   value   = a number with x, times, fold, "speedup" or "faster"; with % or "efficiency"; or
//             linear, near-linear, twice, half the time
//   workers = a whole number behind at, on, with, to ..., before "GPUs", or in S( ): 1,024 is one
//   base    = a whole number behind from, than, versus, relative to ...
// Other words may stand around; weak, strong and throughput say of which regime it is.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "audit/claim_words.h"
#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/audit.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

constexpr std::string_view kHint =
    "as in '180x at 256', '2.5x from 8 to 64' or '0.9 efficiency at 64'";
constexpr std::size_t kNone = std::string_view::npos;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

enum class NumberRole { kUnknown, kRatio, kWorkers, kBase };

/// A number of the claim, and where it stands.
struct ClaimNumber {
  std::size_t start = 0, end = 0;
  std::size_t sign = 0;    ///< where it starts with its minus
  std::size_t behind = 0;  ///< where it ends with its thousands: 8k, 8 thousand
  std::optional<double> value;
  double rounding = 0;  ///< half of the last digit that is written
  NumberRole role = NumberRole::kUnknown;
  bool over = false;  ///< a base behind "over", which may count the workers as well
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

double half_of_last_digit(std::string_view digits) {
  const std::size_t point = digits.find('.');
  const std::size_t decimals = point == kNone ? 0 : digits.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(decimals));
}

template <std::size_t N>
bool ends_with_word(std::string_view text, const std::array<std::string_view, N>& words) {
  text = text.substr(0, text.find_last_not_of(" :~") + 1);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    if (!text.ends_with(word)) return false;
    return text.size() == word.size() || !is_letter(text[text.size() - word.size() - 1]) ||
           !is_letter(word[0]);
  });
}

constexpr std::array<std::string_view, 15> kBaseWords = {
    "from", "than",        "than on",       "than at",         "than with",
    "vs",   "vs.",         "versus",        "relative to",     "against",
    "over", "compared to", "compared with", "relative to k =", "from k ="};
constexpr std::array<std::string_view, 17> kWorkerWords = {
    "at",           "on",    "with", "@",  "to",  "using", "across", "for", "->",
    "\xE2\x86\x92", "up to", "k =",  "k=", "n =", "n=",    "p =",    "p="};
constexpr std::array<std::string_view, 20> kUnits = {
    "gpu",     "worker", "node",    "core",   "rank",   "thread",      "process",
    "machine", "chip",   "tpu",     "device", "cpu",    "accelerator", "pe",
    "host",    "server", "replica", "mpi",    "socket", "processor"};

/// What stands for a value without a number.
struct ValueWords {
  std::string_view words;
  double value;
  bool of_speedup;
  const char* reading;
};
constexpr const char* kNearLinear = "near-linear is read as an efficiency of 0.9 or more";
constexpr const char* kLinear = "linear is read as an efficiency of 0.95 or more";
constexpr ValueWords kValueWords[] = {
    {"near-linear", 0.9, false, kNearLinear},
    {"near linear", 0.9, false, kNearLinear},
    {"nearly linear", 0.9, false, kNearLinear},
    {"nearlinear", 0.9, false, kNearLinear},
    {"almost linear", 0.9, false, kNearLinear},
    {"close to linear", 0.9, false, kNearLinear},
    {"nearly ideal", 0.9, false, kNearLinear},
    {"near-ideal", 0.9, false, kNearLinear},
    {"near-perfect", 0.9, false, kNearLinear},
    {"nearly perfect", 0.9, false, kNearLinear},
    {"linear", 0.95, false, kLinear},
    {"perfect", 0.95, false, kLinear},
    {"ideal", 0.95, false, kLinear},
    {"twice", 2, true, ""},
    {"double", 2, true, ""},
    {"half the time", 2, true, ""},
    {"halves", 2, true, ""},
    {"doubling", 2, true, ""},
};

/// Reads one claim.
class ClaimReader {
 public:
  ClaimReader(std::string_view text, std::string_view where)
      : text_(text), small_(lower_case(text)), where_(where) {}

  Result<Claim> read() {
    if (trim(small_).empty()) return wrong(0, 0, "a speedup or an efficiency at a K");
    find_numbers();
    const std::optional<double> stated = take_second_ratio();
    KSTAR_TRY(const ClaimNumber* value, only(NumberRole::kRatio, NumberRole::kUnknown));
    find_range();
    const ClaimNumber* base = first(NumberRole::kBase);
    const ClaimNumber* workers = first(NumberRole::kWorkers);
    // "90% efficiency over 64": an efficiency is over its workers, a speedup over its base.
    const bool counts = value != nullptr && is_percent(small(value->behind, small_.size()));
    if (workers == nullptr && base != nullptr && base->over && (counts || says("eff"))) {
      std::swap(workers, base);
    }
    KSTAR_CHECK(check_value(value, workers));
    KSTAR_CHECK(check_workers(workers));
    if (base != nullptr) KSTAR_CHECK(check_workers(base));
    if (const ClaimNumber* second = second_of(NumberRole::kWorkers)) {
      return wrong(*second, "one number on each side of a claim");
    }
    if (base != nullptr && *base->value > *workers->value) {
      return wrong(*base, "a base of fewer workers than the claim is about");
    }
    KSTAR_CHECK(check_letters(*workers));
    double from = base != nullptr ? *base->value : 1;
    if (value != nullptr && base == nullptr) {
      KSTAR_TRY(from, base_of_multiplied(*workers));
    }
    KSTAR_TRY(Claim read, claim(value, *workers->value, from));
    if (const std::string_view other = other_base(small_); !other.empty()) {
      const auto start = static_cast<std::size_t>(other.data() - small_.data());
      read.other_base = std::string(text_.substr(start, other.size()));
    }
    if (workers->behind > workers->end && workers->value >= 1000) {
      read.reading = fmt::format("{} is read as {} workers",
                                 text_.substr(workers->start, workers->behind - workers->start),
                                 fixed(*workers->value, 0));
    }
    if (read.of_speedup) read.stated_efficiency = stated;
    return read;
  }

 private:
  tl::unexpected<Error> wrong(std::size_t start, std::size_t end, std::string_view what) const {
    return fail(expected_at(where_, text_, start, what, text_.substr(start, end - start), kHint));
  }
  tl::unexpected<Error> wrong(const ClaimNumber& number, std::string_view what) const {
    return wrong(number.sign, number.end, what);
  }

  std::string_view small(std::size_t start, std::size_t end) const {
    return std::string_view(small_).substr(start, end - start);
  }
  bool says(std::string_view word) const { return small_.find(word) != kNone; }

  void find_numbers() {
    for (std::size_t i = 0; i < small_.size();) {
      const bool starts = is_digit(small_[i]) ||
                          (small_[i] == '.' && i + 1 < small_.size() && is_digit(small_[i + 1]));
      if (!starts) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < small_.size() &&
             (is_digit(small_[end]) || small_[end] == '.' || small_[end] == ',')) {
        ++end;
      }
      std::size_t behind = end;
      while (end > i && !is_digit(small_[end - 1])) --end;  // the end of a sentence
      if (!is_part_of_name(i, end)) {
        add_number(i, end);
        behind = std::max(behind, numbers_.back().behind);
      }
      i = behind;
    }
  }

  /// Of H100, ResNet-50 and 80GB.
  bool is_part_of_name(std::size_t start, std::size_t end) const {
    const auto letter = [&](std::size_t i) { return is_letter(small_[i]); };
    if (start > 0 && letter(start - 1)) return true;
    if (start > 1 && small_[start - 1] == '-' && letter(start - 2)) return true;
    return small_.substr(end).starts_with("gb");
  }

  /// What multiplies a number: k, M, thousand, million, e3.
  struct Scale {
    double factor = 1;
    std::size_t length = 0;  ///< of it in the text, with the spaces before
  };
  Scale scale_behind(std::size_t end) const {
    const std::string_view behind = small(end, small_.size());
    const auto is_apart = [&](std::size_t at) {
      return at >= behind.size() || !(is_letter(behind[at]) || is_digit(behind[at]));
    };
    if (behind.size() > 1 && behind[0] == 'e' && is_digit(behind[1]) && is_apart(2)) {
      return {std::pow(10.0, behind[1] - '0'), 2};
    }
    const std::size_t start = std::min(behind.find_first_not_of(' '), behind.size());
    const std::string_view word = behind.substr(start);
    if (word.starts_with("thousand")) return {1e3, start + 8};
    if (word.starts_with("million")) return {1e6, start + 7};
    if (word.empty() || !is_apart(start + 1)) return {};
    if (word[0] == 'k' && !trim(word.substr(1)).starts_with('=')) return {1e3, start + 1};
    return text_[end + start] == 'M' ? Scale{1e6, start + 1} : Scale{};
  }

  void add_number(std::size_t start, std::size_t end) {
    ClaimNumber number{.start = start, .end = end, .sign = start, .value = {}};
    if (start > 0 && small_[start - 1] == '-') number.sign = start - 1;
    const std::string_view digits = small(start, end);
    const Scale scale = scale_behind(end);
    number.behind = end + scale.length;
    if (number.sign == start) number.value = value_of(digits);
    if (number.value) *number.value *= scale.factor;
    number.rounding = half_of_last_digit(digits) * scale.factor;
    number.role = role_of(number);
    number.over = ends_with_word(small(0, start), std::array<std::string_view, 1>{"over"});
    numbers_.push_back(number);
  }

  /// "7.5x on 8 GPUs (94% efficiency)": of two ratios the one in percent says the same again.
  std::optional<double> take_second_ratio() {
    std::vector<std::size_t> times, percents;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i].role != NumberRole::kRatio) continue;
      const std::string_view behind = small(numbers_[i].behind, small_.size());
      (is_times(behind) ? times : percents).push_back(i);
    }
    if (times.size() != 1 || percents.size() != 1 || says("faster")) return {};
    const std::optional<double> value = numbers_[percents[0]].value;
    numbers_.erase(numbers_.begin() + static_cast<std::ptrdiff_t>(percents[0]));
    said_twice_ = true;
    return value ? std::optional(*value / 100) : std::nullopt;
  }

  /// "across 1 to 10 nodes": the first of two counts is the base.
  void find_range() {
    for (std::size_t i = 1; i < numbers_.size(); ++i) {
      ClaimNumber &from = numbers_[i - 1], &to = numbers_[i];
      if (from.role != NumberRole::kWorkers || to.role != NumberRole::kWorkers) continue;
      const std::string_view between = trim(small(from.end, to.start));
      if (between == "to" || between == "-" || between == "->") from.role = NumberRole::kBase;
    }
  }

  NumberRole role_of(const ClaimNumber& number) const {
    const std::string_view before = small(0, number.sign);
    const std::string_view behind = small(number.behind, small_.size());
    if (is_times(behind) || is_percent(behind)) return NumberRole::kRatio;
    if (ends_with_word(before, kBaseWords)) return NumberRole::kBase;
    if (ends_with_word(before, kWorkerWords) || counts_workers(behind)) return NumberRole::kWorkers;
    const bool in_brackets = before.find('(') != kNone && before.find(')') == kNone;
    return in_brackets && behind.find(')') != kNone ? NumberRole::kWorkers : NumberRole::kUnknown;
  }

  static bool is_percent(std::string_view behind) {
    behind = trim(behind);
    return behind.starts_with('%') || behind.starts_with("percent") ||
           behind.starts_with("per cent");
  }

  /// "x", "times", "-fold" behind the number.
  static bool is_times(std::string_view behind) {
    behind = trim(behind);
    if (behind.starts_with('-')) behind.remove_prefix(1);
    if (behind.starts_with('x')) return behind.size() < 2 || !is_letter(behind[1]);
    return behind.starts_with("\xC3\x97") || behind.starts_with("times") ||
           behind.starts_with("fold");
  }

  static bool counts_workers(std::string_view behind) {
    const bool apart = behind.starts_with(' ') || behind.starts_with('-');
    behind = trim(behind);
    if (behind.starts_with('-')) behind.remove_prefix(1);
    return apart && std::any_of(kUnits.begin(), kUnits.end(),
                                [&](std::string_view unit) { return behind.starts_with(unit); });
  }

  const ClaimNumber* first(NumberRole role) const {
    const auto found = std::find_if(numbers_.begin(), numbers_.end(),
                                    [&](const ClaimNumber& each) { return each.role == role; });
    return found == numbers_.end() ? nullptr : &*found;
  }

  const ClaimNumber* second_of(NumberRole role) const {
    const ClaimNumber* one = first(role);
    for (const ClaimNumber& each : numbers_) {
      if (each.role == role && &each != one) return &each;
    }
    return nullptr;
  }

  /// The one number of these roles, or none.
  Result<const ClaimNumber*> only(NumberRole role, NumberRole other) const {
    const ClaimNumber* found = nullptr;
    for (const ClaimNumber& each : numbers_) {
      if (each.role != role && each.role != other) continue;
      if (found != nullptr) return wrong(each, "one number on each side of a claim");
      found = &each;
    }
    return found;
  }

  Result<void> check_value(const ClaimNumber* value, const ClaimNumber* workers) const {
    if (value != nullptr && (!value->value || !(*value->value > 0))) {
      return wrong(*value, "a number above 0");
    }
    if (value != nullptr || value_words() != nullptr) return {};
    if (workers == nullptr) {
      return wrong(small_.size(), small_.size(), "'at' and a number of workers");
    }
    return wrong(0, trim(small(0, workers->start)).size(), "a speedup or an efficiency");
  }

  Result<void> check_workers(const ClaimNumber* workers) const {
    if (workers == nullptr) {
      return wrong(small_.size(), small_.size(), "'at' and a number of workers");
    }
    if (!workers->value || !(*workers->value > 0)) {
      if (workers->value && *workers->value == 0)
        return wrong(*workers, "a whole number of workers from 1 to a billion");
      return wrong(*workers, "a number above 0");
    }
    const double k = *workers->value;
    if (k < 1 || k > static_cast<double>(kMostWorkers) || k != std::floor(k)) {
      return wrong(*workers, "a whole number of workers from 1 to a billion");
    }
    return {};
  }

  /// "8kb": letters that are no unit change what the number is.
  Result<void> check_letters(const ClaimNumber& workers) const {
    const std::string_view behind = small(workers.behind, small_.size());
    if (behind.empty() || !is_letter(behind[0]) || behind[0] == 'x') return {};
    if (counts_workers(" " + std::string(behind))) return {};
    const std::size_t end = std::min(behind.find_first_of(" ,.;)"), behind.size());
    return wrong(workers.start, workers.behind + end, "a number of workers");
  }

  /// "by doubling to 8" is from 4 to 8.
  Result<double> base_of_multiplied(const ClaimNumber& workers) const {
    struct Multiplied {
      std::string_view word;
      double factor;
    };
    for (const Multiplied each :
         {Multiplied{"doubling", 2}, Multiplied{"tripling", 3}, Multiplied{"quadrupling", 4}}) {
      const std::size_t at = small_.find(each.word);
      if (at == kNone) continue;
      const double base = *workers.value / each.factor;
      if (base >= 1 && base == std::floor(base)) return base;
      return wrong(at, at + each.word.size(), "'from' and the number of workers before");
    }
    return 1;
  }

  /// More or less than linear is said with a number.
  const ValueWords* value_words() const {
    for (const char* other : {"superlinear", "super-linear", "super linear", "sublinear",
                              "sub-linear", "nonlinear", "non-linear"}) {
      if (says(other)) return nullptr;
    }
    for (const ValueWords& words : kValueWords) {
      if (says(words.words)) return &words;
    }
    return nullptr;
  }

  bool starts_with(char letter) const {
    const std::string_view start = trim(small_);
    if (!start.starts_with(letter)) return false;
    const std::string_view rest = trim(start.substr(1));
    return rest.starts_with('(') || rest.starts_with('=');
  }

  std::optional<Regime> regime() const {
    if (says("weak") || says("scaled speed") || says("gustafson")) return Regime::kWeak;
    if (says("strong") || says("fixed")) return Regime::kStrong;
    for (const char* word : {"throughput", "per second", "/s", " rate", "bandwidth"}) {
      if (says(word)) return Regime::kThroughput;
    }
    return {};
  }

  /// A speedup against the base, or an efficiency; from its number or its words.
  struct Said {
    double value = 1, rounding = 0;
    bool of_speedup = true;
    ClaimBound bound = ClaimBound::kAtLeast;
  };

  tl::unexpected<Error> wrong(const OddWord& odd) const {
    const auto start = static_cast<std::size_t>(odd.word.data() - small_.data());
    return wrong(start, start + odd.word.size(), odd.expected);
  }

  /// Where a number ends with its %, x or times.
  AroundValue around(const ClaimNumber& number) const {
    std::size_t end = number.behind;
    const std::string_view rest = small(end, small_.size());
    const bool percent = is_percent(rest), times = is_times(rest);
    for (const std::string_view sign :
         {"percent", "per cent", "times", "fold", "%", "x", "\xC3\x97"}) {
      const std::size_t at = small_.find(sign, end);
      if (!(percent || times) || at == kNone || small(end, at).find_first_not_of("- ") != kNone)
        continue;
      end = at + sign.size();
      break;
    }
    return {small(0, number.sign), small(end, small_.size()), percent, times};
  }

  /// Loss and time are less where a speedup is more.
  static ClaimBound turned(ClaimBound bound) {
    if (bound == ClaimBound::kExactly) return bound;
    return bound == ClaimBound::kAtMost ? ClaimBound::kAtLeast : ClaimBound::kAtMost;
  }

  Result<Said> said_by_words() const {
    const ValueWords& words = *value_words();
    const WordedBound bound =
        worded_bound({.before = small(0, small_.find(words.words)), .behind = {}});
    if (bound.odd) return wrong(*bound.odd);
    if (bound.bound == ClaimBound::kAtMost) {
      return wrong(0, small_.find(words.words) + words.words.size(), "a number");
    }
    return Said{words.value, 0, words.of_speedup};
  }

  Result<Said> said(const ClaimNumber* number) const {
    if (number == nullptr) return said_by_words();
    const AroundValue words = around(*number);
    const WordedBound bound = worded_bound(words);
    if (bound.odd) return wrong(*bound.odd);
    const Worded worded = worded_value(words, *number->value);
    if (worded.odd && !said_twice_) return wrong(*worded.odd);
    if (worded.value && !said_twice_) {
      const WordedValue& value = *worded.value;
      ClaimBound meant = value.exact ? ClaimBound::kExactly : ClaimBound::kAtLeast;
      if (bound.bound) meant = value.slope < 0 ? turned(*bound.bound) : *bound.bound;
      return Said{value.value, number->rounding * std::fabs(value.slope), value.of_speedup, meant};
    }
    KSTAR_TRY(Said plain, said_plainly(*number));
    if (!bound.bound) return plain;
    plain.bound = plain.of_speedup && says("slower") ? turned(*bound.bound) : *bound.bound;
    return plain;
  }

  /// Without words of time or of loss.
  Result<Said> said_plainly(const ClaimNumber& number) const {
    const std::string_view behind = small(number.behind, small_.size());
    const bool percent = is_percent(behind), times = is_times(behind);
    const bool faster = percent && (says("faster") || says("quicker") || says("speed"));
    const bool of_ideal = says("of linear") || says("of ideal") || says("of perfect");
    const bool efficiency = says("eff") || starts_with('e') || of_ideal || (percent && !faster);
    const bool speedup =
        times || faster || says("speed") || says("faster") || says("slower") || starts_with('s');
    if (!efficiency && !speedup) {
      return wrong(number.end, number.end,
                   "x after a speedup, or % or efficiency after an efficiency");
    }
    if (said_twice_) return Said{*number.value, number.rounding, true};
    if (efficiency && speedup && !(percent && !times && says("eff")) && !of_ideal) {
      return wrong(number, "either a speedup or an efficiency");
    }
    const double unit = percent ? 0.01 : 1;
    Said found{*number.value * unit, number.rounding * unit, !efficiency};
    if (efficiency && found.value > 10) {
      return wrong(number, "an efficiency as a share, or in percent with %");
    }
    if (faster && !efficiency) found.value += 1;
    if (!efficiency && says("slower")) {
      found = {1 / found.value, found.rounding / (found.value * found.value), true};
    }
    return found;
  }

  Result<Claim> claim(const ClaimNumber* number, double workers, double base) const {
    constexpr double kMostRounding = 0.02;
    KSTAR_TRY(const Said value, said(number));
    Claim claim{.workers = workers,
                .base_workers = base,
                .regime = regime(),
                .of_speedup = value.of_speedup,
                .bound = value.bound,
                .reading = number == nullptr ? value_words()->reading : "",
                .text = std::string(trim(text_))};
    const double unit = value.of_speedup ? 1 : workers / base;
    claim.speedup = value.value * unit;
    claim.efficiency = claim.speedup * base / workers;
    claim.rounding = std::min(value.rounding * unit, kMostRounding * claim.speedup);
    return claim;
  }

  std::string_view text_;
  std::string small_;
  std::string_view where_;
  std::vector<ClaimNumber> numbers_;
  bool said_twice_ = false;  ///< as a speedup and as an efficiency
};

}  // namespace

Result<Claim> parse_claim(std::string_view text, std::string_view where) {
  return ClaimReader(text, where).read();
}

}  // namespace kstar
