#include "cli/measure_flags.h"

#include <fmt/format.h>

#include "cli/study_output.h"
#include "kstar/spec_key.h"

namespace kstar {

namespace {

constexpr std::string_view kRegimes[] = {"strong", "weak", "throughput"};

std::vector<Flag> regime_flags() {
  return {{.name = "strong", .help = "the problem is fixed while K grows (unless said)"},
          {.name = "weak", .help = "the problem grows with K: --size and --batch are one worker's"},
          {.name = "throughput", .help = "nothing ends; work done a second is counted"}};
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
                          says_usual ? fmt::format(" ({} unless said)", usual) : "");
  flag.choices = key.choices;
  flag.repeats = key.type == SpecType::kVariables;
  if (key.flag == "output") {
    flag.letter = 'o';
    flag.file = true;
  }
  return flag;
}

/// What the flags said, and the flag of each.
struct SaidFlags {
  std::vector<Said> said;
  std::vector<std::string> flags;

  void add(const SpecKey& key, std::string text, std::string_view flag) {
    said.push_back({&key, std::move(text), {}});
    flags.push_back(fmt::format("--{}", flag));
  }
};

SaidFlags said_flags(const Arguments& arguments) {
  SaidFlags all;
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

}  // namespace

std::vector<Flag> measure_flags() {
  std::vector<Flag> flags = {
      {.name = "spec",
       .value = "FILE",
       .help = "a study.toml that says what to measure; flags override it",
       .file = true},
      {.name = "print-spec", .help = "write the study.toml of this command line, and run nothing"},
      {.name = "dry-run", .help = "list what would run and estimate its cost, and run nothing"},
      {.name = "times",
       .value = "STUDY",
       .help = "with --dry-run: an earlier study to estimate the times from",
       .file = true}};
  for (Flag& flag : regime_flags()) flags.push_back(std::move(flag));
  for (const SpecKey& key : spec_keys()) {
    if (!key.flag.empty()) flags.push_back(flag_of(key));
  }
  flags.push_back({.name = "resume", .help = "go on with the study in the file of -o"});
  flags.push_back(force_flag());
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

Result<MeasureSpec> measure_spec_of(const Arguments& arguments) {
  MeasureSpec spec;
  if (arguments.has("spec")) {
    Result<MeasureSpec> loaded = load_spec(arguments.text("spec"));
    if (!loaded) return loaded;
    spec = std::move(*loaded);
  }
  const SaidFlags all = said_flags(arguments);
  if (const auto problem = apply_said(spec, all.said)) {
    return fail(usage(
        {.where = all.flags[problem->index], .message = problem->message, .hint = problem->hint}));
  }
  if (!arguments.positionals.empty()) spec.command = arguments.positionals;
  return spec;
}

}  // namespace kstar
