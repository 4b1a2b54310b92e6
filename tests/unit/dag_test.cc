#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "kstar/analysis.h"
#include "kstar/analysis_report.h"
#include "kstar/dag.h"
#include "kstar/dag_algorithms.h"
#include "kstar/dag_read.h"
#include "kstar/dag_report.h"
#include "kstar/study_file.h"
#include "kstar/words.h"

namespace kstar {
namespace {

using testing::HasSubstr;

TaskGraph dag_of(std::string_view text, const GraphReadOptions& options = {}) {
  auto graph = read_graph_text(text, "t", options);
  if (graph) return *std::move(graph);
  ADD_FAILURE() << graph.error().where << ": " << graph.error().message;
  return {};
}

DagAnalysis dag_analysis(const TaskGraph& graph, const DagOptions& options = {}) {
  auto analysis = analyze_graph(graph, options);
  if (analysis) return *std::move(analysis);
  ADD_FAILURE() << analysis.error().where << ": " << analysis.error().message;
  return {};
}

/// The screen, with every run of blanks and line ends as one blank.
std::string screen_of(const DagAnalysis& analysis) {
  std::string text;
  for (const char c : to_terminal(to_document(analysis, {}), {})) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || !text.ends_with(' ')) text += blank ? ' ' : c;
  }
  return text;
}

double time_at(const TaskGraph& graph, std::int64_t workers, Priority priority) {
  return dag_analysis(graph, {.workers = {workers}, .priority = priority}).points.at(0).time;
}

/// Graham 1969, figure 5: nine tasks, all times less by `less`, with or without two of the edges.
TaskGraph graham(int less, bool all_edges) {
  std::string text = "task,time,after\n";
  const int times[] = {3, 2, 2, 2, 4, 4, 4, 4, 9};
  for (int i = 1; i <= 9; ++i) {
    const bool waits = i >= 5 && i <= 8 && (all_edges || i >= 7);
    text += "T" + std::to_string(i) + "," + std::to_string(times[i - 1] - less) + "," +
            (waits    ? "T4"
             : i == 9 ? "T1"
                      : "") +
            "\n";
  }
  return dag_of(text);
}

TEST(DagKnown, GrahamsAnomaliesMakeEveryImprovementSlower) {
  EXPECT_EQ(time_at(graham(0, true), 3, Priority::kFile), 12);
  EXPECT_EQ(time_at(graham(0, true), 4, Priority::kFile), 15) << "a worker more";
  EXPECT_EQ(time_at(graham(1, true), 3, Priority::kFile), 13) << "every task shorter";
  EXPECT_EQ(time_at(graham(0, false), 3, Priority::kFile), 16) << "two edges fewer";
}

TEST(DagKnown, TheBestScheduleOfGrahamsTasksIsFoundWhereTheGreedyOneIsNot) {
  const DagAnalysis analysis =
      dag_analysis(graham(0, true), {.workers = {4}, .priority = Priority::kFile});
  EXPECT_EQ(analysis.points[0].time, 15);
  EXPECT_EQ(analysis.points[0].best, 12);
}

/// A graph whose edges lead on, with some tasks of no time.
TaskGraph random_graph(Random& random, bool costs) {
  const std::uint64_t tasks = 1 + random.below(60);
  std::string edges = "from,to,cost\n", times = "task,seconds\n";
  TaskGraph graph;
  graph.name = "random";
  for (std::uint64_t i = 0; i < tasks; ++i) {
    graph.names.push_back(std::to_string(i));
    graph.times.push_back(random.below(5) == 0 ? 0 : std::floor(random.uniform(1, 20)));
  }
  graph.times[0] = 1;
  const double density = random.uniform(0, 0.4);
  graph.first.push_back(0);
  for (std::uint32_t from = 0; from < tasks; ++from) {
    for (std::uint32_t to = from + 1; to < tasks; ++to) {
      if (random.uniform() >= density) continue;
      graph.next.push_back(to);
      if (costs) graph.costs.push_back(std::floor(random.uniform(0, 15)));
    }
    graph.first.push_back(static_cast<std::uint32_t>(graph.next.size()));
  }
  if (graph.next.empty()) graph.costs.clear();
  return graph;
}

/// Whether no task starts before what it waits for is there, and no worker does two at a time.
void expect_valid(const TaskGraph& graph, const std::vector<TaskPlacement>& placed, double workers,
                  double makespan) {
  double last = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    const double end = placed[task].start + graph.times[task];
    last = std::max(last, end);
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      const std::uint32_t to = graph.next[e];
      const bool moved = !graph.costs.empty() && placed[task].worker != placed[to].worker;
      ASSERT_GE(placed[to].start, (end + (moved ? graph.costs[e] : 0)) * (1 - 1e-9));
    }
    if (graph.times[task] == 0) continue;
    ASSERT_LT(placed[task].worker, workers);
    for (std::uint32_t other = 0; other < task; ++other) {
      if (graph.times[other] == 0 || placed[other].worker != placed[task].worker) continue;
      const double from = std::max(placed[task].start, placed[other].start);
      ASSERT_LE(std::min(end, placed[other].start + graph.times[other]), from * (1 + 1e-9));
    }
  }
  ASSERT_NEAR(last, makespan, 1e-9 * makespan);
}

TEST(DagProperty, ListSchedulesOfRandomGraphsAreValidAndWithinBrentsBounds) {
  Random random(24);
  constexpr int kGraphs = 1000;
  for (int i = 0; i < kGraphs; ++i) {
    const TaskGraph graph = random_graph(random, i % 3 == 0);
    const auto priority = i % 2 == 0 ? Priority::kCriticalPath : Priority::kFile;
    const DagAnalysis analysis =
        dag_analysis(graph, {.workers = {1, 2, 5, 40}, .priority = priority});
    for (const SchedulePoint& point : analysis.points) {
      ASSERT_GE(point.time * (1 + 1e-9), point.least) << i;
      const double brent = analysis.work / point.workers +
                           analysis.depth * (point.workers - 1) / point.workers +
                           analysis.path_cost;
      ASSERT_LE(point.time, brent * (1 + 1e-9)) << i << " on " << point.workers;
      ASSERT_LE(point.most, (point.workers == 1 ? analysis.work : brent) * (1 + 1e-9)) << i;
      if (point.best) {
        ASSERT_LE(*point.best, point.time) << i;
        ASSERT_GE(*point.best * (1 + 1e-9), point.least) << i;
      }
      const auto placed = greedy_schedule(graph, point.workers, {.priority = priority});
      ASSERT_TRUE(placed);
      ASSERT_NO_FATAL_FAILURE(expect_valid(graph, *placed, point.workers, point.time)) << i;
    }
    EXPECT_EQ(analysis.points[0].time, analysis.work) << "one worker pays no edge";
  }
}

/// The longest path, by trying all.
double longest(const TaskGraph& graph, std::uint32_t task) {
  double behind = 0;
  for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
    behind = std::max(behind, longest(graph, graph.next[e]));
  }
  return behind + graph.times[task];
}

double depth_by_all_paths(const TaskGraph& graph) {
  double depth = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    depth = std::max(depth, longest(graph, task));
  }
  return depth;
}

/// The same with other times, of a graph whose edges lead on: from the last task to the first.
double depth_of(const TaskGraph& graph, const std::vector<double>& times) {
  std::vector<double> behind = times;
  for (std::size_t task = times.size(); task-- > 0;) {
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      behind[task] = std::max(behind[task], times[task] + behind[graph.next[e]]);
    }
  }
  return *std::max_element(behind.begin(), behind.end());
}

TEST(DagProperty, DepthSlackAndChangesAreThoseOfAllPaths) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    TaskGraph graph = random_graph(random, false);
    if (graph.edges() > 60) continue;
    const DagAnalysis analysis = dag_analysis(graph);
    ASSERT_DOUBLE_EQ(analysis.depth, depth_by_all_paths(graph));
    ASSERT_DOUBLE_EQ(analysis.depth, depth_of(graph, graph.times));
    double on_path = 0;
    for (const PathTask& task : analysis.path) {
      EXPECT_EQ(task.start, on_path);
      EXPECT_EQ(analysis.slack[task.task], 0);
      on_path += task.time;
    }
    EXPECT_EQ(on_path, analysis.depth);
    for (const TaskChange& change : analysis.changes) {
      std::vector<double> times = graph.times;
      times[change.task] = 0;
      ASSERT_DOUBLE_EQ(change.depth_if_dropped, depth_of(graph, times)) << i;
      times[change.task] = graph.times[change.task] / 2;
      ASSERT_DOUBLE_EQ(change.depth_if_split, depth_of(graph, times)) << i;
    }
    for (std::uint32_t task = 0; task < graph.size(); ++task) {  // slack is exactly what is free
      std::vector<double> times = graph.times;
      times[task] += analysis.slack[task];
      ASSERT_DOUBLE_EQ(depth_of(graph, times), analysis.depth);
      times[task] += 1;
      ASSERT_DOUBLE_EQ(depth_of(graph, times), analysis.depth + 1);
    }
  }
}

TEST(DagProperty, TheChosenKIsTheFastestOfAllThatAreEfficientAndWithinItsRange) {
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    const TaskGraph graph = random_graph(random, i % 2 == 0);
    const DagAnalysis analysis = dag_analysis(graph, {.threshold = 0.7});
    const WorkersChoice& choice = analysis.choice;
    EXPECT_TRUE(choice.exact);
    EXPECT_LE(choice.low, choice.workers);
    EXPECT_LE(choice.workers, choice.high);
    EXPECT_GE(choice.point.efficiency, 0.7 * (1 - 1e-8)) << i;
    EXPECT_TRUE(
        std::any_of(analysis.points.begin(), analysis.points.end(),
                    [&](const SchedulePoint& point) { return point.workers == choice.workers; }))
        << i;
    std::vector<std::int64_t> all(static_cast<std::size_t>(choice.high) + 1);
    std::iota(all.begin(), all.end(), 1);
    const DagAnalysis listed = dag_analysis(graph, {.workers = all});
    for (const SchedulePoint& point : listed.points) {
      if (point.efficiency < 0.7 * (1 + 1e-8)) continue;
      EXPECT_LE(point.workers, choice.high) << i;
      EXPECT_GE(point.time * (1 + 1e-8), choice.point.time) << i << ": " << point.workers;
      if (point.workers >= choice.workers) continue;
      EXPECT_GT(point.time, choice.point.time * (1 + 1e-10)) << i << ": fewer take as long";
    }
  }
}

double chosen_of(std::string_view text) {
  return dag_analysis(dag_of(text)).choice.workers;
}

TEST(DagChoice, WhereEfficiencyIsNotMonotoneTheLeastTimeCounts) {
  EXPECT_EQ(dag_analysis(graham(0, true)).choice.workers, 3);
  EXPECT_EQ(chosen_of("task,seconds,after\na,0.01,\nb,1,a\nc,1,a\nd,1,a\ne,1,a\nf,1,a\n"), 5)
      << "5 equal tasks take two rounds on 3 and on 4 workers";
  EXPECT_EQ(chosen_of("task,seconds\na,1\nb,1\nc,1\nd,1\ne,1\n"), 5);
  EXPECT_EQ(chosen_of("task,seconds\na,1\nb,1\nc,1\n"), 3);
}

TEST(DagChoice, AlgorithmsAreChosenForByTheSameRule) {
  for (const DagAlgorithm& algorithm : algorithms()) {
    const DagAnalysis analysis = analyze_algorithm(algorithm, 20);
    const WorkersChoice& choice = analysis.choice;
    EXPECT_LE(choice.low, choice.workers) << algorithm.name;
    EXPECT_LE(choice.workers, choice.high) << algorithm.name;
    std::vector<std::int64_t> all(static_cast<std::size_t>(std::min(choice.high + 1, 2000.0)));
    std::iota(all.begin(), all.end(), 1);
    for (const SchedulePoint& point : analyze_algorithm(algorithm, 20, {.workers = all}).points) {
      if (point.efficiency < 0.7 * (1 + 1e-8)) continue;
      EXPECT_GE(point.time, choice.point.time) << algorithm.name << ": " << point.workers;
      if (point.workers >= choice.workers) continue;
      EXPECT_GT(point.time, choice.point.time) << algorithm.name << ": " << point.workers;
    }
  }
}

TEST(DagAlgorithms, ReductionAndScanHaveTheWorkAndDepthOfTheirFormulas) {
  for (const double n : {2.0, 3.0, 8.0, 1000.0, 1e6}) {
    const double lg = std::ceil(std::log2(n));
    const DagAnalysis sum = analyze_algorithm(*find_algorithm("reduction"), n);
    EXPECT_EQ(sum.work, n - 1);
    EXPECT_EQ(sum.depth, lg);
    const DagAnalysis scan = analyze_algorithm(*find_algorithm("scan"), n);
    EXPECT_EQ(scan.work, 2 * (n - 1));
    EXPECT_EQ(scan.depth, 2 * lg);
  }
}

TEST(DagAlgorithms, TheOthersHaveThoseOfTheirs) {
  const auto expect = [](const char* name, double n, double work, double depth) {
    const DagAnalysis analysis = analyze_algorithm(*find_algorithm(name), n);
    EXPECT_EQ(analysis.work, work) << name;
    EXPECT_EQ(analysis.depth, depth) << name;
  };
  expect("sort", 1024, 1024 * 10 * 11 / 4.0, 55);
  expect("matmul", 64, 64 * 64 * 127, 7);
  expect("fft", 4096, 4096 * 12 / 2.0, 12);
  expect("stencil", 500, 500000, 1000);
  expect("tree", 8, 15, 4);
  expect("wavefront", 100, 10000, 199);
  expect("cholesky", 4, 20, 10);
}

TEST(DagAlgorithms, LevelsStayWithinBrentsBounds) {
  for (const DagAlgorithm& algorithm : algorithms()) {
    for (const SchedulePoint& point : analyze_algorithm(algorithm, 1000).points) {
      EXPECT_LE(point.least, point.time * (1 + 1e-12)) << algorithm.name;
      EXPECT_LE(point.time, point.most * (1 + 1e-12)) << algorithm.name;
    }
  }
}

TEST(DagCosts, MoreWorkersCanHurt) {
  const TaskGraph graph = dag_of("from,to\na,b\na,c\nb,d\nc,d\n");
  const DagAnalysis analysis = dag_analysis(graph, {.workers = {1, 2}, .edge_cost = 10});
  EXPECT_EQ(analysis.points[0].time, 4);
  EXPECT_GE(analysis.points[1].time, 4);
  EXPECT_EQ(analysis.choice.workers, 1);
  EXPECT_EQ(dag_analysis(graph, {.workers = {2}, .edge_cost = 0}).points[0].time, 3);
}

TEST(DagPools, AFullPoolHoldsItsTasksUp) {
  TaskGraph graph = dag_of("task,seconds\na,1\nb,1\nc,1\nd,1\n");
  graph.pools = {{"link", 1}};
  graph.pool_of = {1, 1, 1, 0};
  const DagAnalysis analysis = dag_analysis(graph, {.workers = {4}});
  EXPECT_EQ(analysis.points[0].time, 3);
  EXPECT_EQ(analysis.points[0].least, 3);
}

TEST(DagPools, ThePoolThatIsTheLimitIsNamedWithWhatMoreRoomGives) {
  TaskGraph graph = dag_of("task,seconds,after\na,1,\nb,1,\nc,1,\nd,1,\ne,2,\n");
  graph.pools = {{"big", 3}, {"link", 1}};
  graph.pool_of = {2, 2, 2, 2, 0};
  const DagAnalysis analysis = dag_analysis(graph, {});
  ASSERT_TRUE(analysis.pool);
  EXPECT_EQ(analysis.pool->name, "link");
  EXPECT_EQ(analysis.pool->tasks, 4U);
  EXPECT_EQ(analysis.choice.point.time, 4);
  ASSERT_TRUE(analysis.pool->twice_as_deep);
  EXPECT_EQ(analysis.pool->twice_as_deep->point.time, 2);
  const std::string text = screen_of(analysis);
  EXPECT_THAT(text,
              HasSubstr("less than 4 s, because pool link lets 1 of its 4 tasks run at a time"));
  EXPECT_THAT(text, HasSubstr("Pool link with 2 tasks at a time instead of 1: 2 s on 3 workers"));
}

TEST(DagPools, ScheduleWithCostsKnowNoPoolsAndAreRefused) {
  TaskGraph graph = dag_of("task,seconds,after\na,1,\nb,1,a\nc,1,a\n");
  graph.pools = {{"link", 1}};
  graph.pool_of = {0, 1, 1};
  const auto analysis = analyze_graph(graph, {.edge_cost = 1});
  ASSERT_FALSE(analysis);
  EXPECT_THAT(analysis.error().message, HasSubstr("know no pools, and 'link' lets only 1"));
  EXPECT_TRUE(analyze_graph(graph, {.edge_cost = 0}));
}

TEST(DagCached, BothStatesOfTheCacheAreAnswered) {
  TaskGraph graph = dag_of("task,seconds,after\na,4,\nb,4,\nc,4,\nd,4,\n");
  graph.cached = true;
  EXPECT_THAT(
      screen_of(dag_analysis(graph, {})),
      HasSubstr("If ccache has as much as it had for the recorded build, run on 4 workers"));
  graph.last_times = {4, 0.1, 0.1, 0.1};
  const DagAnalysis analysis = dag_analysis(graph, {});
  ASSERT_TRUE(analysis.choice_cached);
  EXPECT_EQ(analysis.choice_cached->workers, 1);
  const std::string text = screen_of(analysis);
  EXPECT_THAT(text,
              HasSubstr("If ccache has as little as it ever had in the log, run on 4 workers"));
  EXPECT_THAT(text, HasSubstr("If it has as much as it had last, K* is 1: 4.3 s."));
  EXPECT_EQ(text_value(greedy_study(analysis, {}).notes[0], "if"),
            "ccache has as little as it ever had in the log");
}

TEST(DagRecorded, ARunThatTookTwiceItsScheduleLeavesTheAnswerUndecided) {
  TaskGraph graph = dag_of("task,seconds,after\na,2,\nb,2,\nc,2,a\n");
  graph.record.start = {0, 0, 6};
  graph.record.end = {2, 2, 8};
  EXPECT_THAT(dag_analysis(graph, {}).undecided, HasSubstr("2 times as long as a schedule"));
  graph.record.start = {0, 0, 5};
  graph.record.end = {2, 2, 7};
  EXPECT_EQ(dag_analysis(graph, {}).undecided, "");
  graph.ordered = false;
  EXPECT_EQ(dag_analysis(graph, {}).undecided, "");
  graph.record.start = {0, 2, 11};
  graph.record.end = {2, 4, 13};
  EXPECT_THAT(dag_analysis(graph, {}).undecided, HasSubstr("2.2 times as long as its tasks one"));
}

TEST(DagRecorded, CoresTakeOffWhatTasksWaitedForEachOther) {
  TaskGraph graph = dag_of("task,seconds\na,2\nb,2\n");
  graph.record.start = {0, 0};
  graph.record.end = {2, 2};
  EXPECT_EQ(dag_analysis(graph, {.cores = 1}).work, 2);
  EXPECT_EQ(dag_analysis(graph, {.cores = 2}).work, 4);
}

// Alone a takes 1 and b 3; c waits for a. On one core a and b share it until a has ended at 2, then
// b and c until c has ended at 4, then b is alone until 5.
TEST(DagRecorded, TheScheduleOfTheRecordedTasksSharesTheirCores) {
  TaskGraph graph = dag_of("task,seconds,after\na,2,\nb,5,\nc,2,a\n");
  graph.record.start = {0, 0, 2};
  graph.record.end = {2, 5, 4};
  const DagAnalysis analysis = dag_analysis(graph, {.workers = {1, 2}, .cores = 1});
  EXPECT_EQ(analysis.work, 5);
  EXPECT_EQ(analysis.work_as_recorded, 9);
  EXPECT_EQ(analysis.points[1].time, 3) << "two workers are two cores";
  ASSERT_TRUE(analysis.recorded);
  EXPECT_EQ(analysis.recorded->schedule, 5);
  EXPECT_EQ(analysis.recorded->least, 5);
  EXPECT_EQ(analysis.recorded->work, 9);
}

TEST(DagRecorded, WhatWasAssumedOfTheCoresIsSaidFirst) {
  TaskGraph graph = dag_of("task,seconds,after\na,3,\nb,3,\nc,3,\n");
  graph.record.start = {0, 0, 0};
  graph.record.end = {3, 3, 3};
  graph.notes = {"another", "and another"};
  const auto said = [&](const DagOptions& options) {
    std::string text = to_terminal(to_document(dag_analysis(graph, options), {}), {});
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  const std::string text = said({.cores = 2, .assumed_cores = true});
  EXPECT_THAT(text, testing::ContainsRegex("3 tasks at a +time.*another"));
  EXPECT_THAT(text, testing::ContainsRegex("33% +less"));
  EXPECT_THAT(said({.cores = 3, .assumed_cores = true}),
              testing::Not(testing::HasSubstr("assumed")));
}

TEST(DagRecorded, WithoutDependenciesTheAnswerIsBetweenNoneAndTheRecordedOrder) {
  TaskGraph graph = dag_of("task,seconds\na,2\nb,2\nc,2\n");
  EXPECT_FALSE(graph.ordered);
  graph.record.start = {0, 0, 2};
  graph.record.end = {2, 2, 4};
  const DagAnalysis analysis = dag_analysis(graph);
  EXPECT_EQ(analysis.depth, 2);
  EXPECT_EQ(analysis.depth_most, 4);
  ASSERT_TRUE(analysis.choice_in_order);
  EXPECT_LE(analysis.choice_in_order->workers, analysis.choice.workers);
  ASSERT_TRUE(analysis.recorded);
  EXPECT_EQ(analysis.recorded->workers, 2);
  EXPECT_EQ(analysis.recorded->makespan, 4);
}

TEST(DagStudy, TheGreedyCurveIsAStudyWithOneRunPerK) {
  const DagAnalysis analysis = dag_analysis(graham(0, true), {.workers = {1, 2, 3}});
  const Study study = greedy_study(analysis, {"kstar", "dag"});
  ASSERT_EQ(study.runs.size(), 3U);
  EXPECT_EQ(*study.runs[0].wall, 1) << "the times have no unit: parts of T(1)";
  EXPECT_TRUE(to_lines(study));
  EXPECT_EQ(study.header.source.kind, SourceKind::kSimulated);
  EXPECT_THAT(note_sentence(study.notes.at(0)), testing::HasSubstr("not measured"));
}

TEST(DagStudy, WithoutAListEveryKIsInItAndTheChosenOne) {
  std::string text = "task,seconds,after\na,0.01,\n";
  for (int i = 1; i <= 100; ++i) text += "t" + std::to_string(i) + ",1,a\n";
  const DagAnalysis analysis = dag_analysis(dag_of(text), {.every_worker = true});
  EXPECT_EQ(analysis.choice.workers, 100);
  ASSERT_GT(analysis.points.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(analysis.points[i].workers, static_cast<double>(i + 1));
  }
  EXPECT_TRUE(std::any_of(analysis.points.begin(), analysis.points.end(),
                          [](const SchedulePoint& point) { return point.workers == 100; }));
}

TEST(DagStudy, AnalyzeSaysTheSameKAsDagAndNothingOfNoise) {
  std::string text = "task,seconds,after\na,0.01,\n";
  for (int i = 1; i <= 5; ++i) text += "t" + std::to_string(i) + ",1,a\n";
  for (const TaskGraph& graph : {dag_of(text), graham(0, true)}) {
    const DagAnalysis dag = dag_analysis(graph, {.every_worker = true});
    const auto analysis = analyze(greedy_study(dag, {"kstar", "dag"}));
    ASSERT_TRUE(analysis);
    EXPECT_EQ(analysis->recommendation.workers, dag.choice.workers);
    EXPECT_TRUE(analysis->verdict.doubts.empty());
    EXPECT_TRUE(analysis->diagnosis.causes.empty());
    const std::string said = to_terminal(to_document(*analysis, AnalysisView{.brief = true}), {});
    EXPECT_THAT(said, testing::HasSubstr("schedules of a graph (kstar dag)"));
    EXPECT_THAT(said, testing::HasSubstr("Run on " + std::to_string(int(dag.choice.workers))));
    EXPECT_THAT(said, testing::Not(testing::HasSubstr("borderline")));
  }
}

TEST(DagNames, NumbersAndOtherNamesAreKeptApart) {
  const TaskGraph graph =
      dag_of("from,to\nt1,t01\nt1,t\nt1,t7777777\nt1,t77777777\nt1,T1\nt01,1\nt1,t-1\n");
  EXPECT_THAT(graph.names,
              testing::ElementsAre("t1", "t01", "t", "t7777777", "t77777777", "T1", "1", "t-1"));
  EXPECT_EQ(graph.edges(), 7U);
  const std::string many(70'000, 'x');  // longer than the length that is kept of a name
  const TaskGraph other = dag_of("from,to\nt007,t7\nt07,t7\nt0,t00\n" + many + "a," + many + "b\n" +
                                 many + "b,t7\n" + many + "a,\xC3\xBC\n");
  EXPECT_THAT(other.names, testing::ElementsAre("t007", "t7", "t07", "t0", "t00", many + "a",
                                                many + "b", "\xC3\xBC"));
  std::string text = "from,to\n";  // more than are looked up at a time, in falling order
  for (int i = 3000; i > 0; --i) {
    text += "n" + std::to_string(i) + ",n" + std::to_string(i - 1) + "\n";
  }
  const TaskGraph chain = dag_of(text);
  ASSERT_EQ(chain.size(), 3001U);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    ASSERT_EQ(chain.names[i], "n" + std::to_string(3000 - i));
  }
  EXPECT_EQ(dag_analysis(chain).depth, 3001);
}

TEST(DagReport, TasksThatEndAlikeAreToldApart) {
  const DagAnalysis analysis =
      dag_analysis(dag_of("task,seconds,after\nsrc/audit/kstar_audit/Unity/unity_0_cxx.cxx.o,9,\n"
                          "src/cli/kstar_commands/Unity/unity_0_cxx.cxx.o,8,src/audit/kstar_audit/"
                          "Unity/unity_0_cxx.cxx.o\n"));
  const std::string text = to_terminal(to_document(analysis, {}), {});
  const std::string changes = text.substr(text.find("What one change"));
  EXPECT_THAT(changes, testing::HasSubstr("src/audit...ity_0_cxx.cxx.o"));
  EXPECT_THAT(changes, testing::HasSubstr("src/cli/k...ity_0_cxx.cxx.o"));
}

TEST(DagReport, WithoutTimesTheAnswerIsAnIf) {
  const DagAnalysis analysis = dag_analysis(dag_of("from,to\na,b\na,c\nb,d\n"));
  const std::string text = to_terminal(to_document(analysis, {}), {});
  EXPECT_THAT(text, testing::HasSubstr("The file has no times; if all tasks take as long, run on"));
}

TEST(DagRead, TheSizeOfAnEdgeIsNoTime) {
  const TaskGraph graph =
      dag_of("digraph { a [size=\"1e9\"]; b [size=\"2e9\"]; a -> b [size=\"-1\"]; }");
  EXPECT_TRUE(graph.costs.empty());
  EXPECT_THAT(graph.notes, testing::Contains(testing::HasSubstr("is no time")));
}

TEST(DagErrors, ACycleIsShown) {
  const TaskGraph graph = dag_of("from,to\na,b\nb,c\nc,d\nd,b\n");
  const auto analysis = analyze_graph(graph);
  ASSERT_FALSE(analysis);
  EXPECT_THAT(analysis.error().message, testing::HasSubstr("in a cycle: "));
  for (const char* edge : {"b -> c", "c -> d", "d -> b"}) {
    const std::string& text = analysis.error().message;
    const std::string twice = text + " " + text.substr(text.find(": ") + 2);
    EXPECT_THAT(twice, testing::HasSubstr(edge));
  }
  EXPECT_THAT(analysis.error().message, testing::Not(testing::HasSubstr("a ->")));
}

TEST(DagErrors, NothingToDoIsSaid) {
  TaskGraph empty;
  empty.name = "t";
  EXPECT_FALSE(analyze_graph(empty));
  EXPECT_THAT(analyze_graph(dag_of("task,seconds\na,0\n")).error().message,
              testing::HasSubstr("no task takes any time"));
  EXPECT_EQ(analyze_graph(graham(0, true), {.priority = Priority::kRecorded}).error().where,
            "--priority");
}

TEST(DagDeep, AChainOfAMillionTasksOfNoTimeIsNoProblem) {
  TaskGraph graph;
  constexpr std::uint32_t kTasks = 1'000'000;
  graph.names.assign(kTasks, "");
  graph.times.assign(kTasks, 0);
  graph.times.back() = 1;
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    graph.first.push_back(i);
    if (i + 1 < kTasks) graph.next.push_back(i + 1);
  }
  graph.first.push_back(kTasks - 1);
  EXPECT_EQ(dag_analysis(graph, {.workers = {2}}).points[0].time, 1);
}

TEST(DagReport, OneScreenAnswersFirstAndNamesTheTask) {
  const std::string text = to_terminal(to_document(dag_analysis(graham(0, true)), {}), {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_EQ(text.find("Run on "), text.find('\n') + 2);
  EXPECT_THAT(text, testing::HasSubstr("T9"));
}

TEST(DagChanges, ASplitIsNeverWorseThanTheWhole) {
  const auto graph = read_graph_text("from,to,cost\na,b,5\nb,c,5\n", "t");
  ASSERT_TRUE(graph.has_value());
  const auto analysis = analyze_graph(*graph);
  ASSERT_TRUE(analysis.has_value());
  ASSERT_EQ(analysis->changes.size(), 3U);
  for (const TaskChange& change : analysis->changes) EXPECT_LE(*change.time_if_split, 3);
}

}  // namespace
}  // namespace kstar
