#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/trace_output.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

/// Whether the first file is a part of a trace: they are merged among themselves.
Result<bool> are_parts(const std::string& path) {
  KSTAR_TRY(const FileHandle file, open_file(path, O_RDONLY, "read"));
  std::string start(32, '\0');
  const ssize_t count = pread(file.get(), start.data(), start.size(), 0);
  return count > 0 &&
         is_trace_part(std::string_view(start).substr(0, static_cast<std::size_t>(count)));
}

Result<ExitCode> merge_parts(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const TraceOptions options, trace_options(arguments));
  KSTAR_TRY(const std::vector<TraceAnalysis> analyses,
            merge_trace_parts(arguments.positionals, options));
  TraceView view;
  view.full = arguments.has("full");
  return deliver_traces(arguments, console, analyses, view);
}

Result<ExitCode> merge(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const bool parts, are_parts(arguments.positionals.front()));
  if (parts) return merge_parts(arguments, console);
  for (const char* flag : {"predict", "workers", "hta", "full", "format"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "is for parts of 'kstar trace --part', and this is none: " +
                                  printable(arguments.positionals.front())}));
  }
  std::vector<Study> studies;
  for (const std::string& path : arguments.positionals) {
    KSTAR_TRY(Study study, load_study(path));
    studies.push_back(std::move(study));
  }
  KSTAR_TRY(const Study merged, merge_studies(studies));
  for (const Note& note : merged.notes) {
    if (note.severity == Severity::kInfo) continue;
    console.note(fmt::format("{}: {}{}", name_of(note.severity),
                             note.where.empty() ? "" : printable(note.where) + ": ",
                             printable(note_sentence(note))));
  }
  KSTAR_CHECK(deliver_study(arguments, console, merged));
  return ExitCode::kDone;
}

}  // namespace

Command merge_command() {
  return {.name = "merge",
          .summary = "join the runs of several studies",
          .details = {"The regime, the command, the launcher, the baseline and the workload at "
                      "every K must agree. A different machine or protocol becomes a warning that "
                      "stays with the data. A duplicate run is refused.",
                      "Parts of 'kstar trace --part' give what one 'kstar trace' of all files "
                      "gives; --predict, --workers, --hta, --full and --format are for them."},
          .flags = with_page({{.name = "predict",
                               .value = "LIST",
                               .help = "of parts of a trace: worker counts of the curve"},
                              {.name = "workers",
                               .value = "K",
                               .help = "of parts of a trace: how many workers there were"},
                              {.name = "hta", .help = "of parts of a trace: HTA's quantities"},
                              {.name = "full", .help = "of parts of a trace: all sections"},
                              format_flag(),
                              output_flag(),
                              force_flag()}),
          .positionals = {{.name = "STUDY",
                           .help = "the studies to join, plain or gzipped",
                           .required = true,
                           .repeats = true,
                           .file = true}},
          .examples = {"kstar merge monday.jsonl tuesday.jsonl -o both.jsonl",
                       "kstar merge part*.kst -o study.jsonl"},
          .run = merge};
}

}  // namespace kstar
