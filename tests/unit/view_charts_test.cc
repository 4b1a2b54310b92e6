// The charts of S, E and T over K: what they show is what the analysis says.
#include <gtest/gtest.h>

#include <cmath>

#include "kstar/chart_parts.h"
#include "support/subjects.h"

namespace kstar {
namespace {

using planted::Job;

Job bending() {
  Job job;
  job.communication = 0.06;
  return job;
}

Job weak() {
  Job job = bending();
  job.weak = true;
  return job;
}

Result<Chart> chart(std::string_view kind, const Subject& subject) {
  return chart_of(kind, {&subject, 1});
}

Study mixed_study() {
  Study study = planted::simulate(bending());
  study.header.regime = Regime::kMixed;
  return study;
}

TEST(ViewCharts, ShowEveryPointOfTheTableWithItsInterval) {
  const Subject subject = planted_subject(bending());
  for (const char* kind : {"speedup", "efficiency", "models"}) {
    const Result<Chart> made = chart(kind, subject);
    ASSERT_TRUE(made.has_value()) << kind;
    const ChartSeries* measured = series_named(*made, "measured");
    ASSERT_NE(measured, nullptr);
    const std::vector<ScalingPoint>& points = subject.analysis.table.points;
    ASSERT_EQ(measured->marks.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Estimate& value =
          made->kind == "efficiency" ? *points[i].efficiency : *points[i].speedup;
      EXPECT_EQ(measured->marks[i].x, points[i].workers);
      EXPECT_EQ(measured->marks[i].y, value.point);
      EXPECT_EQ(measured->marks[i].low, value.low);
      EXPECT_EQ(measured->marks[i].high, value.high);
      EXPECT_TRUE(holds(measured->marks[i].tip, "5 runs")) << measured->marks[i].tip;
    }
  }
}

TEST(ViewCharts, TellInTipsWhatATableWouldTell) {
  const Subject subject = planted_subject(bending());
  const Result<Chart> made = chart("speedup", subject);
  const std::string& tip = series_named(*made, "measured")->marks[3].tip;
  EXPECT_TRUE(tip.starts_with("K = 8\nS\t")) << tip;
  EXPECT_TRUE(holds(tip, " to ") && holds(tip, "\nE\t") && holds(tip, "\nT\t")) << tip;
  const std::string line = one_line(tip);
  EXPECT_TRUE(line.starts_with("K = 8: S = ") && holds(line, ", E = ") && holds(line, ", 5 runs"))
      << line;
  EXPECT_EQ(line.find_first_of("\n\t"), std::string::npos);
}

TEST(ViewCharts, HaveTheBandOfTheFittedCurve) {
  const Subject subject = planted_subject(bending());
  const Result<Chart> made = chart("efficiency", subject);
  const ChartSeries* fitted = series_named(*made, "fitted");
  ASSERT_NE(fitted, nullptr);
  const std::vector<PredictedWorkers>& curve = subject.analysis.models->fitted;
  ASSERT_EQ(fitted->band.size(), curve.size());
  const double base = subject.analysis.table.points[0].time.point;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_DOUBLE_EQ(fitted->band[i].low, base / curve[i].time.high / curve[i].workers);
    EXPECT_DOUBLE_EQ(fitted->band[i].high, base / curve[i].time.low / curve[i].workers);
  }
}

TEST(ViewCharts, DrawKAndTheBendWithTheirIntervalsInBothCharts) {
  const Subject subject = planted_subject(bending());
  ASSERT_TRUE(subject.analysis.bend);
  for (const char* kind : {"speedup", "efficiency"}) {
    const Result<Chart> made = chart(kind, subject);
    ASSERT_EQ(made->rules.size(), 2U) << kind;
    EXPECT_EQ(made->rules[0].name, "K*");
    EXPECT_EQ(made->rules[0].at, subject.analysis.verdict.workers);
    EXPECT_EQ(made->rules[0].high, subject.analysis.verdict.high);
    EXPECT_EQ(made->rules[1].at, subject.analysis.bend->first_bad);
    EXPECT_EQ(made->rules[1].low, subject.analysis.bend->low);
    EXPECT_TRUE(holds(made->rules[1].tip, "of the evidence")) << made->rules[1].tip;
  }
}

TEST(ViewCharts, DrawKWhereTheCurveDoesNotBendWithNoEndToItsInterval) {
  Subject subject = planted_subject(bending());
  subject.analysis.bend.reset();
  subject.analysis.recommendation.open = true;
  subject.analysis.verdict = decide(subject.analysis);
  const Result<Chart> made = chart("efficiency", subject);
  ASSERT_EQ(made->rules.size(), 1U);
  EXPECT_EQ(made->rules[0].at, subject.analysis.verdict.workers);
  EXPECT_TRUE(std::isinf(made->rules[0].high));
  EXPECT_TRUE(holds(made->rules[0].tip, "or more")) << made->rules[0].tip;
}

TEST(ViewCharts, DrawKAsAnywhereInAWideGapBeforeTheBend) {
  Subject subject = planted_subject(bending());
  subject.analysis.bend->last_good = 2;
  subject.analysis.bend->first_bad = 64;
  subject.analysis.recommendation.workers = 2;
  subject.analysis.recommendation.low = subject.analysis.recommendation.high = 2;
  subject.analysis.verdict = decide(subject.analysis);
  EXPECT_EQ(subject.analysis.verdict.state, VerdictState::kBetween);
  EXPECT_EQ(chart("efficiency", subject)->rules[0].high, 63);
}

TEST(ViewCharts, MarkNoKWhereTheVerdictIsUndecided) {
  Subject subject = planted_subject(bending());
  subject.analysis.recommendation.low = subject.analysis.table.points.front().workers;
  subject.analysis.recommendation.high = subject.analysis.table.points.back().workers;
  subject.analysis.verdict = decide(subject.analysis);
  ASSERT_EQ(subject.analysis.verdict.reason, VerdictReason::kAnyWorkers);
  for (const char* kind : {"speedup", "efficiency"}) {
    const Result<Chart> made = chart(kind, subject);
    ASSERT_EQ(made->rules.size(), 1U) << kind;
    EXPECT_TRUE(std::isnan(made->rules[0].at));
    EXPECT_EQ(made->rules[0].low, subject.analysis.verdict.low);
    EXPECT_EQ(made->rules[0].high, subject.analysis.verdict.high);
  }
}

TEST(ViewCharts, OfOneKAreNone) {
  Study study = planted_subject(bending()).study;
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers != 8; });
  const Result<Subject> subject = examine(std::move(study), {.name = "one"});
  ASSERT_TRUE(subject.has_value());
  for (const char* kind : {"speedup", "efficiency", "models"}) {
    const Result<Chart> made = chart(kind, *subject);
    ASSERT_FALSE(made.has_value()) << kind;
    EXPECT_FALSE(made.error().hint.empty());
  }
}

TEST(ViewThresholds, AnswerAsTheAnalysisDoesAtTheSameThreshold) {
  const Subject subject = planted_subject(bending());
  for (const double threshold : {0.5, 0.6, 0.7, 0.8, 0.9}) {
    AnalysisOptions options;
    options.threshold = threshold;
    const Result<Analysis> whole = analyze(subject.study, options);
    const auto quick = answers_at(subject.study, subject.analysis, {&threshold, 1});
    ASSERT_EQ(quick.size(), 1U);
    EXPECT_EQ(quick[0].advice.workers, whole->recommendation.workers) << threshold;
    EXPECT_EQ(quick[0].advice.low, whole->recommendation.low) << threshold;
    EXPECT_EQ(quick[0].advice.high, whole->recommendation.high) << threshold;
    EXPECT_EQ(quick[0].bend.has_value(), whole->bend.has_value()) << threshold;
    if (!whole->bend || !quick[0].bend) continue;
    EXPECT_EQ(quick[0].bend->first_bad, whole->bend->first_bad);
    EXPECT_EQ(quick[0].bend->low, whole->bend->low);
    EXPECT_EQ(quick[0].bend->high, whole->bend->high);
    EXPECT_NEAR(quick[0].bend->agreement, whole->bend->agreement, 1e-9);
  }
}

TEST(ViewWaterfall, FallsFromOneToTheEfficiencyAtEveryK) {
  const Subject subject = planted_subject(bending());
  const std::vector<Chart> all = waterfalls_of(subject);
  ASSERT_GE(all.size(), 2U);
  for (const Chart& one : all) {
    double level = 1;
    for (const ChartSeries& series : one.series) {
      const ChartSpan& step = series.stack.at(0);
      EXPECT_NEAR(step.high, level, 1e-12) << one.title << " " << series.name;
      level = step.low;
    }
    EXPECT_EQ(level, 0);
    const int workers = static_cast<int>(*one.at_workers);
    const ScalingPoint* point = point_at(subject.analysis.table, Role::kParallel, workers);
    EXPECT_DOUBLE_EQ(one.series.back().stack[0].high, point->efficiency->point);
    EXPECT_EQ(waterfall_at(subject, workers)->title, one.title);
  }
  EXPECT_FALSE(waterfall_at(subject, 7).has_value());
}

TEST(ViewWaterfall, HasTheSharesOfTheDiagnosisAndNoneOfAGuess) {
  const Subject subject = planted_subject(bending());
  const Diagnosis& diagnosis = subject.analysis.diagnosis;
  const Result<Chart> made = chart("waterfall", subject);
  ASSERT_TRUE(made.has_value());
  const ChartSpan& first = made->series[0].stack[0];
  EXPECT_NEAR(first.high - first.low,
              diagnosis.causes[0].share.point * (1 - diagnosis.efficiency->point), 1e-12);
  Study bare = subject.study;
  for (kstar::Run& run : bare.runs) {
    run.per_worker = {};
    run.usage = {};
  }
  const Result<Subject> guess = examine(std::move(bare), {.name = "bare"});
  ASSERT_TRUE(guess.has_value());
  EXPECT_FALSE(chart("waterfall", *guess).has_value());
  EXPECT_TRUE(waterfalls_of(*guess).empty());
}

TEST(ViewCharts, HaveNoSpeedupWhereTheWorkGrows) {
  const Subject subject = planted_subject(weak());
  const Result<Chart> made = chart("speedup", subject);
  ASSERT_FALSE(made.has_value());
  EXPECT_TRUE(holds(made.error().message, "not a speedup")) << made.error().message;
  for (const Chart& one : charts_of({&subject, 1})) {
    EXPECT_NE(one.kind, "speedup");
    EXPECT_EQ(one.y.label.find("speedup"), std::string::npos) << one.kind;
    for (const ChartSeries& series : one.series) {
      EXPECT_EQ(series.name.find("S = K"), std::string::npos) << one.kind;
    }
  }
  EXPECT_TRUE(chart("efficiency", subject).has_value());
}

TEST(ViewCharts, NeverMixRegimes) {
  const std::vector<Subject> both = {planted_subject(bending(), "a"), planted_subject(weak(), "b")};
  for (const char* kind : {"speedup", "efficiency", "models", "breakdown"}) {
    const Result<Chart> made = chart_of(kind, both);
    ASSERT_FALSE(made.has_value()) << kind;
    EXPECT_EQ(made.error().where, "b");
    EXPECT_TRUE(holds(made.error().message, "weak") && holds(made.error().message, "strong"));
  }
}

TEST(ViewCharts, ThatCannotBeSharedAreOnesOwn) {
  const std::vector<Subject> both = {planted_subject(bending(), "a"), planted_subject(weak(), "b")};
  std::vector<std::string> titles;
  for (const Chart& one : charts_of(both)) titles.push_back(one.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{
                "Speedup against workers, strong scaling: a",
                "Efficiency against workers, strong scaling: a",
                "Efficiency against workers, weak scaling: b",
                "Where the efficiency goes at K = 16: a", "Where the efficiency goes at K = 16: b",
                "Every run in order of measurement", "Where the workers' time goes: a",
                "Where the workers' time goes: b", "Which phase stops scaling: a",
                "Which phase stops scaling: b", "Which worker is slow: useful time of every worker",
                "Models: speedup against workers, strong scaling: a",
                "Models: efficiency against workers, weak scaling: b"}));
}

TEST(ViewCharts, ShowTimesWhereThereIsNoSpeedup) {
  const Subject subject = subject_of(mixed_study());
  const Result<Chart> made = chart("speedup", subject);
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(holds(made->y.label, "time"));
  EXPECT_FALSE(made->notes.empty());
  EXPECT_EQ(series_named(*made, "measured")->marks[0].y,
            subject.analysis.table.points[0].time.point);
  EXPECT_FALSE(chart("efficiency", subject).has_value());
  EXPECT_TRUE(chart("models", subject).has_value());
}

TEST(ViewCharts, OverlaySubjectsInTheirColours) {
  const std::vector<Subject> both = {planted_subject(bending(), "before"),
                                     planted_subject(Job{}, "after")};
  const Result<Chart> made = chart_of("speedup", both);
  ASSERT_TRUE(made.has_value());
  const ChartSeries* before = series_named(*made, "before");
  const ChartSeries* after = series_named(*made, "after");
  ASSERT_TRUE(before != nullptr && after != nullptr);
  EXPECT_NE(before->color, after->color);
  EXPECT_FALSE(after->line.empty() || after->band.empty() || after->marks.empty());
  EXPECT_TRUE(before->marks[0].tip.starts_with("before, K = 1"));
  EXPECT_TRUE(holds(made->caption, "before: ") && holds(made->caption, "after: "));
}

TEST(ViewModels, GoOnBeyondTheLargestKWithBandsToStepThrough) {
  const Subject subject = planted_subject(bending());
  const Result<Chart> made = chart("models", subject);
  const ChartSeries* predicted = series_named(*made, "predicted");
  ASSERT_NE(predicted, nullptr);
  EXPECT_EQ(predicted->role, SeriesRole::kPredicted);
  EXPECT_TRUE(predicted->stepped);
  const std::vector<PredictedWorkers>& said = subject.analysis.models->predictions;
  ASSERT_EQ(predicted->marks.size(), said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_GT(predicted->marks[i].x, 16);
    EXPECT_DOUBLE_EQ(predicted->marks[i].y, said[i].speedup.point);
    EXPECT_DOUBLE_EQ(predicted->band[i + 1].low, said[i].speedup.low);
    EXPECT_DOUBLE_EQ(predicted->band[i + 1].high, said[i].speedup.high);
    EXPECT_TRUE(holds(predicted->marks[i].tip, " to ")) << predicted->marks[i].tip;
  }
  EXPECT_EQ(predicted->marks.back().x, 64);
}

TEST(ViewModels, HaveTheFormsThatWeigh) {
  const Subject subject = planted_subject(bending());
  const Result<Chart> made = chart("models", subject);
  for (const FittedModel& model : subject.analysis.models->models) {
    const std::string name = model.name + " (";
    const bool drawn =
        std::any_of(made->series.begin(), made->series.end(),
                    [&](const ChartSeries& series) { return series.name.starts_with(name); });
    EXPECT_EQ(drawn, model.weight >= kDrawnWeight) << model.name << ' ' << model.weight;
  }
}

TEST(ViewModels, PutTheHindcastBesideWhatWasMeasured) {
  const Subject subject = planted_subject(bending());
  const Result<Chart> made = chart("models", subject);
  const ChartSeries* hindcast = series_named(*made, "hindcast");
  ASSERT_NE(hindcast, nullptr);
  const ModelHindcast& said = *subject.analysis.models->hindcast;
  const double base = subject.analysis.table.points[0].time.point;
  EXPECT_NEAR(hindcast->marks[0].y, base / said.predicted.point, 1e-9);
  EXPECT_LT(hindcast->marks[0].low, hindcast->marks[0].high);
}

TEST(ViewModels, NeedTwoK) {
  Job job;
  job.workers = {4};
  const Subject subject = planted_subject(job);
  EXPECT_FALSE(chart("models", subject).has_value());
  EXPECT_TRUE(chart("samples", subject).has_value());
}

TEST(ViewCharts, CarryTheirProvenance) {
  Study study = planted::simulate(bending());
  study.header.title = "a job";
  study.header.environment.hosts = {{.name = "n1", .cpu = "a processor"}};
  study.runs[0].start = 1767225600;
  const Subject subject = subject_of(std::move(study));
  for (const Chart& one : charts_of({&subject, 1})) {
    for (const char* part : {"a job", "n1", "a processor", "2026-01-01", "25 runs", "kstar "}) {
      EXPECT_TRUE(holds(one.caption, part)) << one.kind << ": " << one.caption;
    }
    // Samples and cells have no intervals to name.
    const bool intervals = one.kind != "samples" && one.kind != "workers";
    EXPECT_EQ(holds(one.caption, "95% intervals"), intervals) << one.kind << ": " << one.caption;
    EXPECT_FALSE(one.title.empty());
    EXPECT_TRUE(one.summary.ends_with(".")) << one.summary;
  }
}

TEST(ViewCharts, DescribeThemselves) {
  for (const ChartKind& kind : chart_kinds()) {
    EXPECT_FALSE(kind.help.empty()) << kind.name;
    EXPECT_FALSE(kind.needs.empty()) << kind.name;
    EXPECT_NE(kind.make, nullptr) << kind.name;
  }
  std::string in_text;
  for (const ChartKind& kind : text_chart_kinds()) in_text.append(kind.name).append(" ");
  EXPECT_EQ(in_text, "speedup efficiency models samples workers ");
}

TEST(ViewCharts, AreOfEfficiencyWhereTheWorkGrows) {
  EXPECT_EQ(natural_kind({.regime = Regime::kStrong}).name, "speedup");
  EXPECT_EQ(natural_kind({.regime = Regime::kWeak}).name, "efficiency");
}

TEST(ViewCharts, RefuseAKindThatIsNone) {
  const Subject subject = planted_subject(bending());
  EXPECT_FALSE(chart("pie", subject).has_value());
  EXPECT_FALSE(chart_of("speedup", {}).has_value());
}

TEST(ViewCharts, DrawWhatHasNoInterval) {
  Job job = bending();
  job.runs = 1;
  const Subject subject = planted_subject(job);
  const Result<Chart> made = chart("efficiency", subject);
  ASSERT_TRUE(made.has_value());
  const ChartMark& mark = series_named(*made, "measured")->marks[2];
  EXPECT_TRUE(std::isnan(mark.low) && std::isnan(mark.high));
  EXPECT_TRUE(holds(mark.tip, "no interval") && holds(mark.tip, "1 run")) << mark.tip;
}

}  // namespace
}  // namespace kstar
