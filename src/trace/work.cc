#include "trace/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "trace/event.h"
#include "trace/file.h"

namespace kstar::tracing {

namespace {

/// The call of communication around a launch: where an older trace keeps sizes and groups.
class CallTable {
 public:
  explicit CallTable(const std::vector<HostEvent>& all) {
    for (const HostEvent& call : all) by_lane_[call.lane].push_back(call);
    for (auto& [lane, calls] : by_lane_) {
      std::sort(calls.begin(), calls.end(),
                [](const HostEvent& a, const HostEvent& b) { return a.start < b.start; });
    }
  }

  const HostEvent* around(const Launch& launch) const {
    const auto lane = by_lane_.find(launch.lane);
    if (lane == by_lane_.end()) return nullptr;
    const auto after = std::upper_bound(
        lane->second.begin(), lane->second.end(), launch.start,
        [](std::int64_t time, const HostEvent& call) { return time < call.start; });
    if (after == lane->second.begin()) return nullptr;
    const HostEvent& call = *(after - 1);
    return launch.start <= call.start + call.duration ? &call : nullptr;
  }

 private:
  std::map<std::uint32_t, std::vector<HostEvent>> by_lane_;
};

/// What the trace says of a lane in its name: a stream for communication.
std::optional<Kind> kind_of_lane(const Lane& lane) {
  const std::string name = lower_case(lane.name);
  if (name.find("comm") != std::string::npos || name.find("nccl") != std::string::npos) {
    return Kind::kCommunication;
  }
  if (name.find("compute") != std::string::npos) return Kind::kCompute;
  return std::nullopt;
}

/// The number behind `word` in "PP rank 3, TP rank 0, compute"; nothing where it is not there.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t from = at + word.size();
  while (from < text.size() && !is_digit(text[from])) ++from;
  std::int64_t value = 0;
  const std::size_t begin = from;
  for (; from < text.size() && is_digit(text[from]) && from - begin < 9; ++from) {
    value = 10 * value + (text[from] - '0');
  }
  return from == begin ? std::nullopt : std::optional(value);
}

/// A timeline of a whole job: every lane says which rank it is of.
bool is_timeline(const TraceFile& file) {
  return file.has_generic &&
         std::any_of(file.lanes.begin(), file.lanes.end(), [](const Lane& lane) {
           return number_behind(lane.name, "rank ").has_value();
         });
}

/// The ranks of a timeline in the order of their numbers, and which of them each lane is of.
struct TimelineRanks {
  std::vector<std::string> titles;
  std::vector<std::uint32_t> of_lane;
};

TimelineRanks timeline_ranks(const TraceFile& file) {
  using Key = std::vector<std::int64_t>;
  std::map<Key, std::string> ranks;
  std::vector<Key> keys;
  for (const Lane& lane : file.lanes) {
    const auto process = file.processes.find(lane.process);
    const std::string outer = process == file.processes.end() ? "" : process->second;
    std::int64_t pid = 0;
    read_whole(lane.process, pid);
    Key key = {number_behind(outer, "rank ").value_or(pid)};
    std::string title = fmt::format("DP{}", key[0]);
    for (const std::string_view axis : {"PP", "TP", "EP", "CP"}) {
      const auto number = number_behind(lane.name, fmt::format("{} rank ", axis));
      key.push_back(number.value_or(0));
      if (number && (*number > 0 || axis == "PP")) title += fmt::format(" {}{}", axis, *number);
    }
    ranks[key] = std::move(title);
    keys.push_back(std::move(key));
  }
  TimelineRanks list;
  for (const auto& [key, title] : ranks) list.titles.push_back(title);
  for (const Key& key : keys) {
    list.of_lane.push_back(
        static_cast<std::uint32_t>(std::distance(ranks.begin(), ranks.find(key))));
  }
  return list;
}

/// Every operation of the device with its launch, both in the order of their correlation.
template <typename Take>
void each_launched(TraceFile& file, const Take& take) {
  file.device.sort();
  file.launches.sort();
  const CallTable calls(file.calls);
  Sorter<Launch, ByCorrelation>::Cursor launches(file.launches);
  std::optional<Launch> launch;  // the first of its correlation
  file.device.each([&](Work one) {
    while (!launches.empty() && launches.front().correlation <= one.correlation) {
      if (!launch || launch->correlation != launches.front().correlation) {
        launch = launches.front();
      }
      launches.pop();
    }
    if (one.correlation != kNoCorrelation && launch && launch->correlation == one.correlation) {
      one.launched = true;
      one.launch = launch->start;
      if (one.facts == kNoFacts && one.kind == Kind::kCommunication) {
        if (const HostEvent* call = calls.around(*launch)) {
          one.facts = call->facts;
          one.sequence = call->sequence;
        }
      }
    }
    take(one);
  });
  file.device.clear();
  file.launches.clear();
}

Work transfer_work(const HostEvent& event) {
  Work work;
  work.start = event.start;
  work.end = event.start + event.duration;
  work.name = event.name;
  work.lane = event.lane;
  work.facts = event.facts;
  work.sequence = event.sequence;
  work.kind = Kind::kCommunication;
  return work;
}

}  // namespace

FileWork take_work(TraceFile& file) {
  FileWork all(file.tops.run_length());
  all.timeline = is_timeline(file);
  all.device = file.has_device;
  const TimelineRanks ranks = all.timeline ? timeline_ranks(file) : TimelineRanks{{""}, {}};
  std::vector<std::size_t> counts(ranks.titles.size(), 0);
  const auto add = [&](Work one) {
    if (all.timeline) one.rank = ranks.of_lane[one.lane];
    ++counts[one.rank];
    all.list.add(one);
  };
  if (all.device) {
    std::vector<std::optional<Kind>> by_lane;
    for (const Lane& lane : file.lanes) by_lane.push_back(kind_of_lane(lane));
    each_launched(file, [&](Work& one) {
      if (one.generic && one.counts) one.kind = by_lane[one.lane].value_or(one.kind);
      one.counts = one.counts && one.kind != Kind::kNone;
      if (one.counts || !all.timeline) add(one);
    });
  } else {
    all.list = std::move(file.tops);
    counts.front() = all.list.size();
    // What HTA takes for an operation of a device.
    each_launched(file, [&](const Work& one) { add(one); });
  }
  for (const HostEvent& event : file.transfers) add(transfer_work(event));
  file.tops.clear();
  all.list.sort();
  std::size_t first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    all.ranks.push_back({ranks.titles[i], first, first + counts[i]});
    first += counts[i];
  }
  if (all.ranks.empty()) all.ranks.push_back({});
  return all;
}

}  // namespace kstar::tracing
