#include "audit/handicaps.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text.h"

namespace kstar {

namespace {

struct Sign {
  const char* word;
  const char* what;
};

/// Words of a command, an environment or a description that slow a program down for its author.
constexpr Sign kHandicaps[] = {
    {"-O0", "no optimisation"},
    {"-Og", "optimisation for the debugger"},
    {"--debug", "a debug switch"},
    {"=Debug", "a debug build"},
    {"/debug/", "a debug build"},
    {"build/debug", "a debug build"},
    {"debug build", "a debug build"},
    {"-debug", "a debug build"},
    {"_debug", "a debug build"},
    {"_dbg", "a debug build"},
    {"-dbg", "a debug build"},
    {"fsanitize", "a sanitizer"},
    {"valgrind", "a checker that interprets the program"},
    {"strace", "a tracer"},
    {"gdb ", "a debugger"},
    {"cProfile", "a profiler"},
    {"detect_anomaly", "checks of every gradient"},
    {"detect-anomaly", "checks of every gradient"},
    {"-X dev", "the interpreter's development mode"},
    {"assertions on", "assertions"},
    {"no-optim", "no optimisation"},
};
constexpr Sign kVariables[] = {
    {"CUDA_LAUNCH_BLOCKING", "kernels one at a time"},
    {"PYTHONDEVMODE", "the interpreter's development mode"},
    {"TORCH_DISTRIBUTED_DEBUG", "checks of every collective"},
    {"MALLOC_PERTURB_", "checks of every allocation"},
    {"MALLOC_CHECK_", "checks of every allocation"},
    {"ASAN_OPTIONS", "a sanitizer"},
    {"TSAN_OPTIONS", "a sanitizer"},
};
constexpr const char* kOptimised[] = {"-O2",           "-O3",       "-Ofast",   "=Release",
                                      "release build", "optimised", "optimized"};
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
                     "\n" + study.header.baseline.text + "\n" + study.header.title + "\n";
  for (const auto& [name, value] : study.header.environment.versions) {
    text += fmt::format("{}={}\n", name, value);
  }
  for (const auto& [name, value] : study.header.environment.variables) {
    if (name.find("FLAGS") != std::string::npos || name.find("BUILD") != std::string::npos) {
      text += fmt::format("{}={}\n", name, value);
    }
  }
  return text;
}

bool switched_on(std::string_view value) {
  return !value.empty() && value != "0" && value != "OFF" && value != "off" && value != "false";
}

/// Whether the text has the word, and does not say the contrary: --no-debug, --debug=0,
/// unoptimised.
bool says(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::string_view before = text.substr(0, at), behind = text.substr(at + word.size());
    const bool inside = std::isalpha(static_cast<unsigned char>(word[0])) != 0 && at > 0 &&
                        std::isalpha(static_cast<unsigned char>(before.back())) != 0;
    const bool denied = before.ends_with("-no") || before.ends_with("_no") ||
                        before.ends_with("not ") || before.ends_with("without ");
    const std::string_view value = behind.substr(0, behind.find_first_of(" \n"));
    const bool off = value.starts_with('=') && !switched_on(value.substr(1));
    if (!inside && !denied && !off) return true;
  }
  return false;
}

}  // namespace

Verdict optimised_build(const Evidence& evidence) {
  const Study& study = evidence.study;
  const std::string words = all_words(study);
  for (const Sign& sign : kHandicaps) {
    if (says(words, sign.word)) {
      return contradicted(fmt::format("'{}' stands in the record: {}", sign.word, sign.what));
    }
  }
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
  for (const char* word : kOptimised) {
    if (says(words, word)) {
      return shown(fmt::format("'{}' stands in the record", word));
    }
  }
  return missing("nothing says how the program was built");
}

}  // namespace kstar
