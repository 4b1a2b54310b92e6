#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kstar/measure_spec.h"
#include "kstar/spec_key.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

MeasureSpec full_spec() {
  MeasureSpec spec;
  spec.title = "a \"title\" with \\ and 'quotes' and K\xC3\xB6ln\t!";
  spec.command = {"./prog", "--threads", "{K}", "a b", "", "it's", "{{}}"};
  spec.shell = true;
  spec.baseline = {"./serial", "--size={size}"};
  spec.workers = {1, 2, 4, 1'000'000'000};
  spec.regime = Regime::kWeak;
  spec.size = 12345.678;
  spec.size_growth = "K^1.5";
  spec.unit = "rows";
  spec.batch = 1'000'000'000'000'000;
  spec.time_from = TimeFrom::kPattern;
  spec.time_pattern = "^step \\d+: \"([0-9.]+)\" it's$";
  spec.time_unit = "ms";
  spec.time_is_rate = true;
  spec.time_work = 1.0 / 3;
  spec.check_pattern = "loss ([^ ]+)";
  spec.check_command = {"./verify", "a b"};
  spec.check_value = "1.0";
  spec.check_tolerance = 1e-9;
  spec.warm_up_runs = 0;
  spec.warm_up_steps = 7;
  spec.precision = 0.005;
  spec.confidence = 0.99;
  spec.runs = 12;
  spec.max_runs = 13;
  spec.max_failures = 1;
  spec.inside = 3;
  spec.budget_seconds = 1800;
  spec.budget_worker_hours = 4.5;
  spec.time_limit = 90.25;
  spec.seed = 18446744073709551615U;
  spec.launcher = "mpirun";
  spec.per_node = 4;
  spec.launchers = "mine.toml";
  spec.hosts = {"n1", "10.0.0.2"};
  spec.launcher_options = {"--mca", "pml", "ob1", "a b"};
  spec.launcher_program = "/opt/my mpi/mpirun";
  spec.bind = false;
  spec.gpus = true;
  spec.variables = {{"A_1", "x={K}"}, {"_B", "\"'\\\n"}};
  spec.output = "out/study.jsonl";
  return spec;
}

TEST(SpecToml, WhatIsNotSaidKeepsItsDefault) {
  EXPECT_EQ(*read_spec("", "study.toml"), MeasureSpec{});
  MeasureSpec one;
  one.workers = {1, 2, 4};
  EXPECT_EQ(*read_spec("[job]\nworkers = [4, 1, 2]\n", "study.toml"), one);
}

TEST(SpecToml, WhatIsWrittenReadsBackEqual) {
  for (const MeasureSpec& spec : {MeasureSpec{}, full_spec()}) {
    const std::string text = spec_toml(spec);
    const Result<MeasureSpec> again = read_spec(text, "study.toml");
    ASSERT_TRUE(again) << again.error().where << again.error().message << "\n" << text;
    EXPECT_EQ(*again, spec) << text;
    EXPECT_EQ(spec_toml(*again), text);
  }
  MeasureSpec json;
  json.time_from = TimeFrom::kJson;
  json.time_key = "a.b";
  EXPECT_EQ(*read_spec(spec_toml(json), ""), json);
}

TEST(SpecToml, EveryKeyIsExplainedAndItsExampleIsRight) {
  const std::string text = spec_toml({});
  for (const SpecKey& key : spec_keys()) {
    EXPECT_FALSE(key.help.empty()) << key.name;
    if (key.example.empty()) {
      EXPECT_NE(text.find(fmt::format("\n{} = ", key.name)), text.npos) << key.name;
      continue;
    }
    EXPECT_NE(text.find(fmt::format("#: {} = {}\n", key.name, key.example)), text.npos);
    const auto read =
        read_spec(fmt::format("[{}]\n{} = {}\n", key.group, key.name, key.example), "e");
    EXPECT_TRUE(read) << key.name << read.error().message;
  }
}

TEST(SpecToml, TakesWhatPeopleWrite) {
  const auto spec = read_spec(
      "[job]\ncommand = \"./prog -t {K} 'a b'\"\nworkers = \"1..8\"\n"
      "[protocol]\nprecision = \"1%\"\nbudget = \"2h\"\ntime_limit = 90\nwarm_up_runs = \"auto\"\n"
      "[time]\nkey = \"step.seconds\"\n[check]\nvalue = 42\n"
      "[launch.variables]\nA = \"{K}\"\n",
      "study.toml");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->command, (std::vector<std::string>{"./prog", "-t", "{K}", "a b"}));
  EXPECT_EQ(spec->workers, (std::vector<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(spec->precision, 0.01);
  EXPECT_EQ(spec->budget_seconds, 7200);
  EXPECT_EQ(spec->time_limit, 90);
  EXPECT_EQ(spec->time_from, TimeFrom::kJson);
  EXPECT_EQ(spec->check_value, "42");
  EXPECT_EQ(spec->variables.at("A"), "{K}");
}

TEST(SpecToml, LettersBeyondAsciiStandInQuotesAndComments) {
  const auto good = read_spec(
      "# \u00f6\n[job]\ntitle = \"\u00f6 \\\" \u00f6\" # \u00f6\ncommand = ['\u00f6', "
      "\"\"\"\u00f6\n\"x\" "
      "\u00f6\"\"\"]\n",
      "s.toml");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->title, "\u00f6 \" \u00f6");
  EXPECT_EQ(good->command, (std::vector<std::string>{"\u00f6", "\u00f6\n\"x\" \u00f6"}));
  const auto bad = read_spec("[job]\ngr\u00f6\u00dfe = 1\n", "s.toml");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, "s.toml:2:3");
  EXPECT_EQ(bad.error().message, "expected ASCII outside of quotes and comments");
}

TEST(SpecToml, RefusesControlCharacters) {
  const auto bad = read_spec("[job]\nti\x01tle = 1\n", "s.toml");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, "s.toml:2:3");
  EXPECT_EQ(bad.error().message, "expected no control characters");
}

TEST(SpecToml, ATextForTheShellStaysOneText) {
  const auto spec = read_spec("[job]\ncommand = \"a 'b' | c\"\nshell = true\n", "study.toml");
  EXPECT_EQ(spec->command, (std::vector<std::string>{"a 'b' | c"}));
}

struct WrongSpec {
  const char* toml;
  const char* where;
  const char* message;
  const char* hint;  // a part of it
};

TEST(SpecToml, WhatIsWrongIsNamedWithPlaceKeyValueAndConstraint) {
  const WrongSpec kWrong[] = {
      {"[job]\nworkrs = [1]\n", "s:2:1", "expected a key of [job], got 'workrs'",
       "did you mean 'workers'?"},
      {"[jobs]\n", "s:1:2", "expected a table of a study.toml, got 'jobs'", "did you mean [job]?"},
      {"workers = [1]\n", "s:1:1", "expected a table of a study.toml, got 'workers'",
       "'workers' stands in [job]"},
      {"[job]\nbatch = 4\n", "s:2:1", "expected a key of [job], got 'batch'",
       "'batch' stands in [workload]"},
      {"job = 3\n", "s:1:7", "expected a table [job], got '3'", ""},
      {"[job]\nworkers = [1, 0]\n", "s:2:11",
       "job.workers: expected worker counts, each a whole number from 1 to 1e9, got '1,0'",
       "1..512"},
      {"[job]\nworkers = [1, 2.5]\n", "s:2:15",
       "job.workers: expected worker counts such as [1, 2, 4] or \"1..64\", got '2.5'", ""},
      {"[job]\nworkers = []\n", "s:2:11",
       "job.workers: expected worker counts such as [1, 2, 4] or \"1..64\", got '[]'", ""},
      {"[job]\ncommand = [1]\n", "s:2:12",
       "job.command: expected a list of arguments such as [\"./prog\", \"{K}\"], or one text, got "
       "'1'",
       ""},
      {"[job]\ncommand = [\"\"]\n", "s:2:11",
       "job.command: expected a program and its arguments, got ''", ""},
      {"[job]\ncommand = \"a 'b\"\n", "s:2:11",
       "job.command: expected a command with closed quotes, got 'a 'b'", ""},
      {"[job]\ntitle = 5\n", "s:2:9", "job.title: expected text in quotes, got '5'", ""},
      {"[job]\ntitle = 2020-01-01\n", "s:2:9",
       "job.title: expected text in quotes, got 'a date or a time'", ""},
      {"[job]\nshell = \"yes\"\n", "s:2:9", "job.shell: expected true or false, got 'yes'", ""},
      {"[job]\nregime = \"week\"\n", "s:2:10",
       "job.regime: expected strong, weak, throughput or mixed, got 'week'", ""},
      {"[workload]\nsize = nan\n", "s:2:8",
       "workload.size: expected a number above 0, at most 1e15, got 'nan'", ""},
      {"[workload]\nsize = -inf\n", "s:2:8",
       "workload.size: expected a number above 0, at most 1e15, got '-inf'", ""},
      {"[workload]\nsize = 1e300\n", "s:2:8",
       "workload.size: expected a number above 0, at most 1e15, got '1e+300'", ""},
      {"[workload]\nbatch = 1.5\n", "s:2:9",
       "workload.batch: expected a whole number from 1 to 1e15, got '1.5'", ""},
      {"[workload]\ngrowth = \"K*log2(K)\"\n", "s:2:10",
       "workload.growth: expected K, sqrt(K), cbrt(K) or K^P with P from 0.01 to 4, got "
       "'K*log2(K)'",
       "cbrt"},
      {"[time]\nunit = \"weeks\"\n", "s:2:8",
       "time.unit: expected one of s, ms, us, ns, min, h, got 'weeks'", ""},
      {"[time]\npattern = \"(\"\n", "s:2:11",
       "time.pattern: expected an RE2 regular expression, got '('", "missing )"},
      {"[time]\npattern = \"a\"\n", "s:2:11",
       "time.pattern: expected a pattern with one group, not 0, got 'a'", "put ( )"},
      {"[time]\nfrom = \"marks\"\npattern = \"(a)\"\n", "s:3:11",
       "time.pattern: contradicts time.from = 'marks' in line 2", "keep one"},
      {"[time]\npattern = \"(a)\"\nkey = \"b\"\n", "s:3:7",
       "time.key: contradicts time.pattern = '(a)' in line 2", "keep one"},
      {"[time]\nkey = \"a..b\"\n", "s:2:7",
       "time.key: expected a key of the JSON lines, or a path such as step.seconds, got 'a..b'",
       ""},
      {"[check]\ntolerance = 1\n", "s:2:13",
       "check.tolerance: expected auto, a number of 0 or more and below 1, or a percentage such as "
       "1%, got '1'",
       ""},
      {"[protocol]\nprecision = 2\n", "s:2:13",
       "protocol.precision: expected a number above 0 and below 1, or a percentage such as 2%, got "
       "'2'",
       ""},
      {"[protocol]\nruns = 0\n", "s:2:8",
       "protocol.runs: expected auto, or a whole number from 1 to 1000000, got '0'", ""},
      {"[protocol]\nmax_runs = 99999999999\n", "s:2:12",
       "protocol.max_runs: expected a whole number from 1 to 1000000, got '99999999999'", ""},
      {"[protocol]\nbudget = \"4 hours\"\n", "s:2:10",
       "protocol.budget: expected a time above 0 such as 90s, 30m or 2h, or worker-hours such as "
       "4wh, got '4 hours'",
       "30m,4wh"},
      {"[protocol]\nbudget = 5\n", "s:2:10",
       "protocol.budget: expected a time with its unit, or worker-hours such as 4wh, got '5'",
       "5min"},
      {"[protocol]\ntime_limit = 0\n", "s:2:14",
       "protocol.time_limit: expected none, or a time above 0 such as 90s, 5m or 2h, got '0'", ""},
      {"[protocol]\nseed = -1\n", "s:2:8",
       "protocol.seed: expected auto, or a whole number from 0 to 18446744073709551615, got '-1'",
       ""},
      {"[launch]\nvariables = { A = 1 }\n", "s:2:19",
       "launch.variables: expected a table of text, such as { NAME = \"value\" }, got '1'", ""},
      {"[launch.variables]\n\"a b\" = \"1\"\n", "s:2:9",
       "launch.variables: expected NAME=VALUE, the name of letters, digits and _, got 'a b=1'", ""},
  };
  for (const WrongSpec& wrong : kWrong) {
    const Result<MeasureSpec> read = read_spec(wrong.toml, "s");
    ASSERT_FALSE(read) << wrong.toml;
    EXPECT_EQ(read.error().where, wrong.where) << wrong.toml;
    EXPECT_EQ(read.error().message, wrong.message) << wrong.toml;
    EXPECT_NE(read.error().hint.find(wrong.hint), std::string::npos) << read.error().hint;
    EXPECT_NE(read.error().excerpt.find('\n'), std::string::npos) << wrong.toml;
  }
}

TEST(SpecToml, ShowsTheLineWithACaret) {
  const auto read =
      read_spec("[job]\ntitle = \"K\xC3\xB6ln\"\nworkers = [1, 2, \"x\"]\n", "s.toml");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().excerpt, "workers = [1, 2, \"x\"]\n          ^");
  const auto wide = read_spec("[launch]\nvariables = { \"\xC3\xB6\" = 1 }\n", "s.toml");
  EXPECT_EQ(wide.error().excerpt, "variables = { \"\xC3\xB6\" = 1 }\n                    ^");
}

TEST(SpecToml, HostileTextIsRefusedAndNeverCrashes) {
  std::vector<std::string> hostile = {"[job",
                                      "[job]\nworkers = ",
                                      "[job]\nworkers = [1\n",
                                      "[job]\ntitle = \"\\q\"",
                                      "= 1",
                                      "[[job]]",
                                      "[job]\nworkers=[1]\nworkers=[2]\n",
                                      "[job]\n[job]\n",
                                      "[job]\nseed = 99999999999999999999",
                                      "[workload]\nsize = 1e999",
                                      std::string("\0\0\0\0", 4),
                                      std::string("[job]\ntitle = \"\0\"", 17),
                                      "\xFF\xFE[job]",
                                      "[job]\ntitle = \"\xC3\x28\"",
                                      "\177ELF\x02\x01\x01",
                                      "[job]\ntitle = '''\n"};
  hostile.push_back("[job]\nworkers = " + std::string(100'000, '['));
  hostile.push_back("[job]\ntitle = " + std::string(1000, '{'));
  std::string dots = "a";
  for (int i = 0; i < 200'000; ++i) dots += ".a";
  hostile.push_back(dots + " = 1");
  hostile.push_back("[" + dots + "]");
  hostile.push_back("x = { " + dots + " = 1 }");
  std::string quoted = "\"a\"";
  for (int i = 0; i < 100'000; ++i) quoted += ".\"a\"";
  hostile.push_back(quoted + " = 1");
  hostile.push_back("#" + std::string(2'000'000, 'x'));
  for (const std::string& text : hostile) {
    const auto read = read_spec(text, "s");
    EXPECT_FALSE(read) << text.substr(0, 40);
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
    }
  }
}

TEST(SpecToml, EveryCutOfAGoodFileIsReadOrRefused) {
  const std::string text = spec_toml(full_spec());
  for (std::size_t end = 0; end < text.size(); end += 7) {
    const auto read = read_spec(text.substr(0, end), "s");
    if (!read) {
      EXPECT_FALSE(read.error().where.empty());
    }
  }
}

TEST(SpecToml, AFileThatIsNotThereIsNamed) {
  const TempFolder folder;
  EXPECT_EQ(load_spec(folder / "no.toml").error().where, folder / "no.toml");
  write_text(folder / "s.toml", "[job]\nworkers = 0\n");
  EXPECT_EQ(load_spec(folder / "s.toml").error().where, (folder / "s.toml") + ":2:11");
}

TEST(SpecToml, ATableWhoseNameIsNoKeyIsRefused) {
  for (const char* bad : {"[?job]\n", "[[?\n", "[ =]\n", "[\x01]\n"}) {
    const auto spec = read_spec(bad, "study.toml");
    ASSERT_FALSE(spec) << bad;
    EXPECT_FALSE(spec.error().message.empty());
  }
}

}  // namespace
}  // namespace kstar
