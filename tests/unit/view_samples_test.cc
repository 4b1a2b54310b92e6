// Every sample in order; where there are many, nothing extreme is lost.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/subjects.h"

namespace kstar {
namespace {

/// `runs` at each K, whose time differs from run to run; one is far off.
Study many(std::size_t runs) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (std::size_t i = 0; i < runs; ++i) {
    for (const int k : {1, 2, 4}) {
      Run run;
      run.workers = k;
      run.wall = (1 + 0.01 * std::sin(static_cast<double>(7 * i))) / k;
      study.runs.push_back(run);
    }
  }
  study.runs[study.runs.size() / 2].wall = 3;
  study.runs[study.runs.size() / 3].wall = 0.1;
  return study;
}

Chart samples_of(const Study& study) {
  const Subject subject = subject_of(study);
  Result<Chart> chart = chart_of("samples", {&subject, 1});
  EXPECT_TRUE(chart.has_value());
  return chart ? *chart : Chart();
}

std::size_t marks_of(const Chart& chart) {
  std::size_t marks = 0;
  for (const ChartSeries& series : chart.series) marks += series.marks.size();
  return marks;
}

std::pair<double, double> range_of(const Chart& chart) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartMark& mark : series.marks) {
      low = std::min(low, mark.y);
      high = std::max(high, mark.y);
    }
  }
  return {low, high};
}

TEST(ViewSamples, ShowEveryRunOverTheMedianOfItsK) {
  const Study study = many(10);
  const Subject subject = subject_of(study);
  const Chart chart = samples_of(study);
  EXPECT_EQ(marks_of(chart), study.runs.size());
  for (const ScalingPoint& point : subject.analysis.table.points) {
    const ChartSeries* series = series_named(chart, "K = " + std::to_string(point.workers));
    ASSERT_NE(series, nullptr);
    for (const ChartMark& mark : series->marks) {
      const auto& run = study.runs[static_cast<std::size_t>(mark.x) - 1];
      EXPECT_EQ(run.workers, point.workers);
      EXPECT_DOUBLE_EQ(mark.y, *run.wall / point.times.median);
    }
  }
}

TEST(ViewSamples, MarkWarmUpFailedAndLookedInto) {
  Study study = many(10);
  study.runs[0].warm_up = true;
  study.runs[4].exit_status = 7;
  study.runs[5].exit_status = 1;
  study.runs[5].wall.reset();
  study.runs[7].inside.emplace();
  const Chart chart = samples_of(study);
  EXPECT_EQ(marks_of(chart), study.runs.size());
  ASSERT_NE(series_named(chart, "warm-up"), nullptr);
  EXPECT_EQ(series_named(chart, "warm-up")->marks[0].x, 1);
  EXPECT_TRUE(holds(series_named(chart, "failed")->marks[0].tip, "exit status 7"));
  EXPECT_EQ(series_named(chart, "failed without a time")->marks[0].x, 6);
  EXPECT_NE(series_named(chart, "profiled: not in T(K)"), nullptr);
  EXPECT_TRUE(holds(chart.summary, "2 failed")) << chart.summary;
}

TEST(ViewSamples, FollowTheClockWhereItIsKnown) {
  Study study = many(2);
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    study.runs[i].start = 1000.0 - static_cast<double>(i);
  }
  study.runs[0].warm_up = true;
  const Chart chart = samples_of(study);
  EXPECT_EQ(series_named(chart, "warm-up")->marks[0].x, 6);
}

TEST(ViewSamples, KeepTheLowestAndTheHighestWhenPutTogether) {
  const Study study = many(5000);
  const Subject subject = subject_of(study);
  const Chart chart = samples_of(study);
  EXPECT_LE(marks_of(chart), 600U);
  EXPECT_FALSE(chart.notes.empty());
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const ScalingPoint& point : subject.analysis.table.points) {
    low = std::min(low, point.times.min / point.times.median);
    high = std::max(high, point.times.max / point.times.median);
  }
  const auto [lowest, highest] = range_of(chart);
  EXPECT_DOUBLE_EQ(lowest, low);
  EXPECT_DOUBLE_EQ(highest, high);
  std::size_t counted = 0;
  for (const ChartSpan& span : series_named(chart, "median and range")->band) {
    counted += std::stoul(span.tip);
    EXPECT_LE(span.low, span.high);
  }
  EXPECT_EQ(counted, study.runs.size());
}

TEST(ViewSamples, ShowStepsWhereNoKWasRepeated) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const int k : {1, 2}) {
    kstar::Run run;
    run.workers = k;
    run.steps = {5.0 / k, 1.0 / k, 1.1 / k, 0.9 / k};
    run.warm_up_steps = 1;
    study.runs.push_back(run);
  }
  const Chart chart = samples_of(study);
  EXPECT_EQ(marks_of(chart), 8U);
  EXPECT_EQ(series_named(chart, "warm-up")->marks.size(), 2U);
  EXPECT_DOUBLE_EQ(series_named(chart, "warm-up")->marks[0].y, 5);
  EXPECT_TRUE(holds(series_named(chart, "K = 2")->marks[0].tip, "run 2 of 2, step 2 at K = 2"));
}

}  // namespace
}  // namespace kstar
