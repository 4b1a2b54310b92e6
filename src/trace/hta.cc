#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
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

double as_microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(static_cast<long double>(nanoseconds) / 1000.0L);
}

Interval rounded(const Work& event, bool fractions) {
  if (!fractions) return {event.start / 1000, event.end / 1000};
  const double start = as_microseconds(event.start);
  const double end = start + as_microseconds(event.end - event.start);
  return {static_cast<std::int64_t>(std::ceil(start)), static_cast<std::int64_t>(std::floor(end))};
}

/// When the last step starts: what is launched from then on is left out. Nothing where there is one
/// step, or none: then everything is kept.
std::optional<std::int64_t> last_step_start(const TraceFile& file) {
  std::set<std::uint32_t> steps;
  std::int64_t last = 0;
  for (const HostEvent& mark : file.annotations) {
    if (!file.names.text(mark.name).starts_with("ProfilerStep#")) continue;
    steps.insert(mark.name);
    last = std::max(last, mark.start);
  }
  return steps.size() > 1 ? std::optional(last) : std::nullopt;
}

}  // namespace

TraceHtaRank hta_of(const TraceFile& file, const WorkList& work) {
  TraceHtaRank result;
  const std::optional<std::int64_t> until = last_step_start(file);
  std::vector<HtaKind> kinds;
  for (std::uint32_t i = 0; i < file.names.size(); ++i) {
    kinds.push_back(hta_kind(file.names.text(i)));
  }
  std::array<std::int64_t, 16> by_mask{};
  const auto add = [&](std::int64_t from, std::int64_t to, unsigned mask) {
    by_mask[mask] += to - from;
  };
  std::optional<Sweep<decltype(add)>> sweep;
  std::int64_t start = 0, end = 0;
  work.each([&](const Work& one) {
    if (!one.on_device || one.generic) return;
    if (until && (!one.launched || one.launch >= *until)) return;
    const Interval time = rounded(one, file.start_fractions);
    if (!sweep) {
      sweep.emplace(time.start, add);
      start = time.start;
      end = time.end;
    }
    end = std::max(end, time.end);
    sweep->add(time.start, time.end, kinds[one.name]);
  });
  result.known = sweep.has_value();
  if (!result.known) return result;
  sweep->finish();
  result.kernel_time = end - start;
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
