#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// A look inside an unmodified MPI program: libkstar_mpi.so, preloaded, leaves one file per rank;
/// read_inside() makes a run of them. docs/inside.md has the definitions.
namespace kstar {

/// What an MPI call does.
enum class InsideKind : std::uint8_t {
  kSend,
  kReceive,
  kComplete,         ///< Wait, Test
  kCollective,       ///< blocking
  kCollectiveStart,  ///< nonblocking
  kOneSided,
  kFile,
  kCommunicator  ///< makes or frees one
};

/// How a rank ended.
enum class InsideEnd : std::uint8_t {
  kFinalized,  ///< with MPI_Finalize
  kAborted,    ///< it called MPI_Abort
  kExited,     ///< it left without MPI_Finalize
  kKilled      ///< in the middle
};

/// One MPI call on one communicator, of all threads of a rank.
struct InsideCall {
  std::string call;  ///< MPI_Send
  InsideKind kind = InsideKind::kSend;
  std::string communicator;  ///< as in InsideCommunicator::name; "" where the call has none
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< count x type size; of a receive the room offered
  double seconds = 0;       ///< of all threads
  double main_seconds = 0;  ///< of the thread that called MPI_Init
};

struct InsideCommunicator {
  std::uint64_t id = 0;           ///< the same on all members
  std::string name;               ///< for people: world, or "Comm_split of 2 from rank 0"
  int size = 0;                   ///< of the local group
  int rank = 0;                   ///< in it
  std::uint64_t collectives = 0;  ///< blocking ones
  std::optional<double> wait;     ///< seconds of waiting for others in them; absent: not known
};

/// A part of the time from MPI_Init to MPI_Finalize, as the thread that called MPI_Init spent it.
struct InsideWindow {
  double begin = 0;  ///< seconds since the end of MPI_Init
  double end = 0;
  double useful = 0;
  double mpi = 0;
  std::uint64_t calls = 0;  ///< that ended in it
  std::uint64_t bytes = 0;  ///< of these
};

/// One rank. Times are those of the thread that called MPI_Init, unless they say otherwise.
struct InsideRank {
  std::string host;
  int rank = 0;
  InsideEnd end = InsideEnd::kFinalized;
  int threads = 1;                 ///< that called MPI at the same time, at most
  double init = 0;                 ///< seconds in MPI_Init
  std::optional<double> finalize;  ///< seconds in MPI_Finalize
  double span = 0;                 ///< from the end of MPI_Init to the start of MPI_Finalize
  double useful = 0;               ///< of the span: outside of MPI
  double mpi = 0;                  ///< of the span: inside
  double file = 0;                 ///< of mpi: in MPI_File_*
  std::optional<double> wait;      ///< of mpi: early at a collective; absent: not known
  double other_threads_mpi = 0;    ///< seconds in MPI of all other threads
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;     ///< of sends, one-sided calls and collectives
  std::uint64_t bytes_offered = 0;  ///< of receives
  std::uint64_t bytes_file = 0;
  std::uint64_t lost_calls = 0;     ///< that were not recorded
  std::string last_call;            ///< the call it was killed in; "" when in none
  std::vector<InsideCall> by_call;  ///< by time, the largest first
  std::vector<InsideCommunicator> communicators;
  std::vector<InsideWindow> windows;  ///< equally wide, but for the last; on all ranks the same
};

struct InsideRun {
  std::string mpi;                ///< Open MPI or MPICH (and what shares its ABI)
  int world = 0;                  ///< ranks that MPI started
  std::vector<InsideRank> ranks;  ///< by rank; fewer than `world` when files are missing
  double wait_coverage = 1;       ///< the share of the collectives that the waiting was found from
  std::optional<double> clock_error;  ///< seconds; where ranks do not share a clock
  std::vector<Note> notes;            ///< what is missing, damaged or guessed
};

KSTAR_EXPORT std::string_view name_of(InsideKind kind);
KSTAR_EXPORT std::string_view name_of(InsideEnd end);

/// All files of the folder, as one run. A file that is cut off, of another version or damaged is an
/// error; a missing rank is a note.
KSTAR_EXPORT Result<InsideRun> read_inside(const std::string& folder);

/// The arrays of a Run: compute is useful time; communicate, wait and load (MPI files) make up the
/// time in MPI. Wait is empty when some rank's is not known, load when no file was touched.
KSTAR_EXPORT PerWorker inside_per_worker(const InsideRun& run);

/// What a Run keeps beside them, bounded in size.
KSTAR_EXPORT Inside inside_record(const InsideRun& run);

/// Where libkstar_mpi.so is: $KSTAR_MPI_LIBRARY, beside the running program (a build folder), or in
/// the library folder of its installation.
KSTAR_EXPORT Result<std::string> inside_library();

/// What a job's environment needs so that its ranks are profiled: LD_PRELOAD (with what it held)
/// and KSTAR_INSIDE. `folder` exists and is seen by every rank.
KSTAR_EXPORT std::map<std::string, std::string> inside_variables(const std::string& library,
                                                                 const std::string& folder);

}  // namespace kstar
