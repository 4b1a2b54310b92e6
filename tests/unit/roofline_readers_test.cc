#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "kstar/roofline.h"
#include "kstar/roofline_measure.h"
#include "roofline/readers.h"

namespace kstar {
namespace {

std::string sample(const std::string& part) {
  const std::filesystem::path folder = KSTAR_PUBLIC_DATA "/samples/roofline";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().filename().string().find(part) != std::string::npos) {
      return entry.path().string();
    }
  }
  return "";
}

#define KSTAR_SAMPLE(name, part)         \
  const std::string name = sample(part); \
  if (name.empty()) GTEST_SKIP() << "no ../shared/data/public/samples/roofline"

const RooflineKernel* named(const RooflineProfile& profile, std::string_view part) {
  for (const RooflineKernel& one : profile.kernels) {
    if (one.name.find(part) != std::string::npos) return &one;
  }
  return nullptr;
}

double bytes_at(const RooflineKernel& kernel, std::string_view level) {
  for (const LevelBytes& one : kernel.bytes) {
    if (one.level == level) return one.bytes;
  }
  return -1;
}

TEST(RooflineReaders, NumbersAsOtherProgramsPrintThem) {
  using roofline::loose_number;
  EXPECT_EQ(loose_number("5,335,822"), 5335822);
  EXPECT_EQ(loose_number("3,199,423,427.27"), 3199423427.27);
  EXPECT_EQ(loose_number("108,708358049"), 108.708358049);
  EXPECT_EQ(loose_number("32 363 300 457"), 32363300457);
  EXPECT_EQ(loose_number("1.234.567"), 1234567);
  EXPECT_EQ(loose_number("1.234,5"), 1234.5);
  EXPECT_EQ(loose_number("2.5e+07"), 2.5e7);
  EXPECT_FALSE(loose_number("n/a"));
  EXPECT_FALSE(loose_number("nan"));
  EXPECT_FALSE(loose_number(""));
}

TEST(RooflineReaders, DetailsPageOfTheH200) {
  const Result<RooflineProfile> profile = read_profile(KSTAR_TEST_DATA "/roofline/ncu_details.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->source, "Nsight Compute, details page");
  const RooflineKernel* gemm = named(*profile, "sm80_xmma_gemm_f32f32");
  ASSERT_NE(gemm, nullptr);
  // 76% of 132 SMs x 128 lanes x 2 at 1.97 GHz is 50.6 TFLOP/s: two products of 4096^3.
  EXPECT_EQ(gemm->launches, 2);
  EXPECT_NEAR(*gemm->flops / gemm->seconds, 50.6e12, 0.5e12);
  EXPECT_NEAR(*gemm->flops, 2 * 2 * 4096.0 * 4096 * 4096, 0.02 * *gemm->flops);
  const RooflineKernel* add =
      named(*profile, "vectorized_elementwise_kernel<4, at::CUDAFunctor_add");
  ASSERT_NE(add, nullptr);
  EXPECT_NEAR(bytes_at(*add, "memory"), 12 * 67108864.0, 0.02 * 12 * 67108864.0);
}

TEST(RooflineReaders, ATensorKernelIsNeverPlacedAtIntensityZero) {
  const Result<RooflineProfile> profile = read_profile(KSTAR_TEST_DATA "/roofline/ncu_details.csv");
  ASSERT_TRUE(profile);
  const Roofline roofline = place_kernels(*profile, std::nullopt);
  int tensor = 0;
  for (const RooflinePlace& place : roofline.places) {
    if (place.kernel.name.find("nvjet") == std::string::npos) continue;
    ++tensor;
    EXPECT_FALSE(place.kernel.flops);
    EXPECT_FALSE(place.intensity);
    EXPECT_EQ(place.bound, Bound::kUnknown);
    EXPECT_NE(place.kernel.missing.find("matrix units"), std::string::npos);
  }
  EXPECT_GE(tensor, 2);
}

TEST(RooflineReaders, MetricsBehindNoiseAndAByteOrderMark) {
  KSTAR_SAMPLE(path, "ncu_gemm_naive");
  const Result<RooflineProfile> profile = read_profile(path);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 1U);
  EXPECT_NEAR(profile->kernels[0].seconds, 9.589248e-3, 1e-9);
  EXPECT_EQ(bytes_at(profile->kernels[0], "memory"), 54207744.0 + 26601216.0);
  EXPECT_FALSE(profile->kernels[0].missing.empty());
}

TEST(RooflineReaders, RawPageHasARowOfUnits) {
  const Result<RooflineProfile> profile = parse_profile(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\","
      "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed\","
      "\"smsp__cycles_elapsed.avg\",\"dram__bytes_read.sum\"\n"
      "\"\",\"\",\"us\",\"Mbyte\",\"inst/cycle\",\"cycle\",\"byte\"\n"
      "\"0\",\"k\",\"10\",\"1.5\",\"100\",\"20,000\",\"-3\"\n",
      "raw.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  const RooflineKernel& kernel = profile->kernels.at(0);
  EXPECT_NEAR(kernel.seconds, 1e-5, 1e-12);
  EXPECT_NEAR(bytes_at(kernel, "memory"), 1.5e6, 1);
  EXPECT_NEAR(*kernel.flops, 2 * 100 * 20000.0, 1);
  EXPECT_EQ(kernel.precision, "fp32");
}

constexpr std::string_view kMetricsHead =
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

TEST(RooflineReaders, ADecimalCommaAnywhereMeansThatPointsGroupDigits) {
  for (const char* other : {"\"0\",\"k\",\"sm__throughput\",\"%\",\"65,77\"\n",
                            "\"0\",\"k\",\"dram__bytes.sum\",\"byte\",\"27.595.520\"\n", ""}) {
    const std::string text = std::string(kMetricsHead) +
                             "\"0\",\"k\",\"gpu__time_duration.sum\",\"ns\",\"117.344\"\n" + other;
    const Result<RooflineProfile> profile = parse_profile(text, "ncu.csv");
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_NEAR(profile->kernels[0].seconds, 117344e-9, 1e-12) << other;
    EXPECT_FALSE(profile->notes.empty());
  }
  const Result<RooflineProfile> usual = parse_profile(
      std::string(kMetricsHead) + "\"0\",\"k\",\"Duration\",\"us\",\"1,117.344\"\n", "ncu.csv");
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_NEAR(usual->kernels[0].seconds, 1117.344e-6, 1e-12);
}

TEST(RooflineReaders, TimesWithoutAUnitAreRefused) {
  const Result<RooflineProfile> raw = parse_profile(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"k\",\"5\"\n", "ncu.csv");
  ASSERT_FALSE(raw);
  EXPECT_NE(raw.error().message.find("no unit"), std::string::npos);
  EXPECT_FALSE(parse_profile(
      std::string(kMetricsHead) + "\"0\",\"k\",\"gpu__time_duration.sum\",\"fortnight\",\"5\"\n",
      "ncu.csv"));
}

TEST(RooflineReaders, SumsOverCoresAreNotAnotherRun) {
  std::string text = "CPU name:\tx\n";
  for (const char* region : {"Setup", "Solve"}) {
    text += std::string("Region ") + region +
            ", Group 1: MEM_DP\n"
            "| Metric | Core 0 | Core 14 |\n"
            "| Runtime (RDTSC) [s] | 2.0 | 2.0 |\n"
            "| DP [MFLOP/s] | 100 | 300 |\n"
            "| Metric | Sum | Min | Max | Avg |\n"
            "| Runtime (RDTSC) [s] STAT | 4.0 | 2.0 | 2.0 | 2.0 |\n"
            "| DP [MFLOP/s] STAT | 400 | 100 | 300 | 200 |\n";
  }
  const Result<RooflineProfile> profile = parse_profile(text, "likwid.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 2U);
  EXPECT_EQ(profile->kernels[1].name, "Solve");
  EXPECT_EQ(profile->kernels[1].threads, 2);
  EXPECT_NEAR(*profile->kernels[1].flops, 800e6, 1);
}

TEST(RooflineReaders, StreamOfSeveralThreadCountsInOneFile) {
  std::string text;
  for (const char* one : {"8", "1"}) {
    text += std::string("    STREAM version 5.10\n    Number of Threads counted = ") + one +
            "\n    Function Best Rate MB/s\n    Triad: " + one + "0000.0 0.1 0.1 0.1\n";
  }
  const Result<MachineCeilings> machine = parse_ceilings(text + text, "readme.md");
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_EQ(machine->ceilings.size(), 2U);
  EXPECT_EQ(bandwidth_ceiling(*machine, "memory", 8)->rate.point, 8e10);
  EXPECT_EQ(bandwidth_ceiling(*machine, "memory", 1)->rate.point, 1e10);
  EXPECT_EQ(machine->ceilings[0].samples.size(), 2U);
}

TEST(RooflineReaders, VectorCopyOnAnMi200MovesItsTwoArrays) {
  KSTAR_SAMPLE(path, "MI200_pmc_perf");
  KSTAR_SAMPLE(ceilings, "MI200_roofline");
  const Result<RooflineProfile> profile = read_profile(path);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 1U);
  const RooflineKernel& copy = profile->kernels[0];
  EXPECT_EQ(copy.launches, 3);
  EXPECT_EQ(copy.flops, 0);
  // Reads of 2^20 doubles each time; written through once, and mostly in L2 afterwards.
  const double array = 8.0 * 1048576;
  EXPECT_GT(bytes_at(copy, "memory"), 3 * array + array);
  EXPECT_LT(bytes_at(copy, "memory"), 6.1 * array);
  const Result<MachineCeilings> machine = read_ceilings(ceilings);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_NEAR(bandwidth_ceiling(*machine, "memory", 1)->rate.point, 1388.7948e9, 1e3);
  EXPECT_NEAR(bandwidth_ceiling(*machine, "memory", 1)->rate.high, 1389.3771e9, 1e3);
  EXPECT_NEAR(compute_ceiling(*machine, 1, "bf16")->rate.point, 170487.92e9, 1e3);
}

TEST(RooflineReaders, LikwidRegionsOfTwoGroupsBecomeOne) {
  KSTAR_SAMPLE(flops, "FLOPS_DP_1024");
  KSTAR_SAMPLE(bytes, "L3_1024");
  Result<RooflineProfile> profile = read_profile(flops);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels.size(), 4U);
  EXPECT_NE(profile->device.find("i5-7500"), std::string::npos) << profile->device;
  const Result<RooflineProfile> other = read_profile(bytes);
  ASSERT_TRUE(other);
  merge_profile(*profile, *other);
  EXPECT_EQ(profile->kernels.size(), 4U);
  const RooflineKernel* region = named(*profile, "multMatVet_NAO_OTIM");
  ASSERT_NE(region, nullptr);
  EXPECT_NEAR(*region->flops, 32778, 10);  // scalar operations that were counted
  EXPECT_NEAR(bytes_at(*region, "l3"), (3097 + 328) * 64.0, 500);
  EXPECT_TRUE(region->missing.empty()) << region->missing;
}

TEST(RooflineReaders, PerfStatOfSeveralRunsAndOfAnotherLocale) {
  KSTAR_SAMPLE(runs, "two_sum__perf_stat");
  KSTAR_SAMPLE(locale, "perf_stat_20260425_221508");
  const Result<RooflineProfile> several = read_profile(runs);
  ASSERT_TRUE(several) << several.error().message;
  ASSERT_EQ(several->kernels.size(), 3U);
  EXPECT_NEAR(several->kernels[0].seconds, 60.248690210, 1e-9);
  EXPECT_FALSE(several->kernels[0].flops);
  const Result<RooflineProfile> other = read_profile(locale);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_NEAR(other->kernels[0].seconds, 108.708358049, 1e-9);
  EXPECT_NEAR(bytes_at(other->kernels[0], "memory"), 64 * (100657015.0 + 107587649.0), 1);
}

TEST(RooflineReaders, PerfStatCountsOperationsByWidth) {
  const Result<RooflineProfile> profile = parse_profile(
      " Performance counter stats for './a':\n\n"
      "     1,000,000      fp_arith_inst_retired.256b_packed_double    #  1 M/sec\n"
      "       500,000      fp_arith_inst_retired.scalar_double\n"
      "       100,000      cache-misses\n"
      "          2.00 msec task-clock\n\n"
      "       0.001000000 seconds time elapsed\n",
      "perf.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels[0].flops, 4.5e6);
  EXPECT_EQ(profile->kernels[0].threads, 2);
  EXPECT_EQ(bytes_at(profile->kernels[0], "memory"), 6.4e6);
  const Result<RooflineProfile> none = parse_profile(
      " Performance counter stats for './a':\n"
      "   <not supported>      fp_arith_inst_retired.scalar_double\n"
      "       0.001 seconds time elapsed\n",
      "perf.txt");
  ASSERT_TRUE(none);
  EXPECT_NE(none->kernels[0].missing.find("no such hardware counters"), std::string::npos);
}

TEST(RooflineReaders, PerfStatWithoutATaskClockHasUserAndSystemTime) {
  const Result<RooflineProfile> profile = parse_profile(
      " Performance counter stats for './a':\n\n"
      "       500,000      fp_arith_inst_retired.scalar_double\n\n"
      "      39.428329959 seconds time elapsed\n\n"
      "     130.321384000 seconds user\n       3.369368000 seconds sys\n",
      "perf.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels[0].threads, 3);
}

TEST(RooflineReaders, LikwidOfTwoRunsHasBoth) {
  const std::string run =
      "+---+---+\n| Metric | HWThread 1 |\n+---+---+\n| Runtime (RDTSC) [s] | 2 |\n"
      "| DP [MFLOP/s] | 1000 |\n";
  const Result<RooflineProfile> profile = parse_profile(run + run, "likwid.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 2U);
  EXPECT_EQ(profile->kernels[1].name, "run 2 of the whole program");
  Result<RooflineProfile> one = parse_profile(run, "likwid.txt");
  ASSERT_TRUE(one);
  const RooflineProfile other = *one;
  merge_profile(*one, other);
  EXPECT_EQ(one->kernels.size(), 2U);
}

TEST(RooflineReaders, LikwidOfSumsAlone) {
  const Result<RooflineProfile> profile = parse_profile(
      "Group 1: MEM\n| Metric | Sum | Min | Max | Avg |\n"
      "| Runtime (RDTSC) [s] STAT | 400.2760 | 10.0069 | 10.0069 | 10.0069 |\n"
      "| Memory bandwidth [MBytes/s] STAT | 92518.6320 | 0 | 46313.3549 | 2312.9658 |\n",
      "likwid.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels[0].threads, 40);
  EXPECT_NEAR(profile->kernels[0].seconds, 10.0069, 1e-9);
  EXPECT_NEAR(bytes_at(profile->kernels[0], "memory"), 92518.6320e6 * 10.0069, 1e3);
}

TEST(RooflineReaders, StreamAsPeoplePostItDoesNotSayItsThreads) {
  const Result<MachineCeilings> table = parse_ceilings(
      "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
      "Triad:          332295.2     0.009136     0.008667     0.010838\n",
      "stream.txt");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->ceilings.at(0).threads, 0);
  const Result<MachineCeilings> again = parse_machine(to_toml(*table), "machine.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->ceilings.at(0).threads, 0);
}

TEST(RooflineReaders, StreamAndHpccAreCeilings) {
  const Result<MachineCeilings> stream = parse_ceilings(
      "STREAM version $Revision: 5.10 $\nNumber of Threads requested = 4\n"
      "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
      "Copy:           41020.9     0.003922     0.003900     0.003954\n"
      "Triad:          39650.2     0.006068     0.006053     0.006081\n",
      "stream.txt");
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_NEAR(bandwidth_ceiling(*stream, "memory", 4, "triad")->rate.point, 39650.2e6, 1);
  const Result<MachineCeilings> hpcc = parse_ceilings(
      "CommWorldProcs=2\nStarSTREAM_Triad=10.5\nSingleSTREAM_Triad=14.25\n", "hpccoutf.txt");
  ASSERT_TRUE(hpcc) << hpcc.error().message;
  EXPECT_NEAR(bandwidth_ceiling(*hpcc, "memory", 1, "triad")->rate.point, 14.25e9, 1);
  EXPECT_NEAR(bandwidth_ceiling(*hpcc, "memory", 2, "triad")->rate.point, 21e9, 1);
}

TEST(RooflineReaders, GpuCeilingsAsJson) {
  const Result<MachineCeilings> plain = parse_ceilings(
      "{\"matmul_bf16_tflops\": 786.7, \"matmul_fp32_tflops\": 50.9, \"copy_TBps\": 4.28}",
      "g.json");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_NEAR(compute_ceiling(*plain, 1, "bf16")->rate.point, 786.7e12, 1e6);
  EXPECT_NEAR(bandwidth_ceiling(*plain, "memory", 1)->rate.point, 4.28e12, 1e4);
  const Result<MachineCeilings> listed = parse_gpu_ceilings(
      "{\"kstar\":\"gpu_ceilings\",\"name\":\"X\",\"ceilings\":[{\"level\":\"memory\",\"kernel\":"
      "\"copy\",\"precision\":\"\",\"vector\":\"\",\"samples\":[1e12,2e12,3e12]}]}",
      "g.json");
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->ceilings[0].rate.point, 2e12);
  for (const char* wrong :
       {"{\"kstar\":\"gpu_ceilings\"}", "{\"copy_TBps\": -1, \"a_tflops\": 0}",
        "{\"kstar\":\"gpu_ceilings\",\"ceilings\":[{\"level\":\"x\",\"samples\":[1]}]}",
        "{\"kstar\":\"gpu_ceilings\",\"ceilings\":[{\"level\":\"memory\",\"samples\":[0]}]}",
        "{\"gpu_ceilings\""}) {
    EXPECT_FALSE(parse_ceilings(wrong, "g.json")) << wrong;
  }
}

TEST(RooflineReaders, OtherFilesAreRefused) {
  for (const char* text :
       {"", "\n", "hello", "a,b\n1,2\n", "ID,Kernel Name\n", "\"ID\",\"Kernel Name\n",
        "ID,xKernel Name,Metric Name,Metric Unit,Metric Value\n0,a,b,c,1\n",
        "Runtime (RDTSC) [s]\n", " Performance counter stats for 'x':\n",
        "Kernel_Name,Start_Timestamp\n\"x\n", "MByte/s:\nNumber of Flops:\n",
        "STREAM\nTriad: -3\n"}) {
    const Result<RooflineProfile> profile = parse_profile(text, "x");
    EXPECT_FALSE(profile) << text;
    if (!profile) {
      EXPECT_FALSE(profile.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace kstar
