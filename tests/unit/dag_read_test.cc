#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kstar/dag.h"
#include "kstar/dag_read.h"
#include "support/import_files.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using testing::HasSubstr;

TaskGraph read_graph_or_fail(Result<TaskGraph> graph) {
  if (graph) return *std::move(graph);
  ADD_FAILURE() << graph.error().where << ": " << graph.error().message;
  return {};
}

TaskGraph graph_text(std::string_view text, const GraphReadOptions& options = {}) {
  return read_graph_or_fail(read_graph_text(text, "t", options));
}

Error graph_error(std::string_view text, const GraphReadOptions& options = {}) {
  const auto graph = read_graph_text(text, "t", options);
  return graph ? Error{} : graph.error();
}

double depth_in(const TaskGraph& graph) {
  const auto analysis = analyze_graph(graph);
  return analysis ? analysis->depth : -1;
}

std::vector<std::string> edges_in(const TaskGraph& graph) {
  std::vector<std::string> edges;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      edges.push_back(graph.names[task] + ">" + graph.names[graph.next[e]]);
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

TaskGraph sample(const std::string& name, std::vector<std::string> more = {}) {
  std::vector<std::string> paths = {public_file("samples/dag/" + name)};
  paths.insert(paths.end(), more.begin(), more.end());
  return read_graph_or_fail(read_graph(paths));
}

#define SKIP_WITHOUT_SAMPLES() \
  if (public_file("samples/dag").empty()) GTEST_SKIP() << "no public samples beside the project"

TEST(DagSamples, StandardTaskGraphsHaveTheCriticalPathsThatTheyState) {
  SKIP_WITHOUT_SAMPLES();
  const std::string name =
      "mcsweeney90__heterogeneous_optimistic_finish_time__simulator_graphs_random_STG_rand";
  for (const auto& [file, depth, parallelism] :
       {std::tuple("0000.stg", 1401.0, 4.064954), std::tuple("0002.stg", 762.0, 7.034121)}) {
    const TaskGraph graph = sample(name + file);
    EXPECT_EQ(graph.size(), 1002U);
    EXPECT_EQ(graph.stated_depth, depth);
    const auto analysis = analyze_graph(graph);
    ASSERT_TRUE(analysis);
    EXPECT_EQ(analysis->depth, depth);
    EXPECT_EQ(analysis->tasks, 1000U);
    EXPECT_NEAR(analysis->parallelism, parallelism, 1e-6);
  }
}

TEST(DagSamples, DotSchedulesOnTwoWorkersAreTheBestOnesStated) {
  SKIP_WITHOUT_SAMPLES();
  for (const auto& [number, best] : {std::pair("1", 28.0), std::pair("2", 581.0)}) {
    const TaskGraph graph =
        sample(std::string("frasermcc9__306-task-graph-scheduling__src_test_resources_e2e_") +
               number + ".dot");
    const auto analysis = analyze_graph(graph, {.workers = {2}});
    ASSERT_TRUE(analysis);
    EXPECT_EQ(analysis->points[0].best, best);
  }
}

TEST(DagSamples, WorkflowsHaveTheMakespanThatTheyState) {
  SKIP_WITHOUT_SAMPLES();
  const TaskGraph chain =
      sample("wfcommons__WfInstances__helloworld_helloworld-chain-5-chameleon.json");
  EXPECT_EQ(chain.record.makespan, 661);
  EXPECT_NEAR(depth_in(chain), 501.2, 0.1);
  const TaskGraph montage =
      sample("wfcommons__WfInstances__pegasus_montage_montage-chameleon-2mass-025d-001.json");
  EXPECT_EQ(montage.record.makespan, 812);
  EXPECT_EQ(montage.size(), 619U);
}

TEST(DagSamples, NextflowLeavesOutWhatFailedAndKnowsNoOrder) {
  SKIP_WITHOUT_SAMPLES();
  const TaskGraph graph =
      sample("edgano__dynamicAligners__results_pipeline_info_execution_trace.txt");
  EXPECT_EQ(graph.size(), 9U);
  EXPECT_FALSE(graph.ordered);
  EXPECT_EQ(graph.times[0], 2.2);
  EXPECT_NEAR(*graph.record.makespan, 34.7, 0.01);
  const auto failed = read_graph(std::vector<std::string>{
      public_file("samples/dag/jpfeuffer__nfbug__results_pipeline_info_execution_trace.txt")});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("2 failed"));
}

TEST(DagSamples, TimeTracesHaveTheTotalsOfClangBuildAnalyzer) {
  SKIP_WITHOUT_SAMPLES();
  const std::string start =
      "samples/dag/aras-p__ClangBuildAnalyzer__tests_hlsl2glsl-mac-clang-10.0-dev_";
  std::vector<std::string> paths;
  for (const char* file : {"glslCommon", "glslFunction", "glslOutput", "hlslLinker"}) {
    paths.push_back(public_file(start + file + ".json"));
  }
  const TaskGraph graph = read_graph_or_fail(read_graph(paths));
  double frontend = 0, backend = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.names[i].ends_with("frontend")) frontend += graph.times[i];
    if (graph.names[i].ends_with("backend")) backend += graph.times[i];
  }
  EXPECT_NEAR(frontend, 3.4, 0.05);
  EXPECT_NEAR(backend, 2.4, 0.05);
}

TEST(DagSamples, BuildFoldersOfOthersAreRead) {
  SKIP_WITHOUT_SAMPLES();
  const std::string start = public_file("samples/dag") + "/1193700079__cuda-study__build_";
  const std::string manifest = start + "build.ninja";
  const TaskGraph graph =
      read_graph_or_fail(read_graph(std::span(&manifest, 1), {.log = start + ".ninja_log"}));
  EXPECT_NEAR(depth_in(graph), 0.524, 1e-9);  // 443 + 81 ms
}

TEST(DagTable, TasksAndEdgesAreReadWithTheirUnits) {
  const TaskGraph tasks = graph_text("task,time_ms,after\na,1500,\nb,500,a\nc,250,a;b\n");
  EXPECT_EQ(tasks.times, (std::vector<double>{1.5, 0.5, 0.25}));
  EXPECT_EQ(edges_in(tasks), (std::vector<std::string>{"a>b", "a>c", "b>c"}));
  EXPECT_TRUE(tasks.seconds);
  const TaskGraph edges = graph_text("# comment\nsource\ttarget\tweight\n1\t2\t5\n2\t3\t0\n");
  EXPECT_EQ(edges.costs, (std::vector<double>{5, 0}));
  EXPECT_FALSE(edges.timed);
  const TaskGraph bare = graph_text("1 2\n2 3\n10 3\n");
  EXPECT_EQ(edges_in(bare), (std::vector<std::string>{"10>3", "1>2", "2>3"}));
  const TaskGraph quoted = graph_text("from,to\n\"a,1\",\"b \"\"x\"\"\"\r\n");
  EXPECT_EQ(edges_in(quoted), (std::vector<std::string>{"a,1>b \"x\""}));
}

TEST(DagTable, NumberedNamesAreTheSameTasksAsTheOthers) {
  const TaskGraph graph = graph_text("from,to\nt1,t2\nt01,t2\nt2,x2\nt2,t99999999\nt1,t2\n");
  EXPECT_EQ(edges_in(graph),
            (std::vector<std::string>{"t01>t2", "t1>t2", "t1>t2", "t2>t99999999", "t2>x2"}));
}

TEST(DagTable, RowsAreTheSameEdgesHoweverTheyAreWritten) {
  const std::vector<std::string> edges = {"a>b", "a>c_long_name", "b>c_long_name"};
  for (const char* text : {"from,to\na,b\na,c_long_name\nb,c_long_name\n",
                           "from,to\na,b\na,c_long_name\nb,c_long_name",
                           "from,to\r\na,b\r\na,c_long_name\r\nb,c_long_name\r\n",
                           "from;to\na;b\n a ; c_long_name \n# no row\n\nb;c_long_name\n",
                           "from,to\n\"a\",b\na,\"c_long_name\"\nb,c_long_name,\n",
                           "to\tfrom\nb\ta\nc_long_name\ta\nc_long_name\tb\n"}) {
    EXPECT_EQ(edges_in(graph_text(text)), edges) << text;
  }
  EXPECT_EQ(edges_in(graph_text("from,to\na,#b\nx,\nb=1,c\n")),
            (std::vector<std::string>{"a>#b", "b=1>c"}));
}

// More than 32 MiB are read by two threads, but where a quoted cell may have a line's end in it.
TEST(DagTable, ALargeTableIsTheSameGraphInOnePartAndInTwo) {
  const std::string stem(400, 'x');
  std::string rows;
  for (int i = 0; i < 50'000; ++i) {  // tasks that only the second half has, and its first cost
    rows += stem + std::to_string(i % 997 + i / 60) + "o," + std::to_string(i * 7919 % 1009) + stem;
    rows += i == 41'234 ? ",2.5\n" : i % 3 == 0 ? ",0\n" : ",\n";
  }
  const TaskGraph two = graph_text("from,to,cost\n" + rows);
  const TaskGraph one = graph_text("from,to,cost\n" + rows + "\"a\",b,0\n");
  ASSERT_EQ(two.edges(), 50'000);
  ASSERT_EQ(one.edges(), 50'001);
  EXPECT_TRUE(std::equal(two.names.begin(), two.names.end(), one.names.begin()));
  EXPECT_TRUE(std::equal(two.next.begin(), two.next.end(), one.next.begin()));
  EXPECT_TRUE(std::equal(two.costs.begin(), two.costs.end(), one.costs.begin()));
  EXPECT_EQ(std::count(two.costs.begin(), two.costs.end(), 2.5), 1);
  EXPECT_THAT(graph_error("from,to,cost\n" + rows + "a,b,c\n").where, HasSubstr("t:50002:5"));
}

TEST(DagTable, CostsInSecondsOfTasksWithoutTimesDecideNothing) {
  const TaskGraph graph = graph_text("from,to,seconds\na,b,5\nb,c,7\n");
  EXPECT_FALSE(graph.seconds);
  EXPECT_THAT(graph.undecided, HasSubstr("the tasks have no times"));
  EXPECT_EQ(graph_text("from,to,weight\na,b,5\nb,c,7\n").undecided, "");
}

TEST(DagTable, MeasurementsWithoutAHeadAreNoGraph) {
  EXPECT_THAT(graph_error("0.5,0.7\n0.9,1.2\n").message, HasSubstr("no graph"));
  EXPECT_EQ(graph_text("1,2,0.5\n2,3,0.7\n").costs, (std::vector<double>{0.5, 0.7}));
}

TEST(DagTable, ACellIsTheTaskOfThatNameBeforeItIsAList) {
  EXPECT_EQ(edges_in(graph_text("task,seconds,after\nlink all,1,\"cc a,b\"\n\"cc a,b\",1,\n"
                                "run,1,\"link all\"\nend,1,run;link all\nlink,1,\nall,1,\n")),
            (std::vector<std::string>{"all>end", "cc a,b>link all", "link all>run", "link>end",
                                      "run>end"}));
}

TEST(DagTable, WhatIsWrongIsShownWithItsPlace) {
  EXPECT_EQ(graph_error("task,seconds\na,1\nb,-1\n").where, "t:3:3");
  EXPECT_THAT(graph_error("task,seconds\na,1\nb,nan\n").message, HasSubstr("got 'nan'"));
  EXPECT_THAT(graph_error("task,seconds\na,1\na,2\n").message, HasSubstr("has a time already"));
  EXPECT_THAT(graph_error("from,to,cost\na,b,x\n").message, HasSubstr("a cost of 0 or more"));
  EXPECT_THAT(graph_error("").message, HasSubstr("is empty"));
  EXPECT_THAT(graph_error("\n\n# a\n").message, HasSubstr("is empty"));
  EXPECT_THAT(graph_error("Dear all,\nthis is a letter.\n").message, HasSubstr("no graph"));
}

TEST(DagTable, ATaskThatOthersWaitForHasARow) {
  const Error error = graph_error("task,seconds,after\na,1,\nb,1,zz\n");
  EXPECT_EQ(error.where, "t:3:5");
  EXPECT_THAT(error.message, HasSubstr("waits for 'zz', which has no row"));
  EXPECT_EQ(edges_in(graph_text("task,seconds,after\nb,1,a\na,1,\n")),
            (std::vector<std::string>{"a>b"}));
}

TEST(DagTable, ColumnsThatMeanNothingAreNamed) {
  const TaskGraph graph = graph_text("task,cpu_load,after\na,3,\nb,4,a\n");
  ASSERT_FALSE(graph.notes.empty());
  EXPECT_THAT(graph.notes.back(), HasSubstr("'cpu_load' is not read"));
}

TEST(DagDot, ChainsSubgraphsDefaultsAndQuotesAreUnderstood) {
  const TaskGraph graph = graph_text(R"(/* c */ strict digraph "g" {
    node [Weight=2]; edge [Weight=1];
    a -> b -> { c; "d e" } [Weight=3] // comment
    b [Weight=7, label=<b<i>x</i>>];
    subgraph cluster_x { label="no node"; node [Weight=5]; f:p:n }
    rankdir = LR
    f -> a
  })");
  EXPECT_EQ(edges_in(graph), (std::vector<std::string>{"a>b", "b>c", "b>d e", "f>a"}));
  const auto time_of = [&](std::string_view name) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph.names[i] == name) return graph.times[i];
    }
    return -1.0;
  };
  EXPECT_EQ(time_of("a"), 2);
  EXPECT_EQ(time_of("b"), 7);
  EXPECT_EQ(time_of("f"), 5);
  EXPECT_EQ(graph.costs.size(), 4U);
}

TEST(DagDot, AGraphWithoutDirectionIsRefused) {
  EXPECT_THAT(graph_error("graph { a -- b }").message, HasSubstr("expected a digraph"));
  EXPECT_THAT(graph_error("digraph { a -- b }").message, HasSubstr("->"));
  EXPECT_THAT(graph_error("digraph { a -> b").message, HasSubstr("the end of the file"));
  EXPECT_THAT(graph_error("digraph { a -> \"b }").message, HasSubstr("does not end"));
  EXPECT_THAT(graph_error("digraph { a [weight=-1] }").message, HasSubstr("of 0 or more"));
}

TEST(DagDot, GraphsOfFilesAndTargetsAreRefused) {
  EXPECT_THAT(graph_error("digraph ninja {\n\"a.c\" -> \"a.o\" [label=\" cc\"]\n}\n").message,
              HasSubstr("files as nodes"));
  EXPECT_THAT(graph_error("digraph \"x\" {\nsubgraph clusterLegend {\n l0 [ label = \"Executable\" "
                          "];\n}\nn0 -> n1\n}\n")
                  .message,
              HasSubstr("targets as nodes"));
  EXPECT_EQ(graph_text("digraph g { ninja -> b }").size(), 2U);
}

TEST(DagStg, ACutFileIsRefused) {
  EXPECT_EQ(depth_in(graph_text("1\n0 0 0\n1 5 1 0\n2 0 1 1\n# CP Length : 5\n")), 5);
  EXPECT_THAT(graph_error("4\n0 0 0\n1 5 1 0\n2 0 1 1\n").message, HasSubstr("expected 4 tasks"));
  EXPECT_THAT(graph_error("1\n0 0 0\n1 5 2 0\n2 0 1 1\n").message, HasSubstr("predecessors"));
  EXPECT_THAT(graph_error("1\n0 0 0\n1 5 1 2\n2 0 1 1\n").message, HasSubstr("listed before"));
}

TEST(DagTrace, FlowsAreDependenciesAndCutASlice) {
  const TaskGraph graph = graph_text(R"({"traceEvents": [
    {"ph": "X", "name": "main", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
    {"ph": "X", "name": "inner", "pid": 1, "tid": 1, "ts": 10, "dur": 5},
    {"ph": "X", "name": "task", "pid": 1, "tid": 2, "ts": 30, "dur": 40},
    {"ph": "s", "id": 1, "name": "f", "cat": "c", "pid": 1, "tid": 1, "ts": 20},
    {"ph": "f", "bp": "e", "id": 1, "name": "f", "cat": "c", "pid": 1, "tid": 2, "ts": 30},
    {"ph": "s", "id": 2, "name": "f", "cat": "c", "pid": 1, "tid": 2, "ts": 70},
    {"ph": "f", "bp": "e", "id": 2, "name": "f", "cat": "c", "pid": 1, "tid": 1, "ts": 80}]})");
  EXPECT_EQ(edges_in(graph), (std::vector<std::string>{"main (1)>main (2)", "main (1)>task",
                                                       "main (2)>main (3)", "task>main (3)"}));
  EXPECT_NEAR(depth_in(graph), 100e-6, 1e-12);  // 20, then 60 beside 40, then 20
}

TEST(DagTrace, AListThatIsCutOffIsReadAsFarAsItGoes) {
  const TaskGraph graph = graph_text(
      R"([{"ph":"B","name":"a","pid":1,"tid":1,"ts":0},{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"X","na)");
  EXPECT_EQ(graph.size(), 1U);
  EXPECT_NEAR(graph.times[0], 5e-6, 1e-12);
  EXPECT_FALSE(graph.ordered);
}

TEST(DagTrace, SlicesWithoutAnEndAreCounted) {
  const TaskGraph graph = graph_text(R"([{"ph":"B","name":"a","pid":1,"tid":1,"ts":0},
    {"ph":"X","name":"b","pid":1,"tid":2,"ts":0,"dur":-5},
    {"ph":"X","name":"c","pid":1,"tid":2,"ts":0,"dur":7}])");
  EXPECT_EQ(graph.size(), 1U);
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("2 slices without an end")));
}

TEST(DagWfCommons, OldAndNewFilesHaveTheSameGraph) {
  const TaskGraph now = graph_text(R"({"workflow": {"specification": {"tasks": [
    {"name": "x", "id": "a", "parents": [], "children": ["b"]},
    {"name": "y", "id": "b", "parents": ["a"], "children": []}]},
    "execution": {"makespanInSeconds": 9, "tasks": [{"id": "a", "runtimeInSeconds": 2},
    {"id": "b", "runtimeInSeconds": 3}]}}})");
  const TaskGraph old = graph_text(R"({"workflow": {"makespan": 9, "jobs": [
    {"name": "a", "runtime": 2, "parents": []}, {"name": "b", "runtime": 3, "parents": ["a"]}]}})");
  EXPECT_EQ(edges_in(now), edges_in(old));
  EXPECT_EQ(depth_in(now), 5);
  EXPECT_EQ(depth_in(old), 5);
  EXPECT_THAT(graph_error(R"({"workflow": {"tasks": [{"id": "a", "parents": ["z"]}]}})").message,
              HasSubstr("names 'z', which is no task"));
}

class DagNinja : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_ / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  TaskGraph read() {
    const std::string path = folder_.path();
    return read_graph_or_fail(read_graph(std::span(&path, 1)));
  }

  TempFolder folder_;
};

TEST_F(DagNinja, IncludesVariablesAndAllKindsOfInputsAreFollowed) {
  write("build.ninja", R"(ninja_required_version = 1.5
dir = out
include rules.ninja
subninja sub/sub.ninja
build $dir/a.o | $dir/a.d: cc a.c | gen.h || order
  pool = link
build gen.h: gen
  pool = link
build order: phony stamp
build stamp: touch
build ./$dir/../app: ld $dir/a.o $dir/b$ c.o $
    lib.a |@ check
build check: touch
default app
)");
  write("rules.ninja",
        "pool link\n  depth = 1\nrule cc\n  command = cc $in -o $out\nrule ld\n  "
        "command = ld\nrule gen\n  command = g\nrule touch\n  command = t\n");
  write("sub/sub.ninja", "dir = elsewhere\nbuild lib.a: ld\nbuild out/b$ c.o: cc b.c\n");
  write(".ninja_log",
        "# ninja log v5\n0\t1000\t0\tgen.h\t1\n0\t500\t0\tstamp\t1\n1000\t3000\t0\tout/a.o\t1\n"
        "1000\t3000\t0\tout/a.d\t1\n500\t900\t0\tlib.a\t1\n900\t1800\t0\tout/b c.o\t1\n"
        "3000\t3500\t0\tapp\t1\n");
  const TaskGraph graph = read();
  EXPECT_EQ(edges_in(graph),
            (std::vector<std::string>{"gen.h>out/a.o", "lib.a>app", "order>out/a.o", "out/a.o>app",
                                      "out/b c.o>app", "stamp>order"}));
  EXPECT_NEAR(depth_in(graph), 3.5, 1e-9);
  EXPECT_EQ(graph.pools.size(), 1U);
}

TEST_F(DagNinja, APoolWithRoomForAllItsCommandsIsNone) {
  write("build.ninja",
        "pool link\n  depth = 2\nrule r\n  command = x\n  pool = link\nbuild a: r\nbuild b: r\n");
  write(".ninja_log", "# ninja log v5\n0\t1000\t0\ta\t1\n0\t1000\t0\tb\t1\n");
  EXPECT_TRUE(read().pools.empty());
}

// A cold build, then one with everything in the cache but the link.
TEST_F(DagNinja, OfCommandsThroughACacheTheirTimeWithNothingInItCounts) {
  write("build.ninja",
        "rule cc\n  command = /usr/bin/env X=1 ccache cc -c $in\nrule ld\n  command = cc\n"
        "build a.o: cc\nbuild b.o: cc\nbuild app: ld a.o b.o\n");
  const std::string cold =
      "# ninja log v5\n0\t4000\t0\ta.o\t1\n4000\t5000\t0\tb.o\t1\n5000\t5400\t0\tapp\t1\n";
  write(".ninja_log", cold);
  TaskGraph graph = read();
  EXPECT_TRUE(graph.cached);
  EXPECT_TRUE(graph.last_times.empty());
  write(".ninja_log", cold + "0\t20\t0\ta.o\t1\n20\t920\t0\tb.o\t1\n1000\t1500\t0\tapp\t1\n");
  graph = read();
  EXPECT_THAT(graph.times, testing::ElementsAre(4, 0.9, 0.5));
  EXPECT_THAT(graph.last_times, testing::ElementsAre(0.02, 0.9, 0.5));
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("1 command through ccache took less")));
  // Another command line, as of a build without optimisation: the earlier time is not of it.
  write(".ninja_log", cold + "0\t20\t0\ta.o\t2\n20\t920\t0\tb.o\t2\n");
  EXPECT_TRUE(read().last_times.empty());
  // The same log of commands that are not cached: the last time counts.
  write("build.ninja",
        "rule cc\n  command = cc -I/src/ccache/include -c $in\nrule ld\n  command = cc\n"
        "build a.o: cc\nbuild b.o: cc\nbuild app: ld a.o b.o\n");
  graph = read();
  EXPECT_FALSE(graph.cached);
  EXPECT_EQ(graph.times[0], 0.02);
}

TEST_F(DagNinja, OneLogEntryBelongsToNoCommand) {
  write("build.ninja", "rule r\n  command = x\nbuild a: r\n");
  write(".ninja_log", "# ninja log v5\n0\t1000\t0\ta\t1\n0\t1\t0\tgone\t1\n");
  EXPECT_THAT(read().notes, testing::Contains(HasSubstr("1 of 2 log entries belongs to no")));
}

TEST_F(DagNinja, TheLargestBuildOfALogIsTheRecordedOne) {
  write("build.ninja",
        "rule r\n  command = x\nbuild a: r\nbuild b: r\nbuild c: r a b\nbuild d: r a\n");
  // A build of all, started at 1000 s, then one of c alone and one of d alone: the short one comes
  // first in the log, as after a recompaction.
  write(".ninja_log",
        "# ninja log v5\n"
        "0\t700\t1700002000700000000\td\t1\n"
        "0\t4000\t1700001004000000000\ta\t1\n"
        "0\t5000\t1700001005000000000\tb\t1\n"
        "5000\t9000\t1700001009000000000\tc\t1\n"
        "4000\t6000\t1700001006000000000\td\t2\n"
        "0\t3000\t1700003003000000000\tc\t1\n");
  const auto analysis = analyze_graph(read());
  ASSERT_TRUE(analysis && analysis->recorded);
  EXPECT_EQ(analysis->recorded->tasks, 4U);
  EXPECT_NEAR(analysis->recorded->makespan, 9, 1e-9);
  EXPECT_EQ(analysis->recorded->workers, 2);
  EXPECT_EQ(analysis->recorded->broken, 0U);
  EXPECT_NEAR(analysis->work, 4 + 5 + 3 + 2, 1e-9) << "the last time of each task";
}

TEST_F(DagNinja, RegeneratingTheBuildFileIsNoPartOfTheBuild) {
  write("build.ninja",
        "rule r\n  command = x\nrule again\n  command = cmake\n  generator = 1\n"
        "build build.ninja: again\nbuild a: r\n");
  write(".ninja_log", "# ninja log v6\n0\t9000\t0\tbuild.ninja\t1\n0\t1000\t0\ta\t1\n");
  EXPECT_NEAR(depth_in(read()), 1, 1e-9);
}

TEST_F(DagNinja, ALogOfAnotherBuildIsRefused) {
  write("build.ninja", "rule r\n  command = x\nbuild a: r\n");
  write(".ninja_log", "# ninja log v5\n0\t1000\t0\tz\t1\n");
  const std::string path = folder_.path();
  EXPECT_THAT(read_graph(std::span(&path, 1)).error().message, HasSubstr("none of its"));
}

constexpr const char* kTwoPrograms =
    "rule r\n  command = x\nbuild a.o: r\nbuild b.o: r\nbuild c.o: r\nbuild d.o: r\n"
    "build x: r a.o b.o\nbuild y: r c.o d.o\nbuild all: phony x y\ndefault all\n";

TEST_F(DagNinja, ALogOfAFewCommandsDecidesNothing) {
  write("build.ninja", kTwoPrograms);
  write(".ninja_log", "# ninja log v5\n0\t1000\t0\ta.o\t1\n");
  EXPECT_EQ(read().undecided, "the times of 5 of 6 tasks are missing");
  write(".ninja_log", "# ninja log v5\n0\t1000\t0\ta.o\t1\n1000\t2000\t0\tx\t1\n");
  EXPECT_EQ(read().undecided, "the times of 4 of 6 tasks are missing") << "x needs b.o";
  write(".ninja_log", "# ninja log v5\n0\t1000\t0\ta.o\t1\n0\t1000\t0\tb.o\t1\n");
  EXPECT_EQ(read().undecided, "the times of 4 of 6 tasks are missing") << "a build cut short";
}

TEST_F(DagNinja, ATargetThatWasBuiltAloneIsAnswered) {
  write("build.ninja", kTwoPrograms);
  write(".ninja_log",
        "# ninja log v5\n0\t1000\t0\ta.o\t1\n0\t1000\t0\tb.o\t1\n1000\t1100\t0\tx\t1\n");
  const TaskGraph graph = read();
  EXPECT_EQ(graph.undecided, "");
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("3 of 6 commands are not in the log, and")));
  const auto analysis = analyze_graph(graph);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->choice.workers, 2);
}

/// .ninja_deps of version 4: paths, and which of them each output was made from.
class DepsLog {
 public:
  std::uint32_t path(std::string text) {
    while (text.size() % 4 != 0) text += '\0';
    word(static_cast<std::uint32_t>(text.size() + 4));
    bytes_ += text;
    word(~paths_);
    return paths_++;
  }
  void deps(std::uint32_t output, const std::vector<std::uint32_t>& inputs) {
    word(static_cast<std::uint32_t>(12 + 4 * inputs.size()) | 0x80000000U);
    for (const std::uint32_t value : {output, 1U, 0U}) word(value);
    for (const std::uint32_t input : inputs) word(input);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void word(std::uint32_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string bytes_ = std::string("# ninjadeps\n\4\0\0\0", 16);
  std::uint32_t paths_ = 0;
};

TEST_F(DagNinja, MadeFilesThatCommandsReadAreWaitedForAsTheDepsLogSays) {
  write("build.ninja",
        "rule r\n  command = x\nbuild gen.h: r\nbuild said.h: r\nbuild order: phony said.h\n"
        "build a.o: r || order\nbuild b.o: r\n");
  DepsLog log;
  const std::uint32_t a = log.path("a.o"), b = log.path("./b.o"), gen = log.path("gen.h"),
                      said = log.path("said.h"), system = log.path("/usr/include/stdio.h");
  log.deps(b, {gen});
  log.deps(a, {gen, said, system});
  log.deps(b, {system});  // the last counts
  write(".ninja_deps", log.bytes());
  TaskGraph graph = read();
  EXPECT_EQ(edges_in(graph), (std::vector<std::string>{"gen.h>a.o", "order>a.o", "said.h>order"}));
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("1 command reads what the build makes, such "
                                                       "as gen.h")));
  write(".ninja_deps", log.bytes().substr(0, log.bytes().size() - 3));  // cut while it was written
  EXPECT_EQ(read().edges(), 4U);
  log.deps(gen, {a});
  write(".ninja_deps", log.bytes());
  graph = read();
  EXPECT_EQ(graph.edges(), 2U) << "a log that makes a cycle is of another build";
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("of another build, and not used")));
  for (std::size_t size = 0; size < log.bytes().size(); ++size) {  // and a byte that is wrong
    std::string cut = log.bytes().substr(0, size);
    if (size > 16) cut[16 + (7 * size) % (size - 16)] ^= static_cast<char>(size);
    write(".ninja_deps", cut);
    ASSERT_LE(read().edges(), 5U);
  }
}

TEST_F(DagNinja, DyndepFilesAddInputsAndOutputs) {
  write("build.ninja",
        "rule r\n  command = x\nbuild dd: r\nbuild a.o: r || dd\n  dyndep = dd\n"
        "build b.o: r || dd\n  dyndep = dd\n");
  EXPECT_THAT(read().notes, testing::Contains(HasSubstr("1 of 1 dyndep file missing")));
  write("dd",
        "ninja_dyndep_version = 1\nbuild a.o | a.mod: dyndep\n"
        "build b.o: dyndep | a.mod\n  restat = 1\n");
  const TaskGraph graph = read();
  EXPECT_EQ(edges_in(graph), (std::vector<std::string>{"a.o>b.o", "dd>a.o", "dd>b.o"}));
  EXPECT_THAT(graph.notes, testing::Not(testing::Contains(HasSubstr("dyndep"))));
}

TEST_F(DagNinja, WithoutALogEveryCommandCountsOne) {
  write("build.ninja", "rule r\n  command = x\nbuild a: r\nbuild b: r a\nbuild c: phony b\n");
  const TaskGraph graph = read();
  EXPECT_FALSE(graph.timed);
  EXPECT_EQ(depth_in(graph), 2);
}

TEST_F(DagNinja, WhatIsWrongIsShownWithItsPlace) {
  EXPECT_THAT(graph_error("build a: \n", {.format = "ninja"}).message,
              HasSubstr("expected a rule"));
  EXPECT_EQ(graph_error("rule r\n  command\n", {.format = "ninja"}).where, "t:2:10");
  EXPECT_THAT(graph_error("  x = 1\n", {.format = "ninja"}).message, HasSubstr("indented"));
  EXPECT_THAT(graph_error("# ninja log v3\n").message, HasSubstr("version 4 or later"));
}

TEST(DagTable, ColumnsOfWaitsAreKnownByManyNames) {
  for (const char* head : {"TaskName,Duration,Predecessor", "task,time,Preds", "id,time,pred",
                           "Task Name,time,Depends On", "job,time,requires", "task,time,parent",
                           "task,time,DEPS", "task,time,parents", "task,time,dependency"}) {
    const TaskGraph graph = graph_text(std::string(head) + "\na,1,NA\nb,2,a\n");
    EXPECT_TRUE(graph.ordered) << head;
    EXPECT_EQ(edges_in(graph), std::vector<std::string>{"a>b"}) << head;
  }
  EXPECT_EQ(edges_in(graph_text("predecessor,successor\na,b\n")), std::vector<std::string>{"a>b"});
}

TEST(DagTable, WaitsAreForTheIdOrTheNameOfATask) {
  const std::vector<std::string> edges = {"T1>T2", "T1>T3"};
  EXPECT_EQ(edges_in(graph_text("id,name,duration,pred\n1,T1,3,\n2,T2,4,1\n3,T3,2,1\n")), edges);
  EXPECT_EQ(edges_in(graph_text("name,id,duration,pred\nT1,1,3,\nT2,2,4,T1\nT3,3,2,1\n")), edges);
}

TEST(DagTable, ColumnsThatAreNotReadAreNamed) {
  const TaskGraph graph = graph_text("task,seconds,owner\na,1,me\n");
  EXPECT_EQ(graph.unread, std::vector<std::string>{"owner"});
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("'owner' is not read")));
  const TaskGraph edges = graph_text("from,to,kind\na,b,x\n");
  EXPECT_THAT(edges.notes, testing::Contains(testing::StartsWith("'kind' is not read")));
  EXPECT_THAT(edges.notes, testing::Contains(HasSubstr("(--times FILE)")));
}

TEST(DagTable, ColumnsThatWouldMakeAnotherAnswerAreNamed) {
  const TaskGraph wide = graph_text("task,seconds,Cores\na,10,4\nb,10,4\n");
  EXPECT_TRUE(wide.wide);
  EXPECT_THAT(wide.notes, testing::Contains("K counts tasks at a time, not their 'Cores'"));
  const TaskGraph units = graph_text("task,time,unit,after\na,2,s,\nb,500,ms,a\n");
  EXPECT_THAT(units.undecided, HasSubstr("'unit' may have the unit of each time"));
}

TEST(DagDot, ASecondGraphIsRefusedAndOtherTextNamed) {
  EXPECT_THAT(graph_error("digraph { a -> b }\ndigraph { c }").message, HasSubstr("a second one"));
  EXPECT_THAT(graph_text("digraph { a -> b }\nthe end").notes,
              testing::Contains(HasSubstr("behind the last brace")));
  EXPECT_EQ(graph_text("digraph { a -> b }\n// the end\n").notes.size(), 1U);
}

TEST(DagNinjaLog, LinesThatCannotBeReadAreCountedAndNamed) {
  const TaskGraph graph = graph_text("# ninja log v5\n0\t1000\t1\ta.o\tab\n9\t5\t1\tb\tx\n0\t90");
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("2 lines of the log could not be read, the "
                                                       "first is line 3")));
  EXPECT_FALSE(graph.undecided.empty());
}

TEST(DagTrace, AnOverlapByJitterIsNoPart) {
  const auto slices = [](double start, double length) {
    return graph_text(R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":100,"dur":50},
        {"ph":"X","name":"b","pid":1,"tid":1,"ts":)" +
                      std::to_string(start) + R"(,"dur":)" + std::to_string(length) + "}]}");
  };
  const TaskGraph after = slices(149.7, 10);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_NEAR(after.times[1], 10e-6, 1e-12);
  EXPECT_NEAR(after.record.start[1], 50e-6, 1e-12);  // one thread does one thing at a time
  EXPECT_EQ(slices(120, 30.3).size(), 1U);           // ends late, and is a part
}

TEST(DagNextflow, CachedTasksAndSeveralCoresAreNamed) {
  const TaskGraph graph = graph_text(
      "task_id\tname\tstatus\trealtime\t%cpu\n1\ta\tCACHED\t1s\t99.0%\n2\tb\tCOMPLETED\t2s\t"
      "566.0%\n");
  EXPECT_TRUE(graph.wide);
  EXPECT_THAT(graph.notes,
              testing::Contains(HasSubstr("CACHED, taken from an earlier run: 1 of 2")));
  EXPECT_THAT(graph.notes, testing::Contains(HasSubstr("1 task used several cores")));
}

}  // namespace
}  // namespace kstar
