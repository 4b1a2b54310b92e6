// The second of the two mistakes: a problem that changes between points.
#include "audit/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/rules.h"
#include "base/number.h"

namespace kstar {

namespace {

using Of = std::optional<double> (*)(const Workload&);

std::optional<double> batch_of(const Workload& load) {
  return load.batch;
}
std::optional<double> size_of(const Workload& load) {
  return load.size;
}
std::optional<double> steps_of(const Workload& load) {
  return load.steps ? std::optional(static_cast<double>(*load.steps)) : std::nullopt;
}

/// Work done for one T, over all workers of a run; none where a worker is not known.
std::optional<double> work_of(const Run& run) {
  if (!run.per_worker || run.per_worker->work.size() != static_cast<std::size_t>(run.workers)) {
    return {};
  }
  double sum = 0;
  for (const double work : run.per_worker->work) sum += work;
  const auto steady = static_cast<int>(run.steps.size()) - run.warm_up_steps.value_or(0);
  return run.steps.empty() ? sum : sum / std::max(steady, 1);
}

std::optional<double> mean_work(const Study& study, int workers) {
  double sum = 0;
  int runs = 0;
  for (const Run* run : runs_at(study, workers)) {
    const std::optional<double> work = work_of(*run);
    if (!work) return {};
    sum += *work;
    ++runs;
  }
  return runs > 0 && sum > 0 ? std::optional(sum / runs) : std::nullopt;
}

std::string at_two(const WorkSource& source, const WorkAt& from, const WorkAt& to) {
  return fmt::format("{} is {} at K = {} and {} at K = {}", source.name,
                     significant(from.amount, 6), from.workers, significant(to.amount, 6),
                     to.workers);
}

/// Of rates and ratios an import says the size that the seconds are for: the file does not.
bool is_size_invented(const Study& study) {
  return find_note(study, "rate") != nullptr || is_relative(study);
}

/// What runs at one K did, where each says it.
struct WorkOfRuns {
  double least = 0, mean = 0, most = 0;
};
std::optional<WorkOfRuns> work_of_runs(const Study& study, int workers) {
  std::optional<WorkOfRuns> work;
  double sum = 0;
  const auto runs = runs_at(study, workers);
  for (const Run* run : runs) {
    if (!run->work || !(*run->work > 0)) return {};
    if (!work) work = {.least = *run->work, .mean = 0, .most = *run->work};
    work->least = std::min(work->least, *run->work);
    work->most = std::max(work->most, *run->work);
    sum += *run->work;
  }
  if (work) work->mean = sum / static_cast<double>(runs.size());
  return work;
}

/// A K whose runs all did less, or all more, than those of the smallest K, with the same batch:
/// another batch is another training.
struct UnevenWork {
  std::string text;
  bool less = false;
};
std::optional<UnevenWork> find_uneven(const Evidence& evidence) {
  constexpr double kRounding = 0.05;
  if (evidence.curve.size() < 2) return {};
  const StudyHeader& header = evidence.study.header;
  const int first = evidence.curve.front()->workers;
  const auto base = work_of_runs(evidence.study, first);
  const Workload* base_load = workload_at(header, first);
  if (!base) return {};
  std::optional<UnevenWork> more;
  for (const ScalingPoint* point : evidence.curve) {
    const auto work = work_of_runs(evidence.study, point->workers);
    const Workload* load = workload_at(header, point->workers);
    if (!work || (load && base_load && load->batch != base_load->batch)) continue;
    const bool less = work->most < base->least && work->mean < (1 - kRounding) * base->mean;
    const bool larger = work->least > base->most && work->mean > (1 + kRounding) * base->mean;
    if (!less && (!larger || more)) continue;
    const std::string name = load && !load->unit.empty() ? load->unit : "the work of a run";
    more = {fmt::format("{}: {} at K = {} and {} at K = {}", name, significant(base->mean, 6),
                        first, significant(work->mean, 6), point->workers),
            less};
    if (less) return more;
  }
  return more;
}

/// A batch that is said for one worker grows with K, whatever the regime is called.
std::optional<std::string> batch_of_one_worker(const Study& study) {
  if (study.header.regime != Regime::kStrong) return {};
  const std::vector<std::string>& command = study.header.command;
  for (std::size_t i = 0; i < command.size(); ++i) {
    std::string word = command[i];
    std::replace(word.begin(), word.end(), '_', '-');
    const bool each =
        word.find("per-worker") != std::string::npos || word.find("per-gpu") != std::string::npos ||
        word.find("per-device") != std::string::npos || word.find("per-rank") != std::string::npos;
    if (!each || word.find("batch") == std::string::npos) continue;
    const std::string value = word.find('=') != std::string::npos ? command[i]
                              : i + 1 < command.size()            ? command[i + 1]
                                                                  : "";
    if (value.find('{') != std::string::npos) continue;  // it follows K
    return fmt::format(
        "declared strong, but the command has the same '{}' at every K: the batch "
        "grows with K",
        command[i]);
  }
  return {};
}

/// A setting that belongs to the problem, and changes with K in an imported table.
std::optional<std::string> changed_setting(const Study& study) {
  for (const Note& note : study.notes) {
    if (note.what != "changes-with-k") continue;
    const std::string name = note.text.substr(0, note.text.find("' changes"));
    for (const char* word : {"precision", "dtype", "amp", "model", "compiler", "optimi", "epoch",
                             "target", "resolution", "flags", "build"}) {
      if (name.find(word) != std::string::npos) return note.text;
    }
  }
  return {};
}

constexpr const char* kDeclaredMixed =
    "the problem is declared to change with K; no speedup is shown";

bool is_declared_mixed(const Evidence& evidence) {
  return evidence.study.header.regime == Regime::kMixed;
}

Verdict same_problem(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (const auto changed = changed_problem(evidence)) return contradicted(*changed);
  if (is_declared_mixed(evidence)) {
    return evidence.claims.empty()
               ? not_applicable(kDeclaredMixed)
               : contradicted("the problem is declared to change with K, but speedups are given");
  }
  if (const Note* note = find_note(evidence.study, "changes-with-k")) return missing(note->text);
  if (const auto uneven = uneven_work(evidence)) return missing(*uneven);
  const auto sources = work_sources(evidence);
  if (sources.empty()) return missing("neither the problem at each K nor the work is known");
  std::string names;
  for (const WorkSource& source : sources) {
    names += (names.empty() ? "" : ", ") + source.name;
  }
  return shown(fmt::format("{}: {}", names, way_of(sources)));
}

const char* words_of(WorkStep step) {
  switch (step) {
    case WorkStep::kFixed:
      return "stays the same";
    case WorkStep::kInProportion:
      return "grows in proportion";
    case WorkStep::kOther:
      return "changes in another way";
  }
  return "";
}

Verdict one_regime(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (is_declared_mixed(evidence) && evidence.claims.empty()) return not_applicable(kDeclaredMixed);
  const auto sources = work_sources(evidence);
  bool known = false;
  for (const WorkSource& source : sources) {
    if (source.name == "the number of steps" || source.amounts.size() < 3) continue;
    known = true;
    const auto& at = source.amounts;
    const WorkStep first = step_between(at[0], at[1]);
    for (std::size_t i = 2; i < at.size(); ++i) {
      const WorkStep step = step_between(at[i - 1], at[i]);
      if (step == first) continue;
      return contradicted(fmt::format("{} {} from K = {} to {}, and {} from K = {} to {}",
                                      source.name, words_of(first), at[0].workers, at[1].workers,
                                      words_of(step), at[i - 1].workers, at[i].workers));
    }
  }
  if (!known) return missing("the problem is known at fewer than three K");
  return shown("the work changes in the same way from each K to the next");
}

constexpr Rule kProblemRules[] = {
    {{"same-problem", RuleGroup::kProblem, "The same problem at every K",
      "A batch, a target or an iteration count that changes with K makes the curve look straighter "
      "than the job is.",
      "Which of data, batch, steps, precision and stopping rule are not the same at each K?"},
     &same_problem},
    {{"one-regime", RuleGroup::kProblem, "One regime along the curve",
      "The most persuasive misleading plots switch regimes between the baseline and the largest "
      "point.",
      "From which K on does the problem grow, and what would the curve be without that?"},
     &one_regime},
};

}  // namespace

bool says_problem(const Evidence& evidence, int workers) {
  const Workload* load = workload_at(evidence.study.header, workers);
  if (load == nullptr) return false;
  return load->batch || load->steps || (load->size && !is_size_invented(evidence.study));
}

std::vector<WorkSource> work_sources(const Evidence& evidence) {
  std::vector<WorkSource> sources;
  const auto keep = [&](WorkSource source) {
    if (source.amounts.size() > 1) sources.push_back(std::move(source));
  };
  const std::pair<const char*, Of> parts[] = {
      {"batch", &batch_of}, {"size", &size_of}, {"the number of steps", &steps_of}};
  for (const auto& [name, of] : parts) {
    if (of == &size_of && is_size_invented(evidence.study)) continue;
    WorkSource source{.name = name, .amounts = {}};
    for (const ScalingPoint* point : evidence.curve) {
      const Workload* load = workload_at(evidence.study.header, point->workers);
      const std::optional<double> amount = load != nullptr ? of(*load) : std::nullopt;
      if (amount && *amount > 0) source.amounts.push_back({point->workers, *amount});
    }
    keep(std::move(source));
  }
  WorkSource done{.name = "work done by the workers", .amounts = {}};
  for (const ScalingPoint* point : evidence.curve) {
    if (const auto work = mean_work(evidence.study, point->workers)) {
      done.amounts.push_back({point->workers, *work});
    }
  }
  keep(std::move(done));
  return sources;
}

WorkStep step_between(const WorkAt& from, const WorkAt& to) {
  constexpr double kRounding = 0.05;  // a batch that does not divide by K
  const double growth = to.amount / from.amount;
  const double workers = static_cast<double>(to.workers) / from.workers;
  if (std::fabs(growth - 1) <= kRounding) return WorkStep::kFixed;
  return std::fabs(growth / workers - 1) <= kRounding ? WorkStep::kInProportion : WorkStep::kOther;
}

std::string way_of(const std::vector<WorkSource>& sources) {
  bool grows = false;
  for (const WorkSource& source : sources) {
    for (const WorkAt& at : source.amounts) {
      const WorkStep step = step_between(source.amounts.front(), at);
      if (step == WorkStep::kOther) return "different at each K";
      grows = grows || step == WorkStep::kInProportion;
    }
  }
  return grows ? "the same on each worker" : "the same at every K";
}

std::optional<std::string> uneven_work(const Evidence& evidence) {
  const auto uneven = find_uneven(evidence);
  return uneven ? std::optional(uneven->text) : std::nullopt;
}

std::optional<std::string> changed_problem(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return {};
  for (const char* what : {"regime-contradicted", "batch-differs", "stopping-differs"}) {
    if (const Note* note = find_note(evidence, what)) return note->text;
  }
  if (auto setting = changed_setting(evidence.study)) return setting;
  if (auto batch = batch_of_one_worker(evidence.study)) return batch;
  const std::optional<Regime> regime = evidence.analysis->table.regime;
  const bool is_mixed = evidence.study.header.regime == Regime::kMixed;
  if (const auto uneven = find_uneven(evidence); uneven && uneven->less && !is_mixed) {
    return uneven->text;
  }
  // Weak is settled above; work that is declared to change, or counted a second, may change. That
  // rates are throughput is the word of an import, not of the file.
  const bool declared_rate = regime == Regime::kThroughput && !is_size_invented(evidence.study);
  const bool may_change = regime == Regime::kWeak || declared_rate || is_mixed;
  if (may_change) return {};
  const bool times_of_steps =
      std::all_of(evidence.study.runs.begin(), evidence.study.runs.end(),
                  [](const Run& run) { return !counts(run) || !run.steps.empty(); });
  for (const WorkSource& source : work_sources(evidence)) {
    // With the time of a step, it does not matter how many there are.
    if (times_of_steps && source.name == "the number of steps") continue;
    const WorkAt& first = source.amounts.front();
    for (const WorkAt& at : source.amounts) {
      if (step_between(first, at) == WorkStep::kOther) return at_two(source, first, at);
    }
  }
  return {};
}

std::span<const Rule> problem_rules() {
  return kProblemRules;
}

}  // namespace kstar
