#include <fmt/format.h>

#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/output.h"
#include "cli/roofline/commands.h"
#include "kstar/audit.h"
#include "kstar/audit_report.h"

namespace kstar {

namespace {

std::vector<Flag> audit_flags() {
  std::vector<Flag> flags = {
      {.name = "claim",
       .value = "TEXT",
       .help = "a claim to check against the data: '180x at 256', '2.5x from 8 to 64', '90% weak "
               "efficiency at 64'; may be given more than once",
       .repeats = true},
      {.name = "strict", .help = "treat missing like contradicted: exit code 3"},
      {.name = "full", .help = "every rule with its evidence, and all that is known of a claim"},
      {.name = "rules", .help = "list the rules with their reasons and questions, and exit"},
      pairs_flag(),
      {.name = "good",
       .value = "E",
       .help = "the efficiency that is worth its workers (default: 0.85)"},
  };
  for (Flag& flag : machine_flags()) flags.push_back(std::move(flag));
  return with_data_flags(std::move(flags));
}

Result<Study> read_audited(const Arguments& arguments) {
  const bool in_place = arguments.has("data"), file = !arguments.positionals.empty();
  if (in_place && file) {
    return fail(usage(
        {.where = arguments.path, .message = "expected a FILE or --data, got both", .hint = {}}));
  }
  if (in_place) return read_pairs(arguments);
  if (!file) {
    if (arguments.has("claim")) return Study{};
    return fail(usage({.where = arguments.path,
                       .message = "expected a FILE, --data or a --claim",
                       .hint = "for example 'kstar audit study.jsonl --claim \"180x at 256\"'"}));
  }
  KSTAR_TRY(ImportOptions options, import_options(arguments));
  options.claims = true;
  options.declare = false;  // what the command line says, the file does not
  return read_data(arguments.positionals[0], options);
}

Result<AuditOptions> audit_options(const Arguments& arguments) {
  AuditOptions options;
  KSTAR_TRY(const double good, arguments.share("good", options.good));
  options.good = good;
  KSTAR_TRY(options.machine, machine_of(arguments));
  KSTAR_TRY(options.flops, amount_of(arguments, "flops"));
  KSTAR_TRY(options.bytes, amount_of(arguments, "bytes"));
  if (arguments.has("regime")) options.regime = regime_named(arguments.text("regime"));
  for (const std::string& text : arguments.list("claim")) {
    Result<Claim> claim = parse_claim(text, "--claim");
    if (!claim) return fail(usage(claim.error()));
    options.claims.push_back(std::move(*claim));
  }
  return options;
}

/// What each rule is about, from the rules themselves.
Document rules_document() {
  Document document;
  Items items{"The rules", {}};
  for (const AuditRule& rule : audit_rules()) {
    items.items.push_back(
        fmt::format("{}: {}. {} Ask: {}", rule.name, rule.title, rule.reason, rule.question));
  }
  document.blocks.emplace_back(std::move(items));
  return document;
}

Result<ExitCode> show_rules(const Arguments& arguments, Console& console,
                            const std::string& format) {
  if (format != "text" && format != "md") {
    return fail(usage(expected("--format", "text or md with --rules", format)));
  }
  const std::string text =
      document_text(rules_document(), format, output_style(arguments, console));
  KSTAR_CHECK(deliver(arguments, console, text));
  return ExitCode::kDone;
}

Result<ExitCode> run_audit(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const AuditOptions options, audit_options(arguments));
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  if (arguments.has("rules")) return show_rules(arguments, console, format);
  KSTAR_TRY(const Study study, read_audited(arguments));
  KSTAR_TRY(const Audit found, audit(study, options));
  KSTAR_CHECK(deliver_as(format, arguments, console, found, title_of(study, arguments),
                         arguments.has("full")));
  const bool fails = found.count(FindingStatus::kContradicted) > 0 ||
                     (arguments.has("strict") && found.count(FindingStatus::kMissing) > 0);
  return fails ? ExitCode::kGate : ExitCode::kDone;
}

}  // namespace

Command audit_command() {
  return {
      .name = "audit",
      .summary = "can I trust this scaling claim?",
      .details =
          {"Checks a study, a table or numbers on the command line against the reporting "
           "checklist, the mistakes that inflate speedups and Hoefler and Belli's twelve "
           "rules. Each rule is shown, missing, contradicted or not applicable, with the "
           "evidence and the question to ask the author. What a file does not say is missing.",
           "A claim is shown, contradicted, not shown (with what is missing) or cannot be told: "
           "by what it implies, by the data at its K, by the rules that they break, and last by "
           "the fitted curve, which gives a probability where K was not measured.",
           "FILE is a study of kstar measure, or anything that kstar can import; - is standard "
           "input. A --claim without data is checked for consistency.",
           "The exit code is 3 if anything is contradicted; with --strict, also if "
           "anything is missing."},
      .flags = audit_flags(),
      .positionals = {{.name = "FILE", .help = "a study, or a table of times", .file = true}},
      .examples = {"kstar audit study.jsonl --claim '180x at 256'",
                   "kstar audit --claim '180x at 256'",
                   "kstar audit times.csv --claim '0.9 efficiency at 64' --strict --format md"},
      .run = run_audit};
}

}  // namespace kstar
