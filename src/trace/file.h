#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kstar/result.h"
#include "trace/rules.h"
#include "trace/source.h"
#include "trace/work.h"

/// What is kept of one trace file. Operations and launches are in bounded memory; what grows with
/// the file is 40 bytes for each call of communication and each annotation of the user.
namespace kstar::tracing {

/// Names, each once.
class Names {
 public:
  std::uint32_t id(std::string_view name);
  const std::string& text(std::uint32_t id) const { return *texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;
};

/// What a trace says about a collective beside its name.
struct CommunicationFacts {
  std::string collective;  ///< by its word in kstar: all-reduce
  std::string group;       ///< the name of the process group
  std::string ranks;       ///< the ranks in it, as the trace writes them
  std::int64_t size = 0;   ///< of the group; 0: not said
  std::int64_t bytes = 0;  ///< 0: not said
  auto operator<=>(const CommunicationFacts&) const = default;
};

/// An interval on a thread of the host.
struct HostEvent {
  std::int64_t start = 0, duration = 0;
  std::uint32_t lane = 0, name = 0;
  std::uint32_t facts = kNoFacts;
  std::int32_t sequence = -1;
};

/// A thread or a stream.
struct Lane {
  std::string process, thread;  ///< pid and tid
  std::string name;             ///< thread_name
};

struct TraceFile {
  explicit TraceFile(std::size_t run_length = kRunLength)
      : device(run_length), launches(run_length), tops(run_length) {}
  std::string path;
  Sorter<Work, ByCorrelation> device;
  Sorter<Launch, ByCorrelation> launches;
  WorkList tops;             ///< operations of the host that are in no other, until one of a device
  bool has_device = false;   ///< there are operations of a device, or of a lane of a timeline
  bool has_generic = false;  ///< of a lane that says what it is, or of something else
  bool has_kernels = false;  ///< of the device of a profiler
  std::vector<HostEvent> transfers;    ///< communication that the host does itself
  std::vector<HostEvent> calls;        ///< of communication, with what is known about it
  std::vector<HostEvent> annotations;  ///< of the user; steps are among them
  std::vector<Lane> lanes;
  std::map<std::string, std::string> processes;  ///< process_name by pid
  std::vector<CommunicationFacts> facts;
  Names names;
  std::vector<const Rule*> rules;  ///< by name
  std::int64_t rank = -1, world = -1;
  std::string backend;
  std::int64_t base = 0;  ///< nanoseconds to add to every time
  std::uint64_t events = 0, bytes = 0, bad = 0, strange = 0;
  std::int64_t last = 0;         ///< where the last event ends
  bool start_fractions = false;  ///< the times of events have digits behind the point
  bool torn = false;
};

/// Throws std::system_error where a temporary file cannot be read.
Result<TraceFile> read_trace(BlockSource& source, const std::string& path, const Rules& rules,
                             std::size_t run_length = kRunLength);

}  // namespace kstar::tracing
