#include "kstar/placeholders.h"

#include <gtest/gtest.h>

#include "kstar/measure.h"

namespace kstar {
namespace {

using Words = std::vector<std::string>;

MeasureSpec spec_of(Words command) {
  MeasureSpec spec;
  spec.command = std::move(command);
  spec.workers = {1, 2, 4, 8};
  return spec;
}

TEST(Placeholders, AreReplacedWhereverTheyStand) {
  MeasureSpec spec = spec_of({"./prog", "-t{K}", "{size}:{K}", "{{K}}", "a}}b"});
  spec.size = 1000;
  spec.variables = {{"N", "{K}"}};
  EXPECT_EQ(*expand(spec, 4), (Words{"./prog", "-t4", "1000:4", "{K}", "a}b"}));
  EXPECT_EQ(expand_variables(spec, 8)->at(0).second, "8");
}

TEST(Placeholders, TheBaselineRunsAtOneWorkerAndMayBeAbsent) {
  MeasureSpec spec = spec_of({"./prog"});
  EXPECT_TRUE(expand_baseline(spec)->empty());
  spec.baseline = {"./serial", "{batch/K}", "{K}"};
  spec.batch = 64;
  EXPECT_EQ(*expand_baseline(spec), (Words{"./serial", "64", "1"}));
}

TEST(Placeholders, AShellGetsOneText) {
  MeasureSpec spec = spec_of({"./prog", "{K}", "|", "sort"});
  spec.shell = true;
  EXPECT_EQ(*expand(spec, 2), (Words{"/bin/sh", "-c", "./prog 2 | sort"}));
}

TEST(Placeholders, StrongSharesTheBatchAndWeakMultipliesIt) {
  MeasureSpec spec = spec_of({"./prog", "{batch}", "{batch/K}"});
  spec.batch = 64;
  EXPECT_EQ(*expand(spec, 4), (Words{"./prog", "64", "16"}));
  spec.regime = Regime::kWeak;
  EXPECT_EQ(*expand(spec, 4), (Words{"./prog", "256", "64"}));
  EXPECT_EQ(workload_at(spec, 4).batch, 256);
}

TEST(Placeholders, WeakSizesGrowByTheStatedRuleAndStayWhole) {
  MeasureSpec spec = spec_of({"./prog", "{size}"});
  spec.size = 1000;
  spec.unit = "rows";
  EXPECT_EQ(workload_at(spec, 8).size, 1000);
  spec.regime = Regime::kWeak;
  EXPECT_EQ(workload_at(spec, 8).size, 8000);
  EXPECT_EQ(workload_at(spec, 8).workers, 8);
  EXPECT_EQ(workload_at(spec, 8).unit, "rows");
  spec.size_growth = "sqrt(K)";
  EXPECT_EQ(*expand(spec, 2), (Words{"./prog", "1414"}));
  spec.size_growth = "cbrt(K)";
  EXPECT_EQ(workload_at(spec, 8).size, 2000);
  spec.size_growth = "K^2";
  EXPECT_EQ(workload_at(spec, 8).size, 64000);
  spec.size = 0.5;
  EXPECT_EQ(*expand(spec, 1), (Words{"./prog", "0.5"}));
  spec.size = 1e15;
  EXPECT_EQ(*expand(spec, 8), (Words{"./prog", "64000000000000000"}));
}

TEST(Placeholders, OnlyWorkInProportionIsWeak) {
  MeasureSpec spec;
  EXPECT_EQ(regime_of(spec), Regime::kStrong);
  spec.regime = Regime::kWeak;
  EXPECT_EQ(regime_of(spec), Regime::kWeak);
  spec.size_growth = "K";
  EXPECT_EQ(regime_of(spec), Regime::kWeak);
  spec.size_growth = "sqrt(K)";
  EXPECT_EQ(regime_of(spec), Regime::kMixed);
}

struct WrongPlaceholder {
  const char* word;
  const char* where;
  const char* message;
  const char* hint;  // a part of it
};

TEST(Placeholders, WhatIsWrongIsSaidBeforeAnythingRuns) {
  const WrongPlaceholder kWrong[] = {
      {"{k}", "command",
       "expected "
       "{K}, {nodes}, {ranks}, {threads}, {tasks}, {size}, {batch} or {batch/K}, got '{k}'",
       "did you mean {K}? write"},
      {"{workers}", "command",
       "expected "
       "{K}, {nodes}, {ranks}, {threads}, {tasks}, {size}, {batch} or {batch/K}, got '{workers}'",
       "did you mean {K}?"},
      {"{batch/k}", "command",
       "expected "
       "{K}, {nodes}, {ranks}, {threads}, {tasks}, {size}, {batch} or {batch/K}, got '{batch/k}'",
       "did you mean {batch/K}?"},
      {"{print $1}", "command",
       "expected "
       "{K}, {nodes}, {ranks}, {threads}, {tasks}, {size}, {batch} or {batch/K}, got '{print $1}'",
       "as {{ or }}"},
      {"{", "command", "expected a } for every {, got '{'", "{{ or }}"},
      {"a}", "command", "expected a { before every }, got 'a}'", "{{ or }}"},
      {"{}", "command",
       "expected "
       "{K}, {nodes}, {ranks}, {threads}, {tasks}, {size}, {batch} or {batch/K}, got '{}'",
       "{{ or }}"},
      {"{size}", "command", "{size} is used, but --size is not given", "use --size"},
      {"{batch}", "command", "{batch} is used, but --batch is not given", "use --batch"},
      {"{batch/K}", "command", "{batch/K} is used, but --batch is not given", "use --batch"},
  };
  for (const WrongPlaceholder& wrong : kWrong) {
    const auto checked = check_spec(spec_of({"./prog", "{K}", wrong.word}));
    ASSERT_FALSE(checked) << wrong.word;
    EXPECT_EQ(checked.error().where, wrong.where);
    EXPECT_EQ(checked.error().message, wrong.message);
    EXPECT_NE(checked.error().hint.find(wrong.hint), std::string::npos) << checked.error().hint;
  }
}

TEST(Placeholders, EveryPlaceThatCanHoldOneIsChecked) {
  MeasureSpec spec = spec_of({"./prog", "{K}"});
  spec.baseline = {"./serial", "{x}"};
  EXPECT_EQ(check_spec(spec).error().where, "--baseline");
  spec.baseline.clear();
  spec.variables = {{"A", "{y"}};
  EXPECT_EQ(check_spec(spec).error().where, "--env A");
  spec.variables.clear();
  spec.check_command = {"./verify", "{z}"};
  EXPECT_EQ(check_spec(spec).error().where, "--check-command");
}

TEST(Placeholders, ABatchMustDivideAtEveryWorkerCount) {
  MeasureSpec spec = spec_of({"./prog", "{batch/K}"});
  spec.batch = 100;
  const Error error = check_spec(spec).error();
  EXPECT_EQ(error.where, "--batch");
  EXPECT_EQ(error.message, "expected a batch that is a multiple of K = 8, got '100'");
  EXPECT_EQ(error.hint, "the nearest multiple of every K is 96");
  spec.batch = 102;
  EXPECT_EQ(check_spec(spec).error().message,
            "expected a batch that is a multiple of K = 4, got '102'");
  EXPECT_EQ(check_spec(spec).error().hint, "the nearest multiple of every K is 104");
  spec.batch = 9;
  spec.workers = {2, 3, 7};
  EXPECT_EQ(check_spec(spec).error().hint, "the nearest multiple of every K is 42");
  spec.workers = {999'983, 999'979, 999'961};
  spec.batch = 1'000'003;
  EXPECT_NE(check_spec(spec).error().hint.find("no batch of a useful size"), std::string::npos);
  spec.workers = {1, 2, 4};
  spec.batch = 8;
  EXPECT_TRUE(check_spec(spec));
}

TEST(Placeholders, MoreWorkersThanTheBatchHaveNothingToDo) {
  MeasureSpec spec = spec_of({"./prog", "{batch}", "{K}"});
  spec.batch = 4;
  const Error error = check_spec(spec).error();
  EXPECT_EQ(error.where, "--batch");
  EXPECT_EQ(error.message, "expected at least one per worker, K = 8, got '4'");
  spec.regime = Regime::kWeak;
  EXPECT_TRUE(check_spec(spec));
  spec.batch = 1'000'000'000'000'000;
  EXPECT_EQ(check_spec(spec).error().message,
            "expected at most 1e15 over K = 2 workers, got "
            "'1000000000000000'");
}

std::string first_warning(const MeasureSpec& spec) {
  const auto notes = check_spec(spec);
  if (!notes) return notes.error().message;
  return notes->empty() ? "" : notes->front().what;
}

TEST(Placeholders, ACommandThatIsTheSameAtEveryKIsRefusedUnlessItIsMeant) {
  MeasureSpec spec = spec_of({"./prog"});
  EXPECT_EQ(check_spec(spec).error().message,
            "expected {K} in it: every K would run the same command line");
  spec.same_command = true;
  const auto notes = check_spec(spec);
  ASSERT_TRUE(notes);
  ASSERT_EQ(notes->size(), 1U);
  EXPECT_EQ(notes->front().severity, Severity::kWarning);
  EXPECT_EQ(note_sentence(notes->front()),
            "every K runs the same command line, only OMP_NUM_THREADS differs");
  spec.command.emplace_back("{size}");
  spec.size = 10;
  EXPECT_EQ(first_warning(spec), "same-command");
  spec.regime = Regime::kWeak;
  EXPECT_EQ(first_warning(spec), "");
  spec = spec_of({"./prog"});
  spec.variables = {{"N", "{K}"}};
  EXPECT_EQ(first_warning(spec), "");
  spec = spec_of({"./prog", "{{K}}"});
  EXPECT_FALSE(check_spec(spec));
  spec.workers = {4};
  EXPECT_EQ(first_warning(spec), "");
}

TEST(Placeholders, WhatIsSaidAndNotUsedIsAWarning) {
  MeasureSpec spec = spec_of({"./prog", "{K}"});
  spec.size = 10;
  EXPECT_EQ(first_warning(spec), "unused-size");
  spec.size.reset();
  spec.batch = 64;
  EXPECT_EQ(first_warning(spec), "unused-batch");
  spec.command.emplace_back("{batch}");
  EXPECT_EQ(first_warning(spec), "");
  spec.batch = 65;
  EXPECT_EQ(first_warning(spec), "uneven-batch");
  spec = spec_of({"./prog", "{K}", "{size}"});
  spec.size = 10;
  spec.regime = Regime::kWeak;
  spec.size_growth = "sqrt(K)";
  EXPECT_EQ(first_warning(spec), "mixed-regime");
}

TEST(Placeholders, OnlyTheCheckCommandHasTheOutputOfARun) {
  MeasureSpec spec = spec_of({"./prog", "{K}"});
  spec.check_command = {"./verify", "{output}", "-k{K}"};
  EXPECT_TRUE(check_spec(spec));
  EXPECT_EQ(*expand_check(spec, 4, "/tmp/o"),
            (std::vector<std::string>{"./verify", "/tmp/o", "-k4"}));
  spec.shell = true;
  EXPECT_EQ(*expand_check(spec, 4, "/tmp/o"),
            (std::vector<std::string>{"/bin/sh", "-c", "./verify /tmp/o -k4"}));
  spec.command.emplace_back("{output}");
  const Error error = check_spec(spec).error();
  EXPECT_EQ(error.where, "command");
  EXPECT_EQ(error.message, "expected {K}, {size}, {batch} or {batch/K}, got '{output}'");
}

TEST(Placeholders, OneKHasNothingToDifferFrom) {
  MeasureSpec spec = spec_of({"./prog"});
  spec.workers = {4};
  EXPECT_EQ(first_warning(spec), "");
}

TEST(CheckSpec, WhatIsMissingOrContradictsIsNamed) {
  EXPECT_EQ(check_spec({}).error().message, "expected a command to run");
  MeasureSpec spec = spec_of({"./prog", "{K}"});
  spec.workers.clear();
  EXPECT_EQ(check_spec(spec).error().where, "--workers");
  spec.workers = {1};
  EXPECT_TRUE(check_spec(spec));
  const auto where_with = [&](auto change) {
    MeasureSpec other = spec;
    change(other);
    const auto checked = check_spec(other);
    return checked ? std::string() : checked.error().where;
  };
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.size_growth = "K"; }), "--growth");
  EXPECT_EQ(where_with([](MeasureSpec& s) {
              s.regime = Regime::kWeak;
              s.size_growth = "K";
            }),
            "--growth");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.check_value = "1"; }), "--check-value");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.check_tolerance = 0.1; }), "--check-tolerance");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.time_is_rate = true; }), "--rate");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.time_work = 1; }), "--work");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.time_from = TimeFrom::kPattern; }), "--time pattern");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.time_from = TimeFrom::kJson; }), "--time json");
  EXPECT_EQ(where_with([](MeasureSpec& s) {
              s.time_from = TimeFrom::kPattern;
              s.time_pattern = "(a";
            }),
            "--time-regex");
  EXPECT_EQ(where_with([](MeasureSpec& s) { s.time_from = TimeFrom::kMarks; }), "");
}

}  // namespace
}  // namespace kstar
