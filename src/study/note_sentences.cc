#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "kstar/study_note.h"

namespace kstar {

namespace {

/// The words of a note. {name} is a value; {name:...} says how:
///   a number   {x:%} in percent, {x:%1} with one decimal, {x:%%} with as many as it needs, {x:2}
///   with two decimals, {x:~6} with
///              six significant digits, {x:min} of seconds in minutes, {x:MiB} of bytes,
///              {x:run was|# runs were} by whether it is 1 (# is the number)
///   a list     {x:; } with these signs between its texts, instead of a comma
/// Where a code has several sentences, the first whose values are all there is taken.
struct Sentence {
  std::string_view code;
  std::string_view text;
  std::string_view needs = {};  ///< the name of a value that is not shown
};

constexpr Sentence kSentences[] = {
    // The file itself.
    {"torn-line", "the last line was incomplete; its {dropped} bytes were dropped"},
    {"torn-line", "the last line was incomplete; its {cut} bytes were removed"},
    {"no-lock", "the file system has no locks: a second writer cannot be excluded"},
    {"merge-difference", "{key} is {here} here, but {there} in {file}"},
    {"merge-equal-runs",
     "{runs} of its {all} runs equal runs of {file}, and nothing tells them apart; all were kept"},
    {"merge-equal-runs",
     "{runs} runs are equal to runs of another file and have no start time; all were kept"},
    {"study-moved",
     "was removed, renamed or overwritten while it was measured; the study goes on in {file}"},
    {"simulated",
     "drawn from a law, not measured: noise {noise}, straggler factor {straggler}, seed {seed}"},

    {"scheduled",
     "computed by greedy schedules of {tasks} tasks ({priority} first), not measured, if {if}: "
     "work "
     "{work:~4}, depth {depth:~4}"},
    {"scheduled",
     "computed by greedy schedules of {tasks} tasks ({priority} first), not measured: work "
     "{work:~4}, depth {depth:~4}"},

    // Importing.
    {"imported", "read as {format}: {logs} result logs"},
    {"imported", "read as {format}, as requested", "asked"},
    {"imported", "read as {format}"},
    {"rate", "'{column}' is a rate: T is the seconds per unit of work on each worker", "weak"},
    {"rate", "'{column}' is a rate: T is the seconds per unit of work"},
    {"rate",
     "'{worker_column}' is a rate per worker: it was multiplied by K; T is the seconds per unit of "
     "work"},
    {"rate", "'{variable}' is assumed to be a rate: T is the seconds per unit"},
    {"rate",
     "K threads iterate independently: T is the time of one iteration over all of them; "
     "real_time was divided by the threads (library {library})",
     "divided"},
    {"rate",
     "K threads iterate independently: T is the time of one iteration over all of them; "
     "real_time is already divided by the threads (library {library})"},
    {"relative",
     "'{column}' is relative, and there are no times: T is relative to the time of the base"},
    {"relative", "the table has no runtimes: T is relative to the time of the base"},
    {"per-step", "T is the time of one step (or iteration, epoch)"},
    {"guessed", "the unit of '{seconds}' is not given: seconds are assumed"},
    {"guessed", "'{only_time}' is the only time: it is used as the time of the run"},
    {"guessed",
     "'{told}' is read as a time because --time-column names it: its name says otherwise"},
    {"guessed", "{said_by} says {regime} scaling: so it is read"},
    {"guessed", "'{minutes}' is assumed to be in minutes"},
    {"guessed", "'{column}' is assumed to be {meaning}"},
    {"guessed", "K = {workers} was taken from the file's name"},
    {"guessed", "the only parameter, '{parameter}', is assumed to be K"},
    {"guessed", "the metric '{metric}' is assumed to be in seconds"},
    {"guessed",
     "{starts} times run_start and {stops} times run_stop: the first and the last are used"},
    {"guessed", "the table has no header: its columns are assumed to be workers and seconds"},
    {"summary",
     "'{column}' is the {statistic} of several runs: each value counts as one run, and the spread "
     "is lost"},
    {"summary", "the file has means of repetitions, not the repetitions: each counts as one run",
     "repetitions"},
    {"summary", "results without single times: each mean counts as one run"},
    {"unlikely",
     "'{column}' is called an efficiency, but is neither a share nor a percentage: it is stored "
     "unchanged"},
    {"clock", "times like '{example}' were read as hours, minutes and seconds"},
    {"product", "K is '{columns:' times '}'"},
    {"product", "the size of the problem is '{sizes:' times '}'"},
    {"product", "the {amount} is '{column}' times '{parts}'"},
    {"product", "the {amount} is '{column}' times K"},
    {"run-failed", "{reason}"},
    {"run-failed", "{without_value} of {runs} runs have no value or a status other than success"},
    {"run-failed", "{not_passed} of {runs} runs did not pass"},
    {"run-failed", "nothing in the log matches the pattern: its run counts as failed"},
    {"changes-with-k", "'{setting}' changes with K: {values} ... (more than {count} in total)",
     "many"},
    {"changes-with-k", "'{setting}' changes with K: {values} ... ({count} in total)"},
    {"changes-with-k", "'{setting}' changes with K: {values}"},
    {"skipped", "{rows} rows without a number of workers were skipped; the first is this one"},
    {"skipped",
     "{job_steps:# row|# rows} of job steps {job_steps:was|were} skipped: their job has "
     "a row of its own"},
    {"skipped",
     "{tables:# other table|# other tables} of the text {tables:was|were} not read (--table N "
     "picks "
     "one)"},
    {"skipped", "{headers} lines that repeat the header were skipped"},
    {"skipped", "{comments} lines that start with # were skipped"},
    {"skipped", "{aggregates} aggregates of repetitions were skipped"},
    {"skipped", "{lines} lines with the MLPerf marker could not be read"},
    {"skipped", "{logs} logs have no system file with K and were skipped; the first is this one"},
    {"skipped",
     "{files:# file|# files} of other formats, or not at the path of MLPerf result logs, "
     "{files:was|were} not read"},
    {"skipped", "the work of each rank is not recorded although the batch was split unevenly"},
    {"left-out", "columns not used: {columns} ...", "more"},
    {"left-out", "columns not used: {columns}"},
    {"left-out",
     "'{column}' differs between runs at one K: it is not recorded as part of the problem"},
    {"left-out", "{metrics} metrics that were not used"},
    {"blocks",
     "the rows are ordered by '{column}': runs with the same number are treated as one block"},
    {"run-numbers", "the runs at each K are numbered by '{column}'"},
    {"rates-disagree",
     "at K = {workers} the rate is {rate}, but K times '{column}' gives {product}"},
    {"several-series",
     "the table contains several series: its rows are not one curve, each has its own base"},
    {"derived",
     "a step takes as long as on its slowest rank; waiting is derived: the difference to the "
     "slowest rank's computation in a step that all start together, limited by the rank's "
     "communication"},
    {"steps", "the log holds {runs} runs: K is what --k-regex matches before each time"},
    {"steps", "the {steps} values of '{column}' are steps of one run"},
    {"steps", "the pattern matches {steps} numbers: they are steps of one run"},
    {"debug-build",
     "library_build_type is debug: the benchmark library was built without optimisation, and so, "
     "usually, was the program"},
    {"batch", "the global batch changes with K: neither strong nor weak scaling", "batches"},
    {"batch", "the global batch is not given, or differs between runs at one K"},
    {"systems", "runs of {count} systems: {systems}"},
    {"mlperf-score", "the official score is {score:min} minutes, scaled by {scaling}"},
    {"mlperf-score", "the official score is {score:min} minutes"},

    // Measuring.
    {"warm-up",
     "the first {runs:run was|# runs were} {excess:%} slower than the rest: marked as warm-up"},
    {"warm-up",
     "the first {runs:run|# runs} took {factor:~2} times as long as the rest: that is cached work, "
     "not warm-up; {runs:it does|they do} not count"},
    {"outlier",
     "{far} of {runs} runs lie far from the others: the times have several levels, or long tails"},
    {"outlier", "{slower:1} standard deviations slower than the others of its K: {reason}"},
    {"outlier", "{faster:1} standard deviations faster than the others of its K: {reason}"},
    {"given-up", "{failed} runs failed; no more runs at this K"},
    {"children-left",
     "the job ended and left {processes:# process|# processes} running, which "
     "{processes:was|were} ended: T is the time of the parent alone"},
    {"cached-work",
     "the first run took {factor:~2} times as long as the second: the later runs find its work "
     "done; --prepare COMMAND undoes it before every run, for example --prepare 'make clean'"},
    {"no-phases",
     "the program marks its steps and no phases: with compute, communicate and wait marked as "
     "well, "
     "kstar says where the time goes (docs/marks.md)"},
    {"short-runs",
     "a run takes {ms:~2} ms, hardly longer than starting a process: below 5 ms mostly the start "
     "is measured; give it more work"},
    {"program-changed",
     "changed while the study was measured: its runs are of different programs; measure again"},
    {"job-writes", "the job writes this file: it may differ when the study is resumed"},
    {"check-reference", "{answer}"},
    {"launch", "{warning}"},
    {"nodes",
     "its runs were on {count} sets of nodes: {sets:; }. They differ: {differs} takes {more:%1} "
     "more time ({low:%1} to {high:%1}) than the others"},
    {"nodes",
     "its runs were on {count} sets of nodes: {sets:; }. They differ: {differs} takes {less:%1} "
     "less time ({low:%1} to {high:%1}) than the others"},
    {"nodes",
     "its runs were on {count} sets of nodes: {sets:; }. No difference beyond the noise: the "
     "largest is {largest}, {more:%1} more time ({low:%1} to {high:%1})"},
    {"nodes",
     "its runs were on {count} sets of nodes: {sets:; }. No difference beyond the noise: the "
     "largest is {largest}, {less:%1} less time ({low:%1} to {high:%1})"},
    {"nodes",
     "its runs were on {count} sets of nodes: {sets:; }. Too few runs on each to say whether they "
     "differ"},
    {"slow-node",
     "runs on it take {more:%1} more time ({low:%1} to {high:%1}) than runs of the same K on other "
     "nodes"},

    // What was asked for, before measuring.
    {"same-command", "every K runs the same command line, only {variable} differs"},
    {"unused-size",
     "the command does not use {{size}}: the study records a size that the program does not get"},
    {"unused-batch",
     "the command uses neither {{batch}} nor {{batch/K}}: the study records a batch that the "
     "program does not get"},
    {"uneven-batch",
     "a batch of {batch} is not a multiple of K = {k}: some workers get more than others"},
    {"mixed-regime",
     "a size that grows as {growth} is not in proportion to K: the study is recorded as mixed, not "
     "weak"},

    // The machine, before measuring: what was found, and what to do about it.
    {"oversubscribed",
     "{workers:# worker|# workers} for {cpus:# CPU|# CPUs}: above K = {cpus} they share CPUs, and "
     "T shows the scheduler; measure up to {cpus}"},
    {"shared-cores",
     "{workers:# worker|# workers} for {cores:# core|# cores}: above {cores} workers, two share a "
     "core; use the points up to {cores} for the scaling over cores"},
    {"cpu-quota",
     "a control group allows {cpus:~3} CPUs for {workers:# worker|# workers}: the job is paused "
     "again and again; raise the quota (docker --cpus, Kubernetes limits)"},
    {"cpuset",
     "only {usable} of {cpus:# CPU|# CPUs} may be used here (a cpuset or taskset); others may be "
     "using the rest: make sure that they do not use its memory and caches"},
    {"load",
     "other processes were running when measuring began: the load was {load:2} on {cpus:# CPU|# "
     "CPUs}; stop them, or wait, and measure again"},
    {"stolen-time",
     "the hypervisor took {share:%1} of the CPU time since this virtual machine started; use a "
     "machine with dedicated CPUs, or more runs over a longer time"},
    {"governor",
     "the frequency governor is '{governor}' on {cpus:# CPU|# CPUs}: short runs start slow; "
     "cpupower frequency-set -g performance"},
    {"turbo",
     "turbo is on: one busy core runs faster than many, which lowers every speedup; {command}"},
    {"low-memory",
     "only {available:MiB} MiB of {memory:MiB} MiB are available; free memory: a job that is short "
     "of memory swaps or is killed"},
    {"memory-limit",
     "a control group allows {limit:MiB} MiB of memory, less than the machine has; make sure that "
     "the job fits at every K, including its files in the page cache"},
    {"swap", "{used:MiB} MiB are in swap; free memory, then swapoff -a && swapon -a"},
    {"battery", "this machine runs on battery: it may slow down to save power; plug it in"},

    // Marks of the program, and looking inside it.
    {"marks-incomplete", "{problem}"},
    {"marks-clocks",
     "{elsewhere} of {workers} workers have another clock: their times are aligned by the time of "
     "day"},
    {"marks-same-worker", "more than one worker has the number {number}"},
    {"marks-no-steps", "{without} of {workers} workers marked no complete step"},
    {"marks-uneven", "workers marked {least} to {most} steps: only the first {least} are used"},
    {"inside-sampled",
     "waiting was computed from {coverage:%1} of the collectives, which represent all"},
    {"inside-wait", "waiting cannot be separated from transfer: {problem}"},
    {"inside-no-rank", "a process of the program never returned from MPI_Init"},
    {"inside-missing", "{missing} of {ranks} ranks wrote no file"},
    {"inside-lost",
     "{calls} calls were not recorded: too many threads, or calls and communicators"},
    {"inside", "{said}"},
    {"models", "{said}"},
    {"inside-cost",
     "profiled runs took {ratio:3} of the time of plain runs ({low:3} to {high:3}): the shares "
     "describe a slower program",
     "much"},
    {"inside-cost", "profiled runs took {ratio:3} of the time of plain runs ({low:3} to {high:3})"},
    {"inside-cost", "profiled runs took {ratio:3} of the time of plain runs (no interval)"},

    // Jobs of Slurm.
    {"slurm-job", "job {job}: {part}"},
    {"slurm-cancelled", "job {job}: {part}"},
    {"slurm-ended", "job {job}: {part}"},
    {"slurm-answers", "it answers again, after {seconds:0} s"},
    {"slurm-silent",
     "it does not answer ({trouble}); the jobs are not affected, and kstar retries for {patience}"},
    {"nodes-differ", "it differs from {like}: {difference}"},

    // The scaling table and its analysis.
    {"runs-failed", "{failed} of {runs} runs failed and are not used"},
    {"no-times", "{runs} made, none with a usable time"},
    {"one-value",
     "one run per K does not show the noise: an error of {least:%1} to {most:%} is assumed"},
    {"one-value", "one run per K does not show the noise: the noise of the other K is assumed"},
    {"base-workers",
     "K = 1 was not measured: S and E are relative to K = {base}, assuming no loss there"},
    {"no-efficiency",
     "the problem changes with K in a way that is neither strong nor weak: there is no speedup, no "
     "efficiency and no recommended number of workers",
     "mixed"},
    {"no-efficiency", "the base has no usable time: no number of workers can be recommended"},
    {"not-monotone",
     "E is below {threshold:~3} here, and above it again at K = {again}: check what is wrong at "
     "this K"},
    {"step-drift",
     "steps get slower inside a run: the last third takes {slower:%1} of the first ({low:%1} to "
     "{high:%1}); possible reasons: heat, memory, or a growing problem"},
    {"step-drift",
     "steps get faster inside a run: the last third takes {faster:%1} of the first ({low:%1} to "
     "{high:%1}); warm-up steps may be included"},
    {"median", "T is the median of the runs, S and E are ratios of medians"},
    {"unpaired", "S and E are computed from the {blocks} blocks that the base has as well"},
    {"mixed-shapes", "runs with different layouts ({layouts}) are combined"},
    {"work-unlike",
     "not every run records what it needed to converge, or the unit differs between K: time to "
     "train is not split into factors"},
    {"no-work",
     "not every run records what it needed to converge: excluded from the factors of time to "
     "train"},
    {"equal-work",
     "all runs needed the same number of {unit}: they are counted when training is evaluated, so "
     "smaller differences do not show"},
    {"work-counted",
     "{work} is {at_base:~6} at K = {base} and {at_k:~6} at K = {k}: S counts the work as it "
     "grows"},
    {"regime-contradicted",
     "declared {declared}, but the work is that of {shown} scaling: {work} is {at_base:~6} at K = "
     "{base} and {at_k:~6} at K = {k}; S and E are computed for {declared}"},
    {"regime-contradicted",
     "not declared, and two sources disagree: {work} is {at_base:~6} at K = {base} and {at_k:~6} "
     "at K = {k}, but {other_work} is {other_at_base:~6} at K = {other_base} and {other_at_k:~6} "
     "at K = {other_k}; assumed to be mixed"},
    {"regime-derived",
     "not declared; {work} is {at_base:~6} at K = {base} and {at_k:~6} at K = {k}: {regime} "
     "scaling"},
    {"regime-derived",
     "not declared; {work} is {at_base:~6} at K = {base} and {at_k:~6} at K = {k}: training with a "
     "different batch is a different problem, so mixed",
     "until_converged"},
    {"regime-derived",
     "not declared; {work} is {at_base:~6} at K = {base} and {at_k:~6} at K = {k}: neither fixed "
     "nor in proportion to K, so mixed"},
    {"regime-assumed", "strong scaling is assumed, the same problem at every K (--regime sets it)"},
    {"regime-told",
     "the study declares {declared}, but {told} was requested: the study's own is used"},
    {"stopping-differs", "the stopping rule differs between K: the problem changes"},
    {"batch-differs",
     "the data are the same at every K, but batches are {least:~6} to {most:~6}: training with a "
     "different batch is a different problem"},

    // Comparing two studies.
    {"machine-unknown", "the study {side} does not state its machine: assumed to be the same"},
    {"machine-unknown", "neither study states its machine: assumed to be the same"},
    {"workload-unknown", "the study {side} does not state its problem: assumed to be the same"},
    {"workload-unknown", "neither study states its problem: assumed to be the same"},
    {"unit-unknown",
     "the study {side} does not state the unit of its rate: assumed to be the same"},
    {"unit-unknown", "neither study states the unit of its rate: assumed to be the same"},
    {"other-machine", "before on {before: and }; after on {after: and }"},
    {"other-hosts",
     "the same hardware, but different machines: before on {before}, after on {after}"},
    {"other-workload", "benchmark {benchmark_before} before, {benchmark_after} after"},
    {"other-workload", "{differences:; }"},
    {"other-time", "T is {before} before, {after} after"},
    {"other-regime", "{before} before, {after} after"},
    {"other-command", "before: {before}; after: {after}"},
    {"other-launcher", "started by {before} before, by {after} after"},
    {"other-versions", "{changed:; }"},
    {"other-variables", "{changed:; }"},
    {"other-binding", "workers were bound to cores differently"},
    {"other-settings", "what changed: {changed:; }"},
    {"left-out", "K = {k} {count:was|were} measured {side} only, and not compared"},
    {"other-base",
     "S and E have a different base or regime before and after, and are not compared"},
    {"relative-times",
     "both studies have only speedups: T is relative to each study's own base, so S and E are "
     "compared, but not T"},
    {"equal-runs",
     "all runs are equal to the last digit at K = {k}: rounding hides their noise. The rounding "
     "error (up to {error:%%} of T, one standard deviation) is included in the intervals instead; "
     "times with more digits would help"},
    {"sessions-differ",
     "{sessions} sessions differ by {deviation:%%} of T (standard deviation), which the interval "
     "of T(K) includes"},
    {"same-times", "before and after have the same times, run by run: one is a copy of the other"},
};

std::string shown(double number, std::string_view how) {
  if (how.empty()) return shortest(number);
  if (how == "%") return percent(number, 0);
  if (how == "%%") return percent(number, number < 0.001 ? 3 : 1);
  if (how.starts_with('%')) return percent(number, how[1] - '0');
  if (how.starts_with('~')) return significant(number, how[1] - '0');
  if (how == "min") return fixed(number / 60, 3);
  if (how == "MiB") return fixed(number / (1024.0 * 1024.0), 0);
  const std::size_t bar = how.find('|');
  if (bar == std::string_view::npos) return fixed(number, how[0] - '0');
  std::string words(number == 1 ? how.substr(0, bar) : how.substr(bar + 1));
  if (const std::size_t sign = words.find('#'); sign != std::string::npos) {
    words.replace(sign, 1, shortest(number));
  }
  return words;
}

std::string shown(const std::string& text, std::string_view) {
  return text;
}

std::string shown(const std::vector<std::string>& list, std::string_view how) {
  return fmt::format("{}", fmt::join(list, how.empty() ? ", " : how));
}

/// The sentence, or nothing where a value of it is missing.
std::optional<std::string> filled(const Sentence& sentence, const NoteValues& values) {
  if (!sentence.needs.empty() && !values.contains(sentence.needs)) return {};
  std::string text;
  std::string_view rest = sentence.text;
  for (std::size_t open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    text += rest.substr(0, open);
    rest.remove_prefix(open + 1);
    if (rest.starts_with('{')) {  // {{K}}
      text += rest.substr(0, rest.find('}') + 1);
      rest.remove_prefix(rest.find('}') + 2);
      continue;
    }
    const std::string_view place = rest.substr(0, rest.find('}'));
    rest.remove_prefix(place.size() + 1);
    const std::size_t colon = std::min(place.find(':'), place.size());
    const auto found = values.find(place.substr(0, colon));
    if (found == values.end()) return {};
    const std::string_view how = place.substr(std::min(colon + 1, place.size()));
    text += std::visit([&](const auto& value) { return shown(value, how); }, found->second.value);
  }
  return text.append(rest);
}

}  // namespace

std::string note_sentence(const Note& note) {
  if (note.values.empty() && !note.text.empty()) return note.text;
  for (const Sentence& sentence : kSentences) {
    if (sentence.code != note.what) continue;
    if (auto text = filled(sentence, note.values)) return std::move(*text);
  }
  return note.text;
}

std::string text_value(const Note& note, std::string_view name) {
  const auto found = note.values.find(name);
  if (found == note.values.end()) return "";
  const auto* text = std::get_if<std::string>(&found->second.value);
  return text != nullptr ? *text : "";
}

}  // namespace kstar
