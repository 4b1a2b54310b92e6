#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a run keeps of a look inside its MPI ranks. Measuring makes it of what every rank counted
/// (kstar/inside.h); its size is bounded, however many ranks and calls there were.
namespace kstar {

/// So many rows a table has at most; what is behind the largest is one row more, named kOtherRows.
inline constexpr std::size_t kMostInsideRows = 64;
inline constexpr char kOtherRows[] = "(others)";

/// So many ranks have windows of their own; of more, only what is over all ranks is kept.
inline constexpr std::size_t kMostWindowedRanks = 64;

/// One MPI call on one communicator, over all ranks.
struct CallSum {
  std::string call;          ///< MPI_Send
  std::string communicator;  ///< its name; "" where the call has none
  std::uint64_t calls = 0;   ///< the sum over ranks
  std::uint64_t bytes = 0;   ///< likewise
  double seconds = 0;        ///< likewise, of all threads; over all ranks is the mean of one
  double seconds_min = 0;    ///< of the rank with the least; 0 where one made no such call
  double seconds_max = 0;    ///< of the rank with the most
  std::string extra;
  bool operator==(const CallSum&) const = default;
};

/// One communicator, over its members.
struct CommunicatorSum {
  std::string name;
  int size = 0;                   ///< 0 for the row of the others
  std::uint64_t collectives = 0;  ///< blocking ones, of one member
  std::optional<double> wait;     ///< seconds of waiting in them, the sum over members
  std::string extra;
  bool operator==(const CommunicatorSum&) const = default;
};

/// The course of the run: at most 64 windows, equally wide.
struct WindowSums {
  double seconds = 0;               ///< the width of one
  std::vector<double> useful_min;   ///< seconds outside of MPI in each, of the rank with the least
  std::vector<double> useful_mean;  ///< over ranks
  std::vector<double> useful_max;
  std::vector<double> mpi_mean;
  std::vector<std::uint64_t> bytes;         ///< the sum over ranks
  std::vector<std::vector<double>> useful;  ///< an array per rank, of kMostWindowedRanks at most
  std::string extra;
  bool operator==(const WindowSums&) const = default;
};

/// The run was one of its own, with libkstar_mpi.so in its ranks. Arrays are by rank; the times of
/// ranks are in PerWorker.
struct Inside {
  std::string mpi;                      ///< Open MPI or MPICH
  std::optional<int> world;             ///< ranks that MPI started
  std::optional<double> clock_error;    ///< seconds; where ranks do not share a clock
  std::optional<double> wait_coverage;  ///< the share of collectives that waiting was found from
  std::vector<int> rank;                ///< whose the arrays are, where some rank is missing
  std::vector<double> span;             ///< seconds from MPI_Init to MPI_Finalize
  std::vector<double> init;             ///< seconds in MPI_Init
  std::vector<std::uint64_t> calls;
  std::vector<std::uint64_t> bytes;            ///< sent, in one-sided calls and collectives
  std::vector<std::string> end;                ///< how each ended, where not all finalized
  std::vector<std::string> last_call;          ///< that a killed rank was in, where there is one
  std::vector<CallSum> by_call;                ///< by time, the largest first
  std::vector<CommunicatorSum> communicators;  ///< by waiting, the largest first
  std::optional<WindowSums> windows;
  std::vector<std::string> notes;  ///< what is missing, damaged or guessed, in words
  std::string extra;
  bool operator==(const Inside&) const = default;
};

}  // namespace kstar
