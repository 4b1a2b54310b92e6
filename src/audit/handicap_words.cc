#include "audit/handicap_words.h"

#include <cctype>

namespace kstar {

namespace {

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
constexpr const char* kOptimised[] = {"-O2",           "-O3",       "-Ofast",   "=Release",
                                      "release build", "optimised", "optimized"};

}  // namespace

bool switched_on(std::string_view value) {
  return !value.empty() && value != "0" && value != "OFF" && value != "off" && value != "false";
}

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

const Sign* handicap_in(std::string_view text) {
  for (const Sign& sign : kHandicaps) {
    if (says(text, sign.word)) return &sign;
  }
  return nullptr;
}

const char* optimisation_in(std::string_view text) {
  for (const char* word : kOptimised) {
    if (says(text, word)) return word;
  }
  return nullptr;
}

}  // namespace kstar
