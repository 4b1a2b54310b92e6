#include "audit/claim_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/evidence.h"
#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/audit.h"
#include "kstar/limits.h"

//   claim   = value ("at" | "on" | "with" | "@") workers     180x at 256
//           | ("S" | "E") "(" workers ")" "=" value          E(64) = 0.9
//   value   = a number above 0, with x, times, fold or "speedup"; or with % or "efficiency"
//   workers = a whole number; 1,024 is one, too
// Other words may stand around: "scaling efficiency of 94% on 1,024 GPUs".
namespace kstar {

namespace {

constexpr std::string_view kHint = "as in '180x at 256' or '0.9 efficiency at 64'";
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
    KSTAR_TRY(const auto sides, this->sides());
    const auto [said, at] = sides;
    KSTAR_TRY(const Part value, part(said, "a speedup or an efficiency"));
    const Result<Part> workers = part(at, "a number of workers");
    if (!workers) return fail(workers.error());
    if (workers->value < 1 || workers->value > static_cast<double>(kMostWorkers) ||
        workers->value != std::floor(workers->value)) {
      return wrong(workers->number, "a whole number of workers from 1 to a billion");
    }
    return claim(said, value, workers->value);
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
    if (!efficiency && !speedup)
      return wrong(behind, "x after a speedup, or % or efficiency after an efficiency");
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

namespace {

std::string times_text(const Estimate& speedup) {
  return with_interval(speedup, 4, "x");
}

const PredictedWorkers* prediction_at(const Analysis& analysis, double workers) {
  if (!analysis.models) return nullptr;
  for (const auto* list : {&analysis.models->predictions, &analysis.models->fitted}) {
    for (const PredictedWorkers& at : *list) {
      if (at.workers == workers) return &at;
    }
  }
  return nullptr;
}

/// What the claim says by itself.
void recompute(ClaimCheck& check, double good) {
  const Claim& claim = check.claim;
  check.idle_workers = claim.workers - claim.speedup;
  const std::string idle = significant(check.idle_workers, 3);
  check.evidence.push_back(fmt::format(
      "{}x on {} is {} efficiency: {}", significant(claim.speedup, 4), fixed(claim.workers, 0),
      percent(claim.efficiency, 0),
      check.idle_workers < 0
          ? "more than linear"
          : fmt::format("as if {} {} idle", idle, idle == "1" ? "worker was" : "workers were")));
  if (claim.workers < 2) return;
  const double inverse = 1 / claim.workers;
  const double fraction = (1 / claim.speedup - inverse) / (1 - inverse);
  check.serial_fraction = fraction;
  if (fraction <= 0) {
    check.evidence.emplace_back("it leaves no room for a serial part or for communication");
    return;
  }
  const double most = std::floor(1 + (1 / good - 1) / fraction + 1e-9);
  check.evidence.push_back(
      fmt::format("by Amdahl's law it needs a serial fraction of {}%; then efficiency stays at {} "
                  "or more up to K = {}",
                  significant(100 * fraction, 2), shortest(good), fixed(most, 0)));
}

/// What the claim asks of a T(1) that nobody has shown.
void need_of_any_base(ClaimCheck& check) {
  constexpr double kFaster = 0.9;
  const Claim& claim = check.claim;
  check.evidence.push_back(
      fmt::format("if the problem is the same at both, T(1) is {} times T({}); with a "
                  "single-worker program that is 10% faster, {}x remain",
                  significant(claim.speedup, 4), fixed(claim.workers, 0),
                  significant(kFaster * claim.speedup, 4)));
}

/// T(1) = S T(K) where the work is fixed, E T(K) where it grows.
void need_of_base(ClaimCheck& check, const Evidence& evidence, std::string_view whose,
                  const Estimate& time, const ScalingPoint& base) {
  const bool weak = evidence.analysis->table.regime == Regime::kWeak;
  const double factor = weak ? check.claim.efficiency : check.claim.speedup;
  const Estimate needed = scaled(time, factor);
  const double share = base.time.point / needed.point;
  const std::string start =
      fmt::format("for it to be true with {} T({}), ", whose, fixed(check.claim.workers, 0));
  if (is_relative(evidence.study)) {  // seconds are not known
    check.evidence.push_back(fmt::format("{}T(1) would have to be {} times as long as it is", start,
                                         significant(1 / share, 3)));
    return;
  }
  check.base_time = needed;
  check.base_measured = base.time.point;
  check.evidence.push_back(fmt::format("{}T(1) would have to be {}; it is {}, {} of that", start,
                                       seconds_text(evidence.study, needed),
                                       with_interval(base.time, 4, " s"),
                                       percent(share, share < 0.1 ? 2 : 0)));
}

int largest_measured(const Evidence& evidence) {
  return evidence.curve.empty() ? 1 : evidence.curve.back()->workers;
}

/// The most that more workers than were measured give, unless efficiency rises there: that of the
/// best point in the upper half of the K, as one that does not divide the work may be a bad one.
struct Continued {
  int workers = 1;  ///< of that point
  double speedup = 0;
};
std::optional<Continued> continued(const Evidence& evidence, double workers) {
  constexpr double kWithoutNoise = 1.05;
  std::optional<Continued> most;
  const int largest = largest_measured(evidence);
  for (const ScalingPoint& point : evidence.analysis->table.points) {
    const bool upper = point.role == Role::kParallel && 2.0 * point.workers > largest;
    if (!upper || point.workers < 2 || !point.speedup) continue;
    const Estimate& s = *point.speedup;
    const double high = is_bounded(s) ? s.high : kWithoutNoise * s.point;
    const double speedup = high * workers / point.workers;
    if (!most || speedup > most->speedup) most = {point.workers, speedup};
  }
  return most;
}

/// Behind the last K that was measured a model rests on its form, which nothing has tested there:
/// it speaks neither for nor against a claim. What efficiency allows does.
void compare_beyond(ClaimCheck& check, const Evidence& evidence) {
  const double least = check.claim.speedup - check.claim.rounding;
  check.evidence.push_back(
      fmt::format("not measured: the largest measured K is {}", largest_measured(evidence)));
  if (const auto most = continued(evidence, check.claim.workers); most && least > most->speedup) {
    check.status = FindingStatus::kContradicted;
    check.evidence.push_back(
        fmt::format("{} workers with the efficiency of K = {}, at the high end of its interval, "
                    "give {}x: for the claim, efficiency would have to rise",
                    fixed(check.claim.workers, 0), most->workers, significant(most->speedup, 4)));
  }
  if (!check.speedup) return;
  const bool above = least > check.speedup->high;
  const bool below = check.claim.speedup + check.claim.rounding < check.speedup->low;
  check.evidence.push_back(
      fmt::format("the models, extrapolated this far, give {}: the claim is {} the interval",
                  times_text(*check.speedup),
                  above   ? "above"
                  : below ? "below"
                          : "inside"));
}

void compare(ClaimCheck& check) {
  const double claimed = check.claim.speedup, rounding = check.claim.rounding;
  const Estimate& data = *check.speedup;
  const bool above = claimed - rounding > data.high, below = claimed + rounding < data.low;
  check.status = above || below ? FindingStatus::kContradicted : FindingStatus::kShown;
  check.evidence.push_back(fmt::format(
      "{} {}: the claim is {} the interval",
      check.measured ? "the runs give" : "the models, fitted to the runs, give", times_text(data),
      above   ? "above"
      : below ? "below"
              : "inside"));
}

}  // namespace

ClaimCheck check_claim(const Claim& claim, const Evidence* evidence, double good) {
  ClaimCheck check{.claim = claim};
  recompute(check, good);
  if (evidence == nullptr || evidence->analysis == nullptr) {
    if (claim.workers > 1) need_of_any_base(check);
    check.evidence.emplace_back(evidence == nullptr ? "there is no data to check it against"
                                                    : kSeveralSeries);
    return check;
  }
  const Analysis* analysis = evidence->analysis;
  const ScalingTable& table = analysis->table;
  const ScalingPoint* base = point_at(table, table.base_role, table.base_workers);
  const bool whole = claim.workers <= 1e9;
  const ScalingPoint* at =
      whole ? point_at(table, Role::kParallel, static_cast<int>(claim.workers)) : nullptr;
  const PredictedWorkers* guess = prediction_at(*analysis, claim.workers);
  if (base == nullptr || base->workers != 1) {
    check.evidence.push_back(fmt::format(
        "the data have no T(1): a speedup relative to one worker cannot be checked against them"));
    return check;
  }
  if (at != nullptr && at->speedup && is_bounded(*at->speedup)) {
    check.speedup = at->speedup;
    check.measured = true;
  } else if (guess != nullptr && is_bounded(guess->speedup)) {
    check.speedup = guess->speedup;
  }
  if (claim.workers > largest_measured(*evidence)) {
    compare_beyond(check, *evidence);
  } else if (check.speedup) {
    compare(check);
  } else {
    check.evidence.emplace_back("the data are too few for an interval at this K");
  }
  if (at != nullptr) {
    need_of_base(check, *evidence, "this", at->time, *base);
  } else if (guess != nullptr) {
    need_of_base(check, *evidence, "the models'", guess->time, *base);
  }
  return check;
}

}  // namespace kstar
