#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

Result<ExitCode> merge(const Arguments& arguments, Console& console) {
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
                             printable(note.text)));
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
                      "stays with the data. A duplicate run is refused."},
          .flags = {output_flag(), force_flag()},
          .positionals = {{.name = "STUDY",
                           .help = "the studies to join, plain or gzipped",
                           .required = true,
                           .repeats = true,
                           .file = true}},
          .examples = {"kstar merge monday.jsonl tuesday.jsonl -o both.jsonl"},
          .run = merge};
}

}  // namespace kstar
