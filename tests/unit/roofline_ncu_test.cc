#include <gtest/gtest.h>

#include "kstar/roofline.h"
#include "kstar/roofline_measure.h"

namespace kstar {
namespace {

/// As versions of before 2022 print it, and as it stands in a comment of somebody's source.
constexpr const char* kOldPage =
    "// [14142] a.out@127.0.0.1\n"
    "//   rows(int, float*), 2020-Oct-28 10:36:31, Context 1, Stream 7\n"
    "//     Section: GPU Speed Of Light\n"
    "//     -------------------------------- --------------- ------------------------------\n"
    "//     DRAM Frequency                     cycle/nsecond                           1.11\n"
    "//     Elapsed Cycles                             cycle                          9,729\n"
    "//     Memory [%]                                     %                          91.36\n"
    "//     SOL DRAM                                       %                          91.37\n"
    "//     Duration                                 usecond                          13.89\n"
    "//     SOL L1/TEX Cache                               %                          24.11\n"
    "//     SOL L2 Cache                                   %                          60.91\n"
    "//     SM Active Cycles                           cycle                       9,198.41\n"
    "//     SM [%]                                         %                          15.26\n"
    "//     -------------------------------- --------------- ------------------------------\n"
    "//     WRN   This kernel exhibits low compute throughput relative to the peak performance\n"
    "//           of this device below 60.0%\n";

TEST(RooflineNcu, OldPrintedPagesHaveNoHeader) {
  const Result<RooflineProfile> profile = parse_profile(kOldPage, "add.cu");
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->kernels.size(), 1U);
  EXPECT_EQ(profile->kernels[0].name, "rows");
  EXPECT_NEAR(profile->kernels[0].seconds, 13.89e-6, 1e-12);
  const RooflinePlace place = place_kernels(*profile, std::nullopt).places.at(0);
  EXPECT_EQ(place.level, "memory");
  EXPECT_NEAR(place.pipes.value_or(0), 0.1526, 1e-12);
}

TEST(RooflineNcu, WhatWasPostedWithoutTheStreamIsRead) {
  const Result<RooflineProfile> profile = parse_profile(
      "  scale(float *, int) (512, 2, 3)x(256, 1, 1)\n    Section: GPU Speed Of Light Throughput\n"
      "    ----------- ----------- ------------\n    Metric Name Metric Unit Metric Value\n"
      "    DRAM Throughput       %        93.44\n    Duration             us         1.5\n",
      "post.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->kernels.at(0).name, "scale");
}

TEST(RooflineNcu, WithoutATimeItIsSaidHowToHaveIt) {
  const Result<RooflineProfile> profile = parse_profile(
      "  rows(int), 2025-Apr-22 00:31:34, Context 1, Stream 7\n"
      "    Section: Command line profiler metrics\n"
      "    ---------------- ---------------\n"
      "    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum   sector   268,435,456\n",
      "post.txt");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "no kernel has a duration");
  EXPECT_NE(profile.error().hint.find("--section SpeedOfLight"), std::string::npos);
}

/// A page of one kernel that moves `rate` bytes per second, on a GPU of this capability.
RooflineProfile page(const std::string& capability, double rate, double share) {
  RooflineProfile profile{.capability = capability, .gpu = true};
  profile.kernels.push_back({.name = "copy",
                             .seconds = 1,
                             .flops = 1,
                             .precision = "fp32",
                             .bytes = {{"memory", rate}},
                             .reported = {{"memory", share}}});
  return profile;
}

MachineCeilings h200() {
  const Result<MachineCeilings> machine = parse_gpu_ceilings(
      R"({"kstar": "gpu_ceilings", "name": "NVIDIA H200", "capability": "9.0", "ceilings": [
          {"level": "memory", "kernel": "copy", "precision": "", "vector": "",
           "samples": [4.4e12, 4.4e12, 4.4e12]},
          {"level": "compute", "kernel": "gemm", "precision": "fp32", "vector": "",
           "samples": [50e12, 50e12, 50e12]}]})",
      "h200.json");
  EXPECT_TRUE(machine) << machine.error().message;
  return machine.value_or(MachineCeilings());
}

TEST(RooflineNcu, ThePageOfAnotherArchitectureIsNoticed) {
  EXPECT_EQ(h200().capability, "9.0");
  const Roofline same = place_kernels(page("9.0", 4e12, 0.83), h200());
  EXPECT_TRUE(same.doubts.empty());
  EXPECT_EQ(same.places.at(0).bound, Bound::kMemory);
  const Roofline other = place_kernels(page("8.0", 4e12, 0.83), h200());
  ASSERT_EQ(other.doubts.size(), 1U);
  EXPECT_EQ(other.doubts[0],
            "The machine file is of another GPU (NVIDIA H200, compute capability 9.0) than this "
            "(compute capability 8.0): it is not used.");
  EXPECT_FALSE(other.machine);
  EXPECT_NEAR(other.places.at(0).levels.at(0).share->point, 0.83, 1e-12);
  EXPECT_TRUE(place_kernels(page("", 4e12, 0.83), h200()).doubts.empty());
}

/// BabelStream names the GPU, and a page without its name has the capability.
TEST(RooflineNcu, AGpuThatIsNamedHasItsCapability) {
  MachineCeilings machine{.name = "NVIDIA A100-SXM4-80GB", .kind = "gpu"};
  machine.ceilings.push_back(make_ceiling({.level = "memory", .kernel = "triad"}, {1.72e12}));
  EXPECT_EQ(capability_of(machine), "8.0");
  const Roofline other = place_kernels(page("7.0", 0.8e12, 0.89), machine);
  ASSERT_EQ(other.doubts.size(), 1U);
  EXPECT_NE(other.doubts[0].find("A100-SXM4-80GB, compute capability 8.0"), std::string::npos);
  EXPECT_FALSE(other.machine);
  EXPECT_TRUE(place_kernels(page("8.0", 1.5e12, 0.8), machine).doubts.empty());
  machine.name = "the node behind the printer";
  EXPECT_EQ(capability_of(machine), "");
  machine.name = "A100";
  machine.kind = "cpu";
  EXPECT_EQ(capability_of(machine), "");
}

/// An H100 has the same capability, and less bandwidth than the file says was reached.
TEST(RooflineNcu, MoreBandwidthThanTheGpuHasIsThatOfAnother) {
  const Roofline other = place_kernels(page("9.0", 3e12, 0.9), h200());
  ASSERT_EQ(other.doubts.size(), 1U);
  EXPECT_NE(other.doubts[0].find("not the GPU of this profile"), std::string::npos);
  EXPECT_FALSE(other.machine);
}

TEST(RooflineNcu, ARawPageNamesItsGpu) {
  const std::string head =
      "\"ID\",\"Kernel Name\",\"CC\",\"gpu__time_duration.sum\",\"device__attribute_display_name\","
      "\"device__attribute_compute_capability_major\","
      "\"device__attribute_compute_capability_minor\"\n"
      "\"\",\"\",\"\",\"us\",\"\",\"\",\"\"\n";
  const Result<RooflineProfile> one =
      parse_profile(head + "\"0\",\"k\",\"\",\"10\",\"NVIDIA H200\",\"9\",\"0\"\n", "raw.csv");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->device, "NVIDIA H200");
  EXPECT_EQ(one->capability, "9.0");
  const Result<RooflineProfile> two =
      parse_profile(head +
                        "\"0\",\"k\",\"9.0\",\"10\",\"NVIDIA H200\",\"9\",\"0\"\n"
                        "\"1\",\"k\",\"8.9\",\"10\",\"NVIDIA L4\",\"8\",\"9\"\n",
                    "raw.csv");
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->device + two->capability, "");
  EXPECT_NE(two->notes.at(0).find("NVIDIA H200, NVIDIA L4"), std::string::npos);
}

/// Operations were not counted, and the processor was hardly busy, with any.
TEST(RooflineNcu, AnIdleProcessorDoesNotHideWhatTheMemoryBinds) {
  RooflineProfile profile = page("7.0", 1e12, 0.35);
  RooflineKernel& kernel = profile.kernels[0];
  kernel.flops.reset();
  kernel.missing = "operations are not in this page";
  kernel.reported = {{"l1", 0.76}, {"l2", 0.13}, {"memory", 0.35}, {"sm", 0.027}};
  EXPECT_EQ(place_kernels(profile, std::nullopt).places.at(0).level, "l1");
  EXPECT_EQ(place_kernels(profile, std::nullopt).places.at(0).bound, Bound::kMemory);
  kernel.reported.back().share = 0.77;
  EXPECT_EQ(place_kernels(profile, std::nullopt).places.at(0).bound, Bound::kUnknown);
  kernel.reported.back().share = 0.027;
  kernel.matrix = true;
  EXPECT_EQ(place_kernels(profile, std::nullopt).places.at(0).bound, Bound::kUnknown);
}

/// A raw page of an H200: what the matrix units could do stands beside what they did, and packed
/// half-precision operations run on their pipe.
TEST(RooflineNcu, MatrixUnitsThatDidNothingAreNotUsed) {
  const Result<RooflineProfile> profile = parse_profile(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.avg.peak_sustained\","
      "\"sm__ops_path_tensor_src_fp16.avg.peak_sustained\",\"sm__ops_path_tensor_src_fp16.sum\","
      "\"sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed\","
      "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\"\n"
      "\"\",\"\",\"us\",\"byte/cycle\",\"\",\"\",\"%\",\"inst\"\n"
      "\"0\",\"uniform\",\"10\",\"31.3\",\"8,192\",\"0\",\"1.26\",\"1,000\"\n",
      "raw.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->kernels.at(0).matrix);
  EXPECT_EQ(profile->kernels[0].flops.value_or(0), 2000);
  EXPECT_TRUE(profile->notes.empty()) << profile->notes[0];
}

/// Random numbers: integers keep the processor busy, and few operations are counted.
TEST(RooflineNcu, ABusyProcessorIsNotLatency) {
  RooflineProfile profile = page("9.0", 1e12, 0.25);
  RooflineKernel& kernel = profile.kernels[0];
  kernel.flops = 5e12;
  kernel.reported = {{"memory", 0.25}, {"l2", 0.32}, {"l1", 0.21}, {"sm", 0.7632}};
  const Roofline roofline = place_kernels(profile, h200());
  EXPECT_EQ(roofline.places.at(0).bound, Bound::kUnknown);
  EXPECT_FALSE(roofline.first);
  kernel.reported = {{"memory", 0.25}, {"l2", 0.66}, {"sm", 0.68}};
  EXPECT_EQ(place_kernels(profile, h200()).places.at(0).bound, Bound::kUnknown);
  kernel.reported = {{"memory", 0.25}, {"l2", 0.66}, {"sm", 0.48}};
  EXPECT_EQ(place_kernels(profile, h200()).places.at(0).level, "l2");
  kernel.reported = {{"memory", 0.25}, {"l2", 0.32}, {"sm", 0.48}};
  EXPECT_EQ(place_kernels(profile, h200()).places.at(0).bound, Bound::kLatency);
}

/// Real pages (CC 7.5 and 8.0): L1 at 85 to 98% of its cycles, and all of memory at 49 to 58%,
/// which Nsight Compute calls latency.
TEST(RooflineNcu, AnL1ThatIsBusierThanAllOfMemoryBindsNothing) {
  const auto page = [](const char* memory) {
    return parse_profile(
        std::string(
            "  tiled(float *) (32, 32, 1)x(16, 16, 1), Context 1, Stream 7, Device 0, CC 7.5\n"
            "    Section: GPU Speed Of Light Throughput\n"
            "    ------------- ------------- ------------\n"
            "    Metric Name   Metric Unit   Metric Value\n"
            "    ------------- ------------- ------------\n"
            "    Elapsed Cycles            cycle      7187283\n"
            "    Memory Throughput             %        ") +
            memory +
            "\n    DRAM Throughput               %        21.48\n"
            "    Duration                msecond        12.29\n"
            "    L1/TEX Cache Throughput       %        97.94\n"
            "    L2 Cache Throughput           %        10.81\n"
            "    SM Active Cycles          cycle   7049744.38\n"
            "    Compute (SM) Throughput       %        47.15\n",
        "page.txt");
  };
  const Result<RooflineProfile> contested = page("48.97"), agreed = page("96.10");
  ASSERT_TRUE(contested && agreed);
  const RooflinePlace place = place_kernels(*contested, std::nullopt).places.at(0);
  EXPECT_EQ(place.bound, Bound::kUnknown);
  EXPECT_NE(place.kernel.missing.find("what L1 is busy with"), std::string::npos);
  EXPECT_EQ(place_kernels(*agreed, std::nullopt).places.at(0).level, "l1");
}

}  // namespace
}  // namespace kstar
