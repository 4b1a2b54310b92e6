// The second of the two mistakes: a problem that changes between points.
#include <fmt/format.h>

#include "audit/rules.h"
#include "audit/work_steps.h"
#include "base/number.h"

namespace kstar {

namespace {

constexpr const char* kDeclaredMixed =
    "the problem is declared to change with K; no speedup is shown";

bool is_declared_mixed(const Evidence& evidence) {
  return evidence.study.header.regime == Regime::kMixed;
}

Verdict same_problem(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (const auto changed = changed_problem(evidence)) return contradicted(*changed);
  if (is_declared_mixed(evidence)) {
    return evidence.claims.empty() ? not_applicable(kDeclaredMixed)
                                   : contradicted(
                                         "the problem is declared to change with K, and "
                                         "speedups stand beside the times");
  }
  if (const Note* note = find_note(evidence.study, "changes-with-k")) return missing(note->text);
  if (const auto uneven = uneven_work(evidence)) return missing(*uneven);
  const auto sources = work_sources(evidence);
  if (sources.empty()) return missing("neither the problem at each K nor the work done is known");
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
      return "changes otherwise";
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
  if (!known) return missing("the problem is not known at three K");
  return shown("the work goes the same way from each K to the next");
}

constexpr Rule kRules[] = {
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

std::span<const Rule> problem_rules() {
  return kRules;
}

}  // namespace kstar
