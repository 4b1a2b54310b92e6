#include "cli/measure/interleaved.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "base/words.h"
#include "cli/measure/dry_run.h"
#include "cli/measure/end.h"
#include "cli/measure/flags.h"
#include "cli/measure/progress.h"
#include "kstar/compare.h"
#include "kstar/compare_report.h"
#include "kstar/executor.h"
#include "kstar/measure_session.h"
#include "kstar/measure_set.h"
#include "kstar/slurm_submit.h"
#include "kstar/variants.h"

namespace kstar {

namespace {

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

tl::unexpected<Error> not_together(const char* flag, const char* why, const char* hint) {
  return fail(usage({.where = flag,
                     .message = fmt::format("cannot be combined with --against, --parameter or "
                                            "--sessions: {}",
                                            why),
                     .hint = hint}));
}

Result<void> check_combination(const MeasureSpec& spec, const Arguments& arguments) {
  if (spec.submit) {
    return not_together(
        "--submit", "the jobs of a queue do not run interleaved",
        "measure inside an allocation: salloc, then kstar measure without --submit");
  }
  if (arguments.has("live") && has_variants(spec)) {
    return not_together("--live", "the page shows one study while it is measured",
                        "write the page afterwards: kstar report");
  }
  return {};
}

/// Warnings of all variants, each once.
Result<std::vector<Note>> check_variants(const SpecFile& file, const std::vector<Variant>& all) {
  std::vector<Note> notes;
  for (const Variant& variant : all) {
    const Result<std::vector<Note>> found = check_spec(variant.spec, check_submit);
    if (!found) return fail(at_its_place(file, usage(found.error())));
    for (const Note& note : *found) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

std::string line_of(const Variant& variant) {
  std::string text = fmt::format("{}: {}", printable(variant.spec.output),
                                 printable(join_words(variant.spec.command)));
  for (const auto& [name, value] : variant.spec.variables) {
    text += fmt::format(" {}={}", printable(name), printable(value));
  }
  return text;
}

Result<void> show_plans(const std::vector<Variant>& all, const Arguments& arguments,
                        Console& console) {
  console.print(fmt::format("{} studies, measured interleaved in one session, block by block\n\n",
                            all.size()));
  for (const Variant& variant : all) {
    console.print(line_of(variant) + "\n\n");
    KSTAR_CHECK(show_plan(variant.spec, arguments, console));
    console.print("\n");
  }
  return {};
}

/// A set that was ended while its files were made goes on, too.
SessionStart variant_start(const Variant& variant, const Arguments& arguments) {
  if (arguments.has("resume") && is_there(variant.spec.output)) return SessionStart::kResume;
  return arguments.has("force") ? SessionStart::kReplace : SessionStart::kNew;
}

Result<void> check_files(const std::vector<Variant>& all, const Arguments& arguments) {
  const bool any = std::any_of(all.begin(), all.end(),
                               [](const Variant& one) { return is_there(one.spec.output); });
  for (const Variant& variant : all) {
    const bool begins = arguments.has("resume") && any && !is_there(variant.spec.output);
    if (!begins) KSTAR_CHECK(check_measure_files(variant.spec, arguments));
    remove_abandoned(variant.spec.output);
    KSTAR_CHECK(check_programs_can_start(variant.spec));
  }
  return {};
}

/// One variant while it is measured. Its parts refer to each other: it stays where it is.
struct Measured {
  Measured(MeasureSpec now, std::string variant) : spec(std::move(now)), name(std::move(variant)) {}
  MeasureSpec spec;
  std::string name;
  std::unique_ptr<MeasureSession> session;
  std::unique_ptr<MeasureProgress> progress;
};
using MeasuredSet = std::vector<std::unique_ptr<Measured>>;

/// The studies are opened; all have the seed of the first.
Result<MeasuredSet> open_all(const std::vector<Variant>& all, const Arguments& arguments,
                             const Console& console) {
  MeasuredSet set;
  std::uint64_t seed = all[0].spec.seed;
  for (const Variant& variant : all) {
    MeasureSpec named = variant.spec;
    named.seed = seed;
    KSTAR_TRY(StudyHeader header, study_header(named));
    header.protocol.interleaved_with = static_cast<int>(all.size()) - 1;
    header.protocol.order += fmt::format("; interleaved with {} other stud{}", all.size() - 1,
                                         all.size() == 2 ? "y" : "ies");
    seed = *header.protocol.seed;
    KSTAR_TRY(MeasureSpec now, spec_of_session(named, arguments));
    Measured& one = *set.emplace_back(std::make_unique<Measured>(std::move(now), variant.name));
    KSTAR_TRY(MeasureSession session,
              MeasureSession::open(one.spec, header, variant_start(variant, arguments)));
    one.session = std::make_unique<MeasureSession>(std::move(session));
    one.progress =
        std::make_unique<MeasureProgress>(one.spec, one.session->earlier(), console, one.name);
  }
  return set;
}

void tell_old_stays(Measured& one, const Console& console) {
  const auto beside = one.session->give_way();
  if (!beside || !*beside) return;
  console.note(fmt::format("no run counts: {} is as it was", printable(one.spec.output)));
}

/// Two programs: what changed. Several parameters: how to look at them together.
Result<void> show_all(const std::vector<Study>& studies, Console& console) {
  std::string files;
  for (const Study& study : studies) files += " " + printable(study.name);
  console.note(fmt::format("together: kstar report{} -o report.html", files));
  if (studies.size() != 2) return {};
  Result<Comparison> comparison = compare(studies[1], studies[0]);
  if (!comparison) return {};  // kstar compare says why
  console.print(to_terminal(to_document(*comparison, {.brief = true}), console.style()));
  console.note(fmt::format("again: kstar compare {} {}", printable(studies[1].name),
                           printable(studies[0].name)));
  return {};
}

Result<ExitCode> finish_all(MeasuredSet& set, const std::vector<MeasureResult>& results,
                            Console& console, const VariantTools& tools) {
  std::vector<Study> studies;
  bool given_up = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (const MeasurePoint& point : results[i].points) {
      given_up = given_up || (point.given_up && !point.inside);
    }
    KSTAR_TRY(Study study, set[i]->session->finish(tools.judge));
    study.name = set[i]->session->path();
    console.note(fmt::format("wrote {}", printable(study.name)));
    studies.push_back(std::move(study));
  }
  KSTAR_CHECK(show_all(studies, console));
  return given_up ? ExitCode::kFailed : ExitCode::kDone;
}

Result<ExitCode> measure_set_in_child(const std::vector<Variant>& all, const Arguments& arguments,
                                      Console& console, Executor& executor,
                                      const std::vector<Note>& found, const VariantTools& tools) {
  KSTAR_TRY(MeasuredSet set, open_all(all, arguments, console));
  std::vector<SetMember> members;
  for (const auto& one : set) members.push_back({*one->session, *one->progress, found});
  const Result<std::vector<MeasureResult>> results = run_interleaved(members, executor, tools.stop);
  for (const auto& one : set) {
    one->progress.reset();
    tell_old_stays(*one, console);
  }
  if (!results) return fail(results.error());
  const MeasureResult& first = results->front();
  const std::string words = end_words(set.front()->spec, first);
  if (!words.empty()) console.note(words);
  const Result<ExitCode> code = finish_all(set, *results, console, tools);
  if (first.end != MeasureEnd::kInterrupted) return code;
  console.note("the same command with --resume goes on");
  return ExitCode::kInterrupted;
}

}  // namespace

Result<MeasureSpec> spec_of_session(const MeasureSpec& spec, const Arguments& arguments) {
  if (spec.sessions < 2) return spec;
  KSTAR_CHECK(check_combination(spec, arguments));
  if (!arguments.has("resume") || !is_there(spec.output)) return session_share(spec, {});
  KSTAR_TRY(const Study study, load_study(spec.output));
  return session_share(spec, study);
}

void tell_sessions(const MeasureSpec& spec, const Console& console) {
  if (spec.sessions < 2) return;
  const Result<Study> study = load_study(spec.output);
  if (!study) return;
  const int done = sessions_in(*study);
  console.note(fmt::format(
      "session {} of {}{}", done, std::max(done, spec.sessions),
      done < spec.sessions ? ": the next one is the same command with --resume, at another hour or "
                             "in another allocation"
                           : ""));
}

Result<ExitCode> measure_variants(const SpecFile& file, const Arguments& arguments,
                                  Console& console, const VariantTools& tools) {
  KSTAR_CHECK(check_combination(file.spec, arguments));
  const Result<std::vector<Variant>> all = variants_of(file.spec);
  if (!all) return fail(at_its_place(file, usage(all.error())));
  KSTAR_TRY(std::vector<Note> found, check_variants(file, *all));
  for (const Note& note : found) {
    console.note(fmt::format("warning: {}", printable(note_sentence(note))));
  }
  if (arguments.has("dry-run")) {
    KSTAR_CHECK(show_plans(*all, arguments, console));
    return ExitCode::kDone;
  }
  KSTAR_CHECK(check_files(*all, arguments));
  console.note(fmt::format("{} studies, interleaved:", all->size()));
  for (const Variant& variant : *all) console.note(line_of(variant));
  tools.catch_signals();
  static_cast<void>(end_left_behind());
  for (Note& note : tools.machine_notes()) {
    console.note(fmt::format("warning: {}", note_sentence(note)));
    found.push_back(std::move(note));
  }
  const Result<int> status = supervise(
      [&](Executor& executor) {
        Result<ExitCode> code =
            measure_set_in_child(*all, arguments, console, executor, found, tools);
        if (const Result<void> flushed = console.flush(); code && !flushed) {
          code = fail(flushed.error());
        }
        if (!code) console.print_error(code.error());
        return static_cast<int>(code ? *code : code.error().code);
      },
      tools.stop, {.insist = &tools.insist});
  if (!status) return fail(status.error());
  tell_sessions(all->front().spec, console);
  return static_cast<ExitCode>(*status);
}

}  // namespace kstar
