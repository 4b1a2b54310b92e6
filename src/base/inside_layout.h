#pragma once

#include <cstddef>
#include <cstdint>

/// The file that libkstar_mpi.so keeps for one MPI process, byte by byte. The library counts in the
/// mapped file itself, so that what was counted is there however the program ends; nothing is
/// written at the end but a few stamps. docs/inside.md describes it for other readers.
///
///   Head                          one, kHeadBytes long
///   ThreadBlock x Head::threads   kThreadBytes each
///
/// All numbers are little- or big-endian as the machine has them (byte_order tells). Times are
/// nanoseconds of CLOCK_MONOTONIC, 0 where nothing happened yet.
namespace kstar::inside {

inline constexpr char kMagic[8] = {'k', 's', 't', 'a', 'r', 'm', 'p', 'i'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr char kFileEnding[] = ".kmpi";

inline constexpr std::size_t kMostCalls = 512;          ///< kinds of MPI calls
inline constexpr std::size_t kMostCommunicators = 256;  ///< the last one stands for all further
inline constexpr std::size_t kMostLogEntries = 8192;    ///< a power of two
inline constexpr std::size_t kCells = 1024;             ///< a thread; a power of two
inline constexpr std::size_t kWindows = 64;             ///< a thread; even
inline constexpr std::uint32_t kFirstWindowShift = 20;  ///< windows start 2^20 ns = 1.05 ms wide
inline constexpr std::size_t kMostThreads = 256;        ///< at one time
inline constexpr std::size_t kNoCommunicator = 0;       ///< of calls that have none
inline constexpr std::size_t kOtherCommunicators = kMostCommunicators - 1;

/// How the program ended, as far as the library could say.
enum class End : std::uint32_t {
  kRunning = 0,  ///< it was killed, or runs still
  kFinalized = 1,
  kAborted = 2,  ///< it called MPI_Abort
  kExited = 3,   ///< it left without MPI_Finalize
};

enum class Flavour : std::uint32_t { kUnknown = 0, kOpenMpi = 1, kMpich = 2 };

/// What a call does.
enum class Kind : std::uint8_t {
  kSend = 0,
  kReceive = 1,          ///< its bytes are the room offered
  kComplete = 2,         ///< Wait, Test
  kCollective = 3,       ///< blocking
  kCollectiveStart = 4,  ///< nonblocking
  kOneSided = 5,
  kFile = 6,
  kCommunicator = 7,  ///< makes or frees one
};
inline constexpr std::uint8_t kKinds = 8;

/// Who waits for whom in a blocking collective.
enum class Sync : std::uint8_t {
  kNone = 0,
  kAll = 1,       ///< everyone for the last
  kFromRoot = 2,  ///< everyone for the root
  kToRoot = 3,    ///< the root for the last
  kPrefix = 4,    ///< everyone for those before them
};
inline constexpr std::uint8_t kSyncs = 5;

struct CallName {
  char name[30];  ///< without MPI_
  Kind kind;
  Sync sync;
};

struct Communicator {
  std::uint64_t id;         ///< the same on all members, another for every communicator
  std::uint64_t members;    ///< a hash of their ranks in the world
  std::uint64_t sequence;   ///< blocking collectives so far
  std::int32_t size;        ///< of the local group
  std::int32_t rank;        ///< of this process in it
  std::int32_t leader;      ///< the world rank of its first member; -1: not of this world
  std::uint32_t log_shift;  ///< of its collectives each 2^log_shift-th is in the log
  std::uint32_t logged;     ///< entries in the log
  std::uint8_t inter;       ///< 1: between two groups
  std::uint8_t freed;       ///< 1: it is gone; the next with the same members continues it
  char name[50];            ///< as the program set it, else the call that made it
};

/// One blocking collective. All members make the same ones in the same order, so that its place in
/// that order finds it again in the files of the others.
struct LogEntry {
  std::uint64_t sequence;
  std::uint64_t enter;
  std::uint64_t leave;
  std::uint16_t communicator;
  std::uint16_t call;
  std::int32_t root;  ///< its rank in the communicator; -1 without one
};

/// How CLOCK_REALTIME stood to CLOCK_MONOTONIC.
struct RealTime {
  std::int64_t offset;  ///< the first less the second
  std::uint64_t error;  ///< at most so far from the true time, says the kernel; kUnknownError
};
inline constexpr std::uint64_t kUnknownError = ~std::uint64_t{0};

struct Head {
  char magic[8];
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint32_t head_bytes;
  std::uint32_t thread_bytes;
  std::uint32_t calls;          ///< in use in call
  std::uint32_t communicators;  ///< in use in communicator
  std::uint32_t threads;        ///< blocks behind the head; the first is that of MPI_Init's thread
  End end;
  Flavour flavour;
  std::int32_t rank;  ///< in the world; -1 until MPI_Init is done
  std::int32_t world;
  std::int32_t thread_level;  ///< as MPI_Init_thread provided; 0 to 3
  std::int32_t process;
  std::uint32_t log_entries;  ///< in use in log
  std::uint64_t clock;        ///< names CLOCK_MONOTONIC: equal on processes that share it
  std::uint64_t kernel;       ///< names CLOCK_REALTIME in the same way
  RealTime real_at_init;
  RealTime real_at_finalize;  ///< zeros without MPI_Finalize
  std::uint64_t init_enter;
  std::uint64_t init_leave;
  std::uint64_t finalize_enter;  ///< or MPI_Abort, or exit
  std::uint64_t finalize_leave;
  std::uint64_t lost_calls;  ///< of threads or cells beyond the tables
  char host[256];
  CallName call[kMostCalls];
  Communicator communicator[kMostCommunicators];
  LogEntry log[kMostLogEntries];
};

/// Sums over one call on one communicator, by one thread.
struct Cell {
  std::uint16_t used;  ///< 1
  std::uint16_t call;
  std::uint16_t communicator;
  std::uint16_t unused;
  std::uint64_t calls;
  std::uint64_t bytes;
  std::uint64_t time;
};

struct Window {
  std::uint64_t time;   ///< in MPI
  std::uint64_t calls;  ///< that ended in it
  std::uint64_t bytes;  ///< of these
};

struct ThreadBlock {
  std::uint64_t last_leave;    ///< of its last call
  std::uint64_t enter;         ///< of the call it is in; 0: in none
  std::uint32_t call;          ///< the call it is in, or was in last
  std::uint32_t window_shift;  ///< window i begins at init_leave + i 2^window_shift
  Window window[kWindows];
  Cell cell[kCells];
};

/// Blocks begin on page boundaries, of 64 KiB pages too.
inline constexpr std::size_t kPage = 65536;
constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}
inline constexpr std::size_t kHeadBytes = whole_pages(sizeof(Head));
inline constexpr std::size_t kThreadBytes = whole_pages(sizeof(ThreadBlock));

static_assert(sizeof(CallName) == 32 && sizeof(Communicator) == 96 && sizeof(LogEntry) == 32);
static_assert(sizeof(Cell) == 32 && sizeof(Window) == 24);
static_assert(offsetof(Head, host) == 152 && sizeof(Head) % 8 == 0 && sizeof(ThreadBlock) % 8 == 0);

}  // namespace kstar::inside
