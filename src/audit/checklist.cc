// The six rows that a scaling result is to be reported with. Each closes one way to mislead.
#include <fmt/format.h>

#include <algorithm>

#include "audit/baseline.h"
#include "audit/left_out.h"
#include "audit/problem.h"
#include "audit/rules.h"
#include "audit/work.h"
#include "base/number.h"
#include "kstar/stats.h"
#include "kstar/words.h"

namespace kstar {

namespace {

constexpr const char* kWeakClaims =
    "not declared; the efficiencies in the file are those of weak scaling";

RuleVerdict exact_baseline(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return missing(kSeveralSeries);
  const Baseline& baseline = evidence.study.header.baseline;
  if (evidence.base == nullptr) return missing("the base has no usable time");
  if (evidence.base->workers != 1) {
    return missing(fmt::format("the smallest K is {}: there is no T(1)", evidence.base->workers));
  }
  if (is_relative(evidence.study)) return missing("the file has no time of the base");
  if (const auto fault = fault_of_baseline(evidence)) return contradicted(*fault);
  const std::string time = "T(1) is " + seconds_text(evidence.study, evidence.base->time);
  if (!baseline.kind) return missing(time + "; which program ran as T(1) is not stated");
  const bool own = *baseline.kind == BaselineKind::kFastestSingle;
  const bool described = own ? !baseline.command.empty() || !baseline.text.empty()
                             : !evidence.study.header.command.empty() || !baseline.text.empty();
  const char* what =
      own ? "the fastest single-worker program" : "the parallel program with one worker";
  if (!described) return missing(fmt::format("{}, of {}; its command is not given", time, what));
  return shown(fmt::format("{}, of {}", time, what));
}

RuleVerdict fixed_workload(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return missing(kSeveralSeries);
  const auto problem = changed_problem(evidence);
  if (problem) return contradicted(*problem);
  if (evidence.study.header.regime == Regime::kMixed) {
    return missing("declared mixed: the problem changes with K, and a speedup compares two jobs");
  }
  if (const auto grown = perhaps_size(evidence)) return missing(perhaps_text(*grown));
  std::vector<int> without;
  for (const ScalingPoint* point : evidence.curve) {
    if (!says_problem(evidence, point->workers)) without.push_back(point->workers);
  }
  if (!without.empty()) {
    return missing(fmt::format("the size of the problem is not stated at {}", listed(without)));
  }
  if (const auto uneven = uneven_work(evidence)) return missing(*uneven);
  const auto sources = work_sources(evidence);
  return shown(fmt::format("{} is stated at {} K, {}",
                           sources.empty() ? "the workload" : sources.front().name,
                           evidence.curve.size(), words_of(way_of(sources))));
}

/// In how many runs the first step that counts is far longer than the others.
std::string slow_first_steps(const Evidence& evidence) {
  constexpr double kFar = 1.5, kMost = 0.8;
  constexpr std::size_t kFewSteps = 5, kFewRuns = 3;
  std::size_t runs = 0, slow = 0;
  for (const Run& run : evidence.study.runs) {
    const auto warm = static_cast<std::size_t>(std::max(run.warm_up_steps.value_or(0), 0));
    if (!counts(run) || run.steps.size() < warm + kFewSteps) continue;
    ++runs;
    const auto rest = run.steps.begin() + static_cast<std::ptrdiff_t>(warm) + 1;
    if (run.steps[warm] > kFar * upper_median_of({rest, run.steps.end()})) ++slow;
  }
  if (runs < kFewRuns || static_cast<double>(slow) < kMost * static_cast<double>(runs)) return "";
  return fmt::format(
      "in {} of {} runs the first counted step takes over {} times as long as the median step",
      slow, runs, shortest(kFar));
}

/// How much longer than the median of the others at its K a run takes, the first run and the rest.
struct FirstRun {
  double first = 0;
  double most = 0;  ///< of the others
  std::size_t others = 0;
};
std::optional<FirstRun> first_run(const Study& study, int workers) {
  constexpr std::size_t kFewOthers = 3;
  const std::vector<const Run*> runs = runs_at(study, workers);
  if (runs.size() < kFewOthers + 1) return {};
  std::vector<double> rest;
  for (std::size_t i = 1; i < runs.size(); ++i) rest.push_back(*steady_time(*runs[i]));
  const double usual = upper_median_of(rest);
  FirstRun found{.first = *steady_time(*runs[0]) / usual - 1, .most = 0, .others = rest.size()};
  for (const double time : rest) found.most = std::max(found.most, time / usual - 1);
  return found;
}

/// Start-up in the first run of the base and nowhere else: that run is longer by more than a tenth,
/// and by far more than any other run is than those of its K.
std::string slow_first_run_of_base(const Evidence& evidence) {
  constexpr double kLonger = 0.10, kFarMore = 2.5;
  constexpr std::size_t kEnoughOthers = 8;
  if (evidence.base == nullptr || evidence.base->role != Role::kParallel) return "";
  const auto base = first_run(evidence.study, evidence.base->workers);
  if (!base) return "";
  double most = base->most;
  std::size_t others = base->others;
  for (const ScalingPoint* point : evidence.curve) {
    if (point == evidence.base) continue;
    const auto at = first_run(evidence.study, point->workers);
    if (!at) return "";
    most = std::max({most, at->most, at->first});
    others += at->others + 1;
  }
  if (others < kEnoughOthers || base->first < kLonger || base->first < kFarMore * most) return "";
  return fmt::format(
      "the first run at K = {} takes {} longer than the others, and no first run at another K "
      "does: start-up is part of T({})",
      evidence.base->workers, percent(base->first, 0), evidence.base->workers);
}

RuleVerdict warm_up(const Evidence& evidence) {
  const Protocol& protocol = evidence.study.header.protocol;
  const int excluded = std::max(protocol.warm_up_runs.value_or(0), 0) +
                       std::max(protocol.warm_up_steps.value_or(0), 0);
  const bool marked =
      std::any_of(evidence.study.runs.begin(), evidence.study.runs.end(),
                  [](const Run& run) { return run.warm_up || run.warm_up_steps.value_or(0) > 0; });
  if (const std::string slow = slow_first_steps(evidence); !slow.empty()) return contradicted(slow);
  if (const std::string slow = slow_first_run_of_base(evidence); !slow.empty()) {
    return contradicted(slow);
  }
  if (excluded == 0 && !marked) return missing("the exclusion of warm-up is not stated");
  if (protocol.setup.empty())
    return missing("warm-up is excluded; the exclusion of setup is not stated");
  return shown(fmt::format("warm-up is excluded, and so is {}", protocol.setup));
}

RuleVerdict repeats(const Evidence& evidence) {
  constexpr std::size_t kEnough = 3;
  if (evidence.analysis == nullptr) return missing(kSeveralSeries);
  if (const std::string kind = summary_kind(evidence.study); !kind.empty()) {
    return missing(fmt::format("the file has a {} of runs at each K, but no spread", kind));
  }
  std::vector<int> few;
  std::size_t least = evidence.base ? evidence.base->times.n : 0;
  if (evidence.base != nullptr && least < kEnough) few.push_back(evidence.base->workers);
  for (const ScalingPoint* point : evidence.curve) {
    if (point == evidence.base) continue;
    least = std::min(least, point->times.n);
    if (point->times.n < kEnough) few.push_back(point->workers);
  }
  if (!few.empty()) {
    return missing(
        fmt::format("fewer than {} runs at {}: the noise is unknown", kEnough, listed(few)));
  }
  const bool all = nothing_left_out(evidence).status == FindingStatus::kShown;
  return shown(
      fmt::format("at least {} runs at each K{}", least, all ? ", every one in the file" : ""));
}

/// What the numbers look like, where that is not what they are read as.
const Suspicion* other_reading(const Evidence& evidence) {
  for (const Suspicion& suspicion : evidence.analysis->suspicions) {
    const bool machine = suspicion.kind == SuspicionKind::kBusyMachine;  // a rule of its own
    if (questions_the_reading(suspicion) && !machine) return &suspicion;
  }
  return nullptr;
}

/// As evidence, which ends without a full stop.
std::string reading_text(const Suspicion& suspicion) {
  std::string text = suspicion_words(suspicion);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

RuleVerdict declared_regime(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return missing(kSeveralSeries);
  const Note* against = find_note(evidence, "regime-contradicted");
  if (against != nullptr) return contradicted(note_sentence(*against));
  if (const std::string whole = perhaps_whole_jobs(evidence); !whole.empty()) {
    return missing(whole);
  }
  if (const Suspicion* other = other_reading(evidence)) {
    const bool against_declared =
        evidence.study.header.regime && other->kind == SuspicionKind::kGrowingEfficiency;
    return against_declared ? contradicted(reading_text(*other)) : missing(reading_text(*other));
  }
  const bool declared = evidence.study.header.regime && !is_inverse(evidence.study);
  if (declared) {
    return shown(fmt::format("{} scaling is declared, and nothing contradicts it",
                             name_of(*evidence.study.header.regime)));
  }
  const WorkWay way = work_way(evidence);
  if (way == WorkWay::kSame || way == WorkWay::kGrows) {
    return shown(
        fmt::format("not declared, but the work is {}{}", words_of(way), work_text(evidence)));
  }
  if (const auto grown = perhaps_size(evidence)) return missing(perhaps_text(*grown));
  if (way == WorkWay::kOther) {
    return missing(
        fmt::format("not declared, and the work is {}{}", words_of(way), work_text(evidence)));
  }
  if (is_inverse(evidence.study)) {
    return missing("only rates or ratios: whether the problem grew with K is not stated");
  }
  if (evidence.claims_weak) return missing(kWeakClaims);
  return missing("not declared, and the problem at each K is not stated either");
}

RuleVerdict efficiency(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return missing(kSeveralSeries);
  if (evidence.claims_weak) return missing(kWeakClaims);
  if (const std::string whole = perhaps_whole_jobs(evidence); !whole.empty()) {
    return missing(whole);
  }
  std::string values;
  for (const ScalingPoint* point : evidence.curve) {
    if (!point->efficiency) continue;
    values += fmt::format("{}E({}) = {}", values.empty() ? "" : ", ", point->workers,
                          significant(point->efficiency->point, 3));
  }
  if (values.empty()) return missing("there is no efficiency without a base and a regime");
  const bool speedups = std::any_of(evidence.claims.begin(), evidence.claims.end(),
                                    [](const FileClaim& claim) { return claim.speedup; });
  const bool efficiencies = std::any_of(evidence.claims.begin(), evidence.claims.end(),
                                        [](const FileClaim& claim) { return claim.efficiency; });
  const bool bare = evidence.study.header.time == TimeKind::kSpeedup;
  if ((speedups && !efficiencies) || bare) {
    return missing(fmt::format("the file has only speedups; they imply {}", values));
  }
  if (!efficiencies && !has_regime(evidence)) {
    return missing(fmt::format(
        "the file has only times, and no regime; if the problem is the same at each K, {}",
        values));
  }
  return shown(values);
}

constexpr CheckedRule kChecklistRules[] = {
    {{"exact-baseline", RuleGroup::kChecklist, "The exact baseline T(1)",
      "T(1) sets the scale of every speedup.",
      "What exactly ran as T(1): which program, which settings, and in how many seconds?"},
     &exact_baseline,
     {15, 8}},
    {{"fixed-workload", RuleGroup::kChecklist, "A fixed workload, specified at all K",
      "The same job at every K: otherwise the ratio compares two jobs.",
      "What was the problem at each K: data, batch, steps, stopping rule?"},
     &fixed_workload,
     {13, 7}},
    {{"warm-up", RuleGroup::kChecklist, "Warm-up and setup exclusion",
      "Only the steady state scales; startup noise inflates T(1).",
      "Which first runs or steps, and which setup, are excluded from the times?"},
     &warm_up,
     {0, 4}},
    {{"repeats", RuleGroup::kChecklist, "Number of repeats and variance",
      "The spread is the noise floor; a single run may be lucky.",
      "How many runs are behind each point, and how much do they vary?"},
     &repeats,
     {0, 6}},
    {{"regime", RuleGroup::kChecklist, "Strong or weak regime",
      "A curve has no meaning until you know what was held constant.",
      "Was the whole problem the same at each K, or the problem of each worker?"},
     &declared_regime,
     {11, 5}},
    {{"efficiency", RuleGroup::kChecklist, "Efficiency E(K), not just S(K)",
      "A large speedup may hide that most workers are idle.",
      "What is E(K) at each K, from times that are in the report?"},
     &efficiency,
     {0, 3}},
};

}  // namespace

std::span<const CheckedRule> checklist_rules() {
  return kChecklistRules;
}

}  // namespace kstar
