// Host facts and hygiene, on fake /proc and /sys trees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "exec/system_files.h"
#include "kstar/host.h"
#include "kstar/hygiene.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MachineTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file(root_ / path);
    std::filesystem::create_directories(file.parent_path());
    write_text(file.string(), text + "\n");
  }
  /// Two packages of two cores with two hardware threads each; nothing to complain of.
  void write_good_machine() {
    write("proc/loadavg", "0.02 0.05 0.01 1/200 4242");
    write("proc/meminfo",
          "MemTotal:       16000000 kB\nMemFree: 1 kB\nMemAvailable:   12000000 kB\n"
          "SwapTotal:       2000000 kB\nSwapFree:        2000000 kB");
    write("proc/stat", "cpu  1000 0 500 90000 10 0 5 20 0 0\ncpu0 1 2 3");
    write("proc/self/status", "Name:\tkstar\nCpus_allowed_list:\t0-7");
    write("proc/self/cgroup", "0::/user.slice/job");
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\n");
    const std::string cpus = "sys/devices/system/cpu/";
    write(cpus + "online", "0-7");
    write(cpus + "intel_pstate/no_turbo", "1");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const std::string folder = cpus + "cpu" + std::to_string(cpu) + "/";
      const int first = cpu % 4;
      write(folder + "topology/physical_package_id", std::to_string(first / 2));
      write(folder + "topology/thread_siblings_list",
            std::to_string(first) + "," + std::to_string(first + 4));
      write(folder + "cpufreq/scaling_governor", "performance");
    }
  }
  std::vector<Note> warnings(int workers = 4) {
    return check_hygiene({.workers = workers, .root = root_.path()});
  }
  std::vector<std::string> names(int workers = 4) {
    std::vector<std::string> found;
    for (const Note& warning : warnings(workers)) {
      found.push_back(warning.what);
      EXPECT_THAT(note_sentence(warning), HasSubstr("; ")) << "what was found; what to do";
    }
    return found;
  }
  void SetUp() override { write_good_machine(); }

  TempFolder root_;
};

TEST_F(MachineTest, AGoodMachineHasNoWarnings) {
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(MachineTest, AnEmptyMachineIsNotWarnedAbout) {
  const TempFolder nothing;
  EXPECT_THAT(check_hygiene({.workers = 4, .root = nothing.path()}), IsEmpty());
}

TEST_F(MachineTest, WarnsOfMoreWorkersThanCoresAndThreads) {
  EXPECT_THAT(names(5), ElementsAre("shared-cores"));
  EXPECT_THAT(names(8), ElementsAre("shared-cores"));
  ASSERT_THAT(names(9), ElementsAre("oversubscribed"));
  EXPECT_THAT(note_sentence(warnings(9)[0]), HasSubstr("9 workers for 8 CPUs"));
}

TEST_F(MachineTest, WarnsOfLoad) {
  write("proc/loadavg", "3.20 0.05 0.01 1/200 4242");
  ASSERT_THAT(names(), ElementsAre("load"));
  EXPECT_THAT(note_sentence(warnings()[0]), HasSubstr("3.20 on 8 CPUs"));
}

TEST_F(MachineTest, WarnsOfAQuotaInAnyGroupAbove) {
  write("sys/fs/cgroup/user.slice/cpu.max", "150000 100000");
  write("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000");
  ASSERT_THAT(names(), ElementsAre("cpu-quota"));
  EXPECT_THAT(note_sentence(warnings()[0]), HasSubstr("1.5"));
  EXPECT_THAT(names(1), IsEmpty()) << "one worker has enough";
}

TEST_F(MachineTest, WarnsOfAQuotaInVersionOne) {
  write("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000");  // as it looks from inside a container
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "1073741824");
  EXPECT_THAT(names(), ElementsAre("cpu-quota", "memory-limit"));
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(MachineTest, TheEnvironmentSaysWhatTheJobMayUse) {
  write("sys/fs/cgroup/user.slice/cpu.max", "150000 100000");
  write("proc/self/status", "Cpus_allowed_list:\t0-2");
  const Environment environment = this_environment(root_.path());
  EXPECT_EQ(environment.usable_cpus, 3);
  EXPECT_EQ(environment.cpu_quota, 1.5);
}

TEST_F(MachineTest, WarnsOfACpuset) {
  write("proc/self/status", "Cpus_allowed_list:\t0-2");
  EXPECT_THAT(names(2), ElementsAre("cpuset"));
  EXPECT_THAT(names(4), ElementsAre("oversubscribed", "cpuset"));
}

TEST_F(MachineTest, WarnsOfFrequenciesThatChange) {
  write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave");
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  EXPECT_THAT(names(), ElementsAre("governor", "turbo"));
}

TEST_F(MachineTest, WarnsOfMemory) {
  write("proc/meminfo",
        "MemTotal: 16000000 kB\nMemAvailable: 800000 kB\nSwapTotal: 2000000 kB\n"
        "SwapFree: 1000000 kB");
  EXPECT_THAT(names(), ElementsAre("swap", "low-memory"));
}

TEST_F(MachineTest, WarnsOfStolenTime) {
  write("proc/stat", "cpu  1000 0 500 90000 10 0 5 5000 0 0");
  EXPECT_THAT(names(), ElementsAre("stolen-time"));
}

TEST_F(MachineTest, WarnsOfABattery) {
  write("sys/class/power_supply/BAT0/status", "Discharging");
  EXPECT_THAT(names(), ElementsAre("battery"));
}

TEST_F(MachineTest, BrokenFilesAreNotUnderstoodAndDoNoHarm) {
  for (const char* path : {"proc/loadavg", "proc/meminfo", "proc/stat", "proc/self/status",
                           "proc/self/cgroup", "sys/devices/system/cpu/online"}) {
    write(path, ":::\n0::\n:\nMemTotal: x\ncpu x y\n9-1,,-,a-b,99999999999999999999");
  }
  names();
}

TEST_F(MachineTest, TheHostIsDescribed) {
  write("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t NVIDIA H200\nIRQ: 7");
  write("proc/driver/nvidia/gpus/0000:02:00.0/information", "Model: \t NVIDIA H100\nIRQ: 8");
  write("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"");
  const Environment environment = this_environment(root_.path());
  ASSERT_EQ(environment.hosts.size(), 1U);
  const Host& host = environment.hosts[0];
  EXPECT_EQ(host.cpu, "Example CPU @ 3.00GHz");
  EXPECT_EQ(host.sockets, 2);
  EXPECT_EQ(host.cores, 4);
  EXPECT_EQ(host.threads, 8);
  EXPECT_EQ(host.memory, 16000000LL * 1024);
  EXPECT_THAT(host.accelerators, ElementsAre("NVIDIA H200", "NVIDIA H100"));
  EXPECT_NE(host.name, "");
  EXPECT_THAT(host.kernel, HasSubstr("Linux"));
  EXPECT_FALSE(environment.usable_cpus || environment.cpu_quota) << "all of them";
  EXPECT_EQ(environment.versions.at("system"), "Debian GNU/Linux 12 (bookworm)");
}

TEST(ThisEnvironment, DescribesThisMachine) {
  const Environment environment = this_environment();
  EXPECT_GE(environment.hosts.at(0).threads.value_or(0), 1);
  EXPECT_GE(environment.hosts.at(0).memory.value_or(0), 1 << 20);
}

TEST(ThisEnvironment, RecordsOnlyAllowedVariables) {
  ::setenv("OMP_PROC_BIND", "close", 1);
  ::setenv("SLURM_JOB_ID", "7", 1);
  ::setenv("SLURM_JWT", "secret", 1);
  ::setenv("MY_PASSWORD", "secret", 1);
  const auto variables = this_environment().variables;
  EXPECT_EQ(variables.at("OMP_PROC_BIND"), "close");
  EXPECT_EQ(variables.at("SLURM_JOB_ID"), "7");
  EXPECT_FALSE(variables.contains("SLURM_JWT"));
  EXPECT_FALSE(variables.contains("MY_PASSWORD"));
  EXPECT_FALSE(is_recorded_variable("AWS_SECRET_ACCESS_KEY"));
  EXPECT_TRUE(is_recorded_variable("LD_PRELOAD"));
}

TEST(CpuTicksTest, AreBusyStolenOrIdle) {
  // user 100, nice 20, system 3, idle 4000, iowait 500, irq 6, softirq 7, steal 80, guests
  const auto ticks = cpu_ticks("cpu  100 20 3 4000 500 6 7 80 90 11\ncpu0 1 2 3");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->busy, 136);
  EXPECT_EQ(ticks->stolen, 80);
  EXPECT_EQ(ticks->total, 4716);
  EXPECT_EQ(cpu_ticks("cpu  1 2 3 4").value_or(CpuTicks{}).busy, 6) << "an old kernel";
  EXPECT_FALSE(cpu_ticks("cpu  1 2"));
  EXPECT_FALSE(cpu_ticks("intr 1 2 3 4 5"));
  EXPECT_FALSE(cpu_ticks(""));
}

}  // namespace
}  // namespace kstar
