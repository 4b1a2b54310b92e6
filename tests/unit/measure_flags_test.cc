#include "cli/measure_flags.h"

#include <gtest/gtest.h>

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

Result<MeasureSpec> spec_of(Words words) {
  words.insert(words.begin(), "measure");
  const Result<Arguments> arguments = parse_arguments(measure_alone(), words);
  if (!arguments) return fail(arguments.error());
  return measure_spec_of(*arguments);
}

TEST(MeasureFlags, WordsBehindTheDashesAreTheJobs) {
  const auto spec = spec_of({"--workers", "1,2", "--", "./prog", "--threads", "{K}", "--size=3",
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
    const auto spec = spec_of(words);
    ASSERT_FALSE(spec);
    EXPECT_EQ(spec.error().message, "expected -- before the command, got './prog'");
    EXPECT_EQ(spec.error().code, ExitCode::kUsage);
  }
  EXPECT_EQ(spec_of({"--thread", "4", "--", "./prog"}).error().message,
            "expected one of its flags, got '--thread'");
}

TEST(MeasureFlags, EveryFlagReachesTheSpec) {
  const auto spec = spec_of({"--title",
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
  want.check_command = {"./v", "a b"};
  want.check_value = "-1";
  want.check_tolerance = 0.01;
  want.warm_up_runs = 2;
  want.warm_up_steps = 3;
  want.precision = 0.05;
  want.confidence = 0.9;
  want.runs = 4;
  want.max_runs = 50;
  want.max_failures = 2;
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
  const auto spec = spec_of({"--spec", folder / "s.toml", "--strong", "--precision", "0.01",
                             "--time-json", "t", "--env", "B=3", "--workers", "2,4", "--", "./b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->command, (Words{"./b"}));
  EXPECT_EQ(spec->workers, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(spec->regime, Regime::kStrong);
  EXPECT_EQ(spec->time_from, TimeFrom::kJson);
  EXPECT_EQ(spec->time_pattern, "");
  EXPECT_EQ(spec->precision, 0.01);
  EXPECT_EQ(spec->max_runs, 7);
  EXPECT_EQ(spec->variables, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  const auto same = spec_of({"--spec", folder / "s.toml"});
  EXPECT_EQ(same->command, (Words{"./a"}));
  EXPECT_EQ(spec_of({"--spec", folder / "no.toml"}).error().where, folder / "no.toml");
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
      {{"--time-regex", "a(b"}, "--time-regex", "expected a regular expression of RE2, got 'a(b'"},
      {{"--check", "(a)(b)"}, "--check", "expected a pattern with one group, not 2, got '(a)(b)'"},
      {{"--time", "clock"}, "--time", "expected one of process, marks, pattern, json, got 'clock'"},
      {{"--time-unit", "fortnight"},
       "--time-unit",
       "expected one of s, ms, us, ns, min, h, got 'fortnight'"},
      {{"--precision", "0"},
       "--precision",
       "expected a number above 0 and below 1, or a percentage as 2%, got '0'"},
      {{"--runs", "many"},
       "--runs",
       "expected auto, or a whole number from 1 to 1000000, got "
       "'many'"},
      {{"--budget", "4w"},
       "--budget",
       "expected a time above 0 as 90s, 30m or 2h, or worker-hours as 4wh, got '4w'"},
      {{"--timeout", "-1s"},
       "--timeout",
       "expected none, or a time above 0 as 90s, 5m or 2h, got '-1s'"},
      {{"--seed", "x"},
       "--seed",
       "expected auto, or a whole number from 0 to 18446744073709551615, got 'x'"},
      {{"--env", "A"}, "--env", "expected NAME=VALUE, the name of letters, digits and _, got 'A'"},
      {{"--baseline", ""}, "--baseline", "expected a program and its arguments, got ''"},
      {{"--strong", "--weak"}, "--strong", "'strong' contradicts what else is said"},
      {{"--time-regex", "(a)", "--time-json", "b"},
       "--time-regex",
       "'(a)' contradicts what else is said"},
      {{"--workers", "1", "--workers", "2"}, "--workers", "given 2 times"},
  };
  for (const auto& wrong : kWrong) {
    const auto spec = spec_of(wrong.words);
    ASSERT_FALSE(spec) << wrong.where;
    EXPECT_EQ(spec.error().where, wrong.where);
    EXPECT_EQ(spec.error().message, wrong.message);
    EXPECT_EQ(spec.error().code, ExitCode::kUsage);
  }
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
