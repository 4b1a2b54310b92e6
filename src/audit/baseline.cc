// The first of the two mistakes: a T(1) so slow that every speedup is borrowed against it.
#include <fmt/format.h>

#include <algorithm>

#include "audit/handicaps.h"
#include "audit/rules.h"
#include "base/number.h"

namespace kstar {

namespace {

/// Both have an interval, or both differ by more than `apart` without one.
bool clearly_slower(const Estimate& slow, const Estimate& fast, double apart = 1.10) {
  if (is_bounded(slow) && is_bounded(fast)) return slow.low > fast.high;
  return slow.point > apart * fast.point;
}

Verdict best_single(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const ScalingTable& table = evidence.analysis->table;
  const ScalingPoint* program = point_at(table, Role::kParallel, 1);
  const ScalingPoint* single = point_at(table, Role::kBaseline, 1);
  const std::optional<BaselineKind> kind = evidence.study.header.baseline.kind;
  if (single == nullptr) {
    return missing(kind == BaselineKind::kFastestSingle
                       ? "the fastest single-worker program is declared, and has no runs"
                       : "only the parallel program ran with one worker, or nothing did");
  }
  const std::string time = with_interval(single->time, 4, " s");
  if (program == nullptr) return shown(fmt::format("a single-worker program takes {}", time));
  const std::string both = fmt::format(
      "the single-worker program takes {}, the parallel one with "
      "one worker {}",
      time, with_interval(program->time, 4, " s"));
  if (clearly_slower(single->time, program->time)) {
    return contradicted(both + ": the baseline is not the fastest");
  }
  const bool against_slow =
      kind != BaselineKind::kFastestSingle && clearly_slower(program->time, single->time);
  if (against_slow) {
    return contradicted(fmt::format("{}: a speedup against the slower one is {} times too large",
                                    both,
                                    significant(program->time.point / single->time.point, 3)));
  }
  return shown(both);
}

template <typename Value>
std::optional<double> middle(const std::vector<const Run*>& runs,
                             std::optional<Value> Run::*member) {
  std::vector<double> values;
  for (const Run* run : runs) {
    if (run->*member) values.push_back(static_cast<double>(*(run->*member)));
  }
  if (values.empty()) return {};
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Verdict memory_pressure(const Evidence& evidence) {
  constexpr double kMany = 100, kMuchMore = 10, kNearlyAll = 0.9, kMebi = 1024.0 * 1024;
  if (evidence.analysis == nullptr || evidence.base == nullptr) {
    return not_applicable("there is no base to look at");
  }
  std::vector<const Run*> base;
  for (const Run& run : evidence.study.runs) {
    const bool of_base = run.role == evidence.base->role && run.workers == evidence.base->workers;
    if (of_base && counts(run)) base.push_back(&run);
  }
  const std::optional<double> faults = middle(base, &Run::major_faults);
  const std::optional<double> memory = middle(base, &Run::peak_memory);
  if (!faults && !memory) return missing("neither memory nor page faults of the base are recorded");
  double elsewhere = 0;
  for (const ScalingPoint* point : evidence.curve) {
    if (point == evidence.base) continue;
    const auto more = middle(runs_at(evidence.study, point->workers), &Run::major_faults);
    elsewhere = std::max(elsewhere, more.value_or(0));
  }
  if (faults && *faults >= kMany && *faults >= kMuchMore * elsewhere) {
    return contradicted(
        fmt::format("at the base {} page faults of a run went to disk, and at most "
                    "{} at other K",
                    significant(*faults, 4), significant(elsewhere, 4)));
  }
  const auto& hosts = evidence.study.header.environment.hosts;
  const bool host_known = !hosts.empty() && hosts[0].memory && *hosts[0].memory > 0;
  if (memory && host_known && *memory > kNearlyAll * static_cast<double>(*hosts[0].memory)) {
    return contradicted(fmt::format("the base holds {} MiB of the machine's {} MiB",
                                    significant(*memory / kMebi, 4),
                                    significant(static_cast<double>(*hosts[0].memory) / kMebi, 4)));
  }
  std::string text;
  if (memory) text = fmt::format("the base holds {} MiB", significant(*memory / kMebi, 4));
  if (faults) {
    text += fmt::format("{}{} of its page faults went to disk", text.empty() ? "" : "; ",
                        significant(*faults, 4));
  }
  return shown(text);
}

constexpr Rule kRules[] = {
    {{"best-single-worker", RuleGroup::kBaseline, "T(1) is the best single-worker run",
      "The parallel program with one worker carries what only many need: speedups against it are "
      "too large.",
      "What does the fastest correct single-worker program take, with what only many workers need "
      "switched off?"},
     &best_single},
    {{"optimised-build", RuleGroup::kBaseline, "An optimised build, nothing that slows it down",
      "A debug build or a tracer slows computation, not communication: every speedup grows.",
      "With which compiler flags and switches was T(1) measured?"},
     &optimised_build},
    {{"memory-pressure", RuleGroup::kBaseline, "T(1) had the memory it needed",
      "A machine that swaps is slow alone, and fast as soon as the data are split.",
      "How much memory does one worker need, and how much was there?"},
     &memory_pressure},
};

}  // namespace

std::span<const Rule> baseline_rules() {
  return kRules;
}

}  // namespace kstar
