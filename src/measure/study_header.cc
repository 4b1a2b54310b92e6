#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "base/file.h"
#include "base/text.h"
#include "kstar/host.h"
#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "kstar/placeholders.h"
#include "kstar/time_source.h"

namespace kstar {

namespace {

/// The file that would be started, as execvp finds it.
std::string program_file(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    const std::filesystem::path file = std::filesystem::path(folder) / program;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return file.string();
  }
  return program;
}

/// What tells one build of a program from another: a hash of its bytes (FNV-1a, 64 bits).
std::string program_mark(const std::string& program) {
  constexpr std::size_t kMost = std::size_t{1} << 30U;
  const Result<FileText> text = read_file(program_file(program), kMost);
  if (!text) return "unknown";
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text->view()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("fnv1a-{:016x}", hash);
}

std::uint64_t chosen_seed(const MeasureSpec& spec) {
  if (spec.seed != 0) return spec.seed;
  std::random_device device;
  return device() % 1000000U + 1;  // short enough to be typed again
}

std::string stopping_words(const MeasureSpec& spec) {
  if (spec.runs) return fmt::format("{} runs at each K", *spec.runs);
  return fmt::format("until the {}% interval is within {}% at each K, at most {} runs",
                     spec.confidence * 100, spec.precision * 100, spec.max_runs);
}

Result<std::string> binding_words(const MeasureSpec& spec) {
  const Result<const Launcher*> launcher = find_launcher(spec.launcher);
  if (!launcher) return fail(launcher.error());
  std::string words;
  for (const std::int64_t k : spec.workers) {
    const Result<Launch> launch = (*launcher)->launch({.command = {"true"},
                                                       .workers = static_cast<int>(k),
                                                       .bind = spec.bind,
                                                       .gpus = spec.gpus});
    if (!launch) return fail(launch.error());
    words += fmt::format("{}K={}: {}", words.empty() ? "" : "; ", k, launch->binding);
  }
  return words;
}

/// The first way in which two headers differ, in words; empty when they do not.
std::string difference(const StudyHeader& old, const StudyHeader& now) {
  if (old.command != now.command) {
    return fmt::format("the command was '{}', and is '{}'", fmt::join(old.command, " "),
                       fmt::join(now.command, " "));
  }
  if (old.regime != now.regime) return "the regime changed";
  if (old.workload != now.workload) return "the workload changed";
  if (old.launcher != now.launcher) return "the launcher changed";
  if (old.baseline != now.baseline) return "the baseline changed";
  const auto program = [](const StudyHeader& header) {
    const auto found = header.environment.versions.find("program");
    return found == header.environment.versions.end() ? std::string() : found->second;
  };
  if (program(old) != program(now)) return "the program's file changed since";
  if (old.environment.hosts != now.environment.hosts) return "the machine is another one";
  return "";
}

}  // namespace

Result<StudyHeader> study_header(const MeasureSpec& spec) {
  StudyHeader header;
  header.writer = "kstar " KSTAR_VERSION;
  header.title = spec.title;
  header.command = spec.command;
  header.launcher = spec.launcher;
  header.regime = regime_of(spec);
  for (const std::int64_t k : spec.workers) header.workload.push_back(workload_at(spec, k));
  header.baseline.kind =
      spec.baseline.empty() ? BaselineKind::kParallelWithOne : BaselineKind::kFastestSingle;
  header.baseline.command = spec.baseline;
  const Result<std::unique_ptr<TimeSource>> source =
      make_time_source(spec, [](const Outcome&, const std::string&) { return Run{}; });
  if (!source) return fail(source.error());
  header.protocol.warm_up_runs = spec.warm_up_runs;
  header.protocol.warm_up_steps = spec.warm_up_steps;
  header.protocol.setup = (*source)->setup();
  header.protocol.setup_method = (*source)->setup_method();
  header.protocol.order = "blocks: every unfinished K and the base once, in random order";
  header.protocol.seed = chosen_seed(spec);
  header.protocol.stopping = stopping_words(spec);
  if (spec.time_limit > 0) header.protocol.time_limit = spec.time_limit;
  header.environment = this_environment();
  Result<std::string> binding = binding_words(spec);
  if (!binding) return fail(binding.error());
  header.environment.binding = std::move(*binding);
  const std::string program = spec.shell ? "/bin/sh" : spec.command.front();
  header.environment.versions["program"] = program_mark(program);
  return header;
}

Result<void> may_resume(const StudyHeader& old, const StudyHeader& now, const std::string& name) {
  const std::string changed = difference(old, now);
  if (changed.empty()) return {};
  return fail({.where = name,
               .message = fmt::format("the study cannot go on: {}", printable(changed)),
               .hint = "measure into a new file; kstar merge joins what belongs together"});
}

}  // namespace kstar
