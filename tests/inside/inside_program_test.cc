// libkstar_mpi.so in real programs, under every MPI that this machine has.
#include <algorithm>

#include "inside/launch.h"

namespace kstar {
namespace {

using testing::TestParamInfo;

class InsideProgram : public testing::TestWithParam<Mpi> {
 protected:
  void SetUp() override {
    if (const std::string reason = missing("program"); !reason.empty()) GTEST_SKIP() << reason;
  }

  /// Why there is no such program for this MPI; "" when there is.
  static std::string missing(const std::string& program) {
    const Mpi& mpi = GetParam();
    if (mpi.mpirun.empty()) return mpi.name + " is not installed: no mpirun of it";
    if (std::filesystem::exists(mpi.programs + "/" + program)) return "";
    return "no " + program + " for " + mpi.name + ": it has no compiler or module for it here";
  }

  static InsideRun read(const Launch& launch) {
    Result<InsideRun> run = launch.read();
    EXPECT_TRUE(run) << run.error().where << ": " << run.error().message << "\n" << launch.output();
    return run ? *run : InsideRun{};
  }

  /// All ranks ended well, and are all there.
  static InsideRun run_well(Launch& launch, const std::string& program,
                            const std::vector<std::string>& arguments) {
    EXPECT_EQ(launch.run(program, arguments), 0) << launch.output();
    EXPECT_NE(launch.output().find("done"), std::string::npos) << launch.output();
    InsideRun run = read(launch);
    EXPECT_EQ(run.ranks.size(), static_cast<std::size_t>(run.world));
    for (const InsideRank& rank : run.ranks) {
      EXPECT_EQ(rank.end, InsideEnd::kFinalized);
      EXPECT_EQ(rank.lost_calls, 0U);
      EXPECT_NEAR(rank.useful + rank.mpi, rank.span, 1e-9);
    }
    return run;
  }

  /// Rank r came r x 20 ms late to 10 all-reduces of 800 bytes (and one more, where `calls` is 11).
  static void expect_late(const InsideRun& run, std::uint64_t calls) {
    const std::size_t last = run.ranks.size() - 1;
    for (std::size_t r = 0; r < run.ranks.size(); ++r) {
      const InsideCall reduce = sum_of(run.ranks[r], "MPI_Allreduce", "world");
      EXPECT_EQ(reduce.calls, calls);
      EXPECT_EQ(reduce.bytes, 800 * calls);
      EXPECT_GE(run.ranks[r].useful, 0.2 * static_cast<double>(r));
      ASSERT_TRUE(run.ranks[r].wait);
      EXPECT_LE(*run.ranks[r].wait, run.ranks[r].mpi);
    }
    // A machine that serves others, too, holds up the early one as well.
    EXPECT_GE(*run.ranks[0].wait, 0.5 * 0.2 * static_cast<double>(last));
    EXPECT_LE(*run.ranks[last].wait, *run.ranks[0].wait / 2);
    const PerWorker workers = inside_per_worker(run);
    EXPECT_EQ(workers.wait.size(), run.ranks.size());
    EXPECT_NEAR(workers.compute[0] + workers.communicate[0] + workers.wait[0],
                run.ranks[0].span - run.ranks[0].file, 1e-9);
  }
};

TEST_P(InsideProgram, CountsAndWaitingOfACProgram) {
  Launch launch(GetParam());
  const InsideRun run = run_well(launch, "program", {"late"});
  EXPECT_EQ(run.world, GetParam().ranks);
  EXPECT_EQ(run.mpi, GetParam().name == "mpich" ? "MPICH" : "Open MPI");
  expect_late(run, 10);
  EXPECT_EQ(run.wait_coverage, 1);
  EXPECT_TRUE(inside_per_worker(run).load.empty());
  EXPECT_FALSE(run.ranks[0].host.empty());
}

TEST_P(InsideProgram, CountsAndWaitingOfACppProgram) {
  if (const std::string reason = missing("program_cpp"); !reason.empty()) GTEST_SKIP() << reason;
  Launch launch(GetParam());
  expect_late(run_well(launch, "program_cpp", {}), 10);
}

class InsideFortran : public InsideProgram {
 protected:
  static void expect_fortran(const std::string& program) {
    Launch launch(GetParam());
    const InsideRun run = run_well(launch, program, {launch.path("data")});
    EXPECT_EQ(std::filesystem::file_size(launch.path("data")), 40U * run.ranks.size());
    EXPECT_EQ(launch.output().find("wrong"), std::string::npos);
    expect_late(run, 11);
    const std::string half = "fortran half of " + std::to_string(GetParam().ranks) + " from rank 0";
    for (const InsideRank& rank : run.ranks) {
      EXPECT_EQ(sum_of(rank, "MPI_Comm_split", "world").calls, 1U);
      EXPECT_EQ(sum_of(rank, "MPI_Isend", half).bytes, 40U);
      EXPECT_EQ(sum_of(rank, "MPI_Irecv", half).bytes, 40U);
      EXPECT_EQ(sum_of(rank, "MPI_Waitall").calls, 2U);
      EXPECT_EQ(sum_of(rank, "MPI_Startall").bytes, 20U);
      EXPECT_EQ(sum_of(rank, "MPI_Barrier", half).calls, 1U);
      EXPECT_EQ(sum_of(rank, "MPI_Bcast", half).bytes, 24U);
      EXPECT_EQ(sum_of(rank, "MPI_Comm_free").calls, 1U);
      EXPECT_EQ(sum_of(rank, "MPI_File_open", "world").calls, 1U);
      EXPECT_EQ(sum_of(rank, "MPI_File_write_at").bytes, 40U);
      EXPECT_EQ(rank.calls, 11U + 9U + 3U);
    }
  }
};

TEST_P(InsideFortran, CountsOfAProgramWithTheMpiModule) {
  if (const std::string reason = missing("program_mpi"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  expect_fortran("program_mpi");
}

TEST_P(InsideFortran, CountsOfAProgramWithTheF08Module) {
  if (const std::string reason = missing("program_mpi_f08"); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  expect_fortran("program_mpi_f08");
}

TEST_P(InsideProgram, BytesOfMessages) {
  Launch launch(GetParam());
  const InsideRun run = run_well(launch, "program", {"messages"});
  const auto others = static_cast<std::uint64_t>(run.world - 1);
  for (const InsideRank& rank : run.ranks) {
    const bool first = rank.rank == 0;
    EXPECT_EQ(sum_of(rank, "MPI_Send", "world").calls, first ? 7 * others : 0);
    EXPECT_EQ(sum_of(rank, "MPI_Send", "world").bytes, first ? 7000 * others : 0);
    EXPECT_EQ(sum_of(rank, "MPI_Recv", "world").calls, first ? 0U : 7U);
    EXPECT_EQ(sum_of(rank, "MPI_Recv", "world").bytes, first ? 0U : 14000U);
    EXPECT_EQ(sum_of(rank, "MPI_Irecv").bytes, 40U);
    EXPECT_EQ(sum_of(rank, "MPI_Isend").bytes, 40U);
    EXPECT_EQ(sum_of(rank, "MPI_Sendrecv").bytes, 24U);
    EXPECT_EQ(sum_of(rank, "MPI_Waitall").calls, 3U);
    EXPECT_EQ(sum_of(rank, "MPI_Startall").calls, 1U);
    EXPECT_EQ(sum_of(rank, "MPI_Startall").bytes, 20U);  // of a persistent send and a receive
    EXPECT_EQ(sum_of(rank, "MPI_Start").calls, 2U);
    EXPECT_EQ(sum_of(rank, "MPI_Start").bytes, 20U);
    EXPECT_EQ(rank.bytes_sent, (first ? 7000 * others : 0) + 104);
    EXPECT_EQ(rank.bytes_offered, (first ? 0U : 14000U) + 40);
    EXPECT_FALSE(rank.wait);  // there was no collective
  }
}

TEST_P(InsideProgram, BytesOfEveryShapeOfCollective) {
  Launch launch(GetParam());
  const InsideRun run = run_well(launch, "program", {"collectives"});
  const auto n = static_cast<std::uint64_t>(run.world);
  const std::uint64_t triangle = n * (n + 1) / 2;
  for (const InsideRank& rank : run.ranks) {
    const auto own = static_cast<std::uint64_t>(rank.rank) + 1;
    const std::pair<std::string, std::uint64_t> expected[] = {{"Barrier", 0},
                                                              {"Allgather", 16},
                                                              {"Gather", 16},
                                                              {"Scatter", 12},
                                                              {"Gatherv", 4 * own},
                                                              {"Allgatherv", 4 * own},
                                                              {"Alltoall", 8 * n},
                                                              {"Alltoallv", 4 * triangle},
                                                              {"Alltoallw", 4 * triangle},
                                                              {"Reduce", 8},
                                                              {"Reduce_scatter", 4 * triangle},
                                                              {"Reduce_scatter_block", 8 * n},
                                                              {"Scan", 12},
                                                              {"Iallreduce", 16}};
    for (const auto& [call, bytes] : expected) {
      const InsideCall sum = sum_of(rank, "MPI_" + call, "world");
      EXPECT_EQ(sum.calls, 1U) << call;
      EXPECT_EQ(sum.bytes, bytes) << call << " on rank " << rank.rank;
    }
    EXPECT_EQ(sum_of(rank, "MPI_Bcast", "world").bytes, 20U);
    EXPECT_EQ(sum_of(rank, "MPI_Bcast", "self").calls, 4U);
    EXPECT_EQ(sum_of(rank, "MPI_Bcast", "self").bytes, 8U + 16U + 24U + 32U);
  }
}

TEST_P(InsideProgram, CommunicatorsAreKnownAgainOnAllMembers) {
  Launch launch(GetParam());
  const int ranks = GetParam().name == "mpich" ? 2 : 4;
  const InsideRun run = run_well(launch.ranks(ranks), "program", {"groups"});
  for (const InsideRank& rank : run.ranks) {
    EXPECT_LE(rank.communicators.size(), 4U);  // world, self, half, and its duplicate
    EXPECT_EQ(sum_of(rank, "MPI_Comm_dup").calls, 1000U);
    EXPECT_EQ(sum_of(rank, "MPI_Barrier").calls, 1000U);
    EXPECT_EQ(sum_of(rank, "MPI_Allreduce").calls, 5U);
  }
  if (ranks == 2) return;
  const auto half_of = [&](std::size_t rank) { return run.ranks[rank].communicators[2]; };
  EXPECT_EQ(half_of(0).id, half_of(2).id);
  EXPECT_EQ(half_of(1).id, half_of(3).id);
  EXPECT_NE(half_of(0).id, half_of(1).id);
  EXPECT_EQ(half_of(0).name, "even of 2 from rank 0");
  EXPECT_EQ(half_of(1).name, "Comm_split of 2 from rank 1");
  ASSERT_TRUE(half_of(0).wait);  // rank 2 came 20 ms later, 5 times
  EXPECT_GE(*half_of(0).wait, 0.06);
  EXPECT_LE(*half_of(2).wait, *half_of(0).wait / 2);
}

TEST_P(InsideProgram, ThreadsAreSummed) {
  Launch launch(GetParam());
  const int status = launch.run("program", {"threads"});
  if (status == 77) GTEST_SKIP() << GetParam().name << " here has no MPI_THREAD_MULTIPLE";
  ASSERT_EQ(status, 0) << launch.output();
  for (const InsideRank& rank : read(launch).ranks) {
    const InsideCall sum = sum_of(rank, "MPI_Sendrecv");
    EXPECT_EQ(sum.calls, 200U);
    EXPECT_EQ(sum.bytes, 1600U);
    EXPECT_EQ(sum.main_seconds, 0);
    EXPECT_NEAR(rank.other_threads_mpi, sum.seconds, 1e-12);
    EXPECT_EQ(rank.mpi, 0);
    EXPECT_GE(rank.threads, 2);
  }
}

TEST_P(InsideProgram, WindowsShowDrift) {
  // All ranks have windows as wide as the slowest needs: a rank that the machine put aside for
  // seconds leaves too few of them, so try again.
  InsideRun run;
  for (int attempt = 0; attempt < 4; ++attempt) {
    Launch launch(GetParam());
    run = run_well(launch, "program", {"drift"});
    if (std::all_of(run.ranks.begin(), run.ranks.end(),
                    [](const InsideRank& rank) { return rank.windows.size() > 16; })) {
      break;
    }
  }
  for (const InsideRank& rank : run.ranks) {
    ASSERT_GT(rank.windows.size(), 16U);
    double early = 0, late = 0, sum = 0;
    std::uint64_t calls = 0;
    for (const InsideWindow& window : rank.windows) {
      (window.end <= 0.14 ? early : late) += window.mpi;
      sum += window.mpi + window.useful;
      calls += window.calls;
    }
    EXPECT_EQ(early, 0);
    EXPECT_GT(late, 0.02);
    EXPECT_NEAR(late, rank.mpi, 1e-6);
    EXPECT_NEAR(sum, rank.span, 1e-9);
    EXPECT_EQ(calls, rank.calls);
  }
}

TEST_P(InsideProgram, OneSidedCallsAndFiles) {
  Launch one_sided(GetParam());
  const InsideRun run = run_well(one_sided, "program", {"one-sided"});
  EXPECT_EQ(sum_of(run.ranks[0], "MPI_Put").bytes, 8U);
  EXPECT_EQ(sum_of(run.ranks[0], "MPI_Win_fence").calls, 2U);
  EXPECT_EQ(sum_of(run.ranks[0], "MPI_Win_create", "world").calls, 1U);
  Launch files(GetParam());
  const InsideRun stored = run_well(files, "program", {"files", files.path("data")});
  for (const InsideRank& rank : stored.ranks) {
    EXPECT_EQ(sum_of(rank, "MPI_File_write_at_all").bytes, 400U);
    EXPECT_EQ(sum_of(rank, "MPI_File_read_at").bytes, 200U);
    EXPECT_EQ(rank.bytes_file, 600U);
    EXPECT_GT(rank.file, 0);
    EXPECT_LE(rank.file, rank.mpi);
  }
  EXPECT_EQ(inside_per_worker(stored).load.size(), stored.ranks.size());
}

TEST_P(InsideProgram, AProgramThatIsLoadedPrivately) {
  Launch launch(GetParam());
  const InsideRun run = run_well(launch, "host", {GetParam().programs + "/program.so", "late"});
  expect_late(run, 10);
}

TEST_P(InsideProgram, WhateverEndsItWhatWasCountedIsThere) {
  const std::pair<std::string, InsideEnd> ways[] = {{"segfault", InsideEnd::kKilled},
                                                    {"kill", InsideEnd::kKilled},
                                                    {"abort", InsideEnd::kAborted},
                                                    {"exit", InsideEnd::kExited}};
  for (const auto& [way, end] : ways) {
    SCOPED_TRACE(way);
    Launch launch(GetParam());
    launch.run("program", {way});
    EXPECT_EQ(launch.output().find("done"), std::string::npos);
    const InsideRun run = read(launch);
    ASSERT_EQ(run.ranks.size(), static_cast<std::size_t>(GetParam().ranks));
    std::uint64_t most = 0, ended_so = 0;
    for (const InsideRank& rank : run.ranks) {
      // The launcher ends the others when the first dies: they may be inside their last call.
      const std::uint64_t calls = sum_of(rank, "MPI_Allreduce").calls;
      EXPECT_GE(calls + (rank.last_call == "MPI_Allreduce" ? 1 : 0), 5U);
      most = std::max(most, calls);
      ended_so += rank.end == end ? 1 : 0;
    }
    EXPECT_EQ(most, 5U);
    EXPECT_GE(ended_so, 1U);
  }
}

TEST_P(InsideProgram, TheCallThatARankWasKilledInCounts) {
  Launch launch(GetParam());
  launch.ranks(2).run("program", {"stuck"});
  const InsideRun run = read(launch);
  ASSERT_EQ(run.ranks.size(), 2U);
  EXPECT_EQ(run.ranks[0].end, InsideEnd::kKilled);
  EXPECT_EQ(run.ranks[0].last_call, "MPI_Recv");
  // Rank 1 was seen for 0.8 s more.
  EXPECT_GT(run.ranks[0].mpi, 0.5);
  EXPECT_LT(run.ranks[0].useful, 0.3);
}

TEST_P(InsideProgram, WithoutTheVariableNothingIsWritten) {
  Launch launch(GetParam());
  const std::string folder = launch.folder();
  EXPECT_EQ(launch.inside("").run("program", {"late"}), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_P(InsideProgram, WithoutAFolderToWriteInTheProgramRunsUnharmed) {
  Launch launch(GetParam());
  EXPECT_EQ(launch.inside("/nonexistent/folder").run("program", {"messages"}), 0);
  EXPECT_NE(launch.output().find("done"), std::string::npos);
  EXPECT_NE(launch.output().find("libkstar_mpi: cannot record in '/nonexistent/folder'"),
            std::string::npos)
      << launch.output();
}

std::string mpi_name(const TestParamInfo<Mpi>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Mpi, InsideProgram, testing::ValuesIn(all_mpi()), mpi_name);
INSTANTIATE_TEST_SUITE_P(Mpi, InsideFortran, testing::ValuesIn(all_mpi()), mpi_name);

/// What needs an MPI that yields when there are more ranks than cores.
class InsideOpenMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (mpi().mpirun.empty() || !std::filesystem::exists(mpi().programs + "/program")) {
      GTEST_SKIP() << "Open MPI is not installed: no mpirun or no compiler of it";
    }
  }
  static Mpi mpi() { return all_mpi().front(); }
};

TEST_F(InsideOpenMpi, MoreCollectivesThanTheLogHoldsAreSampled) {
  Launch launch(mpi());
  ASSERT_EQ(launch.ranks(2).run("program", {"many"}), 0) << launch.output();
  const Result<InsideRun> run = launch.read();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(sum_of(run->ranks[0], "MPI_Bcast").calls, 20000U);
  EXPECT_DOUBLE_EQ(run->wait_coverage, 0.25);  // each 4th: 5000 of 20000 fit
  ASSERT_TRUE(run->ranks[0].wait);
  ASSERT_EQ(run->notes.size(), 1U);
  EXPECT_EQ(run->notes[0].what, "inside-sampled");
}

TEST_F(InsideOpenMpi, ClocksThatDifferAreBroughtTogether) {
  const std::vector<std::string> other_clock = {KSTAR_UNSHARE, "--time", "--fork", "--monotonic",
                                                "1000"};
  std::vector<std::string> try_it = other_clock;
  try_it.emplace_back("/bin/true");
  if (other_clock[0].empty() || Child(try_it, {}, "/dev/null").wait() != 0) {
    GTEST_SKIP() << "this machine gives no time namespace";
  }
  Launch launch(mpi());
  ASSERT_EQ(launch.ranks(2).before_last_rank(other_clock).run("program", {"late"}), 0)
      << launch.output();
  const Result<InsideRun> run = launch.read();
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_TRUE(run->clock_error);
  EXPECT_LE(*run->clock_error, 1e-5);
  ASSERT_TRUE(run->ranks[0].wait);
  EXPECT_GE(*run->ranks[0].wait, 0.12);  // rank 1 came 20 ms later, 10 times
  EXPECT_LE(*run->ranks[1].wait, *run->ranks[0].wait / 2);
}

}  // namespace
}  // namespace kstar
