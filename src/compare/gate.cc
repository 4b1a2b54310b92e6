#include "compare/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"
#include "compare/changes.h"
#include "compare/evidence.h"
#include "kstar/compare.h"
#include "kstar/words.h"

//   gate     = quantity verb [percent]        T(8) rises 5%
//   quantity = ("T" | "S" | "E") "(" (K | "any") ")" | "bend" | "K*"
//   verb     = "rises" | "drops"
// A percentage goes with T, S and E only: the bend and K* move from one K to another.
namespace kstar {

namespace {

constexpr std::string_view kHint =
    "for example \"T(8) rises 5%\", \"E(any) drops 5%\", \"S(16) drops 10%\", \"bend drops\", \"K* "
    "drops\"";

/// The words of a gate, one after the other.
class GateReader {
 public:
  GateReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  /// The next word, or "" at the end.
  std::string_view next() {
    start_ = std::min(text_.find_first_not_of(" \t", end_), text_.size());
    end_ = std::min(text_.find_first_of(" \t", start_), text_.size());
    return text_.substr(start_, end_ - start_);
  }

  /// The same, with a percent sign that stands apart: "5 %".
  std::string_view next_percentage() {
    next();
    const std::size_t behind = std::min(text_.find_first_not_of(" \t", end_), text_.size());
    if (behind < text_.size() && text_[behind] == '%') end_ = behind + 1;
    return text_.substr(start_, end_ - start_);
  }

  /// About the last word read; `skip` bytes of it are fine.
  tl::unexpected<Error> wrong(std::string_view what, std::string_view value,
                              std::size_t skip = 0) const {
    return fail(expected_at(where_, text_, start_ + skip, what, value, kHint));
  }

 private:
  std::string_view text_;
  std::string_view where_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

constexpr std::string_view kQuantities = "T(K), S(K), E(K), bend or K*";

/// "T(8)".
Result<void> read_at_workers(const GateReader& reader, std::string_view word, Gate& gate) {
  constexpr std::int64_t kMost = 2147483647;
  const std::string_view inside =
      word.size() > 3 && word.back() == ')' ? word.substr(2, word.size() - 3) : std::string_view();
  if (lower_case(inside) == "any") return {};
  const std::optional<std::int64_t> workers = parse_integer(inside);
  if (!workers || *workers < 1 || *workers > kMost) {
    return reader.wrong("a number of workers of at least 1, or any, in parentheses", word.substr(1),
                        1);
  }
  gate.workers = static_cast<int>(*workers);
  return {};
}

Result<void> read_quantity(GateReader& reader, Gate& gate) {
  const std::string_view word = reader.next();
  const std::string name = lower_case(word);
  if (name == "bend") {
    gate.quantity = GateQuantity::kBend;
    return {};
  }
  if (name == "k*") {
    gate.quantity = GateQuantity::kBestWorkers;
    return {};
  }
  constexpr std::array kByLetter = {std::pair{'t', GateQuantity::kTime},
                                    std::pair{'s', GateQuantity::kSpeedup},
                                    std::pair{'e', GateQuantity::kEfficiency}};
  for (const auto& [letter, quantity] : kByLetter) {
    if (name.size() < 2 || name[0] != letter || name[1] != '(') continue;
    gate.quantity = quantity;
    return read_at_workers(reader, word, gate);
  }
  return reader.wrong(kQuantities, word);
}

Result<void> read_verb(GateReader& reader, Gate& gate) {
  const std::string_view word = reader.next();
  const std::string name = lower_case(word);
  if (name != "rises" && name != "drops") return reader.wrong("rises or drops", word);
  gate.rises = name == "rises";
  return {};
}

Result<void> read_limit(GateReader& reader, Gate& gate) {
  const std::string_view word = reader.next_percentage();
  if (word.empty()) return {};
  if (gate.quantity == GateQuantity::kBend || gate.quantity == GateQuantity::kBestWorkers) {
    return reader.wrong("the end: the bend and K* take no percentage", word);
  }
  const std::optional<double> value =
      word.back() == '%' ? parse_double(trim(word.substr(0, word.size() - 1))) : std::nullopt;
  const bool possible = value && *value >= 0 && (gate.rises || *value < 100);
  if (!possible) {
    return reader.wrong(
        gate.rises ? "a percentage of at least 0%" : "a percentage from 0% to below 100%", word);
  }
  gate.limit = *value / 100;
  return {};
}

}  // namespace

Result<Gate> parse_gate(std::string_view text, std::string_view where) {
  Gate gate;
  gate.text = std::string(trim(text));
  GateReader reader(text, where);
  for (const auto read : {read_quantity, read_verb, read_limit}) {
    KSTAR_CHECK(read(reader, gate));
  }
  if (const std::string_view rest = reader.next(); !rest.empty()) {
    return reader.wrong("the end", rest);
  }
  return gate;
}

}  // namespace kstar

namespace kstar::comparing {

namespace {

/// Of T that of the typical run, where there is one.
const RatioChange* change_of(const Gate& gate, const WorkersChange& point) {
  if (gate.quantity == GateQuantity::kTime) return point.typical ? &*point.typical : &point.time;

  return point.efficiency ? &*point.efficiency : nullptr;
}

/// Whether a ratio is a larger change than allowed, in the gate's direction.
bool is_beyond(const Gate& gate, double ratio) {
  return gate.rises ? ratio > 1 + gate.limit : ratio < 1 - gate.limit;
}

/// Of the interval, in the gate's direction.
double end_of(const Gate& gate, const RatioChange& change) {
  return gate.rises ? change.ratio.high : change.ratio.low;
}

GateVerdict verdict_on(const Gate& gate, const RatioChange& change, double confidence) {
  if (is_beyond(gate, change.ratio.point) && is_evident(change, confidence)) {
    return GateVerdict::kFailed;
  }
  const bool ruled_out =
      !is_beyond(gate, end_of(gate, change)) && !is_beyond(gate, change.ratio.point);
  return ruled_out ? GateVerdict::kPassed : GateVerdict::kUndecided;
}

/// The failed before the undecided before the passed.
int gate_rank(GateVerdict verdict) {
  return verdict == GateVerdict::kFailed ? 2 : verdict == GateVerdict::kUndecided ? 1 : 0;
}

const char* letter_of(GateQuantity quantity) {
  return quantity == GateQuantity::kTime ? "T" : quantity == GateQuantity::kSpeedup ? "S" : "E";
}

/// Which T it is: a slow run is in the mean, and not in the typical one.
const char* kind_of(const Gate& gate, const RatioChange& change, const WorkersChange& point) {
  if (gate.quantity != GateQuantity::kTime) return "";
  return &change == &point.time ? ", of the mean," : ", of the typical run,";
}

std::string evidence_text(const Gate& gate, const RatioChange& change, const WorkersChange& point) {
  const Estimate& ratio = change.ratio;
  std::string text =
      fmt::format("{}({}){} after / before is {}", letter_of(gate.quantity), point.workers,
                  kind_of(gate, change, point), fixed(ratio.point, 3));
  if (!is_bounded(ratio)) return text + ", and one run per side gives no interval";
  return text + fmt::format(", {} to {}, adjusted p = {}", fixed(ratio.low, 3),
                            fixed(ratio.high, 3), significant(change.adjusted_p, 2));
}

/// Slow runs that became more, or fewer, in the gate's direction, and a mean beyond what is
/// allowed: the typical run alone does not let it pass.
bool is_open_by_slow(const Gate& gate, const WorkersChange& point) {
  if (gate.quantity != GateQuantity::kTime || !point.slow_runs) return false;
  const SlowRuns& slow = *point.slow_runs;
  const double before = static_cast<double>(slow.before) / static_cast<double>(slow.runs_before);
  const double after = static_cast<double>(slow.after) / static_cast<double>(slow.runs_after);
  return (gate.rises ? after > before : after < before) && is_beyond(gate, point.time.ratio.point);
}

std::string slow_evidence(const Gate& gate, const WorkersChange& point) {
  const SlowRuns& slow = *point.slow_runs;
  return fmt::format("{} of {} runs are far slower than the typical one, {} of {} before; {}",
                     slow.after, slow.runs_after, slow.before, slow.runs_before,
                     evidence_text(gate, point.time, point));
}

std::string workers_list(const Comparison& comparison) {
  std::string text;
  for (const WorkersChange& point : comparison.points) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", point.workers);
  }
  return text;
}

std::string place_of(const Gate& gate) {
  return fmt::format("gate '{}'", gate.text);
}

/// Nothing is known of what two sessions of one program differ by.
bool sessions_unknown(const Comparison& comparison) {
  const SessionEvidence& sessions = comparison.sessions;
  return !sessions.interleaved && !sessions.none && !sessions.deviation;
}

/// Whether a change beyond the limit may be one between sessions alone.
bool may_be_session(const Gate& gate, const Comparison& comparison, ChangeVerdict verdict) {
  const bool by_verdict = gate.quantity == GateQuantity::kTime;
  return by_verdict ? verdict == ChangeVerdict::kChangeOrSession : sessions_unknown(comparison);
}

/// Said where that is what keeps a gate open.
GateOutcome with_sessions(GateOutcome outcome, const Comparison& comparison) {
  if (outcome.verdict != GateVerdict::kUndecided || !sessions_unknown(comparison)) return outcome;
  outcome.evidence += "; one session per side does not tell a change from a session";
  return outcome;
}

/// At any K: what all K show together counts, too.
GateOutcome joined(GateOutcome outcome, const Comparison& comparison) {
  const Gate& gate = outcome.gate;
  if (gate.quantity != GateQuantity::kTime || gate.workers || !comparison.joint) return outcome;
  const JointChange& joint = *comparison.joint;
  const bool evident = joint.verdict != ChangeVerdict::kNoEvidence;
  if (outcome.verdict == GateVerdict::kFailed || !evident) return outcome;
  if (!is_beyond(gate, joint.ratio.point)) return outcome;
  outcome.verdict = joint.verdict == ChangeVerdict::kChangeOrSession ? GateVerdict::kUndecided
                                                                     : GateVerdict::kFailed;
  outcome.evidence =
      fmt::format("T of the typical run over all K, after / before, is {}, {} to {}, p = {}",
                  fixed(joint.ratio.point, 3), fixed(joint.ratio.low, 3),
                  fixed(joint.ratio.high, 3), significant(joint.p, 2));
  return outcome;
}

Result<GateOutcome> judge_ratio(const Gate& gate, const Comparison& comparison) {
  if (gate.quantity == GateQuantity::kTime && !comparison.times_compared) {
    return fail({.where = place_of(gate),
                 .message = "T is not compared: before and after measure different things",
                 .hint = "compare S and E, for example \"E(any) drops 5%\""});
  }
  GateOutcome outcome{.gate = gate, .verdict = GateVerdict::kPassed, .evidence = {}};
  std::pair<int, double> worst;  // of any K: the verdict, and then how far the interval reaches
  for (const WorkersChange& point : comparison.points) {
    if (gate.workers && point.workers != *gate.workers) continue;
    const RatioChange* change = change_of(gate, point);
    if (change == nullptr) continue;
    GateVerdict verdict = verdict_on(gate, *change, comparison.confidence);
    if (verdict == GateVerdict::kFailed && may_be_session(gate, comparison, point.verdict)) {
      verdict = GateVerdict::kUndecided;
    }
    const bool slow = verdict != GateVerdict::kFailed && is_open_by_slow(gate, point);
    if (slow) {
      const bool proven =
          point.by_slow_runs &&
          point.verdict == (gate.rises ? ChangeVerdict::kWorse : ChangeVerdict::kBetter);
      verdict = proven ? GateVerdict::kFailed : GateVerdict::kUndecided;
      change = &point.time;
    }
    const std::pair place{gate_rank(verdict),
                          gate.rises ? end_of(gate, *change) : -end_of(gate, *change)};
    if (!outcome.evidence.empty() && place <= worst) continue;
    worst = place;
    outcome.verdict = verdict;
    outcome.evidence = slow ? slow_evidence(gate, point) : evidence_text(gate, *change, point);
  }
  if (!outcome.evidence.empty()) return joined(outcome, comparison);
  const bool compared =
      std::any_of(comparison.points.begin(), comparison.points.end(),
                  [&](const WorkersChange& point) { return point.workers == gate.workers; });
  if (compared || !gate.workers) {
    return fail(
        {.where = place_of(gate), .message = "there is no S and E to compare in this regime"});
  }
  return fail(expected(place_of(gate),
                       fmt::format("one of the compared K ({})", workers_list(comparison)),
                       std::to_string(*gate.workers)));
}

/// The bend or K* moved from one K to another.
GateOutcome judge_place(const Gate& gate, const WorkersRange& before, const WorkersRange& after,
                        bool clear, const char* name) {
  const bool moved = gate.rises ? after.point > before.point : after.point < before.point;
  const bool may_have = gate.rises ? after.high > before.low : after.low < before.high;
  const GateVerdict verdict = moved && clear      ? GateVerdict::kFailed
                              : moved || may_have ? GateVerdict::kUndecided
                                                  : GateVerdict::kPassed;
  return {
      .gate = gate,
      .verdict = verdict,
      .evidence = fmt::format("{} was {}, and is {}", name, range_text(before), range_text(after))};
}

}  // namespace

namespace {

Result<GateOutcome> judge_alone(const Gate& gate, const Comparison& comparison) {
  const bool place =
      gate.quantity == GateQuantity::kBend || gate.quantity == GateQuantity::kBestWorkers;
  if (place && !compares_efficiency(comparison)) {
    return fail({.where = place_of(gate),
                 .message = "there is no S and E to compare, and so no bend and no K*"});
  }
  const std::vector<int> workers = workers_of(comparison);
  const BendChange& bend = comparison.bend;
  if (gate.quantity == GateQuantity::kBend) {
    return judge_place(gate, bend_range(bend.before, bend.verdict_before, workers),
                       bend_range(bend.after, bend.verdict_after, workers), bend.bend_clear,
                       "The bend");
  }
  if (gate.quantity == GateQuantity::kBestWorkers) {
    if (!bend.verdict_before.is_decided() || !bend.verdict_after.is_decided()) {
      return GateOutcome{
          .gate = gate,
          .verdict = GateVerdict::kUndecided,
          .evidence = fmt::format("K*: before {}, after {}", verdict_place(bend.verdict_before),
                                  verdict_place(bend.verdict_after))};
    }
    return judge_place(gate, verdict_range(bend.verdict_before), verdict_range(bend.verdict_after),
                       bend.verdict_clear, "K*");
  }
  return judge_ratio(gate, comparison);
}

}  // namespace

Result<GateOutcome> judge(const Gate& gate, const Comparison& comparison) {
  KSTAR_TRY(GateOutcome outcome, judge_alone(gate, comparison));
  const bool place =
      gate.quantity == GateQuantity::kBend || gate.quantity == GateQuantity::kBestWorkers;
  if (place && outcome.verdict == GateVerdict::kFailed && sessions_unknown(comparison)) {
    outcome.verdict = GateVerdict::kUndecided;
  }
  if (comparison.busy_machine) outcome.verdict = GateVerdict::kUndecided;
  return with_sessions(std::move(outcome), comparison);
}

}  // namespace kstar::comparing
