// The second of the two mistakes: a problem that changes between points.
#include "audit/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/rules.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// The times are those of steps.
bool are_of_steps(const Study& study) {
  return std::all_of(study.runs.begin(), study.runs.end(),
                     [](const Run& run) { return !counts(run) || !run.steps.empty(); });
}

/// What makes the work of one T. A step works on the batch, and so does a second; a whole run on
/// batch x steps or, where it goes by the data, on their size however large the batches are.
struct TimedParts {
  bool batch = false, size = false, steps = false;

  std::string name() const {
    if (steps && (batch || size)) return batch ? "batch x steps" : "size x steps";
    return batch ? "batch" : size ? "size" : "the number of steps";
  }
  std::optional<double> amount(const Workload& load) const {
    if ((batch && !load.batch) || (size && !load.size) || (steps && !load.steps)) return {};
    return (batch ? *load.batch : 1) * (size ? *load.size : 1) *
           (steps ? static_cast<double>(*load.steps) : 1);
  }
};

/// Of rates an import counts one unit, or one for each worker, where the file has no size.
bool is_own_size(const Evidence& evidence) {
  if (!is_inverse(evidence.study)) return true;
  bool ones = true, workers = true;
  for (const ScalingPoint* point : evidence.curve) {
    const Workload* load = workload_at(evidence.study.header, point->workers);
    if (load == nullptr || !load->size) return false;
    ones = ones && *load->size == 1;
    workers = workers && *load->size == point->workers;
  }
  return !ones && !workers;
}

TimedParts timed_parts(const Evidence& evidence) {
  TimedParts parts;
  if (evidence.curve.empty()) return parts;
  const Workload* first = workload_at(evidence.study.header, evidence.curve.front()->workers);
  if (first == nullptr) return parts;
  const bool whole = !are_of_steps(evidence.study) && !is_inverse(evidence.study);
  const bool size = first->size && is_own_size(evidence);
  parts.steps = whole && first->steps;
  parts.batch = first->batch && (!whole || first->steps || !size);
  parts.size = size && !parts.batch;
  return parts;
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

bool is_of_problem(std::string_view name) {
  const std::string small = lower_case(name);
  for (const char* word : {"precision", "dtype",   "amp",        "model",    "compiler", "optimi",
                           "epoch",     "target",  "resolution", "flags",    "build",    "quality",
                           "tolerance", "tol",     "checkpoint", "profil",   "debug",    "offload",
                           "solver",    "dataset", "algorithm",  "threshold"}) {
    if (small.find(word) != std::string::npos) return true;
  }
  return false;
}

/// A setting that belongs to the problem, and changes with K in an imported table.
std::optional<std::string> changed_setting(const Study& study) {
  for (const auto& [name, values] : settings_at(study)) {
    if (!is_of_problem(name) || values.size() < 2) continue;
    const auto& [k0, first] = *values.begin();
    for (const auto& [k, value] : values) {
      if (value == first) continue;
      return fmt::format("'{}' is {} at K = {} and {} at K = {}", printable(name), printable(first),
                         k0, printable(value), k);
    }
  }
  for (const ChangedSetting& change : study.header.changes) {
    if (is_of_problem(change.name)) return change_text(change);
  }
  return {};
}

constexpr const char* kDeclaredMixed =
    "the problem is declared to change with K; no speedup is shown";

bool is_declared_mixed(const Evidence& evidence) {
  return evidence.study.header.regime == Regime::kMixed;
}

RuleVerdict same_problem(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (const auto changed = changed_problem(evidence)) return contradicted(*changed);
  if (is_declared_mixed(evidence)) {
    return evidence.claims.empty()
               ? not_applicable(kDeclaredMixed)
               : contradicted("the problem is declared to change with K, but speedups are given");
  }
  if (const auto& changes = evidence.study.header.changes; !changes.empty()) {
    return missing(change_text(changes.front()));
  }
  if (const auto uneven = uneven_work(evidence)) return missing(*uneven);
  if (const auto grown = perhaps_size(evidence)) return missing(perhaps_text(*grown));
  const auto sources = work_sources(evidence);
  if (sources.empty()) return missing("neither the problem at each K nor the work is known");
  std::string names;
  for (const WorkSource& source : sources) {
    names += (names.empty() ? "" : ", ") + source.name;
  }
  return shown(fmt::format("{}: {}", names, words_of(way_of(sources))));
}

const char* step_words(WorkStep step) {
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

RuleVerdict one_regime(const Evidence& evidence) {
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
                                      source.name, step_words(first), at[0].workers, at[1].workers,
                                      step_words(step), at[i - 1].workers, at[i].workers));
    }
  }
  if (!known) return missing("the problem is known at fewer than three K");
  return shown("the work changes in the same way from each K to the next");
}

constexpr CheckedRule kProblemRules[] = {
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
  return load->batch || load->steps || (load->size && is_own_size(evidence));
}

std::vector<WorkSource> work_sources(const Evidence& evidence) {
  std::vector<WorkSource> sources;
  const auto keep = [&](WorkSource source) {
    if (source.amounts.size() > 1) sources.push_back(std::move(source));
  };
  const TimedParts parts = timed_parts(evidence);
  if (parts.batch || parts.size || parts.steps) {
    WorkSource source{.name = parts.name(), .amounts = {}};
    for (const ScalingPoint* point : evidence.curve) {
      const Workload* load = workload_at(evidence.study.header, point->workers);
      const std::optional<double> amount = load != nullptr ? parts.amount(*load) : std::nullopt;
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

WorkWay way_of(const std::vector<WorkSource>& sources) {
  if (sources.empty()) return WorkWay::kUnknown;
  bool grows = false;
  for (const WorkSource& source : sources) {
    for (const WorkAt& at : source.amounts) {
      const WorkStep step = step_between(source.amounts.front(), at);
      if (step == WorkStep::kOther) return WorkWay::kOther;
      grows = grows || step == WorkStep::kInProportion;
    }
  }
  return grows ? WorkWay::kGrows : WorkWay::kSame;
}

WorkWay work_way(const Evidence& evidence) {
  return way_of(work_sources(evidence));
}

std::string words_of(WorkWay way) {
  if (way == WorkWay::kGrows) return "the same on each worker: weak scaling";
  return way == WorkWay::kSame ? "the same at every K: strong scaling" : "different at each K";
}

std::string work_text(const Evidence& evidence) {
  const auto sources = work_sources(evidence);
  if (sources.empty()) return "";
  const WorkSource& source = sources.front();
  return fmt::format(" ({})", at_two(source, source.amounts.front(), source.amounts.back()));
}

std::map<std::string, std::map<int, std::string>> settings_at(const Study& study) {
  std::map<std::string, std::map<int, std::string>> found;
  for (const Workload& load : study.header.workload) {
    if (!load.workers) continue;
    for (const auto& [name, value] : load.settings) found[name][*load.workers] = value;
  }
  for (const Run& run : study.runs) {
    if (!counts(run) || !run.settings) continue;
    for (const auto& [name, value] : *run.settings) found[name].try_emplace(run.workers, value);
  }
  return found;
}

std::optional<WorkSource> perhaps_size(const Evidence& evidence) {
  constexpr std::size_t kFewPoints = 3;
  for (const auto& [name, values] : settings_at(evidence.study)) {
    WorkSource source{.name = fmt::format("'{}'", printable(name)), .amounts = {}};
    for (const auto& [workers, text] : values) {
      const std::optional<double> value = parse_double(text);
      if (!value || !(*value > 0)) break;
      source.amounts.push_back({workers, *value});
    }
    if (source.amounts.size() < std::max(kFewPoints, values.size())) continue;
    const WorkAt& first = source.amounts.front();
    // A side of a square or of a cube grows as a root of K.
    for (const double power : {1.0, 2.0, 3.0}) {
      const bool grows =
          std::all_of(source.amounts.begin() + 1, source.amounts.end(), [&](const WorkAt& at) {
            const double growth = std::pow(at.amount / first.amount, power);
            return step_between({first.workers, 1}, {at.workers, growth}) ==
                   WorkStep::kInProportion;
          });
      if (grows) return source;
    }
  }
  return {};
}

std::string perhaps_text(const WorkSource& source) {
  return fmt::format("{}, as K does: is it the size of the problem?",
                     at_two(source, source.amounts.front(), source.amounts.back()));
}

std::optional<std::string> uneven_work(const Evidence& evidence) {
  const auto uneven = find_uneven(evidence);
  return uneven ? std::optional(uneven->text) : std::nullopt;
}

std::optional<std::string> changed_problem(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return {};
  for (const char* what : {"regime-contradicted", "batch-differs", "stopping-differs"}) {
    if (const Note* note = find_note(evidence, what)) return note_sentence(*note);
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
  const bool declared_rate = regime == Regime::kThroughput && !is_inverse(evidence.study);
  const bool may_change = regime == Regime::kWeak || declared_rate || is_mixed;
  if (may_change) return {};
  for (const WorkSource& source : work_sources(evidence)) {
    const WorkAt& first = source.amounts.front();
    for (const WorkAt& at : source.amounts) {
      if (step_between(first, at) == WorkStep::kOther) return at_two(source, first, at);
    }
  }
  return {};
}

std::span<const CheckedRule> problem_rules() {
  return kProblemRules;
}

}  // namespace kstar
