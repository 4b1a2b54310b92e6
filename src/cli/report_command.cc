#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/comm/commands.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/plan/flags.h"
#include "cli/subjects.h"
#include "kstar/compare.h"
#include "kstar/page.h"
#include "kstar/report.h"
#include "kstar/svg.h"

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
      {.name = "card",
       .value = "FILE",
       .help = "also write one picture of the answer, for a chat or a pull request: .png or .svg",
       .file = true},
      {.name = "badge",
       .value = "FILE",
       .help = "also write a badge with K*, an SVG, for a README",
       .file = true},
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

/// What changed from the first of two to the second, by what both were analysed with.
PageOptions with_comparison(const std::vector<Subject>& subjects, PageOptions options) {
  if (subjects.size() != 2) return options;
  const AnalysisOptions& asked = subjects[0].analysis.options;
  CompareOptions comparing;
  comparing.confidence = asked.confidence;
  comparing.threshold = asked.threshold;
  comparing.regime = asked.regime;
  Result<Comparison> found = compare(subjects[0].study, subjects[1].study, comparing);
  if (!found) {
    options.incomparable = found.error().message;
    return options;
  }
  found->before = subjects[0].name;
  found->after = subjects[1].name;
  options.comparison = std::make_shared<const Comparison>(std::move(*found));
  return options;
}

Result<std::string> rendered(const std::vector<Subject>& subjects, const std::string& format,
                             const Arguments& arguments, const TerminalStyle& style) {
  if (format == "html") {
    return to_page(subjects, with_comparison(subjects, {.redacted = arguments.has("redact")}));
  }
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

/// Both are files: what is printed is the report.
Result<void> check_picture_names(const Arguments& arguments) {
  const std::string card = arguments.text("card"), badge = arguments.text("badge");
  if (arguments.has("card") && !card.ends_with(".png") && !card.ends_with(".svg")) {
    return fail(usage(expected("--card", "a name that ends in .png or .svg", card)));
  }
  if (arguments.has("badge") && !badge.ends_with(".svg")) {
    return fail(usage(expected("--badge", "a name that ends in .svg", badge)));
  }
  if (arguments.has("badge") && arguments.positionals.size() > 1) {
    return fail(usage({.where = "--badge", .message = "shows one study"}));
  }
  return {};
}

Result<void> write_pictures(const std::vector<Subject>& subjects, const Arguments& arguments,
                            Console& console) {
  if (arguments.has("card")) {
    const std::string path = arguments.text("card");
    const std::string svg = to_svg(card_of(subjects));
    constexpr double kTwoPixelsAPoint = 144;
    KSTAR_TRY(const std::string picture,
              path.ends_with(".png") ? to_png(svg, kTwoPixelsAPoint) : Result<std::string>(svg));
    KSTAR_CHECK(deliver_to("card", path, console, picture));
  }
  if (!arguments.has("badge")) return {};
  return deliver_to("badge", arguments.text("badge"), console, badge_of(subjects[0]));
}

/// A card or a badge alone is no page on standard output.
bool wants_report(const Arguments& arguments) {
  return arguments.has("output") || arguments.has("format") ||
         !(arguments.has("card") || arguments.has("badge"));
}

SubjectUse use_of(const std::string& format) {
  return format == "html" ? SubjectUse::kPage : SubjectUse::kText;
}

/// There is no K* of collectives for a card or a badge.
Result<ExitCode> deliver_collectives(const Document& document, const std::string& format,
                                     const Arguments& arguments, Console& console) {
  for (const char* flag : {"card", "badge"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "shows a K*, which collectives do not have"}));
  }
  KSTAR_CHECK(deliver(arguments, console,
                      document_text(document, format, output_style(arguments, console))));
  if (!arguments.has("open")) return ExitCode::kDone;
  KSTAR_CHECK(console.flush());
  return fail(exec_viewer(arguments.text("output")));
}

Result<ExitCode> run_report(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const std::string format, page_format_of(arguments));
  KSTAR_CHECK(check_open(arguments));
  KSTAR_CHECK(check_picture_names(arguments));
  KSTAR_TRY(const auto collectives, collectives_document(arguments.positionals, format == "html"));
  if (collectives) return deliver_collectives(*collectives, format, arguments, console);
  KSTAR_TRY(const std::vector<Subject> subjects, read_subjects(arguments, use_of(format)));
  KSTAR_CHECK(write_pictures(subjects, arguments, console));
  if (!wants_report(arguments)) return ExitCode::kDone;
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
                   "kstar report study.jsonl --card card.png --badge badge.svg",
                   "kstar report study.jsonl --format md", "kstar report study.jsonl --format txt"},
      .run = run_report};
}

}  // namespace kstar
