// What can be known to be wrong before anything runs.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "kstar/executor.h"
#include "kstar/inside.h"
#include "kstar/launcher.h"
#include "kstar/measure.h"
#include "kstar/placeholders.h"
#include "kstar/spec_key.h"
#include "kstar/time_source.h"
#include "launch/launch_at.h"
#include "spec/template_text.h"
#include "spec/workload.h"

namespace kstar {

namespace {

Result<void> missing(std::string_view where, std::string_view what, std::string_view hint) {
  return fail({.where = std::string(where),
               .message = fmt::format("expected {}", what),
               .hint = std::string(hint)});
}

bool uses(const std::vector<std::string>& texts, Placeholder placeholder) {
  for (const std::string& text : texts) {
    const Result<std::vector<TemplatePiece>> pieces = parse_template(text, "");
    if (!pieces) continue;
    for (const TemplatePiece& piece : *pieces) {
      if (piece.placeholder == placeholder) return true;
    }
  }
  return false;
}

/// Everything of the job that can hold placeholders.
std::vector<std::string> job_texts(const MeasureSpec& spec) {
  std::vector<std::string> texts = spec.command;
  for (const auto& [name, value] : spec.variables) texts.push_back(value);
  return texts;
}

/// As a shell would fill it in.
bool uses_variable(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find("$KSTAR_OUTPUT") != word.npos || word.find("${KSTAR_OUTPUT") != word.npos;
  });
}

Result<void> check_required(const MeasureSpec& spec) {
  if (spec.command.empty()) {
    return missing("kstar measure", "a command to run",
                   "put it after --, for example: kstar measure --workers 1,2,4 -- ./prog -t {K}; "
                   "in a study.toml: command under [job]");
  }
  if (trim(spec.command[0]).empty()) {
    return fail(expected("command", "a program and its arguments", spec.command[0]));
  }
  if (spec.workers.empty()) {
    return missing("--workers", "worker counts", "for example --workers 1,2,4 or --workers 1..64");
  }
  if (spec.launcher.empty())
    return missing("--launcher", "the name of a launcher", "for example local");
  if (!spec.size_growth.empty() && spec.regime != Regime::kWeak) {
    return missing("--growth", "the weak regime: in others the size does not grow", "use --weak");
  }
  if (!spec.size_growth.empty() && !spec.size) {
    return missing("--growth", "a size that grows", "use --size: the size on one worker");
  }
  return {};
}

/// A run that looks inside is compared with the plain run of its block.
Result<void> check_inside(const MeasureSpec& spec) {
  const int most = spec.runs.value_or(spec.max_runs);
  if (spec.inside <= most) return {};
  return fail(
      expected("--inside",
               fmt::format("at most the {} of --{}: each is compared with a plain run in its block",
                           most, spec.runs ? "runs" : "max-runs"),
               std::to_string(spec.inside)));
}

Result<void> check_limits(const MeasureSpec& spec) {
  if (spec.max_runs < 2) {
    return fail(expected("--max-runs", "2 or more, since one run has no interval",
                         std::to_string(spec.max_runs), "--runs 1 makes exactly one"));
  }
  // The usual limit holds where the number of runs is not said.
  if (!spec.runs || spec.max_runs == MeasureSpec{}.max_runs || *spec.runs <= spec.max_runs) {
    return {};
  }
  return fail(expected("--runs", fmt::format("at most the {} of --max-runs", spec.max_runs),
                       std::to_string(*spec.runs), "keep one of the two"));
}

Result<void> check_regime(const MeasureSpec& spec) {
  if (spec.regime == Regime::kWeak && !spec.size && !spec.batch && !spec.time_work) {
    return missing(
        "--weak", "work that grows with K, but neither --size nor --batch is given",
        "give the one of a single worker; at each K, {size} and {batch} are then the totals");
  }
  if (spec.regime == Regime::kThroughput && !spec.time_is_rate && !spec.size && !spec.batch) {
    return missing("--throughput",
                   "work to count, but neither --rate nor --size nor --batch is given",
                   "use --rate with --time-regex or --time-json if the program prints rates, "
                   "otherwise --size or --batch: then the rate is that divided by the time");
  }
  return {};
}

Result<void> check_launcher(const MeasureSpec& spec) {
  const Result<Launcher> launcher = find_launcher(spec.launcher, spec.launchers);
  return launcher ? Result<void>() : fail(launcher.error());
}

Result<void> check_answers(const MeasureSpec& spec) {
  if (!spec.check_value.empty() && spec.check_pattern.empty()) {
    return missing("--check-value", "a pattern that matches the value in the output",
                   "use --check 'REGEX'");
  }
  if (!spec.shell && uses_variable(spec.check_command)) {
    return fail(expected("--check-command", "{output}, because no shell expands variables",
                         "$KSTAR_OUTPUT", "use {output}, or --shell"));
  }
  if (spec.check_tolerance && spec.check_pattern.empty()) {
    return missing("--check-tolerance", "a pattern that matches a value in the output",
                   "use --check 'REGEX'");
  }
  return {};
}

Result<void> check_batch(const MeasureSpec& spec) {
  if (!spec.batch) return {};
  const bool weak = spec.regime == Regime::kWeak;
  for (const std::int64_t k : spec.workers) {
    if (!weak && k > *spec.batch) return fail(more_workers_than_batch(spec, k));
    if (weak && k > kMostBatch / *spec.batch) {
      return fail(expected("--batch", fmt::format("at most 1e15 over K = {} workers", k),
                           std::to_string(*spec.batch)));
    }
  }
  return {};
}

/// One process here, and its threads.
Result<void> check_threads(const MeasureSpec& spec) {
  if (!starts_threads(spec.launcher)) return {};
  constexpr std::string_view kHint = "use --launcher mpi, slurm or torchrun";
  if (!spec.hosts.empty()) {
    return missing("--hosts", "a launcher that starts workers on other hosts", kHint);
  }
  if (!spec.launcher_options.empty()) {
    return missing("--launcher-options", "a launcher that uses a program", kHint);
  }
  for (const Shape& shape : spec.shapes) {
    if (shape.tasks() > 1) {
      return fail(expected("--workers", "one node and one rank: the local launcher starts threads",
                           shape_text(shape), kHint));
    }
  }
  return {};
}

Result<void> check_shapes(const MeasureSpec& spec) {
  if (Result<void> fits = check_threads(spec); !fits) return fits;
  if (spec.per_node == 0) return {};
  if (!spec.shapes.empty()) {
    return missing("--per-node", "worker counts: --workers already gives the number per node",
                   "keep one of the two");
  }
  for (const std::int64_t k : spec.workers) {
    if (k <= spec.per_node || k % spec.per_node == 0) continue;
    return fail(expected("--per-node", fmt::format("a divisor of K = {}", k),
                         std::to_string(spec.per_node), "every node gets the same number"));
  }
  return {};
}

/// The commands of --setup, --prepare and --cleanup, with their flags.
std::vector<std::pair<std::string_view, const std::vector<std::string>*>> beside_commands(
    const MeasureSpec& spec) {
  return {{"--setup", &spec.setup}, {"--prepare", &spec.prepare}, {"--cleanup", &spec.cleanup}};
}

/// What only a shell understands would be an argument.
Result<void> check_no_shell_words(const MeasureSpec& spec) {
  if (spec.shell) return {};
  for (const auto& [flag, words] : beside_commands(spec)) {
    for (const std::string& word : *words) {
      const bool sign = word == "|" || word == "||" || word == "&&" || word == "&" ||
                        word.starts_with('>') || word == "<" || word.ends_with(';');
      if (!sign) continue;
      return fail(expected(flag, "a program and its arguments: no shell reads them", word,
                           "use --shell for all commands, or sh -c '...' for this one"));
    }
  }
  return {};
}

Result<void> check_expansion(const MeasureSpec& spec) {
  for (const std::int64_t k : spec.workers) {
    for (const auto& [flag, words] : beside_commands(spec)) {
      KSTAR_CHECK(expand_beside(spec, *words, k, flag));
    }
    KSTAR_CHECK(expand(spec, k));
    KSTAR_CHECK(expand_variables(spec, k));
    KSTAR_CHECK(expand_check(spec, k));
  }
  KSTAR_CHECK(expand_baseline(spec));
  return {};
}

Note warning(std::string what, std::string where, NoteValues values = {}) {
  return {.severity = Severity::kWarning,
          .what = std::move(what),
          .where = std::move(where),
          .values = std::move(values)};
}

bool changes_with_workers(const MeasureSpec& spec) {
  const std::vector<std::string> texts = job_texts(spec);
  for (const Placeholder count : {Placeholder::kWorkers, Placeholder::kNodes, Placeholder::kRanks,
                                  Placeholder::kThreads, Placeholder::kTasks}) {
    if (uses(texts, count)) return true;
  }
  if (spec.regime != Regime::kWeak) return uses(texts, Placeholder::kBatchShare);
  return uses(texts, Placeholder::kSize) || uses(texts, Placeholder::kBatch);
}

/// GPUs are counted by what the launcher lets the program see.
Result<void> check_same_command(const MeasureSpec& spec) {
  if (spec.same_command || spec.gpus || !is_same_command(spec)) return {};
  return missing("command", "{K} in it: every K would run the same command line",
                 "write {K} where the program takes its number of workers (./prog -t {K}), or use "
                 "--env OMP_NUM_THREADS={K} if it takes it from there; --same-command if the same "
                 "command is meant");
}

void warn_same_command(const MeasureSpec& spec, std::vector<Note>& notes) {
  if (!is_same_command(spec)) return;
  notes.push_back(warning("same-command", "command",
                          {{"variable", spec.gpus ? "CUDA_VISIBLE_DEVICES" : "OMP_NUM_THREADS"}}));
}

void warn_unused(const MeasureSpec& spec, std::vector<Note>& notes) {
  const std::vector<std::string> texts = job_texts(spec);
  if (spec.size && !uses(texts, Placeholder::kSize)) {
    notes.push_back(warning("unused-size", "--size"));
  }
  if (!spec.batch) return;
  const bool share = uses(texts, Placeholder::kBatchShare);
  if (!share && !uses(texts, Placeholder::kBatch)) {
    notes.push_back(warning("unused-batch", "--batch"));
  }
  for (const std::int64_t k : spec.workers) {
    if (share || global_batch(spec, k) % k == 0) continue;
    notes.push_back(warning("uneven-batch", "--batch", {{"batch", *spec.batch}, {"k", k}}));
    break;
  }
}

void warn_mixed(const MeasureSpec& spec, std::vector<Note>& notes) {
  if (spec.regime != Regime::kWeak || regime_of(spec) == Regime::kWeak) return;
  notes.push_back(warning("mixed-regime", "--growth", {{"growth", spec.size_growth}}));
}

/// At one K: it may be in a program's name. What is started here is asked for: of a job on ranks it
/// is the launcher, and what that can start on its nodes is not known here.
Result<void> check_commands(const MeasureSpec& spec, std::int64_t workers) {
  for (const auto& [flag, words] : beside_commands(spec)) {
    if (words->empty()) continue;
    if (flag == "--cleanup") break;
    KSTAR_TRY(std::vector<std::string> command, expand_beside(spec, *words, workers, flag));
    // It may make the programs that run after it.
    return check_program_can_start({.command = std::move(command)});
  }
  for (const Role role : {Role::kParallel, Role::kBaseline}) {
    if (role == Role::kBaseline && spec.baseline.empty()) continue;
    KSTAR_TRY(const Launch launch, launch_at(spec, role, workers));
    if (Result<void> can = check_program_can_start(launch.plan); !can) return can;
  }
  if (spec.check_command.empty()) return {};
  KSTAR_TRY(std::vector<std::string> check, expand_check(spec, workers));
  return check_program_can_start({.command = std::move(check)});
}

}  // namespace

bool is_same_command(const MeasureSpec& spec) {
  // Any launcher of ranks starts K of them.
  return starts_threads(spec.launcher) && spec.workers.size() > 1 && !changes_with_workers(spec);
}

Result<std::vector<Note>> check_spec(const MeasureSpec& spec, const SpecCheck& submit) {
  const SpecCheck checks[] = {check_required,    check_launcher,       submit,
                              check_limits,      check_inside,         check_regime,
                              check_answers,     check_shapes,         check_batch,
                              check_expansion,   check_no_shell_words, check_time_source,
                              check_same_command};
  for (const SpecCheck& check : checks) {
    if (!check) continue;
    KSTAR_CHECK(check(spec));
  }
  std::vector<Note> notes;
  warn_same_command(spec, notes);
  warn_unused(spec, notes);
  warn_mixed(spec, notes);
  return notes;
}

Result<void> check_programs_can_start(const MeasureSpec& spec) {
  for (const std::int64_t k : spec.workers) {
    if (Result<void> can = check_commands(spec, k); !can) return can;
  }
  if (spec.inside > 0) {
    if (const Result<std::string> library = inside_library(); !library) {
      return fail(library.error());
    }
  }
  return {};
}

}  // namespace kstar
