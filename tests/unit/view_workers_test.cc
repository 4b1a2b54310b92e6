// Where the workers' time goes, and who is slow.
#include <gtest/gtest.h>

#include <map>

#include "kstar/worker_table.h"
#include "support/subjects.h"

namespace kstar {
namespace {

using planted::Job;

Result<Chart> chart_of_kind(std::string_view kind, const Subject& subject) {
  return chart_of(kind, {&subject, 1});
}

/// One run at K whose workers did just this, of 10 s.
Study one_run(const PerWorker& workers) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const int k : {1, 2}) {
    Run run;
    run.workers = k;
    run.wall = k == 1 ? 16 : 10;
    if (k == 2) run.per_worker.emplace() = workers;
    study.runs.push_back(run);
  }
  return study;
}

double height(const Chart& chart, const std::string& part, double x) {
  const ChartSeries* series = series_named(chart, part);
  if (series == nullptr) return 0;
  for (const ChartSpan& span : series->stack) {
    if (span.x == x) return span.high - span.low;
  }
  return 0;
}

TEST(WorkerTable, SumsUpToTheTime) {
  Job job;
  job.communication = 0.05;
  job.serial = 0.1;
  for (const WorkerPoint& point : worker_table(planted::simulate(job), Regime::kStrong).points) {
    double sum = point.compute.point + point.rest.point;
    for (const auto& part : {point.load, point.transfer, point.wait, point.serial}) {
      if (part) sum += part->point;
    }
    EXPECT_NEAR(sum, point.time.point, 1e-9 * point.time.point) << point.workers;
  }
}

TEST(WorkerTable, FindsTheSerialPartOfTheDiagnosis) {
  Job job;
  job.communication = 0.01;
  job.serial = 0.1;
  const WorkerTable table = worker_table(planted::simulate(job), Regime::kStrong);
  ASSERT_TRUE(table.points.back().serial);
  EXPECT_NEAR(table.points.back().serial->point, 0.1, 0.03);
  EXPECT_LE(table.points.back().serial->low, table.points.back().serial->point);
}

TEST(WorkerTable, IsEmptyWhereNoRunKnowsItsWorkers) {
  Job job;
  job.workers_known = false;
  EXPECT_TRUE(worker_table(planted::simulate(job), Regime::kStrong).points.empty());
}

TEST(ViewBreakdown, StacksWhatWasRecordedAndNamesTheRest) {
  PerWorker workers;
  workers.compute = {4, 6};
  workers.load = {1, 1};
  workers.communicate = {1, 2};
  workers.wait = {3, 0};
  const Subject subject = subject_of(one_run(workers));
  const Result<Chart> made = chart_of_kind("breakdown", subject);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->x.names, std::vector<std::string>{"2"});
  EXPECT_DOUBLE_EQ(height(*made, "compute", 0), 0.5);
  EXPECT_DOUBLE_EQ(height(*made, "load data", 0), 0.1);
  EXPECT_NEAR(height(*made, "transfer", 0), 0.15, 1e-12);
  EXPECT_NEAR(height(*made, "wait", 0), 0.15, 1e-12);
  EXPECT_NEAR(height(*made, "not accounted for", 0), 0.1, 1e-12);
}

TEST(ViewBreakdown, ClaimsNothingThatWasNotRecorded) {
  PerWorker workers;
  workers.compute = {4, 6};
  const Subject subject = subject_of(one_run(workers));
  const Result<Chart> made = chart_of_kind("breakdown", subject);
  EXPECT_EQ(series_named(*made, "transfer"), nullptr);
  EXPECT_EQ(series_named(*made, "wait"), nullptr);
  EXPECT_DOUBLE_EQ(height(*made, "not accounted for", 0), 0.5);
}

TEST(ViewBreakdown, SaysWherePhasesOverlap) {
  PerWorker workers;
  workers.compute = {8, 8};
  workers.communicate = {4, 4};
  workers.wait = {0, 0};
  const Subject subject = subject_of(one_run(workers));
  const Result<Chart> made = chart_of_kind("breakdown", subject);
  EXPECT_GT(made->y.high, 1.1);
  ASSERT_FALSE(made->notes.empty());
  EXPECT_TRUE(holds(made->notes.back(), "overlap"));
}

TEST(ViewBreakdown, HasTheIntervalOfEveryPartInItsTip) {
  Job job;
  job.communication = 0.05;
  const Subject subject = planted_subject(job);
  const Result<Chart> made = chart_of_kind("breakdown", subject);
  for (const ChartSeries& series : made->series) {
    for (const ChartSpan& span : series.stack) {
      EXPECT_TRUE(holds(span.tip, " to ") && holds(span.tip, "5 runs")) << span.tip;
      EXPECT_LE(span.low, span.high);
    }
  }
}

TEST(ViewBreakdown, NeedsTimesOfWorkers) {
  Job job;
  job.workers_known = false;
  const Subject subject = planted_subject(job);
  for (const char* kind : {"breakdown", "workers"}) {
    const Result<Chart> made = chart_of_kind(kind, subject);
    ASSERT_FALSE(made.has_value());
    EXPECT_TRUE(holds(made.error().hint, "--inside"));
  }
}

TEST(ViewWorkers, FindsTheSlowOne) {
  Job job;
  job.slow_worker = 3;
  job.slow_share = 0.4;
  job.hosts = {"n0", "n1", "n2", "n3"};
  const Subject subject = planted_subject(job);
  const Result<Chart> made = chart_of_kind("workers", subject);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->y.names, (std::vector<std::string>{"2", "4", "8", "16"}));
  std::map<double, const ChartCell*> slowest;
  for (const ChartCell& cell : made->cells) {
    const ChartCell*& one = slowest[cell.y];
    if (one == nullptr || cell.value > one->value) one = &cell;
  }
  for (const double row : {1.0, 2.0, 3.0}) {
    EXPECT_EQ(slowest[row]->x, 3);
    EXPECT_TRUE(holds(slowest[row]->tip, "worker 3 on n3")) << slowest[row]->tip;
  }
  EXPECT_EQ(made->cells.size(), 2U + 4U + 8U + 16U);
  EXPECT_TRUE(holds(made->summary, "worker 3 on n3")) << made->summary;
}

TEST(ViewWorkers, ShowsTheSlowestOfManyPutTogether) {
  Job job;
  job.workers = {1, 300};
  job.runs = 2;
  job.steps = 4;
  job.slow_worker = 217;
  job.slow_share = 1;
  const Subject subject = planted_subject(job);
  const Result<Chart> made = chart_of_kind("workers", subject);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->cells.size(), 100U);
  EXPECT_EQ(made->x.names.size(), 100U);
  const auto most =
      std::max_element(made->cells.begin(), made->cells.end(),
                       [](const ChartCell& a, const ChartCell& b) { return a.value < b.value; });
  EXPECT_EQ(most->x, 72);
  EXPECT_TRUE(holds(most->tip, "worker 217")) << most->tip;
  EXPECT_FALSE(made->notes.empty());
}

}  // namespace
}  // namespace kstar
