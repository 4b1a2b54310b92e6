#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "kstar/inside.h"
#include "support/child.h"
#include "support/temp_folder.h"

namespace kstar {

/// One MPI of this machine, with the test programs built for it ("" where it has none).
struct Mpi {
  std::string name;  ///< openmpi or mpich
  std::string mpirun;
  std::string programs;  ///< the folder that they are in
  int ranks = 2;         ///< MPICH above the core count is too slow to test with
};

inline void PrintTo(const Mpi& mpi, std::ostream* out) {  // GoogleTest looks for this name
  *out << mpi.name;
}

inline std::vector<Mpi> all_mpi() {
  return {{"openmpi", KSTAR_OPENMPI_RUN, KSTAR_INSIDE_PROGRAMS "/openmpi", 3},
          {"mpich", KSTAR_MPICH_RUN, KSTAR_INSIDE_PROGRAMS "/mpich", 2}};
}

/// A run of a program under an MPI launcher, profiled unless told otherwise.
class Launch {
 public:
  explicit Launch(const Mpi& mpi) : mpi_(mpi), ranks_(mpi.ranks), inside_(folder_ / "inside") {
    std::filesystem::create_directory(inside_);
  }

  Launch& ranks(int count) {
    ranks_ = count;
    return *this;
  }
  Launch& inside(const std::string& folder) {
    inside_ = folder;
    return *this;
  }
  /// Between the launcher's own words and the program.
  Launch& before_last_rank(std::vector<std::string> words) {
    before_last_ = std::move(words);
    return *this;
  }

  /// Runs it; the exit status, or 128 and the signal.
  int run(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = launcher();
    if (before_last_.empty()) {
      add_ranks(words, ranks_, {}, program, arguments);
    } else {
      add_ranks(words, ranks_ - 1, {}, program, arguments);
      words.emplace_back(":");
      add_ranks(words, 1, before_last_, program, arguments);
    }
    const int status = Child(words, {}, folder_ / "output").wait();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string output() const { return read_text(folder_ / "output"); }
  std::string path(std::string_view name) const { return folder_ / name; }
  const std::string& folder() const { return inside_; }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(inside_)) ++count;
    return count;
  }
  Result<InsideRun> read() const { return read_inside(inside_); }

 private:
  std::vector<std::string> launcher() const {
    if (mpi_.name == "mpich") return {mpi_.mpirun};
    std::vector<std::string> words = {mpi_.mpirun, "--allow-run-as-root", "--oversubscribe"};
    const std::pair<std::string, std::string> settings[] = {
        {"pml", "ob1"},  // starts in a tenth of the time
        {"btl", "self,vader"},
        {"mpi_yield_when_idle", "1"},
        // Containers refuse to read another process's memory, and it says so at length.
        {"btl_vader_single_copy_mechanism", "none"},
        {"osc", "pt2pt"}};
    for (const auto& [name, value] : settings) {
      words.insert(words.end(), {"--mca", name, value});
    }
    return words;
  }
  void add_ranks(std::vector<std::string>& words, int count, const std::vector<std::string>& before,
                 const std::string& program, const std::vector<std::string>& arguments) const {
    words.insert(words.end(), {"-np", std::to_string(count)});
    if (!inside_.empty()) {
      for (const auto& [name, value] : inside_variables(KSTAR_MPI_LIBRARY, inside_)) {
        if (mpi_.name == "mpich") {
          words.insert(words.end(), {"-env", name, value});
        } else {
          words.emplace_back("-x");
          words.push_back(name);
          words.back().append("=").append(value);
        }
      }
    }
    words.insert(words.end(), before.begin(), before.end());
    words.push_back(mpi_.programs + "/" + program);
    words.insert(words.end(), arguments.begin(), arguments.end());
  }

  Mpi mpi_;
  int ranks_;
  TempFolder folder_;
  std::string inside_;
  std::vector<std::string> before_last_;
};

/// The sums of one call over a rank's communicators, or over one by its name.
inline InsideCall sum_of(const InsideRank& rank, const std::string& call,
                         const std::string& communicator = "") {
  InsideCall sum{.call = call};
  for (const InsideCall& one : rank.by_call) {
    if (one.call != call || (!communicator.empty() && one.communicator != communicator)) continue;
    sum.calls += one.calls;
    sum.bytes += one.bytes;
    sum.seconds += one.seconds;
    sum.main_seconds += one.main_seconds;
  }
  return sum;
}

}  // namespace kstar
