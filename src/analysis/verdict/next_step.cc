#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/verdict/doubts.h"
#include "base/number.h"
#include "base/words.h"
#include "base/worker_list.h"
#include "kstar/analysis.h"
#include "kstar/verdict.h"

namespace kstar {

namespace {

bool is_measured(const Study& study) {
  const auto& kind = study.header.source.kind;
  return kind != SourceKind::kImported && kind != SourceKind::kSimulated;
}

/// Whether the study says which command it measured: a redacted one does not.
bool has_job(const Study& study) {
  const std::vector<std::string>& words = study.header.command;
  return is_measured(study) && !words.empty() &&
         std::find(words.begin(), words.end(), "[redacted]") == words.end();
}

/// The K that count, the baseline program's aside.
std::set<int> measured_workers(const ScalingTable& table) {
  std::set<int> workers;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) workers.insert(point.workers);
  }
  return workers;
}

/// The batch or size that --batch and --size take: of one worker where the work grows with K.
std::string workload_flag(const StudyHeader& header, const char* flag,
                          std::optional<double> Workload::*amount) {
  std::set<double> values;
  for (const Workload& one : header.workload) {
    if (!(one.*amount)) continue;
    const bool grows = header.regime == Regime::kWeak && one.workers;
    values.insert(*(one.*amount) / (grows ? *one.workers : 1));
  }
  if (values.size() != 1) return "";
  return fmt::format(" {} {}", flag, shortest(*values.begin()));
}

std::string regime_flag(const StudyHeader& header) {
  if (header.regime == Regime::kWeak) return " --weak";
  return header.regime == Regime::kThroughput ? " --throughput" : "";
}

/// The job as `kstar measure` takes it, or what stands for it where the study does not say.
std::string job_words(const Study& study) {
  return has_job(study) ? join_words(study.header.command) : "./prog {K}";
}

std::string measure_command(const Study& study, const std::string& flags,
                            const std::set<int>& workers) {
  const StudyHeader& header = study.header;
  std::string text = fmt::format("kstar measure{}{} --workers {}", regime_flag(header), flags,
                                 worker_list_text(workers));
  if (has_job(study)) {
    text += workload_flag(header, "--batch", &Workload::batch);
    text += workload_flag(header, "--size", &Workload::size);
    if (header.protocol.same_command) text += " --same-command";
    const bool plain = header.launcher.empty() || header.launcher == "local";
    if (!plain) text += " --launcher " + join_words(std::vector<std::string>{header.launcher});
  }
  return fmt::format("{} -- {}", text, job_words(study));
}

std::string file_words(const Study& study) {
  const std::string& path = study.name;
  if (path.empty() || path.starts_with('-')) return "study.jsonl";  // no file
  return join_words(std::vector<std::string>{path.substr(path.rfind('/') + 1)});
}

bool has_suspicion(const Analysis& analysis, SuspicionKind kind) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [&](const Suspicion& one) { return one.kind == kind; });
}

bool runs_mpi(const StudyHeader& header) {
  const auto names_mpi = [](const std::string& word) {
    return word.find("mpi") != word.npos || word.find("srun") != word.npos;
  };
  return names_mpi(header.launcher) || (!header.command.empty() && names_mpi(header.command[0]));
}

/// What the rules below need of both.
struct Steps {
  const Study& study;
  const Analysis& analysis;
  std::set<int> known = measured_workers(analysis.table);
  std::optional<int> most = analysis.verdict.machine_workers;

  /// More workers than there are become all that there are.
  NextStep measure(NextStepCode code, const std::set<int>& wanted,
                   const std::string& flags = "") const {
    std::set<int> workers;
    for (const int each : wanted) workers.insert(most ? std::min(each, *most) : each);
    return {.code = code,
            .workers = {workers.begin(), workers.end()},
            .runs = {},
            .command = measure_command(study, flags, workers),
            .advice = {}};
  }
  NextStep show(NextStepCode code, const std::string& flags) const {
    return {.code = code,
            .workers = {},
            .runs = {},
            .command = fmt::format("kstar analyze {}{}", file_words(study), flags),
            .advice = {}};
  }
  bool is_possible(int workers) const { return !most || workers <= *most; }

  /// What the numbers are must be settled before anything is measured.
  NextStep settle() const {
    const SuspicionKind kind = analysis.suspicions.front().kind;
    if (kind == SuspicionKind::kFlatTime) {
      return show(NextStepCode::kTellWeak, " --regime weak");
    }
    if (kind == SuspicionKind::kGrowingEfficiency && analysis.table.regime == Regime::kWeak) {
      return show(NextStepCode::kTellStrong, " --regime strong");
    }
    if (kind == SuspicionKind::kBusyMachine) return measure(NextStepCode::kFreeMachine, known);
    return measure(NextStepCode::kLookAtCommand, known, " --dry-run");
  }

  /// K that were tried and gave nothing, or failed as often as not.
  std::set<int> failing() const {
    std::set<int> lost;
    for (const Run& run : study.runs) {
      if (run.role != Role::kParallel || run.lost) continue;
      const ScalingPoint* point = point_at(analysis.table, Role::kParallel, run.workers);
      if (point == nullptr || kstar::is_failing(*point)) lost.insert(run.workers);
    }
    return lost;
  }

  NextStep whole_machine() const {
    NextStep whole;
    whole.code = NextStepCode::kWholeMachine;
    whole.workers = {*known.rbegin()};
    return whole;
  }

  /// Half, the same and double: where a single K leaves everything open.
  NextStep more_workers() const {
    const int here = analysis.table.points.back().workers;
    if (here == 1 && !is_possible(2)) return whole_machine();
    std::set<int> all = {1, here, 2 * here};
    for (int k = here / 2; k > 1; k /= 2) all.insert(k);
    return measure(NextStepCode::kMoreWorkers, all);
  }

  /// Between the last good K and the first bad one; they themselves where there is none between.
  std::set<int> around_bend() const {
    if (!analysis.bend) return known;
    if (!analysis.bend->last_good) return {*known.begin(), analysis.bend->first_bad};
    const double from = *analysis.bend->last_good, to = analysis.bend->first_bad;
    const double between = to <= 2 * from ? (from + to) / 2 : std::sqrt(from * to);
    const int middle = static_cast<int>(std::lround(between));
    if (!known.contains(middle)) return {*known.begin(), middle};
    return {*known.begin(), analysis.bend->first_bad};
  }

  /// Beyond the largest K, as far as there are workers.
  std::optional<NextStep> see_end() const {
    const int last = *known.rbegin();
    if (is_possible(2 * last)) {
      return measure(NextStepCode::kSeeEnd, {*known.begin(), 2 * last});
    }
    if (*most > last) return measure(NextStepCode::kSeeEnd, {*known.begin(), *most});
    return std::nullopt;
  }

  NextStep decide() const {
    const Verdict& verdict = analysis.verdict;
    if (verdict.reason == VerdictReason::kJumps) return measure(NextStepCode::kRepeat, known);
    if (verdict.reason == VerdictReason::kStandsApart) {
      return measure(NextStepCode::kRepeatOne, {*known.begin(), analysis.bend->first_bad});
    }
    if (analysis.recommendation.open) {
      if (std::optional<NextStep> end = see_end()) return *end;
      return measure(NextStepCode::kRepeat, known);
    }
    return measure(NextStepCode::kDecide, around_bend());
  }

  /// A change is judged beside what it changes, in one session.
  NextStep change() const {
    const std::string before = join_words(std::vector<std::string>{job_words(study)});
    NextStep step = measure(NextStepCode::kChange, {*known.begin(), analysis.diagnosis.workers});
    step.command = measure_command({.header = {.command = {"CHANGED", "{K}"}}},
                                   fmt::format(" --against {}", before),
                                   {step.workers.begin(), step.workers.end()});
    step.advice = analysis.diagnosis.causes.front().advice;
    return step;
  }

  NextStep find_cause() const {
    // Where it bends, if anywhere: larger K cost more and say less about K*.
    const int bent = analysis.bend ? analysis.bend->first_bad : analysis.diagnosis.workers;
    const bool mpi = runs_mpi(study.header);
    return measure(mpi ? NextStepCode::kLookInside : NextStepCode::kMarkWork,
                   {*known.begin(), bent}, mpi ? " --inside 3" : " --time marks");
  }

  NextStep after_verdict() const {
    const Verdict& verdict = analysis.verdict;
    if (verdict.state == VerdictState::kUndecided || verdict.state == VerdictState::kBetween) {
      return decide();
    }
    const std::vector<Cause>& causes = analysis.diagnosis.causes;
    const bool explains = analysis.diagnosis.efficiency && !causes.empty();
    if (explains && !is_guess(causes.front()) && !causes.front().advice.empty()) return change();
    if (verdict.state == VerdictState::kOrMore) {
      return see_end().value_or(whole_machine());
    }
    if (explains && is_guess(causes.front()) && causes.front().kind != CauseKind::kNone) {
      return find_cause();
    }
    if (verdict.reason == VerdictReason::kNoneEfficient) return {};  // there is nothing between
    return measure(NextStepCode::kNarrow, around_bend());
  }
};

}  // namespace

std::optional<int> machine_workers(const Study& study) {
  const Environment& environment = study.header.environment;
  if (!is_measured(study) || environment.hosts.empty()) return std::nullopt;
  int threads = 0, accelerators = 0;
  for (const Host& host : environment.hosts) {
    if (!host.threads && !host.cores) return std::nullopt;
    threads += host.threads ? *host.threads : *host.cores;
    accelerators += static_cast<int>(host.accelerators.size());
  }
  const bool on_accelerators = accelerators > 0 && study.header.launcher == "torchrun";
  if (on_accelerators) return accelerators;
  return environment.hosts.size() == 1 && environment.usable_cpus
             ? std::min(threads, *environment.usable_cpus)
             : threads;
}

NextStep next_step(const Study& study, const Analysis& analysis) {
  const Steps steps{study, analysis};
  const Verdict& verdict = analysis.verdict;
  if (verdict.computed || analysis.table.points.empty() || steps.known.empty()) return {};
  switch (verdict.reason) {
    case VerdictReason::kDoubtfulReading:
    case VerdictReason::kBusyMachine:
      return steps.settle();
    case VerdictReason::kCachedWork:
      return steps.measure(NextStepCode::kUndoWork, steps.known, " --prepare 'make clean'");
    default:
      break;
  }
  if (const std::set<int> lost = steps.failing(); !lost.empty() && is_measured(study)) {
    NextStep step = steps.measure(NextStepCode::kSeeFailure, {*lost.begin()}, " --runs 1");
    step.runs = 1;
    return step;
  }
  if (verdict.reason == VerdictReason::kOneK) return steps.more_workers();
  if (verdict.state == VerdictState::kNone && verdict.reason != VerdictReason::kNoneEfficient) {
    return {};
  }
  if (verdict.by_training) return steps.show(NextStepCode::kSplitTraining, " --full");
  if (has_suspicion(analysis, SuspicionKind::kUnusedWorkers)) {
    return steps.measure(NextStepCode::kLookAtCommand, steps.known, " --dry-run");
  }
  if (verdict.reason == VerdictReason::kStandsApart || verdict.reason == VerdictReason::kJumps ||
      verdict.reason == VerdictReason::kGap) {
    return steps.decide();
  }
  if (const auto& models = analysis.models;
      models && models->single_values && models->goodness.disturbed) {
    const int apart = static_cast<int>(models->goodness.disturbed->workers);
    return steps.measure(NextStepCode::kRepeatOne, {*steps.known.begin(), apart});
  }
  if (!has_repeats(analysis.table)) return steps.measure(NextStepCode::kRepeat, steps.known);
  return steps.after_verdict();
}

}  // namespace kstar
