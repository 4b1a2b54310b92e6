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
///   a number   {x:%} in percent, {x:2} with two decimals, {x:min} of seconds in minutes,
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
     "{runs} runs are equal to runs of another file and have no start time; all were kept"},
    {"simulated",
     "drawn from a law, not measured: noise {noise}, straggler factor {straggler}, seed {seed}"},

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
    {"outlier",
     "{far} of {runs} runs lie far from the others: the times have several levels, or long tails"},
    {"outlier", "{slower:1} standard deviations slower than the others of its K: {reason}"},
    {"outlier", "{faster:1} standard deviations faster than the others of its K: {reason}"},
    {"given-up", "{failed} runs failed; no more runs at this K"},
    {"check-reference", "{answer}"},
    {"launch", "{warning}"},
    {"same-command",
     "every K runs the same command line: only {variable} differs; write {{K}} where the program "
     "takes its number of workers"},

    // Jobs of Slurm.
    {"slurm-job", "job {job}: {part}"},
    {"slurm-cancelled", "job {job}: {part}"},
    {"slurm-ended", "job {job}: {part}"},
    {"slurm-answers", "it answers again, after {seconds:0} s"},
    {"slurm-silent",
     "it does not answer ({trouble}); the jobs are not affected, and kstar retries for {patience}"},
    {"nodes-differ", "it differs from {like}: {difference}"},
};

std::string shown(double number, std::string_view how) {
  if (how.empty()) return shortest(number);
  if (how == "%") return percent(number, 0);
  if (how == "min") return fixed(number / 60, 3);
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
