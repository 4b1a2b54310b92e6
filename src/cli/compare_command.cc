
#include "base/number.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/output.h"
#include "kstar/compare.h"
#include "kstar/compare_report.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

std::vector<Flag> compare_flags() {
  return with_data_flags({
      {.name = "fail-if",
       .value = "GATE",
       .help = "exit with 3 if this changed: \"T(8) rises 5%\", \"E(any) drops 5%\", \"S(16) drops "
               "10%\", \"bend drops\", \"K* drops\"; may be given more than once",
       .repeats = true},
      {.name = "sessions-of",
       .value = "STUDY",
       .help = "a study of several sessions on this machine: what they differ by tells a change "
               "from a session; may be given more than once",
       .file = true,
       .repeats = true},
      {.name = "strict", .help = "a gate that the data cannot decide fails"},
      {.name = "full", .help = "all sections: efficiency, terms of the models, causes"},
      {.name = "anyway",
       .help = "compare studies that differ in more than the program (machine, workload, regime or "
               "kind of time), with a warning"},
      {.name = "smallest",
       .value = "SHARE",
       .help = "the smallest difference that matters (default: 5%)"},
      threshold_flag(),
      confidence_flag(),
      {.name = "model",
       .value = "MODEL",
       .help = "compare the terms of this model instead of the most likely one"},
  });
}

/// "5%" or "0.05".
Result<double> smallest(const Arguments& arguments, double otherwise) {
  if (!arguments.has("smallest")) return otherwise;
  const std::string given = arguments.text("smallest");
  const bool in_hundredths = given.ends_with('%');
  const std::optional<double> value =
      parse_double(in_hundredths ? given.substr(0, given.size() - 1) : given);
  const double share = value.value_or(0) / (in_hundredths ? 100 : 1);
  if (share > 0 && share <= 1) return share;
  return fail(usage(expected("--smallest", "a share above 0%, at most 100%, such as 5%", given)));
}

Result<CompareOptions> compare_options(const Arguments& arguments) {
  CompareOptions options;
  KSTAR_TRY(const double least, smallest(arguments, options.smallest));
  KSTAR_TRY(const double threshold, arguments.share("threshold", options.threshold));
  KSTAR_TRY(const double asked, confidence_of(arguments, options.confidence));
  options.smallest = least;
  options.threshold = threshold;
  options.confidence = asked;
  options.model = arguments.text("model");
  options.anyway = arguments.has("anyway");
  options.strict = arguments.has("strict");
  if (arguments.has("regime")) options.regime = regime_named(arguments.text("regime"));
  for (const std::string& text : arguments.list("fail-if")) {
    const Result<Gate> gate = parse_gate(text, "--fail-if");
    if (!gate) return fail(usage(gate.error()));
    options.gates.push_back(*gate);
  }
  return options;
}

Result<Study> read_side(const std::string& path, const Arguments& arguments) {
  KSTAR_TRY(const ImportOptions options, import_options(arguments));
  Result<Study> study = read_data(path, options);
  if (study) study->name = path == "-" ? "standard input" : path;
  return study;
}

Result<ExitCode> run_compare(const Arguments& arguments, Console& console) {
  KSTAR_TRY(CompareOptions options, compare_options(arguments));
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  if (arguments.positionals[0] == "-" && arguments.positionals[1] == "-") {
    return fail(usage({.where = arguments.path,
                       .message = "expected at most one -: standard input is read once"}));
  }
  KSTAR_TRY(Study before, read_side(arguments.positionals[0], arguments));
  KSTAR_TRY(Study after, read_side(arguments.positionals[1], arguments));
  for (const std::string& path : arguments.list("sessions-of")) {
    KSTAR_TRY(Study other, load_study(path));
    other.name = path;
    options.sessions_of.push_back(std::move(other));
  }
  KSTAR_TRY(const Comparison comparison, compare(std::move(before), std::move(after), options));
  const ComparisonView view{.brief = !arguments.has("full")};
  KSTAR_CHECK(deliver_as(format, arguments, console, comparison, view));
  return comparison.passed ? ExitCode::kDone : ExitCode::kGate;
}

}  // namespace

Command compare_command() {
  return {.name = "compare",
          .summary = "did a change make scaling better or worse, and does it pass the gates",
          .details =
              {"At every K that both have, the ratio of the times after and before a change, with "
               "its interval: better, worse, or no evidence, and how many more runs would decide. "
               "Then the bend, the terms of the models and the causes on both sides.",
               "BEFORE and AFTER are studies of kstar measure, or anything that kstar can import. "
               "Studies that differ in more than the program are refused without --anyway.",
               "Two sessions differ even if the program does not: what they may have done is "
               "undecided. "
               "kstar measure --against measures both sides in one session.",
               "A gate fails if its quantity changed by more than it allows and the change is "
               "significant, corrected for all compared K. Then the exit status is 3."},
          .flags = compare_flags(),
          .positionals =
              {{.name = "BEFORE",
                .help = "the study before the change",
                .required = true,
                .file = true},
               {.name = "AFTER", .help = "the study after it", .required = true, .file = true}},
          .examples =
              {"kstar compare monday.jsonl tuesday.jsonl",
               "kstar compare monday.jsonl tuesday.jsonl --fail-if \"E(8) drops 5%\" --format md",
               "kstar compare monday.jsonl tuesday.jsonl --fail-if \"T(any) rises 3%\" "
               "--smallest 3%"},
          .run = run_compare};
}

}  // namespace kstar
