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

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string result(text);
  for (std::size_t at = result.find(what); at != result.npos;
       at = result.find(what, at + by.size())) {
    result.replace(at, what.size(), by);
  }
  return result;
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

/// The page of `--set roofline`: of fused operations it has twice the number per cycle.
TEST(RooflineReaders, FusedOperationsOfTheRooflineSet) {
  const Result<RooflineProfile> profile = parse_profile(
      "\"ID\",\"Kernel Name\",\"device__attribute_display_name\",\"gpu__time_duration.sum\","
      "\"smsp__cycles_elapsed.avg.per_second\",\"sm__cycles_elapsed.avg.per_second\","
      "\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed\","
      "\"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed\","
      "\"derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2\","
      "\"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed\","
      "\"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed\","
      "\"derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2\","
      "\"derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2\",\"dram__bytes.sum.per_"
      "second\","
      "\"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained\"\n"
      "\"\",\"\",\"\",\"us\",\"Ghz\",\"Ghz\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Gbyte/s\",\"\"\n"
      "\"0\",\"gemm\",\"NVIDIA A100-SXM4-40GB\",\"1,000\",\"1.41\",\"1.41\",\"10\",\"10\","
      "\"11,000\",\"0\",\"0\",\"0\",\"13,824\",\"300\",\"2,048\"\n",
      "raw.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->device, "NVIDIA A100-SXM4-40GB");
  const RooflineKernel& gemm = profile->kernels.at(0);
  EXPECT_NEAR(*gemm.flops, (10 + 10 + 11000) * 1.41e9 * 1e-3, 1);
  EXPECT_FALSE(gemm.matrix);  // that its units could do something is not that they did
  EXPECT_EQ(gemm.missing, "");
  const RooflinePlace place = place_kernels(*profile, std::nullopt).places.at(0);
  EXPECT_EQ(place.bound, Bound::kCompute);
  EXPECT_NEAR(place.compute->point, 11020.0 / 13824, 1e-6);  // of the peak in the page itself
}

TEST(RooflineReaders, MatrixOperationsAreCountedOnce) {
  const auto flops = [](const std::string& columns, const std::string& values) {
    const Result<RooflineProfile> profile =
        parse_profile("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"," + columns +
                          "\n\"\",\"\",\"us\"\n\"0\",\"k\",\"10\"," + values + "\n",
                      "raw.csv");
    return profile && profile->kernels[0].precision == "bf16"
               ? profile->kernels[0].flops.value_or(0)
               : -1;
  };
  const std::string start = "\"sm__ops_path_tensor_src_bf16_dst_fp32";
  EXPECT_EQ(flops(start + ".sum\"," + start + "_sparsity_off.sum\"," + start + "_sparsity_on.sum\"",
                  "100,70,30"),
            100);
  EXPECT_EQ(flops(start + "_sparsity_off.sum\"," + start + "_sparsity_on.sum\"", "70,30"), 100);
  EXPECT_EQ(flops("\"sm__ops_path_tensor_src_bf16.sum\"," + start + ".sum\"", "100,100"), 100);
}

TEST(RooflineReaders, OperationsThatWereNotCountedAreSaid) {
  const auto missing = [](std::initializer_list<const char*> kinds) {
    std::string head = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"",
                units = ",,us,byte", row = "0,k,10,5";
    for (const char* kind : kinds) {
      head += ",\"sm__sass_thread_inst_executed_op_" + std::string(kind) + "_pred_on.sum\"";
      units += ",inst";
      row += ",1000";
    }
    const Result<RooflineProfile> profile =
        parse_profile(head + "\n" + units + "\n" + row, "r.csv");
    return profile ? profile->kernels[0].missing : profile.error().message;
  };
  EXPECT_EQ(missing({"fadd", "fmul", "ffma"}), "operations in fp64 were not counted");
  EXPECT_EQ(missing({"ffma", "dadd", "dmul", "dfma"}),
            "only some kinds of fp32 operations were counted");
  EXPECT_NE(missing({"fadd", "fmul", "ffma", "dadd", "dmul"}).find("fp64"), std::string::npos);
  EXPECT_EQ(missing({"dadd", "dmul", "dfma", "fadd", "fmul", "ffma"}),
            "50% of its operations are in fp64, which may be what bounds it");
}

TEST(RooflineReaders, WhatOneLaunchLacksIsNotKnownOfAll) {
  const std::string row = "\"0\",\"k\",", other = "\"1\",\"k\",";
  const Result<RooflineProfile> profile = parse_profile(
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" + row +
          "\"gpu__time_duration.sum\",\"us\",\"10\"\n" + row +
          "\"dram__bytes.sum\",\"Mbyte\",\"5\"\n" + row + "\"lts__t_bytes.sum\",\"Mbyte\",\"7\"\n" +
          other + "\"gpu__time_duration.sum\",\"us\",\"10\"\n" + other +
          "\"lts__t_bytes.sum\",\"Mbyte\",\"7\"\n",
      "ncu.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(bytes_at(profile->kernels.at(0), "memory"), -1);
  EXPECT_NEAR(bytes_at(profile->kernels[0], "l2"), 14e6, 1);
}

/// Without --csv, in the units of older versions and of newer ones.
TEST(RooflineReaders, NsightComputeAsItPrints) {
  const Result<RooflineProfile> profile = parse_profile(
      "==PROF== Connected to process 828 (/tmp/a.out)\n[828] a.out@127.0.0.1\n"
      "  sgemm(int, const float *) (32, 32, 1)x(32, 32, 1), Context 1, Stream 7, Device 0, CC 7.5\n"
      "    Section: GPU Speed Of Light Throughput\n"
      "    ----------------------- ------------- -------------\n"
      "    Metric Name               Metric Unit  Metric Value\n"
      "    DRAM Frequency          cycle/nsecond          5.00\n"
      "    Elapsed Cycles                  cycle    56,344,784\n"
      "    DRAM Throughput                     %          0.47\n"
      "    Duration                      msecond         96.32\n"
      "    L1/TEX Cache Throughput             %         98.45\n"
      "    Compute (SM) Throughput             %          5.97\n"
      "\n"
      "    INF   The ratio of FP32 to FP64 performance is 32:1. The kernel achieved 24% of this\n"
      "          device's FP32 peak performance and 0% of its FP64 peak performance.\n"
      "\n"
      "  void adamw<float>(T1 *) (2048, 1, 1)x(512, 1, 1), Context 1, Stream 7, Device 0, CC 7.5\n"
      "    Duration                         us       606.56\n"
      "    DRAM Throughput                   %        86.36\n"
      "    Block Size                                 1,024\n",
      "ncu.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 2U);
  EXPECT_NEAR(named(*profile, "sgemm")->seconds, 96.32e-3, 1e-9);
  EXPECT_NEAR(named(*profile, "adamw")->seconds, 606.56e-6, 1e-9);
  const Roofline roofline = place_kernels(*profile, std::nullopt);
  EXPECT_EQ(roofline.places[0].level, "l1");
  EXPECT_NEAR(roofline.places[0].compute->point, 0.24, 1e-9);
  EXPECT_EQ(roofline.places[1].level, "memory");
  EXPECT_EQ(roofline.places[1].bound, Bound::kMemory);
}

/// One kernel of which Nsight Compute prints its own shares alone.
RooflinePlace printed_shares(const char* l1, const char* active, const char* processor) {
  const Result<RooflineProfile> profile = parse_profile(
      std::string("  rows(int) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.0\n"
                  "    Metric Name               Metric Unit Metric Value\n"
                  "    Elapsed Cycles                  cycle    4,000,000\n"
                  "    DRAM Throughput                     %        17.98\n"
                  "    Duration                      msecond         3.84\n"
                  "    L2 Cache Throughput                 %        17.06\n"
                  "    L1/TEX Cache Throughput             %        ") +
          l1 + "\n    SM Active Cycles                cycle " + active +
          "\n    Compute (SM) Throughput             %         " + processor + "\n",
      "ncu.txt");
  EXPECT_TRUE(profile) << profile.error().message;
  return profile ? place_kernels(*profile, std::nullopt).places.at(0) : RooflinePlace{};
}

TEST(RooflineReaders, SharesOfTheL1CacheAreOfTheWholeTime) {
  const RooflinePlace half = printed_shares("99.84", "2,000,000", "2.08");
  EXPECT_NEAR(half.levels.at(0).share->point, 0.4992, 1e-9);
  EXPECT_EQ(half.bound, Bound::kLatency);
  const RooflinePlace whole = printed_shares("99.84", "4,000,000", "2.08");
  EXPECT_EQ(whole.bound, Bound::kMemory);
  EXPECT_EQ(whole.level, "l1");
}

TEST(RooflineReaders, AnIdleProcessorAndMemoryAreLatencyThoughNothingIsCounted) {
  EXPECT_EQ(printed_shares("9.17", "2,000,000", "3.94").bound, Bound::kLatency);
  EXPECT_EQ(printed_shares("9.17", "2,000,000", "65.0").bound, Bound::kUnknown);
  EXPECT_NEAR(printed_shares("9.17", "2,000,000", "50.0").headroom->point, 2, 1e-9);
}

TEST(RooflineReaders, NsightComputeAsItPrintsWithADecimalComma) {
  const Result<RooflineProfile> profile = parse_profile(
      "  k(int) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.9\n"
      "    Metric Name       Metric Unit  Metric Value\n"
      "    Duration                   us       117,344\n"
      "    DRAM Throughput             %         86,36\n",
      "ncu.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_NEAR(profile->kernels[0].seconds, 117.344e-6, 1e-12);
}

/// Ports "0,1" and versions "1.2.3" are no numbers with a decimal comma.
TEST(RooflineReaders, OnlyMeasurementsShowALocale) {
  const Result<RooflineProfile> profile = parse_profile(
      "\"ID\",\"Kernel Name\",\"nvlink__ports\",\"version__x\",\"gpu__time_duration.sum\"\n"
      "\"\",\"\",\"\",\"\",\"us\"\n\"0\",\"k\",\"0,1\",\"1.2.3\",\"1,117.344\"\n",
      "raw.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_NEAR(profile->kernels[0].seconds, 1117.344e-6, 1e-12);
}

TEST(RooflineReaders, KernelsOfRocprofAlone) {
  const Result<RooflineProfile> profile = parse_profile(
      "Index,KernelName,gpu-id,TCC_EA_RDREQ[0],BeginNs,EndNs\n0,k_read,0,5,100,1100\n",
      "results.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_NEAR(profile->kernels.at(0).seconds, 1e-6, 1e-15);
  EXPECT_TRUE(profile->kernels[0].bytes.empty());  // reads alone are not all of them
  EXPECT_FALSE(profile->kernels[0].missing.empty());
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

TEST(RooflineReaders, RocprofHasItsOwnSumsOfBytes) {
  const Result<RooflineProfile> profile = parse_profile(
      "\"Index\",\"KernelName\",\"FETCH_SIZE\",\"WRITE_SIZE\",\"BeginNs\",\"EndNs\"\n"
      "0,\"copy(float*) [clone .kd]\",1000,500,100,1100\n",
      "results.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels[0].name, "copy(float*)");
  EXPECT_EQ(bytes_at(profile->kernels[0], "memory"), 1500 * 1024.0);
}

/// A row of each counter: the time of a dispatch counts once.
TEST(RooflineReaders, RocprofOfOneCounterPerRow) {
  const std::string head =
      "\"Dispatch_Id\",\"Agent_Id\",\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\","
      "\"Start_Timestamp\",\"End_Timestamp\"\n";
  const Result<RooflineProfile> profile =
      parse_profile(head +
                        "1,\"Agent 1\",\"copy\",\"FETCH_SIZE\",1000,5000,9000\n"
                        "1,\"Agent 1\",\"copy\",\"WRITE_SIZE\",500,5000,9000\n"
                        "1,\"Agent 1\",\"copy\",\"SQ_INSTS_VALU_FMA_F32\",10,5000,9000\n"
                        "2,\"Agent 1\",\"copy\",\"FETCH_SIZE\",1000,15000,19000\n"
                        "2,\"Agent 1\",\"copy\",\"WRITE_SIZE\",500,15000,19000\n"
                        "2,\"Agent 1\",\"copy\",\"SQ_INSTS_VALU_FMA_F32\",10,15000,19000\n",
                    "counter_collection.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  const RooflineKernel& kernel = profile->kernels.at(0);
  EXPECT_EQ(kernel.launches, 2);
  EXPECT_NEAR(kernel.seconds, 8e-6, 1e-12);
  EXPECT_NEAR(bytes_at(kernel, "memory"), 2 * 1500 * 1024.0, 1);
  EXPECT_NEAR(*kernel.flops, 2 * 2 * 64 * 10.0, 1);
  const Result<RooflineProfile> none =
      parse_profile(head +
                        "1,\"Agent 1\",\"copy\",\"FETCH_SIZE\",0,5000,9000\n"
                        "1,\"Agent 1\",\"copy\",\"WRITE_SIZE\",0,5000,9000\n",
                    "counter_collection.csv");
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->kernels.at(0).bytes.empty());
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
  EXPECT_NE(region->missing.find("bytes of memory"), std::string::npos) << region->missing;
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

TEST(RooflineReaders, PerfStatScalesTheCountersOfMemoryItself) {
  const auto moved = [](const std::string& text) {
    const Result<RooflineProfile> profile = parse_profile(text, "perf.txt");
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? bytes_at(profile->kernels[0], "memory") / 1048576 : 0;
  };
  const std::string printed =
      " Performance counter stats for 'system wide':\n\n"
      "            157.47 MiB  uncore_imc/cas_count_read/ #     0.00 DRAM_BW_Use\n"
      "            126.97 MiB  uncore_imc/cas_count_write/\n\n"
      "       1.003019728 seconds time elapsed\n";
  const std::string fields =
      "157.47;MiB;uncore_imc/cas_count_read/;1003019728;100.00;;\n"
      "126.97;MiB;uncore_imc/cas_count_write/;1003019728;100.00;;\n"
      "1003019728;ns;duration_time;1003019728;100.00;;\n";
  EXPECT_NEAR(moved(printed), 284.44, 1e-6);
  EXPECT_NEAR(moved(fields), 284.44, 1e-6);
  EXPECT_NEAR(moved(replaced(fields, ";", ",")), 284.44, 1e-6);
  EXPECT_NEAR(moved(replaced(printed, "cas_count_", "data_")), 284.44, 1e-6);  // of a laptop
}

TEST(RooflineReaders, PartsOfWhatPerfCanCountAreSaidToBeParts) {
  const auto missing = [](const std::string& events) {
    const Result<RooflineProfile> profile = parse_profile(
        " Performance counter stats for './a':\n\n" + events + "\n 0.5 seconds time elapsed\n",
        "p");
    EXPECT_TRUE(profile) << profile.error().message;
    return profile ? profile->kernels[0].missing : "";
  };
  const std::string memory = " 10.0 MiB  uncore_imc/cas_count_read/\n",
                    writes = " 10.0 MiB  uncore_imc/cas_count_write/\n",
                    scalar = " 103’447’338’103 fp_arith_inst_retired.scalar_double\n",
                    packed =
                        " 1 fp_arith_inst_retired.128b_packed_double\n"
                        " 1 fp_arith_inst_retired.256b_packed_double\n";
  EXPECT_NE(missing(memory + writes + scalar).find("some widths"), std::string::npos);
  EXPECT_NE(missing(memory + scalar + packed).find("reads or writes"), std::string::npos);
  EXPECT_EQ(missing(memory + writes + scalar + packed), "");
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
  RooflineProfile nothing = other;  // a group of ratios
  nothing.kernels[0].flops.reset();
  merge_profile(*one, nothing);
  EXPECT_EQ(one->kernels.size(), 2U);
}

TEST(RooflineReaders, LikwidOfOlderVersionsDoesNotSayItsPrecision) {
  const Result<RooflineProfile> profile = parse_profile(
      "|        Metric        |   Core 1  |\n|  Runtime (RDTSC) [s] |   2.0  |\n"
      "|        MFLOP/s       |  500.0 |\n|      AVX MFLOP/s     |     0     |\n"
      "| Memory BW [MBytes/s] |  1000.0 |\n",
      "likwid.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_NEAR(*profile->kernels[0].flops, 1e9, 1);
  EXPECT_EQ(profile->kernels[0].precision, "");
  EXPECT_NEAR(bytes_at(profile->kernels[0], "memory"), 2e9, 1);
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

TEST(RooflineReaders, LikwidBenchIsACeilingOfWhatItsDataReach) {
  const auto output = [](const std::string& test, const char* size) {
    return "LIKWID MICRO BENCHMARK\nTest: " + test + "\nUsing 1 work groups\nUsing 2 threads\n" +
           "Time:\t\t\t2.0 sec\nSize (Byte):\t\t" + size +
           "\nNumber of Flops:\t12480000\nMFlops/s:\t\t9154.89\n"
           "Data volume (Byte):\t99840000\nMByte/s:\t\t73239.09\n";
  };
  EXPECT_FALSE(parse_ceilings(output("triad_sp", "99840"), "bench.txt"));
  const Result<MachineCeilings> memory = parse_ceilings(output("triad", "998400000"), "bench.txt");
  ASSERT_TRUE(memory) << memory.error().message;
  ASSERT_EQ(memory->ceilings.size(), 1U);  // its operations are no peak
  EXPECT_NEAR(bandwidth_ceiling(*memory, "memory", 2)->rate.point, 73239.09e6, 1);
  const Result<MachineCeilings> peak =
      parse_ceilings(output("peakflops_sp_avx", "32000"), "bench.txt");
  ASSERT_TRUE(peak) << peak.error().message;
  ASSERT_EQ(peak->ceilings.size(), 1U);
  EXPECT_EQ(peak->ceilings[0].precision, "fp32");
  EXPECT_EQ(peak->ceilings[0].threads, 2);
  const Result<RooflineProfile> cached = parse_profile(output("triad", "99840"), "bench.txt");
  ASSERT_TRUE(cached) << cached.error().message;
  EXPECT_TRUE(cached->kernels[0].bytes.empty());
  EXPECT_FALSE(cached->kernels[0].missing.empty());
}

TEST(RooflineReaders, OneNumberAtATimeIsNoPeak) {
  const auto output = [](const std::string& test) {
    return "LIKWID MICRO BENCHMARK\nTest: " + test +
           "\nUsing 1 threads\nTime: 1.6 sec\nSize (Byte): 30000\nNumber of Flops: 15728640000\n"
           "MFlops/s: 9919.29\nData volume (Byte): 7864320000\nMByte/s: 4959.64\n";
  };
  for (const char* test : {"peakflops", "peakflops_sp"}) {
    const Result<MachineCeilings> scalar = parse_ceilings(output(test), "bench.txt");
    ASSERT_FALSE(scalar) << test;
    EXPECT_NE(scalar.error().message.find("one number at a time"), std::string::npos);
  }
  const Result<MachineCeilings> both =
      parse_ceilings(output("peakflops") + output("peakflops_avx_fma"), "bench.txt");
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->ceilings.size(), 1U);
  EXPECT_EQ(both->notes.size(), 1U);
}

TEST(RooflineReaders, TablesThatCannotBeReadAreNamed) {
  const auto hint = [](const char* text) {
    const Result<RooflineProfile> profile = parse_profile(text, "x");
    return profile ? "read" : profile.error().message + " " + profile.error().hint;
  };
  EXPECT_NE(hint("\"Process ID\",\"Kernel Name\",\"Invocations\",\"Metric Name\",\"Average\"\n")
                .find("--print-summary"),
            std::string::npos);
  EXPECT_NE(hint("     1.002,8693488,,fp_arith_inst_retired.scalar_double,task,332104389,33,,\n")
                .find("duration_time"),
            std::string::npos);
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

TEST(RooflineReaders, StreamInACacheIsNoBandwidthOfMemory) {
  const auto read = [](const std::string& size) {
    return parse_ceilings("STREAM version $Revision: 5.10 $\nTotal memory required = " + size +
                              "\nTriad:  39650.2 0.006068 0.006053 0.006081\n",
                          "stream.txt");
  };
  EXPECT_FALSE(read("22.9 MiB (= 0.0 GiB)."));
  EXPECT_TRUE(read("228.9 MiB (= 0.2 GiB)."));
  EXPECT_FALSE(read("45.8 MB."));  // of version 5.9
  EXPECT_TRUE(read("722.7 MB."));
  const std::string hpcc = "SingleSTREAM_Triad=14.25\nSTREAM_VectorSize=";
  EXPECT_FALSE(parse_ceilings(hpcc + "100000\n", "hpccoutf.txt"));
  EXPECT_TRUE(parse_ceilings(hpcc + "16666347\n", "hpccoutf.txt"));
}

TEST(RooflineReaders, StreamThatFailedItsValidationIsNoCeiling) {
  const Result<MachineCeilings> machine = parse_ceilings(
      "STREAM version $Revision: 5.10 $\nTriad: 8705.4 0.02 0.02 0.02\n"
      "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)\n",
      "stream.txt");
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().message.find("Failed Validation"), std::string::npos);
}

TEST(RooflineReaders, ThreadsOfStreamAreThoseOfItsNextTable) {
  const std::string table =
      "Number of Threads counted = 18\nFunction    Best Rate MB/s\n"
      "Copy:           89633.9     0.0019\nTriad:          72859.9     0.0034\n";
  const Result<MachineCeilings> machine = parse_ceilings(
      table + "with one thread:\nCopy:           26402.1\nTriad:          23550.3\n", "readme.md");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(thread_counts(*machine), std::vector<int>{18});
  EXPECT_NEAR(bandwidth_ceiling(*machine, "memory", 18, "triad")->rate.point, 72859.9e6, 1);
  ASSERT_EQ(machine->notes.size(), 1U);
}

TEST(RooflineReaders, RatesFarApartAreNotSamplesOfOneCeiling) {
  const std::string head = "Function Best Rate MB/s Avg time Min time Max time\n";
  const auto twice = [&](const char* one, const char* other) {
    return parse_ceilings(
        head + "Triad: " + one + " 0.03\nof the GPU:\n" + head + "Triad: " + other + " 0.0009\n",
        "readme.md");
  };
  EXPECT_FALSE(twice("65464.8", "565224.8"));
  const Result<MachineCeilings> alike = twice("65464.8", "61224.8");
  ASSERT_TRUE(alike) << alike.error().message;
  EXPECT_EQ(alike->notes.size(), 1U);  // taken for one machine, and said
}

TEST(RooflineReaders, ThreadsOfHpccAreThoseOfAllItsProcesses) {
  const Result<MachineCeilings> hpcc = parse_ceilings(
      "CommWorldProcs=2\nSTREAM_Threads=4\nStarSTREAM_Triad=10.5\nSingleSTREAM_Triad=14.25\n",
      "hpccoutf.txt");
  ASSERT_TRUE(hpcc) << hpcc.error().message;
  EXPECT_EQ(thread_counts(*hpcc), (std::vector<int>{4, 8}));
  EXPECT_NEAR(bandwidth_ceiling(*hpcc, "memory", 8)->rate.point, 21e9, 1);
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

constexpr std::string_view kBabelTable =
    "BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\n"
    "Precision: double\nArray size: 268.4 MB (=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\n"
    "Using CUDA device NVIDIA A100-SXM4-80GB\nDriver: 12030\n"
    "Init: 0.078539 s (=10253.531921 MBytes/sec)\nRead: 0.000810 s (=994263.084401 MBytes/sec)\n"
    "Function    MBytes/sec  Min (sec)   Max         Average     \n"
    "Copy        1709360.800 0.00031     0.00032     0.00032     \n"
    "Triad       1724827.354 0.00047     0.00047     0.00047     \n"
    "Dot         1586905.948 0.00034     0.00036     0.00035     \n";

TEST(RooflineReaders, BabelStreamIsACeiling) {
  const auto triad = [](const std::string& text) {
    const Result<MachineCeilings> machine = parse_ceilings(text, "b.txt");
    EXPECT_TRUE(machine) << machine.error().message;
    return machine ? bandwidth_ceiling(*machine, "memory", 1, "triad")->rate.point : 0;
  };
  const std::string table(kBabelTable);
  const Result<MachineCeilings> machine = parse_ceilings(table, "b.txt");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->kind, "gpu");
  EXPECT_EQ(machine->processor, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(machine->ceilings.size(), 3U);  // not how fast arrays were made and read back
  EXPECT_NEAR(triad(table), 1724827.354e6, 1);
  EXPECT_NEAR(triad(replaced(table, "MBytes", "MiBytes")), 1724827.354 * 1048576, 1e3);
  EXPECT_NEAR(triad(table + replaced(table, "1724827.354", "1724827.356")), 1724827.355e6, 1);
  EXPECT_NEAR(triad("Running triad 100 times\nArray size: 268.4 MB (=0.3 GB)\n"
                    "Bandwidth (GB/s):  154.860\n"),
              154.86e9, 1);
}

TEST(RooflineReaders, RatesThatNoMachineHasAreRefusedInEveryFormat) {
  for (const std::string rate : {"1e51", "0.1"}) {  // MB/s
    const auto machine =
        parse_ceilings(replaced(std::string(kBabelTable), "1709360.800", rate), "b.txt");
    ASSERT_FALSE(machine);
    EXPECT_EQ(machine.error().where, "b.txt");
    EXPECT_NE(machine.error().message.find("(memory copy)"), std::string::npos)
        << machine.error().message;
  }
}

TEST(RooflineReaders, BabelStreamOfSeveralSizesHasItsLargest) {
  const std::string head =
      "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_"
      "runtime\n";
  const std::string small = "Triad,100,1048576,8,3139500,0.0058,0.0061,0.0059\n";
  const Result<MachineCeilings> sizes =
      parse_ceilings(head + small + "Triad,100,33554432,8,139500,0.0058,0.0061,0.0059\n", "b.csv");
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_NEAR(sizes->ceilings.at(0).rate.point, 139500e6, 1);
  EXPECT_EQ(sizes->ceilings[0].threads, 0);  // not known
  const Result<MachineCeilings> cache = parse_ceilings(head + small, "b.csv");
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find("a cache can hold"), std::string::npos);
  const Result<MachineCeilings> two = parse_ceilings(
      std::string(kBabelTable) + replaced(kBabelTable, "A100-SXM4-80GB", "TITAN Xp"), "b.txt");
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().message.find("TITAN Xp"), std::string::npos);
  EXPECT_FALSE(parse_ceilings("Function    MBytes/sec\nTriad  0\n", "b.txt"));
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

TEST(RooflineReaders, EveryTestOfLikwidBenchCounts) {
  const std::string both =
      "LIKWID MICRO BENCHMARK\nTest: peakflops_avx\nUsing 1 threads\nTime: 1.5 sec\n"
      "Size (Byte): 30000\nNumber of Flops: 15728640000\nMFlops/s: 9919.29\n"
      "Data volume (Byte): 7864320000\nMByte/s: 4959.64\n"
      "LIKWID MICRO BENCHMARK\nTest: copy\nUsing 4 threads\nTime: 5.1 sec\n"
      "Size (Byte): 1000000000\nNumber of Flops: 0\nMFlops/s: 0.00\n"
      "Data volume (Byte): 64000000000\nMByte/s: 12318.75\n";
  const Result<MachineCeilings> machine = parse_ceilings(both, "both.txt");
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_EQ(machine->ceilings.size(), 2U);
  EXPECT_EQ(compute_ceiling(*machine, 1)->from->threads, 1);
  EXPECT_NEAR(bandwidth_ceiling(*machine, "memory", 4)->rate.point, 12318.75e6, 1);
  const Result<RooflineProfile> profile = parse_profile(both, "both.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 2U);
  EXPECT_EQ(profile->kernels[1].name, "copy");
}

TEST(RooflineReaders, HpccHasOperationsAndSaysWhatIsNotUsed) {
  const std::string summary =
      "CommWorldProcs=16\nHPL_Tflops=0.128\nStarDGEMM_Gflops=9.5\nSingleDGEMM_Gflops=12.1\n"
      "STREAM_VectorSize=16666347\nSTREAM_Threads=1\nStarSTREAM_Triad=2.9362\n"
      "SingleSTREAM_Triad=9.00502\n";
  const auto notes = [](const Result<MachineCeilings>& machine) {
    std::string all;
    for (const std::string& note : machine->notes) all += note + "\n";
    return all;
  };
  const Result<MachineCeilings> good = parse_ceilings(summary + "Success=1\n", "hpcc.txt");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->name, "HPCC");
  EXPECT_NEAR(compute_ceiling(*good, 1)->rate.point, 12.1e9, 1);
  EXPECT_NEAR(compute_ceiling(*good, 16)->rate.point, 152e9, 1);
  EXPECT_NE(notes(good).find("HPL is not used"), std::string::npos);
  EXPECT_EQ(notes(good).find("Success=0"), std::string::npos);
  const Result<MachineCeilings> bad = parse_ceilings(summary + "Success=0\n", "hpcc.txt");
  ASSERT_TRUE(bad);
  EXPECT_NE(notes(bad).find("Success=0"), std::string::npos);
  const Result<MachineCeilings> cut =
      parse_ceilings(summary.substr(summary.find('\n') + 1), "hpcc.txt");
  ASSERT_TRUE(cut);
  EXPECT_NE(notes(cut).find("CommWorldProcs"), std::string::npos);
}

TEST(RooflineReaders, WhatWasCountedInPartIsAtLeastSoMuch) {
  const Result<RooflineProfile> perf = parse_profile(
      " Performance counter stats for './a' (5 runs):\n\n"
      "    10,000,000,000      fp_arith_inst_retired.scalar_double      ( +-  0.02% )\n"
      "     5,000,000,000      fp_arith_inst_retired.128b_packed_double\n"
      "     1,000,000,000      fp_arith_inst_retired.256b_packed_double\n"
      "   <not counted>      fp_arith_inst_retired.512b_packed_double\n\n"
      "            2.0000 +- 0.0123 seconds time elapsed  ( +-  0.61% )\n",
      "perf.txt");
  ASSERT_TRUE(perf) << perf.error().message;
  EXPECT_TRUE(perf->kernels[0].part_of_flops);
  EXPECT_FALSE(perf->kernels[0].missing.empty());
  const auto ncu = [](const std::string& metric) {
    return parse_profile(
        "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"k\",\"" +
            metric +
            "\",\"Gbyte\",\"1.0\"\n"
            "\"0\",\"k\",\"gpu__time_duration.sum\",\"ms\",\"1.0\"\n",
        "ncu.csv");
  };
  const Result<RooflineProfile> reads = ncu("dram__bytes_read.sum"), all = ncu("dram__bytes.sum");
  ASSERT_TRUE(reads) << reads.error().message;
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(reads->kernels[0].part_of_bytes);
  EXPECT_NE(reads->kernels[0].missing.find("reads or writes alone"), std::string::npos);
  EXPECT_FALSE(all->kernels[0].part_of_bytes);
}

TEST(RooflineReaders, MemoryThroughputIsARateAndAShare) {
  const std::string start = "\"0\",\"k\",\"GPU Speed Of Light Throughput\",";
  const Result<RooflineProfile> page = parse_profile(
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" +
          start + "\"Memory Throughput\",\"%\",\"80.5\"\n" + start +
          "\"Memory Throughput\",\"Gbyte/s\",\"1,200.00\"\n" + start +
          "\"Duration\",\"ns\",\"2,000\"\n",
      "k.csv");
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->kernels[0].bytes.size(), 1U);
  EXPECT_NEAR(page->kernels[0].bytes[0].bytes, 2.4e6, 1);
  EXPECT_NE(page->kernels[0].missing.find("used to 80%"), std::string::npos)
      << page->kernels[0].missing;
}

}  // namespace
}  // namespace kstar
