#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/plan/flags.h"
#include "cli/subjects.h"
#include "kstar/page.h"
#include "kstar/report.h"

namespace kstar {

namespace {

const std::vector<std::string>& report_formats() {
  static const std::vector<std::string> kFormats = {"html", "md", "txt"};
  return kFormats;
}

std::vector<Flag> report_flags() {
  std::vector<Flag> flags = {
      {.name = "format",
       .value = "FORMAT",
       .help = "output format (default: from the extension of -o, or html)",
       .choices = report_formats()},
      output_flag(),
      {.name = "open", .help = "open the page when it is written"},
      {.name = "redact",
       .help = "remove commands, output, hosts and paths; numbers stay as they are"},
  };
  for (Flag& flag : subject_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : cost_flags()) flags.push_back(std::move(flag));
  return flags;
}

/// A name without an ending is a page.
Result<std::string> page_format_of(const Arguments& arguments) {
  if (arguments.has("output") && arguments.text("output").empty()) {
    return fail(usage(expected("--output", "a file name", "")));
  }
  if (arguments.has("format")) return arguments.text("format");
  const std::string path = arguments.text("output");
  if (path.empty() || path == "-") return std::string("html");
  for (const std::string& format : report_formats()) {
    if (path.ends_with("." + format)) return format;
  }
  return path.ends_with(".htm")
             ? Result<std::string>("html")
             : fail(usage(expected("--output", "a name that ends in .html, .md or .txt", path,
                                   "use --format to set the format for any other name")));
}

Result<void> check_open(const Arguments& arguments) {
  const std::string path = arguments.text("output");
  if (!arguments.has("open") || (!path.empty() && path != "-")) return {};
  return fail(usage({.where = "--open",
                     .message = "needs a file to open",
                     .hint = "for example 'kstar report study.jsonl -o report.html --open'"}));
}

Result<std::string> rendered(const std::vector<Subject>& subjects, const std::string& format,
                             const Arguments& arguments, const TerminalStyle& style) {
  if (format == "html") return to_page(subjects, {.redacted = arguments.has("redact")});
  return document_text(to_document(subjects), format, style);
}

/// Becomes the desktop's program that shows a file: nothing is left to do then, and no process is
/// started. Comes back only where there is none.
Error exec_viewer(const std::string& path) {
  // A name that starts with a dash is no option.
  const std::string file = path.starts_with('-') ? "./" + path : path;
  for (const char* viewer : {"xdg-open", "open", "sensible-browser"}) {
    execlp(viewer, viewer, file.c_str(), static_cast<char*>(nullptr));
  }
  return {.where = "--open",
          .message = "no program to open files was found (xdg-open)",
          .hint = "the page is written: open " + printable(path) + " in a browser"};
}

Result<ExitCode> run_report(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const std::string format, page_format_of(arguments));
  KSTAR_CHECK(check_open(arguments));
  KSTAR_TRY(const std::vector<Subject> subjects, read_subjects(arguments, true));
  KSTAR_TRY(const std::string text,
            rendered(subjects, format, arguments, output_style(arguments, console)));
  KSTAR_CHECK(deliver(arguments, console, text));
  if (!arguments.has("open")) return ExitCode::kDone;
  KSTAR_CHECK(console.flush());
  return fail(exec_viewer(arguments.text("output")));
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary = "studies as one page to open, mail, attach or print",
      .details =
          {"The answer first, then the evidence: charts, the table, causes, models, the checklist, "
           "findings, provenance and notes. Several studies are overlaid and compared.",
           "The page is one file that makes no network requests and contains its studies: kstar "
           "import extracts them."},
      .flags = report_flags(),
      .positionals = {subjects_positional()},
      .examples = {"kstar report study.jsonl -o report.html",
                   "kstar report monday.jsonl tuesday.jsonl --redact -o report.html",
                   "kstar report study.jsonl --format md", "kstar report study.jsonl --format txt"},
      .run = run_report};
}

}  // namespace kstar
