#include "kstar/roofline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "kstar/roofline_measure.h"
#include "kstar/roofline_report.h"
#include "kstar/stats.h"
#include "kstar/study_file.h"
#include "kstar/terminal.h"
#include "report/roofline/words.h"
#include "roofline/kernels.h"

namespace kstar {
namespace {

/// Williams, Waterman, Patterson (2009): the Opteron X2, 17.6 GFLOP/s and 15 GB/s.
MachineCeilings opteron() {
  const Result<MachineCeilings> machine = parse_machine(
      "name = \"Opteron X2\"\n[[compute]]\nprecision = \"fp64\"\nrate = 17.6e9\n[[bandwidth]]\n"
      "rate = 15e9\n",
      "opteron.toml");
  return machine ? *machine : MachineCeilings{};
}

RooflinePlace placed(RooflineKernel kernel, const std::optional<MachineCeilings>& machine) {
  RooflineProfile profile;
  profile.kernels.push_back(std::move(kernel));
  return place_kernels(profile, machine).places.at(0);
}

RooflineKernel kernel(double seconds, double flops, double bytes) {
  return {.name = "k", .seconds = seconds, .flops = flops, .bytes = {{"memory", bytes}}};
}

TEST(Roofline, KnownAnswersOfTheOpteron) {
  const Roofline ridge = place_kernels({}, opteron());
  ASSERT_EQ(ridge.ridges.size(), 1U);
  EXPECT_NEAR(ridge.ridges[0].intensity, 1.17, 0.005);
  // Sparse matrix-vector product at 0.25 FLOP/B, and LBMHD at 1.07.
  EXPECT_NEAR(*placed(kernel(1, 1e9, 4e9), opteron()).attainable, 3.75e9, 1e3);
  EXPECT_NEAR(*placed(kernel(1, 1.07e9, 1e9), opteron()).attainable, 16.05e9, 1e3);
  EXPECT_NEAR(*placed(kernel(1, 10e9, 1e9), opteron()).attainable, 17.6e9, 1e3);
}

TEST(Roofline, TriadHasTwoOperationsPerTwentyFourBytes) {
  const RooflinePlace stream = placed(kernel(1, 2e9, 24e9), opteron());
  EXPECT_NEAR(*stream.intensity, 2.0 / 24, 1e-12);
  EXPECT_NEAR(*placed(kernel(1, 2e9, 32e9), opteron()).intensity, 2.0 / 32, 1e-12);
}

TEST(Roofline, TheNearestCeilingBinds) {
  const RooflinePlace memory = placed(kernel(1, 1e9, 12e9), opteron());
  EXPECT_EQ(memory.bound, Bound::kMemory);
  EXPECT_EQ(memory.level, "memory");
  EXPECT_NEAR(memory.headroom->point, 15.0 / 12, 1e-9);
  EXPECT_NEAR(memory.saved, 1 - 12.0 / 15, 1e-9);
  EXPECT_EQ(placed(kernel(1, 16e9, 1e9), opteron()).bound, Bound::kCompute);
  EXPECT_EQ(placed(kernel(1, 1e9, 1e9), opteron()).bound, Bound::kLatency);
}

TEST(Roofline, WhatIsNotKnownIsNotGuessed) {
  RooflineKernel tensor = kernel(1e-3, 0, 0);
  tensor.flops.reset();
  tensor.matrix = true;
  tensor.bytes.clear();
  tensor.reported = {{"fp32", 0}, {"memory", 0.21}, {"l1", 0.7}};
  const RooflinePlace place = placed(tensor, std::nullopt);
  EXPECT_EQ(place.bound, Bound::kUnknown);
  EXPECT_FALSE(place.compute);
  EXPECT_FALSE(place.intensity);
  EXPECT_FALSE(place.headroom);
}

TEST(Roofline, FixFirstIsTimeTimesHeadroom) {
  RooflineProfile profile;
  RooflineKernel longer = kernel(10, 160e9, 1e9);  // 91% of the peak: 0.9 s to gain
  longer.name = "long";
  RooflineKernel shorter = kernel(4, 1e9, 6e9);  // 10% of the bandwidth: 3.6 s
  shorter.name = "short";
  profile.kernels = {shorter, longer};
  const Roofline roofline = place_kernels(profile, opteron());
  EXPECT_EQ(roofline.places[0].kernel.name, "long");
  ASSERT_TRUE(roofline.first);
  EXPECT_EQ(roofline.places[*roofline.first].kernel.name, "short");
}

TEST(Roofline, AboveACeilingIsSaid) {
  const RooflineProfile profile{.kernels = {kernel(1, 1e9, 30e9)}};
  const Roofline roofline = place_kernels(profile, opteron());
  EXPECT_TRUE(roofline.places[0].above);
  EXPECT_EQ(roofline.places[0].bound, Bound::kUnknown);
  EXPECT_FALSE(roofline.places[0].headroom);
  const Document document = to_document(roofline, {});
  const auto* first = std::get_if<Paragraph>(&document.blocks.at(0));
  ASSERT_NE(first, nullptr);
  EXPECT_NE(first->text.find("above a ceiling, 200%"), std::string::npos) << first->text;
}

TEST(Roofline, AMachineThatContradictsTheProfilerIsNotUsed) {
  RooflineKernel one = kernel(1, 1e9, 0.3e9);  // 2% of the file's bandwidth
  one.reported = {{"memory", 0.66}};
  const RooflineProfile profile{.gpu = true, .kernels = {one}};
  const Roofline roofline = place_kernels(profile, opteron());
  ASSERT_EQ(roofline.doubts.size(), 1U);
  EXPECT_NE(roofline.doubts[0].find("not the GPU of this profile"), std::string::npos);
  EXPECT_FALSE(roofline.machine);
  EXPECT_NEAR(roofline.places[0].levels.at(0).share->point, 0.66, 1e-12);
  one.reported = {{"memory", 0.019}};
  EXPECT_TRUE(place_kernels({.gpu = true, .kernels = {one}}, opteron()).doubts.empty());
}

TEST(Roofline, CeilingsOfAnotherProcessorDecideNothing) {
  MachineCeilings machine = opteron();
  machine.processor = "Opteron";
  RooflineProfile profile{.device = "Xeon", .kernels = {kernel(1, 1e9, 12e9)}};
  const Roofline roofline = place_kernels(profile, machine);
  ASSERT_EQ(roofline.doubts.size(), 1U);
  EXPECT_EQ(roofline.places[0].bound, Bound::kUnknown);
  EXPECT_FALSE(roofline.first);
  profile.device = "Opteron";
  EXPECT_EQ(place_kernels(profile, machine).places[0].bound, Bound::kMemory);
}

/// One thread of two virtual cores with AVX-512, measured.
MachineCeilings wide() {
  const Result<MachineCeilings> machine = parse_machine(
      "name = \"vm\"\ncores = 2\n"
      "[[compute]]\nprecision = \"fp32\"\nvector = \"avx512\"\nkernel = \"fma\"\nrate = 272e9\n"
      "[[compute]]\nprecision = \"fp64\"\nvector = \"avx512\"\nkernel = \"fma\"\nrate = 136e9\n"
      "[[compute]]\nprecision = \"fp64\"\nvector = \"avx2\"\nkernel = \"fma\"\nrate = 68e9\n"
      "[[compute]]\nprecision = \"fp64\"\nvector = \"sse2\"\nkernel = \"muladd\"\nrate = 27e9\n"
      "[[bandwidth]]\nkernel = \"update\"\nrate = 69e9\n"
      "[[bandwidth]]\nkernel = \"triad\"\nrate = 42e9\n",
      "vm.toml");
  return machine ? *machine : MachineCeilings{};
}

TEST(Roofline, AProcessorMayBeAtALowerCeiling) {
  const auto with = [](double flops, double bytes, const char* precision = "fp64") {
    RooflineKernel one = kernel(1, flops, bytes);
    one.precision = precision;
    return placed(one, wide());
  };
  const RooflinePlace narrow = with(57e9, 1e6);  // of products without AVX-512
  EXPECT_EQ(narrow.bound, Bound::kUnknown);
  ASSERT_TRUE(narrow.lower);
  EXPECT_EQ(narrow.lower->name, "avx2");
  EXPECT_NEAR(narrow.lower->share, 57.0 / 68, 1e-9);
  EXPECT_EQ(with(12e9, 1e6).lower->name, "scalar");
  EXPECT_EQ(with(4e9, 1e6).bound, Bound::kLatency);
  const RooflinePlace triad = with(3e9, 40e9);  // 58% of updates in place
  EXPECT_EQ(triad.bound, Bound::kMemory);
  ASSERT_TRUE(triad.lower);
  EXPECT_EQ(triad.lower->name, "triad");
  EXPECT_EQ(with(3e9, 27e9).bound, Bound::kUnknown);
  EXPECT_EQ(with(3e9, 20e9).bound, Bound::kLatency);
  MachineCeilings gpu = wide();
  gpu.kind = "gpu";
  RooflineKernel one = kernel(1, 57e9, 1e6);
  one.precision = "fp64";
  EXPECT_EQ(placed(one, gpu).bound, Bound::kLatency);
}

TEST(Roofline, APrecisionThatIsNotKnownIsAskedForWhereItDecides) {
  const RooflinePlace open = placed(kernel(1, 100e9, 1e6), wide());  // 74% of fp64, 37% of fp32
  EXPECT_EQ(open.bound, Bound::kUnknown);
  EXPECT_NEAR(open.compute->point, 100.0 / 136, 1e-9);
  EXPECT_NE(open.kernel.missing.find("--precision"), std::string::npos);
  EXPECT_EQ(placed(kernel(1, 200e9, 1e6), wide()).bound, Bound::kCompute);
  RooflineKernel said = kernel(1, 100e9, 1e6);
  said.precision = "fp64";
  EXPECT_EQ(placed(said, wide()).bound, Bound::kCompute);
}

TEST(Roofline, TimesThatAreTooLongAreNotLatency) {
  RooflineProfile profile{.kernels = {kernel(1, 1e9, 1e9)}, .doubts = {"it waited"}};
  EXPECT_EQ(place_kernels(profile, opteron()).places[0].bound, Bound::kUnknown);
  profile.kernels = {kernel(1, 1e9, 12e9)};  // at its ceiling all the same
  EXPECT_EQ(place_kernels(profile, opteron()).places[0].bound, Bound::kMemory);
}

TEST(Roofline, FarFromEveryCeilingIsLatencyOnlyWhereAllIsCounted) {
  EXPECT_EQ(placed(kernel(1, 1e9, 1e9), opteron()).bound, Bound::kLatency);
  EXPECT_EQ(placed(kernel(1, 0, 1e9), opteron()).bound, Bound::kUnknown);  // of integers?
  RooflineKernel partly = kernel(1, 1e9, 1e9);
  partly.missing = "operations in fp64 were not counted";
  EXPECT_EQ(placed(partly, opteron()).bound, Bound::kUnknown);
  RooflineKernel busy = kernel(1, 1e9, 1e9);
  busy.reported = {{"sm", 0.95}};  // with instructions of other kinds
  EXPECT_EQ(placed(busy, opteron()).bound, Bound::kUnknown);
  busy.reported = {{"sm", 0.2}};
  EXPECT_EQ(placed(busy, opteron()).bound, Bound::kLatency);
}

TEST(Roofline, WithoutTheBytesOfMemoryNothingIsLatency) {
  const Result<MachineCeilings> machine = parse_machine(
      "[[compute]]\nrate = 20e9\n[[bandwidth]]\nrate = 10e9\n"
      "[[bandwidth]]\nlevel = \"l2\"\nrate = 40e9\n",
      "m.toml");
  ASSERT_TRUE(machine);
  RooflineKernel one = kernel(1, 1e9, 1e9);
  EXPECT_EQ(placed(one, *machine).bound, Bound::kLatency);
  one.bytes[0].level = "l2";
  EXPECT_EQ(placed(one, *machine).bound, Bound::kUnknown);
}

TEST(Roofline, WhatDoesNotSayWhatItWasMeasuredOnIsDoubtedForAGpu) {
  const Result<MachineCeilings> machine = parse_ceilings(
      "BabelStream\nImplementation: OpenMP\nArray size: 268.4 MB (=0.3 GB)\n"
      "Function    MBytes/sec  Min (sec)\nTriad       1376683.861 0.00058\n",
      "b.txt");
  ASSERT_TRUE(machine) << machine.error().message;
  const Roofline roofline =
      place_kernels({.gpu = true, .kernels = {kernel(1, 1e9, 1.3e12)}}, *machine);
  ASSERT_EQ(roofline.doubts.size(), 1U);
  EXPECT_NE(roofline.doubts[0].find("right only if"), std::string::npos) << roofline.doubts[0];
  EXPECT_EQ(roofline.places[0].bound, Bound::kMemory);
}

TEST(Roofline, AShareOfZeroAloneBindsNothing) {
  RooflineKernel nothing{.name = "k", .seconds = 1, .reported = {{"memory", 0}}};
  EXPECT_EQ(placed(nothing, std::nullopt).bound, Bound::kUnknown);
}

TEST(Roofline, TimesThatVaryByManyTimesBindNothing) {
  RooflineKernel noisy = kernel(1, 1e9, 12e9);
  noisy.time = Estimate{.point = 1, .standard_error = 0.05, .low = 0.9, .high = 1.1};
  EXPECT_EQ(placed(noisy, opteron()).bound, Bound::kMemory);
  noisy.time = Estimate{.point = 1, .standard_error = 1, .low = 0.2, .high = 5};
  EXPECT_EQ(placed(noisy, opteron()).bound, Bound::kUnknown);
  noisy.bytes[0].bytes = 60e9;  // four times the bandwidth
  EXPECT_TRUE(placed(noisy, opteron()).above);
}

TEST(Roofline, DisturbedCeilingsBindNothing) {
  MachineCeilings machine = opteron();
  machine.cpu_wait = 0.4;
  const auto bound = [&](double bytes) {
    return place_kernels({.kernels = {kernel(1, 1e9, bytes)}}, machine).places[0].bound;
  };
  EXPECT_EQ(bound(12e9), Bound::kUnknown);
  EXPECT_EQ(bound(1e9), Bound::kLatency);  // the true ceilings are farther still
}

TEST(Roofline, CeilingsOfAProcessorSayNothingOfAGpu) {
  MachineCeilings machine = opteron();
  machine.cores = 2;
  const RooflineProfile profile{.gpu = true, .kernels = {kernel(1, 1e9, 12e9)}};
  const Roofline roofline = place_kernels(profile, machine);
  EXPECT_EQ(roofline.doubts.size(), 1U);
  EXPECT_EQ(roofline.places[0].bound, Bound::kUnknown);
}

TEST(Roofline, EveryLevelThatIsKnownIsOnTheFirstScreen) {
  const Result<MachineCeilings> machine = parse_machine(
      "[[compute]]\nrate = 20e9\n[[bandwidth]]\nrate = 10e9\n"
      "[[bandwidth]]\nlevel = \"l2\"\nrate = 40e9\n",
      "m.toml");
  ASSERT_TRUE(machine);
  RooflineKernel one = kernel(1, 1e9, 5e9);
  one.bytes.push_back({"l2", 20e9});
  const Document document = to_document(place_kernels({.kernels = {one}}, *machine), {});
  std::string text;
  for (const Block& block : document.blocks) {
    const auto* items = std::get_if<Items>(&block);
    if (items == nullptr) continue;
    for (const std::string& item : items->items) text += item + "\n";
  }
  EXPECT_NE(text.find("L2 0.05 FLOP/B, 50%; memory 0.2 FLOP/B, 50%"), std::string::npos) << text;
}

TEST(Roofline, TheChartHasTheRoofAndTheKernels) {
  const RooflineProfile profile{.kernels = {kernel(1, 1e9, 12e9)}};
  const Chart chart = roofline_chart(place_kernels(profile, opteron()));
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[1].marks.size(), 1U);
  for (const ChartPoint& point : chart.series[0].line) {
    EXPECT_NEAR(point.y, std::min(17.6, 15 * point.x), 1e-9);
    EXPECT_GE(point.y, chart.y.low * (1 - 1e-9));
    EXPECT_LE(point.y, chart.y.high);
  }
  EXPECT_TRUE(chart.x.decimal && chart.y.decimal);
}

TEST(Roofline, MemoryAloneDoesNotBindWhereOperationsAreNotKnown) {
  RooflineKernel unknown = kernel(1, 0, 10e9);  // 67% of the bandwidth
  unknown.flops.reset();
  EXPECT_EQ(placed(unknown, opteron()).bound, Bound::kUnknown);
  unknown.bytes[0].bytes = 14e9;
  EXPECT_EQ(placed(unknown, opteron()).bound, Bound::kMemory);
}

TEST(Roofline, AMachineWithoutBothCeilingsIsNotDrawn) {
  const Result<MachineCeilings> machine = parse_machine("[[compute]]\nrate = 1e9\n", "m.toml");
  ASSERT_TRUE(machine);
  EXPECT_TRUE(machine_chart(*machine).series.empty());
}

TEST(RooflineKernels, EveryLoopMovesAndComputesWhatItSays) {
  constexpr std::size_t kBytes = 8 * roofline::kBlock, kCount = kBytes / sizeof(double);
  for (const roofline::MemoryKernel& one : roofline::memory_kernels()) {
    alignas(512) static double a[kCount + 8], b[kCount + 8], c[kCount + 8];
    for (std::size_t i = 0; i < kCount + 8; ++i) {
      a[i] = 1;
      b[i] = static_cast<double>(i);
      c[i] = 10;
    }
    one.run(a, b, c, kBytes, 1);
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto x = static_cast<double>(i);
      const double expected = one.name.starts_with("copy")    ? x
                              : one.name.starts_with("triad") ? x + 5
                                                              : 1;
      ASSERT_EQ(a[i], expected) << one.name << " " << i;
    }
    for (std::size_t i = kCount; i < kCount + 8; ++i) ASSERT_EQ(a[i], 1) << one.name;
  }
  for (const roofline::ComputeKernel& one : roofline::compute_kernels()) {
    one.run(3);
    EXPECT_GT(one.flops_per_round, 0) << one.name;
  }
}

TEST(RooflineMeasure, ThreadCountsReachAllThreads) {
  EXPECT_EQ(usual_thread_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(usual_thread_counts(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(usual_thread_counts(16), (std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16}));
  EXPECT_EQ(usual_thread_counts(10), (std::vector<int>{1, 2, 3, 4, 6, 8, 10}));
}

TEST(RooflineMeasure, OneThreadHasAllLevelsWithSamples) {
  const Result<MachineCeilings> machine = measure_ceilings(
      {.threads = {1}, .repetitions = 2, .sample_seconds = 0.001, .memory_bytes = 4e6});
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_TRUE(compute_ceiling(*machine, 1, "fp64"));
  ASSERT_TRUE(bandwidth_ceiling(*machine, "memory", 1, "triad"));
  for (const MachineCeiling& one : machine->ceilings) {
    EXPECT_EQ(one.samples.size(), 2U) << one.level << one.kernel;
    EXPECT_GT(one.rate.point, 1e7) << one.level << one.kernel;
    EXPECT_LT(one.rate.point, 1e14) << one.level << one.kernel;
  }
  EXPECT_TRUE(parse_machine(to_toml(*machine), "m.toml"));
}

TEST(RooflineMeasure, OneLoopAloneCanBeMeasured) {
  CeilingOptions options{
      .threads = {1}, .repetitions = 2, .sample_seconds = 0.001, .memory_bytes = 4e6};
  options.compute = options.caches = false;
  options.kernel = "triad";
  const Result<MachineCeilings> machine = measure_ceilings(options);
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_EQ(machine->ceilings.size(), 1U);
  EXPECT_EQ(machine->ceilings[0].level + " " + machine->ceilings[0].kernel, "memory triad");
  options.kernel = "quicksort";
  EXPECT_FALSE(measure_ceilings(options));
}

TEST(RooflineMeasure, MoreThreadsThanThereAreIsAnError) {
  const Result<MachineCeilings> machine = measure_ceilings({.threads = {60000}, .repetitions = 2});
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().where, "--threads");
}

MachineCeilings of_threads(const std::vector<int>& compute, const std::vector<int>& memory) {
  MachineCeilings machine{.name = "m", .kind = "cpu"};
  for (const int threads : compute) {
    machine.ceilings.push_back(
        make_ceiling({.level = "compute", .kernel = "fma", .precision = "fp64", .threads = threads},
                     {1e10 * threads}));
  }
  for (const int threads : memory) {
    machine.ceilings.push_back(
        make_ceiling({.level = "memory", .kernel = "triad", .threads = threads}, {1e9 * threads}));
  }
  return machine;
}

Roofline used_threads(int threads, double flops, double bytes, const MachineCeilings& machine) {
  RooflineProfile profile{.kernels = {kernel(1, flops, bytes)}};
  profile.kernels[0].threads = threads;
  return place_kernels(profile, machine);
}

TEST(Roofline, AProgramThatWaitsIsBoundByNeither) {
  RooflineProfile profile{.kernels = {kernel(1, 16e9, 1e9)}};
  profile.kernels[0].threads = 1;
  profile.kernels[0].active = 0.01;
  const Roofline roofline = place_kernels(profile, opteron());
  EXPECT_EQ(roofline.places[0].bound, Bound::kLatency);
  EXPECT_FALSE(roofline.places[0].headroom);
  const std::string said = to_markdown(to_document(roofline, RooflineView{}));
  EXPECT_NE(said.find("it waited"), std::string::npos) << said;
  EXPECT_NE(said.find("while it was on the CPU"), std::string::npos) << said;  // 91 times the peak
  profile.kernels[0].active = 0.9;
  EXPECT_EQ(place_kernels(profile, opteron()).places[0].bound, Bound::kCompute);
}

TEST(Roofline, CeilingsOfOtherThreadsAreNotSaidToBeOfThese) {
  const MachineCeilings six = of_threads({6}, {6});
  const Roofline fewer = used_threads(2, 1e9, 1e8, six);  // too high a ceiling: far from it or not
  EXPECT_EQ(fewer.places[0].bound, Bound::kUnknown);
  EXPECT_FALSE(fewer.threads_measured);
  EXPECT_NE(fewer.threads_from.find("measured on 6 threads; it used 2"), std::string::npos);
  const Roofline more = used_threads(8, 1e9, 9e9, six);  // too low a ceiling: above it is possible
  EXPECT_FALSE(more.places[0].above);
  EXPECT_EQ(more.places[0].bound, Bound::kUnknown);
  const Roofline line = used_threads(2, 1e9, 1e8, of_threads({1, 16}, {1, 16}));
  EXPECT_NE(line.threads_from.find("1 and 16 threads, and interpolated"), std::string::npos);
  const Roofline mixed = used_threads(4, 1e9, 1e8, of_threads({1}, {4}));
  EXPECT_NE(mixed.threads_from.find("operations measured on 1 thread, memory on 4 threads"),
            std::string::npos)
      << mixed.threads_from;
  EXPECT_EQ(used_threads(6, 1e9, 1e8, six).threads_from, "as many as it used");
}

TEST(Roofline, SaturationNeedsThreadCountsOnBothSides) {
  const auto said = [](const MachineCeilings& machine) {
    return to_markdown(to_document(machine, RooflineView{}));
  };
  const std::string two = said(of_threads({}, {1, 16}));
  EXPECT_EQ(two.find("grows up to"), std::string::npos) << two;
  MachineCeilings three = of_threads({}, {1, 2, 3});
  EXPECT_NE(said(three).find("were not measured"), std::string::npos) << said(three);
  three.cores = 3;
  EXPECT_NE(said(three).find("grows up to all 3 threads"), std::string::npos) << said(three);
}

TEST(Roofline, TwoSamplesAreARangeAndNoInterval) {
  MachineCeilings machine = of_threads({}, {1});
  machine.ceilings[0] = make_ceiling(machine.ceilings[0], {1e9, 1.1e9});
  EXPECT_EQ(to_markdown(to_document(machine, RooflineView{})).find("95%"), std::string::npos);
  machine.ceilings[0] = make_ceiling(machine.ceilings[0], {1e9, 1.1e9, 1e9, 1.1e9, 1e9, 1.1e9});
  EXPECT_NE(to_markdown(to_document(machine, RooflineView{})).find("95%"), std::string::npos);
}

TEST(Roofline, ComputeThatWasCountedInPartNeedsAsMuchAsMemory) {
  RooflineKernel part = kernel(1, 0.7 * 17.6e9, 1e9);
  EXPECT_EQ(placed(part, opteron()).bound, Bound::kCompute);
  part.missing = "fp32 was not counted";
  EXPECT_EQ(placed(part, opteron()).bound, Bound::kUnknown);
}

TEST(Roofline, SharesOfTheProfilerAreNotThoseOfTheMachineFile) {
  RooflineProfile profile{.gpu = true};
  profile.kernels = {{.name = "k", .seconds = 1, .reported = {{"memory", 0.95}, {"sm", 0.2}}}};
  MachineCeilings machine = of_threads({}, {1});
  machine.kind = "gpu";
  const std::string said =
      to_markdown(to_document(place_kernels(profile, machine), RooflineView{}));
  EXPECT_NE(said.find("not of the machine"), std::string::npos) << said;
}

/// Measured: rates of two threads grow by their median, but one round of six took 2.5 times as
/// long.
TEST(Roofline, RatesOfSingleRoundsThatContradictTheirMedianSayNothingOfS) {
  const Result<MachineCeilings> machine = parse_machine(
      "cores = 2\n[[compute]]\nrate = 20e9\nthreads = 2\n"
      "[[bandwidth]]\nkernel = \"triad\"\nthreads = 1\n"
      "samples = [42.5e9, 40.3e9, 43.6e9, 42.2e9, 41.3e9, 42.2e9]\n"
      "[[bandwidth]]\nkernel = \"triad\"\nthreads = 2\n"
      "samples = [50e9, 50.7e9, 50.1e9, 20.4e9, 48.7e9, 50.7e9]\n",
      "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  const Document document = to_document(*machine, {});
  std::string text;
  for (const Block& block : document.blocks) {
    if (const auto* said = std::get_if<Paragraph>(&block)) text += said->text + "\n";
  }
  EXPECT_NE(text.find("Single rounds differ so much"), std::string::npos) << text;
  EXPECT_EQ(text.find("S = 1"), std::string::npos) << text;
}

TEST(Roofline, LinesOfAFigureAreNamedAndTheDotNeedsNoName) {
  const Chart chart = roofline_chart(place_kernels({.kernels = {kernel(1, 1e9, 12e9)}}, opteron()));
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].name, "fp64 17.6 GFLOP/s");
  EXPECT_TRUE(chart.series[1].name.empty());  // a legend would have lines that look alike
  const std::string drawn = to_terminal(chart, {.width = 80});
  EXPECT_NE(drawn.find("fp64 17.6 GFLOP/s"), std::string::npos);
  EXPECT_EQ(drawn.find("●  \n"), std::string::npos) << drawn;
}

/// 59.93% is no 60%, from which on a ceiling binds.
TEST(Roofline, AShareJustBelowTheThresholdIsNotRoundedToIt) {
  EXPECT_EQ(placing::share_text(0.5993), "59.9%");
  EXPECT_EQ(placing::share_text(0.6), "60%");
  EXPECT_EQ(placing::share_text(0.796), "79.6%");
  EXPECT_EQ(placing::share_text(0.43), "43%");
}

/// Bytes per second of the steps of a study whose program marks its bytes, by workers.
std::map<int, double> rates_of(const std::string& loop) {
  const Result<Study> study = load_study(KSTAR_ROOFLINE "/turns/" + loop + ".jsonl.gz");
  EXPECT_TRUE(study) << loop;
  std::map<int, std::vector<double>> rates;
  for (const Run& run : study ? study->runs : std::vector<Run>()) {
    if (!run.per_worker || run.steps.empty()) continue;
    const auto warm = run.steps.begin() + run.warm_up_steps.value_or(0);
    const std::vector<double>& bytes = run.per_worker->bytes;
    rates[run.workers].push_back(std::accumulate(bytes.begin(), bytes.end(), 0.0) /
                                 std::accumulate(warm, run.steps.end(), 0.0));
  }
  std::map<int, double> typical;
  for (const auto& [workers, all] : rates) typical[workers] = estimate_median(all)->point;
  return typical;
}

/// Measured in turns with the ceilings on 16 cores; the rule was chosen on two of another machine.
/// By the fastest way to move memory, an update in place, 4 of these points were memory, and the
/// others "neither".
TEST(Roofline, LoopsThatMoveMemoryAreBoundByIt) {
  const Result<MachineCeilings> machine = load_machine(KSTAR_ROOFLINE "/turns/machine.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  std::map<Bound, int> bounds;
  const auto place_all = [&](const std::string& loop) {
    for (const auto& [workers, rate] : rates_of(loop)) {
      RooflineKernel one = kernel(1, rate / 12, rate);
      one.threads = workers;
      one.precision = "fp64";
      ++bounds[placed(one, *machine).bound];
    }
  };
  for (const char* loop : {"triad", "sum", "dot", "spmv", "stencil"}) place_all(loop);
  EXPECT_GE(bounds[Bound::kMemory], 27);
  EXPECT_EQ(bounds[Bound::kLatency], 0);
  EXPECT_LE(bounds[Bound::kUnknown], 1);
  bounds.clear();
  place_all("transpose");  // at less than half of the bandwidth
  EXPECT_EQ(bounds[Bound::kMemory], 0);
}

}  // namespace
}  // namespace kstar
