#include "kstar/memory_scaling.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kstar/analysis.h"
#include "kstar/study_file.h"

namespace kstar {
namespace {

constexpr std::array<std::pair<int, double>, 4> kBandwidth = {
    {{1, 10e9}, {2, 18e9}, {4, 30e9}, {8, 31e9}}};

/// Bandwidth saturates at 31 GB/s; operations grow with the threads, less `slower` on 8.
MachineCeilings planted_machine(double slower = 0) {
  MachineCeilings machine{.name = "test", .kind = "cpu", .processor = "cpu of the test"};
  for (const auto& [threads, rate] : kBandwidth) {
    std::vector<double> moves, operations;
    for (int i = 0; i < 10; ++i) {
      const double wobble = 1 + 0.002 * (i % 3 - 1);
      moves.push_back(rate * wobble);
      operations.push_back(50e9 * threads * (threads == 8 ? 1 - slower : 1) * wobble);
    }
    machine.ceilings.push_back(
        make_ceiling({.level = "memory", .kernel = "triad", .threads = threads}, std::move(moves)));
    machine.ceilings.push_back(
        make_ceiling({.level = "compute", .kernel = "fma", .precision = "fp64", .threads = threads},
                     std::move(operations)));
  }
  return machine;
}

/// One second on one worker, of which a share moves memory; all of it is slower on 8 by `slower`.
Study planted_study(double memory, double slower = 0, bool bytes = false) {
  Study study;
  study.header.regime = Regime::kStrong;
  study.header.time = TimeKind::kStep;
  study.header.environment.hosts = {{.name = "here", .cpu = "cpu of the test"}};
  for (int block = 0; block < 8; ++block) {
    for (const auto& [threads, rate] : kBandwidth) {
      const double wobble = 1 + 0.004 * ((block * 5 + threads) % 3 - 1);
      const double all = threads == 8 ? 1 / (1 - slower) : 1;
      const double each =
          ((1 - memory) * all / threads + memory * kBandwidth[0].second / rate) * wobble;
      Run run;
      run.workers = threads;
      run.block = block;
      run.exit_status = 0;
      run.steps = {each};
      PerWorker& workers = run.per_worker.emplace();
      for (int i = 0; i < threads; ++i) {
        workers.compute.push_back(each * 0.999);
        workers.wait.push_back(each * 0.0005);
        workers.communicate.push_back(each * 0.0005);
        workers.work.push_back(1.0 / threads);
        if (bytes) workers.bytes.push_back(memory * kBandwidth[0].second / threads);
      }
      study.runs.push_back(std::move(run));
    }
  }
  return study;
}

Analysis analysed(const Study& study, const MachineCeilings& machine) {
  AnalysisOptions options;
  options.machine = machine;
  const Result<Analysis> analysis = analyze(study, options);
  EXPECT_TRUE(analysis) << (analysis ? "" : analysis.error().message);
  return analysis ? *analysis : Analysis{};
}

bool names_memory(const Analysis& analysis) {
  for (const Cause& cause : analysis.diagnosis.causes) {
    if (cause.kind == CauseKind::kMemoryBandwidth) return true;
  }
  return false;
}

TEST(MemoryScaling, AHalfThatMovesMemoryIsFound) {
  const Analysis analysis = analysed(planted_study(0.5, 0, true), planted_machine());
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kBound) << analysis.memory->why;
  EXPECT_NEAR(analysis.memory->share.point, 0.5, 0.03);
  EXPECT_NEAR(analysis.memory->ceiling, 1 / (0.5 / 8 + 0.5 / 3.1), 0.1);
  EXPECT_EQ(analysis.memory->curve.used_up, 4);
  ASSERT_TRUE(names_memory(analysis));
  EXPECT_NE(analysis.diagnosis.causes[0].evidence[0].find("used up at 4 cores"), std::string::npos);
  const MemoryPoint& last = analysis.memory->points.back();
  EXPECT_NEAR(last.predicted.point, 1 / (0.5 / 8 + 0.5 / 3.1), 0.1);
}

TEST(MemoryScaling, BytesThatAreKnownDecide) {
  const Analysis analysis = analysed(planted_study(0.5, 0, true), planted_machine());
  ASSERT_TRUE(analysis.memory);
  EXPECT_TRUE(analysis.memory->from_bytes);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kBound) << analysis.memory->why;
  ASSERT_TRUE(analysis.reach && analysis.reach->bandwidth);
  EXPECT_NEAR(analysis.reach->bandwidth->point, 0.5, 0.02);
}

TEST(MemoryScaling, TimesAloneNameNothing) {
  const Analysis analysis = analysed(planted_study(0.5), planted_machine());
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kUndecided);
  EXPECT_NE(analysis.memory->why.find("would tell"), std::string::npos) << analysis.memory->why;
  EXPECT_NEAR(analysis.memory->share.point, 0.5, 0.03);
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, ACurveThatIsNotKnownWellRulesNothingOut) {
  MachineCeilings machine = planted_machine();
  for (MachineCeiling& one : machine.ceilings) {  // 2 threads: twice the bandwidth, plus or minus
    if (one.level != "memory" || one.threads != 2) continue;
    one = make_ceiling(one, {12e9, 30e9, 14e9, 28e9, 13e9, 29e9, 12e9, 30e9, 20e9, 20e9});
  }
  Study study = planted_study(0.9);
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers > 2; });
  const Analysis analysis = analysed(study, machine);
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kUndecided) << analysis.memory->why;
}

TEST(MemoryScaling, NothingLostIsNotMemory) {
  const Analysis analysis = analysed(planted_study(0), planted_machine());
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kNot) << analysis.memory->why;
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, ASlowerClockIsNotMemory) {
  // All code is 20% slower on 8 threads, and the machine file knows it.
  const Analysis analysis = analysed(planted_study(0, 0.2), planted_machine(0.2));
  ASSERT_TRUE(analysis.memory);
  EXPECT_NE(analysis.memory->verdict, MemoryVerdict::kBound) << analysis.memory->why;
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, AJumpWhereBandwidthStillGrowsIsNotNamed) {
  // Slower on 8 alone, by more than bandwidth takes from 4 to 8: the times do not follow the curve.
  Study study = planted_study(0, 0.35);
  const Analysis analysis = analysed(study, planted_machine());
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kUndecided) << analysis.memory->why;
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, FewBytesRuleMemoryOut) {
  Study study = planted_study(0, 0.3, false);
  for (kstar::Run& run : study.runs) {
    run.per_worker->bytes.assign(static_cast<std::size_t>(run.workers), 1e6);
  }
  const Analysis analysis = analysed(study, planted_machine());
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kNot) << analysis.memory->why;
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, AnotherProcessorsFileDecidesNothing) {
  MachineCeilings machine = planted_machine();
  machine.processor = "another one";
  const Analysis analysis = analysed(planted_study(0.5), machine);
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kUndecided);
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, ADisturbedMachineDecidesNothing) {
  MachineCeilings machine = planted_machine();
  machine.cpu_wait = 0.3;
  const Analysis analysis = analysed(planted_study(0.5), machine);
  ASSERT_TRUE(analysis.memory);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kUndecided);
  EXPECT_NE(analysis.memory->why.find("other jobs"), std::string::npos);
  EXPECT_FALSE(names_memory(analysis));
}

TEST(MemoryScaling, MoreBytesThanTheMachineMovesDecideNothing) {
  Study study = planted_study(0.5, 0, true);
  for (kstar::Run& run : study.runs) {
    for (double& bytes : run.per_worker->bytes) bytes *= 10;
  }
  const Analysis analysis = analysed(study, planted_machine());
  ASSERT_TRUE(analysis.memory && analysis.reach);
  EXPECT_NE(analysis.reach->doubt.find("more than there is"), std::string::npos);
  EXPECT_EQ(analysis.memory->verdict, MemoryVerdict::kUndecided);
  EXPECT_FALSE(names_memory(analysis));
}

/// The example studies of one session on 16 cores, with the bytes of a step of their smallest K.
struct Example {
  const char* file;
  double bytes;
  bool memory;
};

TEST(MemoryScaling, MemoryBoundExamplesAreNamedAndCleanOnesAreNot) {
  // In place, 16 bytes per streamed word, and the batch (examples/roofline/README.md).
  const double strong = 16 * 384 * 131072.0 + 1456 * 272, weak = 16 * 256 * 131072.0 + 1169 * 272;
  const double little = 2960 * 272, least = 355 * 272;
  const Result<MachineCeilings> machine = load_machine(KSTAR_ROOFLINE "/16-cores.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  for (const Example& example :
       {Example{"memory-01", strong, true}, Example{"memory-02", strong, true},
        Example{"memory-03", weak, true}, Example{"memory-07", weak, true},
        Example{"triad", 1.8e9, true}, Example{"clean-01", little, false},
        Example{"clean-02", little, false}, Example{"clean-03", least, false},
        Example{"clean-07", least, false}}) {
    const Result<Study> study =
        load_study(fmt::format("{}/{}.jsonl.gz", KSTAR_ROOFLINE, example.file));
    ASSERT_TRUE(study) << study.error().message;
    AnalysisOptions options;
    options.machine = *machine;
    options.bytes = example.bytes;
    const Result<Analysis> analysis = analyze(*study, options);
    ASSERT_TRUE(analysis) << analysis.error().message;
    ASSERT_TRUE(analysis->memory) << example.file;
    EXPECT_EQ(names_memory(*analysis), example.memory) << example.file << analysis->memory->why;
    options.bytes.reset();  // times alone never name a clean one
    if (!example.memory) {
      EXPECT_FALSE(names_memory(*analyze(*study, options))) << example.file;
    }
  }
}

/// 35 studies of another session on such a machine: the rule was not chosen on them. The bytes of a
/// step are those of the flags in examples/memory/README.md.
TEST(MemoryScaling, ThePlantedStudiesOfAnotherSessionAreTold) {
  const Result<MachineCeilings> machine = load_machine(KSTAR_ROOFLINE "/16-cores.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  const auto named = [&](const std::string& study_name, double bytes) {
    const Result<Study> study =
        load_study(fmt::format("{}/../memory/{}.jsonl.gz", KSTAR_ROOFLINE, study_name));
    EXPECT_TRUE(study);
    AnalysisOptions options;
    options.machine = *machine;
    if (bytes > 0) options.bytes = bytes;
    return study && names_memory(*analyze(*study, options));
  };
  constexpr std::array<int, 5> kWeak = {3, 7, 8, 11, 15};
  for (int i = 1; i <= 15; ++i) {
    const bool weak = std::find(kWeak.begin(), kWeak.end(), i) != kWeak.end();
    EXPECT_TRUE(named(fmt::format("memory-{:02}", i), 16 * (weak ? 256 : 384) * 131072.0)) << i;
  }
  for (int i = 1; i <= 20; ++i) {
    EXPECT_FALSE(named(fmt::format("clean-{:02}", i), i % 2 == 0 ? 0 : 3360 * 272.0)) << i;
  }
}

TEST(MemoryScaling, ASharedCacheLineIsNotCalledMemory) {
  const Result<MachineCeilings> machine = load_machine(KSTAR_ROOFLINE "/16-cores.toml");
  const Result<Study> study = load_study(KSTAR_ROOFLINE "/../programs/sharing.jsonl");
  ASSERT_TRUE(machine && study);
  AnalysisOptions options;
  options.machine = *machine;
  EXPECT_FALSE(names_memory(*analyze(*study, options)));
}

/// How many predicted S(K) of the triad were compared with the measured ones of the same session.
std::size_t compare_triad(const char* machine_name, const char* study_name) {
  const Result<MachineCeilings> machine =
      load_machine(fmt::format("{}/{}.toml", KSTAR_ROOFLINE, machine_name));
  const Result<Study> study = load_study(fmt::format("{}/{}.jsonl.gz", KSTAR_ROOFLINE, study_name));
  const Result<Analysis> analysis = study ? analyze(*study) : fail(study.error());
  if (!machine || !analysis) return 0;
  const BandwidthCurve curve = *bandwidth_curve(*machine);
  std::size_t points = 0;
  for (const ScalingPoint& point : analysis->table.points) {
    if (point.workers == 1) continue;
    const Estimate predicted = *memory_speedup(curve, point.workers);
    const double miss = std::fabs(predicted.point - point.speedup->point);
    const double error = std::hypot(predicted.standard_error, point.speedup->standard_error);
    ++points;
    EXPECT_LT(miss, std::max(0.1 * point.speedup->point, 2 * error)) << point.workers;
    EXPECT_LT(miss, 0.18 * point.speedup->point) << point.workers;
  }
  return points;
}

TEST(MemoryScaling, BandwidthPredictsTheTriadOfTheSameSession) {
  EXPECT_EQ(compare_triad("16-cores", "triad"), 7U);
  EXPECT_EQ(compare_triad("turns/machine", "turns/triad"), 7U);
  EXPECT_EQ(compare_triad("2-cores", "2-cores-triad"), 1U);
}

/// Ten loops and eight studies of kstar-train, which mark their bytes, with the ceilings of their
/// own sessions. Transpose moves its bytes at less than half of the bandwidth, on one thread too.
TEST(MemoryScaling, WhatWasMeasuredWithItsMachineFileIsTold) {
  struct Measured {
    const char* folder;
    const char* study;
    bool memory;
  };
  for (const Measured& one :
       {Measured{"turns", "triad", true}, Measured{"turns", "sum", true},
        Measured{"turns", "dot", true}, Measured{"turns", "spmv", true},
        Measured{"turns", "stencil", true}, Measured{"turns", "transpose", false},
        Measured{"train", "memory-01", true}, Measured{"train", "memory-02", true},
        Measured{"train", "memory-03", true}, Measured{"train", "memory-06", true},
        Measured{"turns", "chain", false}, Measured{"turns", "cached", false},
        Measured{"turns", "pi", false}, Measured{"turns", "nbody", false},
        Measured{"turns", "matmul", false}, Measured{"train", "clean-01", false},
        Measured{"train", "clean-02", false}, Measured{"train", "clean-03", false},
        Measured{"train", "clean-06", false}}) {
    const std::string folder = fmt::format("{}/{}", KSTAR_ROOFLINE, one.folder);
    const Result<MachineCeilings> machine = load_machine(folder + "/machine.toml");
    const Result<Study> study = load_study(fmt::format("{}/{}.jsonl.gz", folder, one.study));
    ASSERT_TRUE(machine && study) << one.study;
    AnalysisOptions options;
    options.machine = *machine;
    const Result<Analysis> analysis = analyze(*study, options);
    ASSERT_TRUE(analysis && analysis->memory) << one.study;
    EXPECT_EQ(names_memory(*analysis), one.memory) << one.study << analysis->memory->why;
  }
}

/// Two threads of this machine do not use up its bandwidth: not even the triad is bound by sharing
/// it.
TEST(MemoryScaling, BandwidthThatIsNotUsedUpIsNotNamed) {
  const Result<MachineCeilings> machine = load_machine(KSTAR_ROOFLINE "/2-cores.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  for (const char* name : {"2-cores-triad", "2-cores-chain"}) {
    const Result<Study> study = load_study(fmt::format("{}/{}.jsonl.gz", KSTAR_ROOFLINE, name));
    ASSERT_TRUE(study) << study.error().message;
    AnalysisOptions options;
    options.machine = *machine;
    const Result<Analysis> analysis = analyze(*study, options);
    ASSERT_TRUE(analysis) << analysis.error().message;
    ASSERT_TRUE(analysis->memory) << name;
    EXPECT_FALSE(names_memory(*analysis)) << name << analysis->memory->why;
  }
}

/// A loop of doubles that does not say so: 1% of the fp64 peak, half of that of fp32.
TEST(MemoryScaling, OperationsOfAnUnknownPrecisionAreComparedWithDoubles) {
  const Result<MachineCeilings> machine = load_machine(KSTAR_ROOFLINE "/turns/machine.toml");
  const Result<Study> study = load_study(KSTAR_ROOFLINE "/turns/chain.jsonl.gz");
  ASSERT_TRUE(machine && study);
  AnalysisOptions options;
  options.machine = *machine;
  const Result<Analysis> analysis = analyze(*study, options);
  ASSERT_TRUE(analysis && analysis->reach);
  EXPECT_EQ(analysis->reach->best_of, "fp64 peak");
  for (MachineCeiling& one : options.machine->ceilings) {  // slower than the program
    if (one.precision == "fp64") one = make_ceiling(one, {1e6});
  }
  EXPECT_EQ(analyze(*study, options)->reach->best_of, "fp32 peak");
}

TEST(MemoryScaling, AFileWithoutACurveSaysNothing) {
  const Result<MachineCeilings> machine =
      parse_machine("[[bandwidth]]\nrate = 15e9\n[[compute]]\nrate = 1e10\n", "m.toml");
  ASSERT_TRUE(machine);
  EXPECT_FALSE(analysed(planted_study(0.5), *machine).memory);
}

}  // namespace
}  // namespace kstar
