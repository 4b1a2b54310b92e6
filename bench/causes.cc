// Does the diagnosis find what was planted? A confusion matrix over the example studies, one line
// a study, and the sets of real data-parallel training whose truth is known. --words shows what
// the diagnosis says about each.
//   bench_causes [--words] [EXAMPLES [STEPS]]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "support/known_causes.h"

namespace {

using kstar::Cause;
using kstar::CauseKind;
using kstar::Diagnosis;
using kstar::known::KnownStudy;

constexpr std::array kPlanted = {"none",        "straggler",       "random straggler", "imbalance",
                                 "serial part", "slow all-reduce", "memory-bound"};
constexpr std::array kKinds = {CauseKind::kNone,          CauseKind::kStraggler,
                               CauseKind::kLoadImbalance, CauseKind::kSerial,
                               CauseKind::kCommunication, CauseKind::kComputationScaling};

std::string brief(const Cause& cause) {
  std::string text = fmt::format("{} {:.0f} %", name_of(cause.kind), cause.share.point * 100);
  if (cause.worker) text += fmt::format(" (worker {})", *cause.worker);
  return text;
}

std::string brief(const Diagnosis& diagnosis) {
  std::string text;
  for (const Cause& cause : diagnosis.causes) {
    text += (text.empty() ? "" : ", ") + brief(cause);
  }
  return text;
}

void print_words(const Diagnosis& diagnosis) {
  for (const Cause& cause : diagnosis.causes) {
    fmt::print("    {}: share {:.2f} ({:.2f}..{:.2f}), factor {:.3f} ({:.3f}..{:.3f})\n",
               brief(cause), cause.share.point, cause.share.low, cause.share.high,
               cause.factor.point, cause.factor.low, cause.factor.high);
    for (const std::string& sentence : cause.evidence) fmt::print("      - {}\n", sentence);
    for (const CauseKind kind : cause.or_else) fmt::print("      or {}\n", name_of(kind));
    if (!cause.advice.empty()) fmt::print("      -> {}\n", cause.advice);
  }
  for (const std::string& next : diagnosis.next) fmt::print("    next: {}\n", next);
}

void print_study(const std::string& name, const Diagnosis& diagnosis, bool right, bool words) {
  fmt::print("{} {:<26} E({}) = {:<5.3f}  {}\n", right ? ' ' : '!', name, diagnosis.workers,
             diagnosis.efficiency ? diagnosis.efficiency->point : 0, brief(diagnosis));
  if (words) print_words(diagnosis);
}

void print_matrix(const std::map<std::string, std::map<CauseKind, int>>& matrix) {
  fmt::print("\n{:<18}", "planted");
  for (const CauseKind kind : kKinds) fmt::print("{:>20}", name_of(kind));
  fmt::print("\n");
  for (const char* planted : kPlanted) {
    fmt::print("{:<18}", planted);
    for (const CauseKind kind : kKinds) {
      const auto& row = matrix.at(planted);
      const auto found = row.find(kind);
      fmt::print("{:>20}", found == row.end() ? 0 : found->second);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto flag = std::find(words.begin(), words.end(), "--words");
  const bool show = flag != words.end();
  if (show) words.erase(flag);
  const std::string examples = words.empty() ? "examples/studies" : words[0];
  const std::string steps =
      words.size() > 1 ? words[1] : "../shared/data/ours/ddp_gloo_steps.jsonl.gz";
  std::map<std::string, std::map<CauseKind, int>> matrix;
  for (const KnownStudy& known : kstar::known::example_studies(examples)) {
    const Diagnosis diagnosis = kstar::diagnose(known.study);
    const CauseKind first = diagnosis.causes.front().kind;
    ++matrix[known.planted][first];
    print_study(known.name, diagnosis, first == known.truth, show);
  }
  print_matrix(matrix);
  const std::vector<kstar::Study> real = kstar::known::stepwise_studies(steps);
  fmt::print("\n{}\n", real.empty() ? steps + " is not there" : "data-parallel training, gloo");
  for (const kstar::Study& study : real) {
    print_study(study.name, kstar::diagnose(study), true, show);
  }
}
