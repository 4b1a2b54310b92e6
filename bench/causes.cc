// Does the diagnosis find what was planted? A confusion matrix over the example studies, one line
// a study, and the sets of real data-parallel training whose truth is known. --words shows what
// the diagnosis says about each, --matrix the matrices alone.
//   bench_causes [--words | --matrix] [EXAMPLES [STEPS]]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/diagnosed.h"
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
  std::string text = fmt::format("{} {:.0f}%", name_of(cause.kind), cause.share.point * 100);
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

using Matrix = std::map<std::string, std::map<CauseKind, int>>;

void print_matrix(const char* title, const Matrix& matrix) {
  constexpr std::array kHeads = {"none",   "straggler",     "imbalance",
                                 "serial", "communication", "computation"};
  fmt::print("\n{}\n{:<17}", title, "planted");
  for (const char* head : kHeads) fmt::print("{:>14}", head);
  fmt::print("\n");
  for (const char* planted : kPlanted) {
    if (!matrix.contains(planted)) continue;
    fmt::print("{:<17}", planted);
    for (const CauseKind kind : kKinds) {
      const auto& row = matrix.at(planted);
      const auto found = row.find(kind);
      fmt::print("{:>14}", found == row.end() ? 0 : found->second);
    }
    fmt::print("\n");
  }
}

/// The study without one of its blocks, each in turn.
std::vector<kstar::Study> less_a_block(const kstar::Study& study) {
  std::set<int> blocks;
  for (const kstar::Run& run : study.runs) blocks.insert(run.block.value_or(-1));
  std::vector<kstar::Study> all;
  for (const int block : blocks) {
    all.push_back(study);
    std::erase_if(all.back().runs,
                  [block](const kstar::Run& run) { return run.block.value_or(-1) == block; });
  }
  return all;
}

kstar::Study up_to(const kstar::Study& study, int workers) {
  kstar::Study smaller = study;
  std::erase_if(smaller.runs, [workers](const kstar::Run& run) { return run.workers > workers; });
  return smaller;
}

CauseKind first_cause(const kstar::Study& study) {
  return kstar::diagnosed(study).causes.front().kind;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool words = std::erase(arguments, "--words") > 0;
  const bool matrix_alone = std::erase(arguments, "--matrix") > 0;
  const std::string examples = arguments.empty() ? "examples/studies" : arguments[0];
  const std::string steps =
      arguments.size() > 1 ? arguments[1] : "../shared/data/ours/ddp_gloo_steps.jsonl.gz";
  Matrix matrix, fewer_runs, fewer_workers;
  for (const KnownStudy& known : kstar::known::example_studies(examples)) {
    const Diagnosis diagnosis = kstar::diagnosed(known.study);
    const CauseKind first = diagnosis.causes.front().kind;
    ++matrix[known.planted][first];
    if (!matrix_alone) print_study(known.name, diagnosis, first == known.truth, words);
    for (const kstar::Study& less : less_a_block(known.study)) {
      ++fewer_runs[known.planted][first_cause(less)];
    }
    ++fewer_workers[known.planted][first_cause(up_to(known.study, 12))];
  }
  print_matrix("The first cause named", matrix);
  print_matrix("With one block of runs less, each in turn", fewer_runs);
  print_matrix("Up to K = 12, where less was planted", fewer_workers);
  if (matrix_alone) return 0;
  const std::vector<kstar::Study> real = kstar::known::stepwise_studies(steps);
  fmt::print("\n{}\n", real.empty() ? steps + " is not there" : "data-parallel training, gloo");
  for (const kstar::Study& study : real) {
    print_study(study.name, kstar::diagnosed(study), true, words);
  }
}
