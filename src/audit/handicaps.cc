#include "audit/handicaps.h"

#include <fmt/format.h>

#include "audit/build_settings.h"
#include "audit/handicap_words.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr Sign kVariables[] = {
    {"CUDA_LAUNCH_BLOCKING", "kernels one at a time"},
    {"PYTHONDEVMODE", "the interpreter's development mode"},
    {"TORCH_DISTRIBUTED_DEBUG", "checks of every collective"},
    {"MALLOC_PERTURB_", "checks of every allocation"},
    {"MALLOC_CHECK_", "checks of every allocation"},
    {"ASAN_OPTIONS", "a sanitizer"},
    {"TSAN_OPTIONS", "a sanitizer"},
};
/// What only slows a job that fits one worker.
constexpr Sign kForLarge[] = {
    {"gradient-checkpoint", "gradient checkpointing"},
    {"gradient_checkpoint", "gradient checkpointing"},
    {"gradient checkpoint", "gradient checkpointing"},
    {"activation-checkpoint", "activation checkpointing"},
    {"activation_checkpoint", "activation checkpointing"},
    {"cpu-offload", "offloading"},
    {"cpu_offload", "offloading"},
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string all_words(const Study& study) {
  std::string text = joined(study.header.command) + "\n" + joined(study.header.baseline.command) +
                     "\n" + study.header.baseline.text + "\n" + author_title(study) + "\n";
  for (const auto& [name, value] : study.header.environment.versions) {
    if (is_by_workers(value)) continue;
    text += fmt::format("{}={}\n", name, value);
  }
  for (const auto& [name, value] : study.header.environment.variables) {
    if (name.find("FLAGS") != std::string::npos || name.find("BUILD") != std::string::npos) {
      text += fmt::format("{}={}\n", name, value);
    }
  }
  return text;
}

}  // namespace

Verdict optimised_build(const Evidence& evidence) {
  const Study& study = evidence.study;
  const std::string words = all_words(study);
  if (const Sign* sign = handicap_in(words)) {
    return contradicted(fmt::format("'{}' stands in the record: {}", sign->word, sign->what));
  }
  if (const std::string slow = slow_build(evidence); !slow.empty()) return contradicted(slow);
  for (const Sign& sign : kVariables) {
    const auto found = study.header.environment.variables.find(sign.word);
    if (found != study.header.environment.variables.end() && switched_on(found->second)) {
      return contradicted(fmt::format("{}={}: {}", sign.word, printable(found->second), sign.what));
    }
  }
  const std::string single =
      joined(study.header.baseline.command) + "\n" + study.header.baseline.text;
  const std::string program = joined(study.header.command);
  for (const Sign& sign : kForLarge) {
    if (single.find(sign.word) == std::string::npos) continue;
    if (program.find(sign.word) != std::string::npos) continue;
    return contradicted(
        fmt::format("the baseline runs with {}, which the parallel program does "
                    "without",
                    sign.what));
  }
  if (const char* word = optimisation_in(words)) {
    return shown(fmt::format("'{}' stands in the record", word));
  }
  if (is_optimised_everywhere(evidence)) return shown("an optimised build stands beside every K");
  return missing("nothing says how the program was built");
}

}  // namespace kstar
