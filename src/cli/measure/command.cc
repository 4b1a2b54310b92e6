#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/measure/defaults.h"
#include "cli/measure/dry_run.h"
#include "cli/measure/end.h"
#include "cli/measure/flags.h"
#include "cli/measure/interleaved.h"
#include "cli/measure/live_page.h"
#include "cli/measure/progress.h"
#include "cli/measure/run.h"
#include "kstar/analysis_report.h"
#include "kstar/comm_report.h"
#include "kstar/hygiene.h"
#include "kstar/inside_table.h"
#include "kstar/measure.h"
#include "kstar/measure_plan.h"
#include "kstar/measure_session.h"
#include "kstar/placeholders.h"
#include "kstar/scaling_report.h"
#include "kstar/slurm_submit.h"
#include "kstar/stopping.h"
#include "kstar/variants.h"

namespace kstar {

namespace {

std::atomic<bool> stop_asked{false};
std::atomic<bool> stop_insisted{false};

/// The second one ends what does not hear the first.
void ask_to_stop(int) {
  if (stop_asked.exchange(true)) stop_insisted = true;
}

void catch_signals(const MeasureSpec& spec) {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  // Jobs in a queue outlive a closed terminal: --resume picks them up.
  if (!spec.submit) sigaction(SIGHUP, &action, nullptr);
}

/// What about this machine would spoil the measurement.
std::vector<Note> machine_notes(const MeasureSpec& spec) {
  int most = 1;  // on one node
  for (const std::int64_t k : spec.workers) {
    if (!spec.gpus) most = std::max(most, shape_at(spec, k).on_a_node());
  }
  return check_hygiene({.workers = most});
}

/// What looking inside cost, in the study; a study that went on is judged anew.
void note_inside(double confidence, Study& study) {
  const InsideTable inside = inside_table(study, confidence);
  std::erase_if(study.notes, [](const Note& note) {
    return note.what == "inside" || note.what == "inside-cost";
  });
  study.notes.insert(study.notes.end(), inside.notes.begin(), inside.notes.end());
}

/// A study of collectives says what they cost, or why it does not; nothing of another.
Result<bool> show_collectives(const Study& study, Console& console) {
  CommReport report{.title = printable(study.name)};
  CommData data;
  if (!add_measured(study, data)) return false;
  apply_given({}, data);
  KSTAR_TRY(report.analysis, analyze_comm(data));
  console.print(to_terminal(to_document(report, CommView{}), console.style()));
  KSTAR_CHECK(console.flush());
  return true;
}

/// What the data show: the findings, and the answer that kstar analyze gives.
Result<void> show(const MeasureSpec& spec, const Study& study, Console& console) {
  for (const Note& note : study.notes) {
    const bool said = is_finding(note) || note.what == "no-phases";
    if (!said || note.severity != Severity::kInfo) continue;  // warnings come below
    console.note(fmt::format("{}: {}: {}", printable(note.what), printable(note.where),
                             printable(note_sentence(note))));
  }
  KSTAR_TRY(const bool collectives, show_collectives(study, console));
  if (collectives) return {};
  const InsideTable inside = inside_table(study, spec.confidence);
  KSTAR_TRY(const Analysis analysis, analyze(study, {.confidence = spec.confidence}));
  const Document answer = to_document(analysis, {.brief = true, .notes = true});
  console.print(to_terminal(answer, console.style()));
  if (const Document shown = to_document(inside); !shown.blocks.empty()) {
    console.print("\n" + to_terminal(shown, console.style()));
  }
  return console.flush();  // before what is said below it
}

SessionStart session_start(const Arguments& arguments) {
  if (arguments.has("resume")) return SessionStart::kResume;
  return arguments.has("force") ? SessionStart::kReplace : SessionStart::kNew;
}

/// This very program, for jobs to run.
std::string own_program() {
  std::error_code none;
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", none);
  return none ? "kstar" : file.string();
}

/// The page of --live, with its first state on the disk; none where it is not asked for.
Result<std::unique_ptr<LivePage>> live_page(const MeasureSpec& spec, const MeasureSession& session,
                                            const Arguments& arguments, const Console& console) {
  if (!arguments.has("live")) return nullptr;
  auto page = std::make_unique<LivePage>(arguments.text("live"), spec, session.header(),
                                         session.earlier(), console);
  KSTAR_CHECK(page->begin());
  return page;
}

/// The end of what a job printed, safe for a terminal.
std::string last_lines(std::string_view text) {
  constexpr std::size_t kLines = 8;
  const std::vector<std::string_view> lines = split(trim(text), '\n');
  std::string safe;
  for (std::size_t i = lines.size() - std::min(lines.size(), kLines); i < lines.size(); ++i) {
    safe += "  " + printable(lines[i]) + "\n";
  }
  return safe;
}

/// Tells the page as well as the terminal, where there is a page.
Result<MeasureResult> run_session(MeasureSession& session, const MeasureSpec& spec,
                                  Console& console, Executor& executor, LivePage* page,
                                  BlockRunner* blocks, const std::vector<Note>& found) {
  MeasureProgress progress(spec, session.earlier(), console);
  if (page != nullptr) page->tell(progress);
  MeasureObserver& observer = page != nullptr ? static_cast<MeasureObserver&>(*page) : progress;
  return session.run(executor, stop_asked, observer, blocks, found);
}

/// What could not be written does not keep the table back.
Result<void> finish_session(MeasureSession& session, const MeasureSpec& spec, Console& console,
                            LivePage* page) {
  const auto judge = [&](Study& study) { note_inside(spec.confidence, study); };
  KSTAR_TRY(const Study study, session.finish(judge));
  const Result<void> page_written = page == nullptr ? Result<void>() : page->finish(study);
  const Result<void> shown = show(spec, study, console);
  console.note(fmt::format("wrote {}", printable(session.path())));
  KSTAR_CHECK(page_written);
  return shown;
}

/// The answer of the runs that there are; nothing where there is none. What ended the measurement
/// is said by others.
void show_so_far(const MeasureSpec& spec, const std::string& path, Console& console) {
  Result<Study> study = load_study(path);
  if (!study || std::none_of(study->runs.begin(), study->runs.end(), counts)) return;
  mark_findings(spec, *study);
  static_cast<void>(show(spec, *study, console));
}

/// The study is judged and saved as one that came to its end, and can go on. What jobs still do in
/// a queue is not over: there nothing is written.
void show_interrupted(MeasureSession& session, const MeasureSpec& spec, const std::string& beside,
                      Console& console) {
  const std::string path = beside.empty() ? session.path() : beside;
  const Result<Study> study = load_study(path);
  const bool any = study && std::any_of(study->runs.begin(), study->runs.end(), counts);
  if (!any) return;
  if (spec.submit || !beside.empty()) return show_so_far(spec, path, console);
  if (const Result<void> done = finish_session(session, spec, console, nullptr); !done) {
    console.print_error(done.error());
  }
}

/// What becomes of the study that --force would have replaced, and of the runs in `failed`.
std::string old_stays(const MeasureSpec& spec, const std::string& failed) {
  const std::string stays = fmt::format("{} is as it was", printable(spec.output));
  return failed.empty() ? stays
                        : fmt::format("{}; the new runs are in {}", stays, printable(failed));
}

/// How a measurement that came to its end went: a K without times is a failure.
ExitCode code_of(const MeasureResult& result) {
  const bool all =
      std::none_of(result.points.begin(), result.points.end(),
                   [](const MeasurePoint& point) { return point.given_up && !point.inside; });
  return all ? ExitCode::kDone : ExitCode::kFailed;
}

/// Everything that happens beside the jobs; see supervise(). `found` before, the study tells.
Result<ExitCode> measure_in_child(const MeasureSpec& spec, const StudyHeader& header,
                                  const Arguments& arguments, Console& console, Executor& executor,
                                  const std::vector<Note>& found) {
  std::unique_ptr<BlockRunner> blocks;
  KSTAR_TRY(MeasureSession session, MeasureSession::open(spec, header, session_start(arguments)));
  const auto page = live_page(spec, session, arguments, console);
  if (!page) {
    session.forget_if_empty();
    return fail(page.error());
  }
  if (spec.submit) {
    if (arguments.has("force")) {  // only now: what could not be begun costs no jobs
      KSTAR_CHECK(drop_jobs(spec.output, {own_program(), executor, stop_asked}));
    }
    blocks = slurm_blocks(spec, session.header(), {own_program(), executor, stop_asked});
  }
  const Result<MeasureResult> result =
      run_session(session, spec, console, executor, page->get(), blocks.get(), found);
  const auto beside = session.give_way();
  if (!result) {
    if (beside && *beside) console.note(old_stays(spec, **beside));
    if (*page) (*page)->stop("measuring failed: " + result.error().message);
    session.forget_if_empty();
    show_so_far(spec, beside && *beside ? **beside : session.path(), console);
    return fail(result.error());
  }
  if (!beside) return fail(beside.error());
  const bool interrupted = result->end == MeasureEnd::kInterrupted;
  const std::string words =
      *beside ? (interrupted ? "interrupted before a run that counts: " : "no run counts: ") +
                    old_stays(spec, **beside)
              : end_words(spec, *result);
  const std::string next = *beside ? "" : next_command(spec, *result, arguments);
  if (!words.empty()) console.note(words);
  if (interrupted || (*beside && (*beside)->empty())) {
    if (*page) (*page)->stop(words);
    if (interrupted) show_interrupted(session, spec, beside->value_or(""), console);
    if (!next.empty()) console.note("continue with: " + printable(next));
    return interrupted ? ExitCode::kInterrupted : ExitCode::kFailed;
  }
  if (const Result<void> done = finish_session(session, spec, console, page->get()); !done) {
    if (*page) (*page)->stop("measuring failed: " + done.error().message);
    return fail(done.error());
  }
  if (*page) console.note(fmt::format("wrote {}", printable(arguments.text("live"))));
  if (!next.empty()) console.note("continue with: " + printable(next));
  return code_of(*result);
}

Result<ExitCode> measure_packed(const MeasureSpec& spec, const StudyHeader& header,
                                const Arguments& arguments, Console& console,
                                const SubmitTools& tools) {
  MeasureProgress progress(spec, Study{}, console);
  const Result<PackEnd> end = run_packed(spec, header, session_start(arguments), tools, progress);
  if (!end) return fail(end.error());
  const std::string as_it_was = old_stays(spec, end->failed_study);
  if (end->interrupted) {
    console.note(end->old_study_stays ? "interrupted before a run that counts: " + as_it_was
                                      : "interrupted; --resume continues");
    return ExitCode::kInterrupted;
  }
  if (end->done && end->old_study_stays) {
    console.note("no run counts: " + as_it_was);
    return ExitCode::kFailed;
  }
  if (!end->done) {
    return fail({.where = fmt::format("job {}", end->job),
                 .message = fmt::format("it did not finish: {}", end->words),
                 .hint = end->old_study_stays ? "nothing was measured: " + as_it_was
                                              : "--resume submits another job that continues",
                 .excerpt = last_lines(end->output)});
  }
  KSTAR_TRY(const Study study, load_study(spec.output));
  KSTAR_CHECK(show(spec, study, console));
  console.note(fmt::format("wrote {}", printable(spec.output)));
  return end->given_up ? ExitCode::kFailed : ExitCode::kDone;
}

/// Outside of an allocation: nothing is timed here, and the jobs outlive this process.
Result<ExitCode> submit_study(const MeasureSpec& spec, const StudyHeader& header,
                              const Arguments& arguments, Console& console) {
  KSTAR_CHECK(may_submit());
  const std::atomic<bool> never{false};  // also scancel is a command that must run to its end
  const std::unique_ptr<Executor> executor = process_executor(never);
  const SubmitTools tools{own_program(), *executor, stop_asked};
  if (arguments.has("force") && spec.pack) {
    KSTAR_CHECK(drop_jobs(spec.output, tools));
  }
  if (!spec.pack) return measure_in_child(spec, header, arguments, console, *executor, {});
  return measure_packed(spec, header, arguments, console, tools);
}

/// In a process of its own: jobs are children of the one that measures, and of nothing else.
Result<ExitCode> measure_here(const MeasureSpec& spec, const StudyHeader& header,
                              const Arguments& arguments, Console& console,
                              std::vector<Note> found) {
  if (const int ended = end_left_behind(); ended > 0) {
    console.note(fmt::format("ended {} process{} that jobs of a killed kstar had left behind",
                             ended, ended == 1 ? "" : "es"));
  }
  for (Note& note : machine_notes(spec)) {
    console.note(fmt::format("warning: {}", note_sentence(note)));
    found.push_back(std::move(note));
  }
  const Result<int> status = supervise(
      [&](Executor& executor) {
        Result<ExitCode> code = measure_in_child(spec, header, arguments, console, executor, found);
        if (const Result<void> flushed = console.flush(); code && !flushed) {
          code = fail(flushed.error());
        }
        if (!code) console.print_error(code.error());
        return static_cast<int>(code ? *code : code.error().code);
      },
      stop_asked, {.insist = &stop_insisted});
  if (!status) return fail(status.error());
  return static_cast<ExitCode>(*status);
}

VariantTools variant_tools(const MeasureSpec& spec) {
  return {.stop = stop_asked,
          .insist = stop_insisted,
          .catch_signals = [&spec] { catch_signals(spec); },
          .machine_notes = [&spec] { return machine_notes(spec); },
          .judge = [&spec](Study& study) { note_inside(spec.confidence, study); }};
}

std::string fewest_words() {
  return fmt::format(
      "Runs: at least {} at each K, and in all at least {} for a precision of 2%, {} for 5% and {} "
      "for 10%: fewer may have missed rare slow runs, and the interval allows for those. More if "
      "the times vary, at most --max-runs; --runs sets the number.",
      StoppingRule{}.min_runs, fewest_study_runs(0.02), fewest_study_runs(0.05),
      fewest_study_runs(0.1));
}

Result<ExitCode> run_measure(const Arguments& arguments, Console& console) {
  KSTAR_CHECK(check_measure_flags(arguments));
  KSTAR_TRY(SpecFile file, measure_spec_of(arguments));
  return measure_study(arguments, console, std::move(file));
}

}  // namespace

Result<ExitCode> measure_study(const Arguments& arguments, Console& console, SpecFile file) {
  const MeasureSpec* spec = &file.spec;
  // A spec may come from anybody, and names programs: to look at it starts none.
  if (arguments.has("dry-run") || arguments.has("print-spec")) ask_no_programs();
  if (arguments.has("print-spec")) {
    console.print(spec_toml(*spec));
    return ExitCode::kDone;
  }
  KSTAR_TRY(const std::string chosen, fill_workers(file.spec));
  if (has_variants(*spec)) {
    KSTAR_TRY(const std::string named, fill_output(file.spec, arguments.has("resume")));
    for (const std::string& text : {chosen, named}) {
      if (!text.empty()) console.note(text);
    }
    return measure_variants(file, arguments, console, variant_tools(*spec));
  }
  const Result<std::vector<Note>> notes = check_spec(*spec, check_submit);
  if (!notes) return fail(at_its_place(file, usage(notes.error())));
  for (const Note& note : *notes)
    console.note(fmt::format("warning: {}", printable(note_sentence(note))));
  if (arguments.has("dry-run")) {
    if (!chosen.empty()) console.note(chosen);
    if (arguments.has("resume")) {
      KSTAR_CHECK(fill_output(file.spec, true));
    }
    KSTAR_CHECK(show_plan(*spec, arguments, console));
    return ExitCode::kDone;
  }
  KSTAR_TRY(const std::string named, fill_output(file.spec, arguments.has("resume")));
  KSTAR_CHECK(check_measure_files(*spec, arguments));
  remove_abandoned(spec->output);  // the spec may have named it
  if (!spec->submit) {             // the nodes may have it where this machine has not
    KSTAR_CHECK(check_programs_can_start(*spec));
  }
  catch_signals(*spec);
  KSTAR_TRY(const StudyHeader header, study_header(*spec));
  for (const std::string& text : {chosen, named}) {
    if (!text.empty()) console.note(text);
  }
  if (!spec->runs) console.note(fewest_runs_words(*spec));
  KSTAR_TRY(const MeasureSpec now, spec_of_session(*spec, arguments));
  if (now.submit) return submit_study(now, header, arguments, console);
  const Result<ExitCode> code = measure_here(now, header, arguments, console, *notes);
  if (code) tell_sessions(*spec, console);
  return code;
}

Command measure_command() {
  Command command;
  command.name = "measure";
  command.summary = "run a job on several worker counts until T(K) is precise";
  command.details = {
      "Every K runs once per block, in random order, until the interval of its mean is as narrow "
      "as requested. Each run is saved as soon as it ends. In the command, {K} is the number of "
      "workers, {nodes}, {ranks} (per node), {threads} (per rank) and {tasks} its factors, {size}, "
      "{batch} and {batch/K} the workload at that K.",
      "--against and --parameter measure several studies interleaved in one session; --sessions "
      "spreads one over several, each further one by --resume.",
      fewest_words()};
  command.flags = measure_flags();
  command.positionals = {measure_command_words()};
  command.examples = {"kstar measure --runs 3 -- sleep 0.0{K}",
                      "kstar measure --workers 1,2 --time marks --runs 3 -o train.jsonl -- "
                      "kstar-train --workers {K}"};
  command.run = run_measure;
  return command;
}

}  // namespace kstar
