#include "cli/measure/flags.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/kept_files.h"
#include "cli/output.h"
#include "kstar/spec_key.h"

namespace kstar {

namespace {

constexpr std::string_view kRegimes[] = {"strong", "weak", "throughput"};

std::vector<Flag> regime_flags() {
  return {{.name = "strong", .help = "the problem is fixed while K grows (default)"},
          {.name = "weak", .help = "the problem grows with K: --size and --batch are one worker's"},
          {.name = "throughput", .help = "work per second is counted"}};
}

bool is_negative(const SpecKey& key) {
  return key.flag.starts_with("no-");
}

Flag flag_of(const SpecKey& key) {
  const std::string usual = key.get(MeasureSpec{});
  const bool says_usual = !usual.empty() && key.type != SpecType::kSwitch;
  Flag flag;
  flag.name = key.flag;
  flag.value = key.value;
  flag.help = fmt::format("{}{}{}", is_negative(key) ? "do not " : "", key.help,
                          says_usual ? fmt::format(" (default: {})", usual) : "");
  flag.choices = key.choices;
  flag.repeats = key.type == SpecType::kVariables;
  if (key.flag == "output") {
    flag.letter = 'o';
    flag.file = true;
  }
  return flag;
}

/// What the flags said, and the flag of each.
struct FlagSettings {
  std::vector<SpecSetting> settings;
  std::vector<std::string> flags;
  std::vector<std::string> shown;  ///< with its value, where it takes one

  void add(const SpecKey& key, std::string text, std::string_view flag) {
    flags.push_back(fmt::format("--{}", flag));
    const bool takes_value = key.flag == flag && key.type != SpecType::kSwitch;
    shown.push_back(takes_value ? fmt::format("{} {}", flags.back(), shorten(printable(text), 40))
                                : flags.back());
    settings.push_back({&key, std::move(text), {}});
  }
};

FlagSettings flag_settings(const Arguments& arguments) {
  FlagSettings all;
  for (const std::string_view regime : kRegimes) {
    if (arguments.has(regime)) {
      all.add(*find_spec_key("job", "regime"), std::string(regime), regime);
    }
  }
  for (const SpecKey& key : spec_keys()) {
    if (key.flag.empty() || !arguments.has(key.flag)) continue;
    if (key.type == SpecType::kVariables) {
      for (std::string& text : arguments.list(key.flag)) all.add(key, std::move(text), key.flag);
    } else if (key.type == SpecType::kSwitch) {
      all.add(key, is_negative(key) ? "false" : "true", key.flag);
    } else {
      all.add(key, arguments.text(key.flag), key.flag);
    }
  }
  return all;
}

/// An empty file counts: there is nothing in it to lose.
bool may_be_replaced(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_empty(path, ignored) || holds_study(path);
}

/// Every run is appended to the study as it ends: it has to be a file.
Result<void> check_output(const std::string& path, bool resumes, bool replaces) {
  constexpr std::string_view kHint = "use -o study.jsonl";
  if (path.empty() || path == "-") {
    return fail(usage(expected("--output", "the file of the study", path, kHint)));
  }
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (resumes && !std::filesystem::exists(status)) {
    return fail({.where = path,
                 .message = "there is no study to resume",
                 .hint = "omit --resume to start one"});
  }
  if (replaces && std::filesystem::is_regular_file(status) && !may_be_replaced(path)) {
    return fail(usage(expected("--force", "a study to replace, but this file is not a study", path,
                               "delete it, or choose another -o")));
  }
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  const bool folder = std::filesystem::is_directory(status);
  return fail(usage(expected(
      "--output", folder ? "a file, but this is a folder" : "a file, but this is a device or pipe",
      path, folder ? fmt::format("use -o {}/study.jsonl", printable(path)) : std::string(kHint))));
}

/// The study, its page and what says how to measure are files of their own. The name of the study
/// may stand in the spec: then the command line alone does not show it.
Result<void> check_different_files(const MeasureSpec& spec, const Arguments& arguments) {
  if (arguments.has("spec")) {
    if (Result<void> apart = require_other_file("output", spec.output, arguments.text("spec"),
                                                "the spec that is read");
        !apart) {
      return apart;
    }
  }
  if (!arguments.has("live")) return {};
  const std::string page = arguments.text("live");
  if (Result<void> apart = require_other_file("live", page, spec.output, "the study"); !apart)
    return apart;
  if (!is_regular_or_absent(page)) {  // a pipe would be waited for
    return fail(usage(expected("--live", "a file for the page, and this is none", page)));
  }
  if (Result<void> kept = keep_study("live", page); !kept) return kept;
  return keep_all_but_pages("live", page);
}

}  // namespace

std::vector<Flag> measure_flags() {
  std::vector<Flag> flags = {
      {.name = "spec",
       .value = "FILE",
       .help = "read what to measure from a study.toml; flags override it",
       .file = true},
      {.name = "print-spec", .help = "print the study.toml of this command line, and run nothing"},
      {.name = "dry-run", .help = "list what would run and estimate its cost, and run nothing"},
      {.name = "times",
       .value = "TIMES",
       .help = "with --dry-run: the file of an earlier study to estimate from, or times such as "
               "1:10s or 1:10s,8:2s,baseline:9s",
       .file = true}};
  for (Flag& flag : regime_flags()) flags.push_back(std::move(flag));
  for (const SpecKey& key : spec_keys()) {
    if (!key.flag.empty()) flags.push_back(flag_of(key));
  }
  flags.push_back(
      {.name = "resume",
       .help = "continue the study in the file of -o (default: the last PROGRAM-N.kstar.jsonl)"});
  flags.push_back(force_flag());
  flags.push_back({.name = "live",
                   .value = "FILE",
                   .help = "write a page to watch in a browser: updated between runs",
                   .file = true});
  return flags;
}

Positional measure_command_words() {
  return {.name = "COMMAND",
          .help =
              "the job: a program and its arguments, with {K}, {nodes}, {ranks}, {threads}, "
              "{tasks}, {size}, {batch} and {batch/K}",
          .repeats = true,
          .behind_dashes = true};
}

Result<void> check_measure_flags(const Arguments& arguments) {
  const auto both = [&](std::string_view one, std::string_view other) {
    return arguments.has(one) && arguments.has(other);
  };
  if (both("resume", "force")) {
    return fail(usage(
        {.where = "--force",
         .message = "contradicts --resume: one replaces the study of -o, the other continues it",
         .hint = "keep one of the two"}));
  }
  if (both("print-spec", "dry-run")) {
    return fail(usage({.where = "--dry-run",
                       .message = "contradicts --print-spec: only one of them can be printed",
                       .hint = "keep one of the two"}));
  }
  if (both("live", "pack")) {
    return fail(usage(
        {.where = "--live",
         .message = "cannot be combined with --pack: one job on the cluster measures everything",
         .hint = "write the page afterwards: kstar report"}));
  }
  if (arguments.has("times") && !arguments.has("dry-run")) {
    return fail(usage({.where = "--times",
                       .message = "expected --dry-run: a measurement finds the times itself",
                       .hint = "add --dry-run, or omit --times"}));
  }
  return {};
}

Result<void> check_measure_files(const MeasureSpec& spec, const Arguments& arguments) {
  const Result<void> can =
      check_output(spec.output, arguments.has("resume"), arguments.has("force"));
  return can ? check_different_files(spec, arguments) : can;
}

Result<SpecFile> measure_spec_of(const Arguments& arguments) {
  SpecFile file;
  if (arguments.has("spec")) {
    Result<SpecFile> loaded = load_spec_file(arguments.text("spec"));
    if (!loaded) return loaded;
    file = std::move(*loaded);
  }
  const FlagSettings all = flag_settings(arguments);
  if (const auto problem = apply_settings(file.spec, all.settings)) {
    return fail(
        usage({.where = all.flags[problem->index],
               .message = problem->other ? fmt::format("contradicts {}", all.shown[*problem->other])
                                         : problem->message,
               .hint = problem->hint}));
  }
  for (const SpecSetting& settings : all.settings) file.places.erase(settings.key);
  if (!arguments.positionals.empty()) {
    file.spec.command = arguments.positionals;
    file.places.erase(find_spec_key("job", "command"));
  }
  return file;
}

}  // namespace kstar
