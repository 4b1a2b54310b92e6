#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "trace/rules.h"
#include "trace/sorter.h"

/// The operations of a trace, in a few bytes each. There may be hundreds of millions of them: they
/// are put in order in bounded memory.
namespace kstar::tracing {

constexpr std::uint32_t kNoFacts = 0xFFFFFFFF;
constexpr std::uint32_t kNoCorrelation = 0xFFFFFFFF;

/// An operation of a device, of a lane of a timeline, or of the host.
struct Work {
  std::int64_t start = 0, end = 0;
  std::int64_t launch = 0;  ///< when the host started it; 0: not known
  std::uint32_t name = 0, lane = 0;
  std::uint32_t rank = 0;  ///< of a timeline
  std::uint32_t correlation = kNoCorrelation;
  std::uint32_t facts = kNoFacts;
  std::int32_t step = -1;      ///< of a timeline that numbers them
  std::int32_t sequence = -1;  ///< of a collective, in its group
  Kind kind = Kind::kCompute;
  bool counts : 1 = true;      ///< it is work, and no waiting of a stream
  bool on_device : 1 = false;  ///< not of the host
  bool generic : 1 = false;    ///< its lane says what it is: no trace of a profiler
  bool launched : 1 = false;   ///< its launch was found
};

struct ByCorrelation {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    if (a.correlation != b.correlation) return a.correlation < b.correlation;
    return a.start != b.start ? a.start < b.start : a.lane < b.lane;
  }
};

struct ByStart {
  bool operator()(const Work& a, const Work& b) const {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end < b.end;
    const auto rest = [](const Work& one) {
      return std::tie(one.lane, one.name, one.kind, one.launch, one.facts, one.step, one.sequence,
                      one.correlation);
    };
    return rest(a) < rest(b);
  }
};

using WorkList = Sorter<Work, ByStart>;

/// The call on the host that started an operation of the device.
struct Launch {
  std::uint32_t correlation = 0, lane = 0;
  std::int64_t start = 0;
};

struct TraceFile;

/// The operations of one rank: all of a file, or the lanes of one rank of a timeline.
struct RankWork {
  std::string title;
  std::size_t first = 0, last = 0;  ///< in the list of the file
};

/// All operations of a file, rank by rank, in the order of their starts.
struct FileWork {
  explicit FileWork(std::size_t run_length) : list(run_length) {}
  WorkList list;
  std::vector<RankWork> ranks;
  bool device = true;     ///< they are of a device; else the host's were taken
  bool timeline = false;  ///< of a whole job in one file: they may carry the number of their step
};

/// The operations of the file are used up.
FileWork take_work(TraceFile& file);

}  // namespace kstar::tracing
