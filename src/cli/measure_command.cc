#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "base/number.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/measure_dry_run.h"
#include "cli/measure_flags.h"
#include "cli/measure_progress.h"
#include "kstar/hygiene.h"
#include "kstar/measure.h"
#include "kstar/scaling_report.h"

namespace kstar {

namespace {

std::atomic<bool> stop_asked{false};

void ask_to_stop(int) {
  stop_asked = true;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

void warn(const MeasureSpec& spec, const Console& console) {
  const int most = spec.gpus ? 1 : static_cast<int>(spec.workers.back());
  for (const Warning& warning : check_hygiene({.workers = most})) {
    console.note(fmt::format("warning: {}; {}", warning.reason, warning.advice));
  }
}

/// The file to write to, and what is in it already.
Result<ResumedStudy> open_study(const MeasureSpec& spec, const Arguments& arguments,
                                StudyHeader& header) {
  if (arguments.has("resume")) {
    constexpr std::chrono::seconds kPatience{2};
    Result<ResumedStudy> resumed = StudyWriter::resume(spec.output, kPatience);
    if (!resumed) return resumed;
    if (const Result<void> same = may_resume(resumed->study.header, header, spec.output); !same) {
      return fail(same.error());
    }
    header.protocol.seed = resumed->study.header.protocol.seed;
    return resumed;
  }
  const Existing existing = arguments.has("force") ? Existing::kReplace : Existing::kRefuse;
  Result<StudyWriter> writer = StudyWriter::create(spec.output, header, existing);
  if (!writer) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(spec.output, ignored)) {
      writer.error().hint = "--resume goes on with it, --force replaces it";
    }
    return fail(writer.error());
  }
  return ResumedStudy{Study{}, std::move(*writer)};
}

/// "K = 4: +-3.1%": the points that are not as precise as asked.
std::string reached(const MeasureSpec& spec, const MeasureResult& result) {
  std::string text;
  for (const MeasurePoint& point : result.points) {
    const bool known = point.verdict && std::isfinite(point.verdict->relative_half_width);
    if (!known || point.verdict->precise || spec.runs) continue;
    text += fmt::format(
        "{}{}: +-{}", text.empty() ? "; reached " : ", ",
        point.role == Role::kBaseline ? "baseline" : fmt::format("K = {}", point.workers),
        percent(point.verdict->relative_half_width, 1));
  }
  return text;
}

std::string end_words(MeasureEnd end) {
  switch (end) {
    case MeasureEnd::kPrecise:
      return "";
    case MeasureEnd::kLimit:
      return "stopped at the limit of runs or failures: not every K is as it was asked for";
    case MeasureEnd::kBudget:
      return "the budget is used up: not every K is as precise as asked";
    case MeasureEnd::kInterrupted:
      return "interrupted; --resume goes on";
  }
  return "";
}

/// What looking inside cost, in the study; a study that went on is judged anew.
void keep_notes(const InsideTable& inside, Study& study) {
  std::erase_if(study.notes, [](const Note& note) {
    return note.what == "inside" || note.what == "inside-cost";
  });
  study.notes.insert(study.notes.end(), inside.notes.begin(), inside.notes.end());
}

/// Marks what the data show, saves, and shows the table.
Result<void> finish(const MeasureSpec& spec, StudyWriter writer, Console& console) {
  Result<Study> study = load_study(writer.path());
  if (!study) return fail(study.error());
  mark_findings(spec, *study);
  for (const Note& note : study->notes) {
    if (note.what != "warm-up" && note.what != "outlier") continue;
    console.note(fmt::format("{}: {}: {}", note.what, note.where, note.text));
  }
  const InsideTable inside = inside_table(*study, spec.confidence);
  keep_notes(inside, *study);
  if (Result<void> saved = std::move(writer).replace(*study); !saved) return saved;
  const Result<ScalingTable> table = scaling_table(*study, {.confidence = spec.confidence});
  if (!table) return fail(table.error());
  console.print(to_terminal(to_document(*table), console.style()));
  if (const Document shown = to_document(inside); !shown.blocks.empty()) {
    console.print("\n" + to_terminal(shown, console.style()));
  }
  return {};
}

Result<MeasureResult> run_jobs(const MeasureSpec& spec, const StudyHeader& header,
                               ResumedStudy& study, Console& console, Executor& executor) {
  MeasureProgress progress(spec, study.study, console);
  Result<MeasureResult> result =
      measure(spec, header, {executor, study.writer, study.study, stop_asked, progress});
  if (const Result<void> synced = study.writer.sync(); result && !synced) {
    return fail(synced.error());
  }
  return result;
}

/// Everything that happens beside the jobs; see supervise().
Result<ExitCode> measure_beside(const MeasureSpec& spec, StudyHeader header,
                                const Arguments& arguments, Console& console, Executor& executor) {
  Result<ResumedStudy> opened = open_study(spec, arguments, header);
  if (!opened) return fail(opened.error());
  const Result<MeasureResult> result = run_jobs(spec, header, *opened, console, executor);
  if (!result) return fail(result.error());
  const std::string words = end_words(result->end);
  if (!words.empty()) console.note(words + reached(spec, *result));
  if (result->end == MeasureEnd::kInterrupted) return ExitCode::kInterrupted;
  if (const Result<void> done = finish(spec, std::move(opened->writer), console); !done)
    return fail(done.error());
  console.note(fmt::format("wrote {}", printable(spec.output)));
  return ExitCode::kDone;
}

/// Every run is appended to the study as it ends: it has to be a file.
Result<void> check_output(const std::string& path, bool resumes) {
  constexpr std::string_view kHint = "say -o study.jsonl";
  if (path.empty() || path == "-") {
    return fail(usage(expected("--output", "the file of the study", path, kHint)));
  }
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (resumes && !std::filesystem::exists(status)) {
    return fail({.where = path,
                 .message = "there is no study to go on with",
                 .hint = "leave --resume out to start one"});
  }
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  const bool folder = std::filesystem::is_directory(status);
  return fail(usage(expected(
      "--output", folder ? "a file, and this is a folder" : "a file, and this is a device or pipe",
      path, folder ? fmt::format("say -o {}/study.jsonl", printable(path)) : std::string(kHint))));
}

Result<ExitCode> run_measure(const Arguments& arguments, Console& console) {
  if (const Result<void> checked = check_measure_flags(arguments); !checked) {
    return fail(checked.error());
  }
  const Result<SpecFile> file = measure_spec_of(arguments);
  if (!file) return fail(file.error());
  const MeasureSpec* spec = &file->spec;
  if (arguments.has("print-spec")) {
    console.print(spec_toml(*spec));
    return ExitCode::kDone;
  }
  const Result<std::vector<Note>> notes = check_spec(*spec);
  if (!notes) return fail(at_its_place(*file, usage(notes.error())));
  for (const Note& note : *notes) console.note(fmt::format("warning: {}", printable(note.text)));
  if (arguments.has("dry-run")) {
    if (const Result<void> shown = show_plan(*spec, arguments, console); !shown) {
      return fail(shown.error());
    }
    return ExitCode::kDone;
  }
  if (const Result<void> can = check_output(spec->output, arguments.has("resume")); !can) {
    return fail(can.error());
  }
  if (const Result<void> can = check_programs_can_start(*spec); !can) return fail(can.error());
  catch_signals();
  const Result<StudyHeader> header = study_header(*spec);
  if (!header) return fail(header.error());
  warn(*spec, console);
  const Result<int> status = supervise(
      [&](Executor& executor) {
        Result<ExitCode> code = measure_beside(*spec, *header, arguments, console, executor);
        if (const Result<void> flushed = console.flush(); code && !flushed) {
          code = fail(flushed.error());
        }
        if (!code) console.print_error(code.error());
        return static_cast<int>(code ? *code : code.error().code);
      },
      stop_asked);
  if (!status) return fail(status.error());
  return static_cast<ExitCode>(*status);
}

}  // namespace

Command measure_command() {
  Command command;
  command.name = "measure";
  command.summary = "run a job on several worker counts until T(K) is precise";
  command.details = {
      "Every K runs once a block, in random order, until the interval of its mean is as narrow as "
      "asked. Each run is kept as it ends. In the command {K} is the number of workers, {size}, "
      "{batch} and {batch/K} the workload at that K."};
  command.flags = measure_flags();
  command.positionals = {measure_command_words()};
  command.examples = {"kstar measure --workers 1,2 --runs 3 -o sleep.jsonl -- sleep 0.01",
                      "kstar measure --workers 1,2 --time marks --runs 3 -o train.jsonl -- "
                      "kstar-train --workers {K}"};
  command.run = run_measure;
  return command;
}

}  // namespace kstar
