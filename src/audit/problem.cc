// The second of the two mistakes: a problem that changes between points.
#include "audit/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "audit/rules.h"
#include "audit/work.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

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

/// Whether one of the words of the name is this one.
bool has_word(const std::string& small, std::string_view word) {
  for (std::size_t at = small.find(word); at != std::string::npos; at = small.find(word, at + 1)) {
    const auto letter = [&](std::size_t i) {
      return i < small.size() && std::isalpha(static_cast<unsigned char>(small[i])) != 0;
    };
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  }
  return false;
}

bool is_of_problem(std::string_view name) {
  const std::string small = lower_case(name);
  if (has_word(small, "tol") || has_word(small, "rtol") || has_word(small, "amp")) return true;
  for (const char* word : {"precision", "dtype", "model", "compiler", "optimi", "epoch", "target",
                           "resolution", "flags", "build", "quality", "tolerance", "checkpoint",
                           "profil", "debug", "offload", "solver", "dataset"}) {
    if (small.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Two values of a setting. A quality may be what was reached, which scatters.
bool is_same_setting(const std::string& name, const std::string& one, const std::string& other) {
  constexpr double kReached = 0.02;
  if (one == other) return true;
  const auto a = parse_double(one), b = parse_double(other);
  if (!a || !b) return false;
  const std::string small = lower_case(name);
  const bool reached =
      small.find("quality") != std::string::npos && small.find("target") == std::string::npos;
  return *a == *b || (reached && std::fabs(*a - *b) <= kReached * std::fabs(*a));
}

/// A setting that belongs to the problem, and changes with K in an imported table.
std::optional<std::string> changed_setting(const Study& study) {
  for (const auto& [name, values] : settings_at(study)) {
    if (!is_of_problem(name) || values.size() < 2) continue;
    const auto& [k0, first] = *values.begin();
    for (const auto& [k, value] : values) {
      if (is_same_setting(name, first, value)) continue;
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
    if (source.steps_alone || source.amounts.size() < 3) continue;
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
     &same_problem,
     {14, 0}},
    {{"one-regime", RuleGroup::kProblem, "One regime along the curve",
      "The most persuasive misleading plots switch regimes between the baseline and the largest "
      "point.",
      "From which K on does the problem grow, and what would the curve be without that?"},
     &one_regime,
     {12, 0}},
};

}  // namespace

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
