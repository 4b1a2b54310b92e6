#include "cli/measure/flags.h"

#include <gtest/gtest.h>

#include "kstar/measure.h"
#include "kstar/placeholders.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using Words = std::vector<std::string>;

const Command& measure_alone() {
  static const Command kProgram = {
      .name = "kstar",
      .commands = {
          {.name = "measure", .flags = measure_flags(), .positionals = {measure_command_words()}}}};
  return kProgram;
}

Result<MeasureSpec> flags_spec(Words words) {
  words.insert(words.begin(), "measure");
  const Result<Arguments> arguments = parse_arguments(measure_alone(), words);
  if (!arguments) return fail(arguments.error());
  const Result<SpecFile> file = measure_spec_of(*arguments);
  if (!file) return fail(file.error());
  return file->spec;
}

/// As `kstar measure` would say it, everything but the runs.
Error error_of(Words words) {
  words.insert(words.begin(), "measure");
  const Result<Arguments> arguments = parse_arguments(measure_alone(), words);
  if (!arguments) return arguments.error();
  if (const Result<void> checked = check_measure_flags(*arguments); !checked) {
    return checked.error();
  }
  const Result<SpecFile> file = measure_spec_of(*arguments);
  if (!file) return file.error();
  const auto checked = check_spec(file->spec);
  return checked ? Error{} : at_its_place(*file, usage(checked.error()));
}

TEST(MeasureFlags, WordsBehindTheDashesAreTheJobs) {
  const auto spec = flags_spec({"--workers", "1,2", "--", "./prog", "--threads", "{K}", "--size=3",
                                "-o", "x", "--", "--help", "-h", "--workers", "9"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->command, (Words{"./prog", "--threads", "{K}", "--size=3", "-o", "x", "--",
                                  "--help", "-h", "--workers", "9"}));
  EXPECT_EQ(spec->workers, (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(spec->size);
  EXPECT_EQ(spec->output, "");
}

TEST(MeasureFlags, ACommandInFrontOfTheDashesIsRefused) {
  for (const Words& words : {Words{"./prog"}, Words{"--workers", "2", "./prog", "--threads", "4"},
                             Words{"./prog", "--", "x"}}) {
    const auto spec = flags_spec(words);
    ASSERT_FALSE(spec);
    EXPECT_EQ(spec.error().message, "expected -- before the command, got './prog'");
    EXPECT_EQ(spec.error().code, ExitCode::kUsage);
  }
  EXPECT_EQ(flags_spec({"--thread", "4", "--", "./prog"}).error().message,
            "expected one of its flags, got '--thread'");
}

TEST(MeasureFlags, EveryFlagReachesTheSpec) {
  const auto spec = flags_spec({"--title",
                                "t",
                                "--shell",
                                "--baseline",
                                "./serial | cat",
                                "--workers",
                                "1..4",
                                "--weak",
                                "-o",
                                "s.jsonl",
                                "--size",
                                "1e3",
                                "--growth",
                                "sqrt(K)",
                                "--unit",
                                "rows",
                                "--batch",
                                "8",
                                "--time-regex",
                                "(\\d+) ms",
                                "--time-unit",
                                "ms",
                                "--rate",
                                "--work",
                                "3",
                                "--check",
                                "x=(.*)",
                                "--check-command",
                                "./v 'a b'",
                                "--check-value",
                                "-1",
                                "--check-tolerance",
                                "1%",
                                "--warm-up-runs",
                                "2",
                                "--warm-up-steps",
                                "3",
                                "--precision",
                                "5%",
                                "--confidence",
                                "0.9",
                                "--runs",
                                "4",
                                "--max-runs",
                                "50",
                                "--max-failures",
                                "2",
                                "--inside",
                                "3",
                                "--budget",
                                "30m,4wh",
                                "--timeout",
                                "1.5m",
                                "--seed",
                                "9",
                                "--launcher",
                                "mpirun",
                                "--no-bind",
                                "--gpus",
                                "--env",
                                "A=1",
                                "--env",
                                "B=x=y",
                                "--",
                                "./prog",
                                "{K}"});
  ASSERT_TRUE(spec) << spec.error().where << spec.error().message;
  MeasureSpec want;
  want.title = "t";
  want.shell = true;
  want.command = {"./prog", "{K}"};
  want.baseline = {"./serial | cat"};
  want.workers = {1, 2, 4};
  want.regime = Regime::kWeak;
  want.output = "s.jsonl";
  want.size = 1000;
  want.size_growth = "sqrt(K)";
  want.unit = "rows";
  want.batch = 8;
  want.time_from = TimeFrom::kPattern;
  want.time_pattern = "(\\d+) ms";
  want.time_unit = "ms";
  want.time_is_rate = true;
  want.time_work = 3;
  want.check_pattern = "x=(.*)";
  want.check_command = {"./v 'a b'"};  // as the shell takes it
  want.check_value = "-1";
  want.check_tolerance = 0.01;
  want.warm_up_runs = 2;
  want.warm_up_steps = 3;
  want.precision = 0.05;
  want.confidence = 0.9;
  want.runs = 4;
  want.max_runs = 50;
  want.max_failures = 2;
  want.inside = 3;
  want.budget_seconds = 1800;
  want.budget_worker_hours = 4;
  want.time_limit = 90;
  want.seed = 9;
  want.launcher = "mpirun";
  want.bind = false;
  want.gpus = true;
  want.variables = {{"A", "1"}, {"B", "x=y"}};
  EXPECT_EQ(*spec, want);
  EXPECT_EQ(*read_spec(spec_toml(*spec), ""), want);
}

TEST(MeasureFlags, FlagsOverrideTheFile) {
  const TempFolder folder;
  write_text(folder / "s.toml",
             "[job]\ncommand = [\"./a\"]\nworkers = [1]\nregime = \"weak\"\n"
             "[time]\npattern = \"(a)\"\n[launch]\nvariables = { A = \"1\", B = \"2\" }\n"
             "[protocol]\nprecision = 0.1\nmax_runs = 7\n");
  const auto spec =
      flags_spec({"--spec", folder / "s.toml", "--strong", "--precision", "0.01", "--time-json",
                  "t", "--env", "B=3", "--workers", "2,4", "--", "./b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->command, (Words{"./b"}));
  EXPECT_EQ(spec->workers, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(spec->regime, Regime::kStrong);
  EXPECT_EQ(spec->time_from, TimeFrom::kJson);
  EXPECT_EQ(spec->time_pattern, "");
  EXPECT_EQ(spec->precision, 0.01);
  EXPECT_EQ(spec->max_runs, 7);
  EXPECT_EQ(spec->variables, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  const auto same = flags_spec({"--spec", folder / "s.toml"});
  EXPECT_EQ(same->command, (Words{"./a"}));
  EXPECT_EQ(flags_spec({"--spec", folder / "no.toml"}).error().where, folder / "no.toml");
}

TEST(MeasureFlags, EveryWrongValueIsNamedWithFlagValueAndConstraint) {
  const struct {
    Words words;
    const char* where;
    const char* message;
  } kWrong[] = {
      {{"--workers", "0"},
       "--workers",
       "expected worker counts, each a whole number from 1 to 1e9, got '0'"},
      {{"--size", "big"}, "--size", "expected a number above 0, at most 1e15, got 'big'"},
      {{"--batch", "0"}, "--batch", "expected a whole number from 1 to 1e15, got '0'"},
      {{"--growth", "log(K)"},
       "--growth",
       "expected K, sqrt(K), cbrt(K) or K^P with P from 0.01 to 4, got 'log(K)'"},
      {{"--time-regex", "a(b"}, "--time-regex", "expected an RE2 regular expression, got 'a(b'"},
      {{"--check", "(a)(b)"}, "--check", "expected a pattern with one group, not 2, got '(a)(b)'"},
      {{"--time", "clock"}, "--time", "expected one of process, marks, pattern, json, got 'clock'"},
      {{"--time-unit", "fortnight"},
       "--time-unit",
       "expected one of s, ms, us, ns, min, h, got 'fortnight'"},
      {{"--precision", "0"},
       "--precision",
       "expected a number above 0 and below 1, or a percentage such as 2%, got '0'"},
      {{"--runs", "many"},
       "--runs",
       "expected auto, or a whole number from 1 to 1000000, got "
       "'many'"},
      {{"--budget", "4w"},
       "--budget",
       "expected a time above 0 such as 90s, 30m or 2h, or worker-hours such as 4wh, got '4w'"},
      {{"--timeout", "-1s"},
       "--timeout",
       "expected none, or a time above 0 such as 90s, 5m or 2h, got '-1s'"},
      {{"--seed", "x"},
       "--seed",
       "expected auto, or a whole number from 0 to 18446744073709551615, got 'x'"},
      {{"--env", "A"}, "--env", "expected NAME=VALUE, the name of letters, digits and _, got 'A'"},
      {{"--baseline", ""}, "--baseline", "expected a program and its arguments, got ''"},
      {{"--strong", "--weak"}, "--weak", "contradicts --strong"},
      {{"--time", "marks", "--time-json", "b"}, "--time-json", "contradicts --time marks"},
      {{"--budget", "5"},
       "--budget",
       "expected a time with its unit, or worker-hours such as 4wh, got '5'"},
      {{"--budget", "5m,6m"},
       "--budget",
       "expected at most one time and one number of worker-hours, got '5m,6m'"},
      {{"--time-regex", "(a)", "--time-json", "b"}, "--time-json", "contradicts --time-regex (a)"},
      {{"--workers", "1", "--workers", "2"}, "--workers", "given 2 times"},
  };
  for (const auto& wrong : kWrong) {
    const auto spec = flags_spec(wrong.words);
    ASSERT_FALSE(spec) << wrong.where;
    EXPECT_EQ(spec.error().where, wrong.where);
    EXPECT_EQ(spec.error().message, wrong.message);
    EXPECT_EQ(spec.error().code, ExitCode::kUsage);
  }
}

TEST(MeasureFlags, FlagsThatDoNotGoTogetherNameEachOther) {
  const struct {
    Words words;
    const char* where;
    const char* message;
  } kWrong[] = {
      {{"--resume", "--force"},
       "--force",
       "contradicts --resume: one replaces the study of -o, the other continues it"},
      {{"--print-spec", "--dry-run"},
       "--dry-run",
       "contradicts --print-spec: only one of them can be printed"},
      {{"--times", "1:2s"}, "--times", "expected --dry-run: a measurement finds the times itself"},
      {{"--runs", "5", "--max-runs", "3"},
       "--runs",
       "expected at most the 3 of --max-runs, got '5'"},
      {{"--weak"},
       "--weak",
       "expected work that grows with K, but neither --size nor --batch is given"},
      {{"--throughput"},
       "--throughput",
       "expected work to count, but neither --rate nor --size nor --batch is given"},
      {{"--check-command", "./v $KSTAR_OUTPUT"},
       "--check-command",
       "expected {output}, because no shell expands variables, got '$KSTAR_OUTPUT'"},
  };
  for (const auto& wrong : kWrong) {
    Words words = wrong.words;
    words.insert(words.end(), {"--workers", "1,2", "--", "./prog", "{K}"});
    const Error error = error_of(words);
    EXPECT_EQ(error.where, wrong.where);
    EXPECT_EQ(error.message, wrong.message);
    EXPECT_EQ(error.code, ExitCode::kUsage);
    EXPECT_FALSE(error.hint.empty());
  }
  for (const Words& right :
       {Words{"--runs", "400"}, Words{"--runs", "3", "--max-runs", "3"},
        Words{"--weak", "--size", "4"},
        Words{"--weak", "--rate", "--work", "3", "--time-json", "x"},
        Words{"--throughput", "--rate", "--time-json", "x"}, Words{"--throughput", "--batch", "4"},
        Words{"--shell", "--check-command", "./v $KSTAR_OUTPUT | cat"}}) {
    Words words = right;
    words.insert(words.end(), {"--workers", "1,2", "--", "./prog", "{K}"});
    EXPECT_EQ(error_of(words).message, "") << right[0];
  }
}

TEST(MeasureFlags, AMistakeInTheFileIsShownThereUnlessAFlagOverridesIt) {
  const TempFolder folder;
  write_text(folder / "s.toml",
             "[job]\ncommand = [\"./a\", \"{K}\"]\nworkers = [1]\n"
             "[protocol]\nruns = 5\nmax_runs = 3\n[workload]\nbatch = 0x10\n");
  const std::string file = folder / "s.toml";
  const Error error = error_of({"--spec", file});
  EXPECT_EQ(error.where, file + ":5:8");
  EXPECT_EQ(error.message, "protocol.runs: expected at most the 3 of protocol.max_runs, got '5'");
  EXPECT_EQ(error.excerpt, "runs = 5\n       ^");
  EXPECT_EQ(error.code, ExitCode::kFailed);
  const Error flag = error_of({"--spec", file, "--runs", "9"});
  EXPECT_EQ(flag.where, "--runs");
  EXPECT_EQ(flag.message, "expected at most the 3 of protocol.max_runs, got '9'");
  EXPECT_EQ(flag.code, ExitCode::kUsage);
  EXPECT_EQ(error_of({"--spec", file, "--runs", "2"}).message, "");
  const Error batch = error_of({"--spec", file, "--runs", "2", "--workers", "32"});
  EXPECT_EQ(batch.where, file + ":8:9");
  const Error command = error_of({"--spec", file, "--runs", "2", "--", "./b", "{size}"});
  EXPECT_EQ(command.where, "command");
}

TEST(MeasureFlags, NamesAreUniqueAndExplained) {
  std::map<std::string, int> seen;
  for (const Flag& flag : measure_flags()) {
    EXPECT_EQ(seen[flag.name]++, 0) << flag.name;
    EXPECT_FALSE(flag.help.empty()) << flag.name;
  }
  for (const Flag& flag : common_flags()) EXPECT_EQ(seen[flag.name], 0) << flag.name;
}

}  // namespace
}  // namespace kstar
