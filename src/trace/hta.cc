#include <algorithm>
#include <cmath>
#include <string_view>

#include "trace/rank.h"
#include "trace/sweep.h"

// The quantities of HolisticTraceAnalysis by its own definitions, so that its users can compare:
// kinds by name alone, whole microseconds (start rounded up, end down, where a trace has fractions)
// and without the last ProfilerStep, where there are several.
namespace kstar::tracing {

namespace {

enum HtaKind : unsigned { kHtaCompute, kHtaCommunication, kHtaMemory, kHtaOther };

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

HtaKind hta_kind(std::string_view name) {
  if (name.starts_with("nccl") || name.starts_with("hip") || name.starts_with("hccl") ||
      has(name, "ncclKernel")) {
    return kHtaCommunication;
  }
  if (name.starts_with("Memcpy") || name.starts_with("Memset") || name.starts_with("dma")) {
    return kHtaMemory;
  }
  const bool launch = has(name, "cuda") && has(name, "LaunchKernel");
  if (has(name, "Memcpy") || has(name, "Memset") || has(name, "dma") || has(name, "Sync") ||
      name.starts_with("Stream Wait Event") || launch || name.starts_with("runFunction")) {
    return kHtaOther;
  }
  return kHtaCompute;
}

struct HtaEvent {
  std::int64_t start = 0, end = 0;
  HtaKind kind = kHtaCompute;
};

double as_microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(static_cast<long double>(nanoseconds) / 1000.0L);
}

HtaEvent rounded(const DeviceEvent& event, bool fractions) {
  if (!fractions) return {event.start / 1000, (event.start + event.duration) / 1000, kHtaCompute};
  const double start = as_microseconds(event.start);
  const double end = start + as_microseconds(event.duration);
  return {static_cast<std::int64_t>(std::ceil(start)), static_cast<std::int64_t>(std::floor(end)),
          kHtaCompute};
}

/// The launches that happen before the last step starts, by correlation; empty: all are kept.
std::vector<std::uint32_t> kept_launches(const TraceFile& file, bool& filtered) {
  std::vector<std::uint32_t> steps;
  std::int64_t last = 0;
  for (const HostEvent& mark : file.annotations) {
    if (!file.names.text(mark.name).starts_with("ProfilerStep#")) continue;
    if (std::find(steps.begin(), steps.end(), mark.name) == steps.end()) {
      steps.push_back(mark.name);
    }
    last = std::max(last, mark.start);
  }
  filtered = steps.size() > 1;
  std::vector<std::uint32_t> kept;
  if (!filtered) return kept;
  for (const Launch& launch : file.launches) {
    if (launch.start < last) kept.push_back(launch.correlation);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<HtaEvent> hta_events(const TraceFile& file) {
  bool filtered = false;
  const std::vector<std::uint32_t> kept = kept_launches(file, filtered);
  std::vector<HtaEvent> events;
  for (const DeviceEvent& event : file.device) {
    if (event.generic) continue;
    if (filtered && !std::binary_search(kept.begin(), kept.end(), event.correlation)) continue;
    HtaEvent one = rounded(event, file.start_fractions);
    one.kind = hta_kind(file.names.text(event.name));
    events.push_back(one);
  }
  std::sort(events.begin(), events.end(), [](const HtaEvent& a, const HtaEvent& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  return events;
}

}  // namespace

TraceHtaRank hta_of(const TraceFile& file) {
  TraceHtaRank result;
  const std::vector<HtaEvent> events = hta_events(file);
  result.known = !events.empty();
  if (events.empty()) return result;
  std::int64_t end = events.front().end;
  for (const HtaEvent& event : events) end = std::max(end, event.end);
  result.kernel_time = end - events.front().start;
  std::array<std::int64_t, 16> by_mask{};
  Sweep sweep(events.front().start, [&](std::int64_t from, std::int64_t to, unsigned mask) {
    by_mask[mask] += to - from;
  });
  for (const HtaEvent& event : events) sweep.add(event.start, event.end, event.kind);
  sweep.finish();
  result.idle = by_mask[0];
  std::int64_t communication = 0, overlap = 0;
  for (unsigned mask = 1; mask < by_mask.size(); ++mask) {
    const bool computes = (mask & (1U << kHtaCompute)) != 0;
    const bool communicates = (mask & (1U << kHtaCommunication)) != 0;
    if (computes) result.compute += by_mask[mask];
    if (communicates) communication += by_mask[mask];
    if (computes && communicates) overlap += by_mask[mask];
    result.kinds[mask & 7U] += (mask & 7U) != 0 ? by_mask[mask] : 0;
  }
  result.non_compute = result.kernel_time - result.compute - result.idle;
  result.communication = communication;
  result.overlap = overlap;
  return result;
}

}  // namespace kstar::tracing
