#include "analysis/memory_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// What shared bandwidth looks like without the machine's ceilings.
bool may_be_memory(CauseKind kind) {
  return kind == CauseKind::kComputationScaling || kind == CauseKind::kCpuGrowth ||
         kind == CauseKind::kContention;
}

std::string used_up_text(const BandwidthCurve& curve) {
  const bool sure = curve.used_up_low == curve.used_up && curve.used_up_high == curve.used_up;
  const bool ends = curve.points.size() == 2 && curve.used_up > 2;  // none between was measured
  return fmt::format(
      "this machine's bandwidth is used up at {}{}{}: {} GB/s",
      count_text(static_cast<std::size_t>(curve.used_up), "core"), ends ? " or fewer" : "",
      sure || ends ? "" : fmt::format(" ({} to {})", curve.used_up_low, curve.used_up_high),
      significant(curve.most / 1e9, 3));
}

void tell(const MemoryScaling& memory, Cause& cause) {
  cause.kind = CauseKind::kMemoryBandwidth;
  cause.or_else.clear();
  std::string bound = "memory-bound: " + used_up_text(memory.curve);
  if (memory.ceiling > 0) {
    bound +=
        fmt::format(", so S stays below about {} on its {}", significant(memory.ceiling, 2),
                    count_text(static_cast<std::size_t>(memory.points.back().workers), "core"));
  }
  const std::vector<std::string> evidence = {std::move(bound), memory.why};
  cause.evidence.insert(cause.evidence.begin(), evidence.begin(), evidence.end());
  cause.advice =
      "move fewer bytes for the same work (fuse loops, block for the caches, smaller types), or "
      "use "
      "more sockets or nodes: more cores of this machine share the same bandwidth";
}

double loss_of(double factor) {
  return factor > 0 ? std::max(0.0, -std::log(factor)) : 0;
}

/// A cause that nothing but the ceilings shows, among those that are there.
void add_cause(const MemoryScaling& memory, std::vector<Cause>& causes) {
  const MemoryPoint& last = memory.points.back();
  Cause cause;
  cause.confidence = causes.front().confidence;
  cause.factor = last.slowdown;
  cause.factor.point = 1 / last.slowdown.point;
  cause.factor.low = 1 / last.slowdown.high;
  cause.factor.high = 1 / last.slowdown.low;
  cause.share = cause.factor;
  tell(memory, cause);
  const Cause& first = causes.front();
  if (first.kind == CauseKind::kNone || first.probability) {
    cause.share = first.share;
    cause.share.point = 1;
    causes = {std::move(cause)};
    return;
  }
  const double whole = first.share.point > 0 ? loss_of(first.factor.point) / first.share.point : 0;
  const double own = loss_of(cause.factor.point);
  const double all = whole + own;
  if (all <= 0) return;
  for (Cause& other : causes) other.share = scaled(other.share, whole / all);
  cause.share.point = own / all;
  cause.share.low = loss_of(cause.factor.high) / all;
  cause.share.high = std::min(1.0, loss_of(cause.factor.low) / all);
  causes.push_back(std::move(cause));
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.share.point > b.share.point; });
}

void name_memory(const MemoryScaling& memory, std::vector<Cause>& causes) {
  const auto found = std::find_if(causes.begin(), causes.end(),
                                  [](const Cause& cause) { return may_be_memory(cause.kind); });
  if (found != causes.end() && !found->probability) return tell(memory, *found);
  add_cause(memory, causes);
}

/// Shared bandwidth was looked for, and is not it.
void say_not(const MemoryScaling& memory, std::vector<Cause>& causes) {
  for (Cause& cause : causes) {
    if (!may_be_memory(cause.kind)) continue;
    cause.evidence.push_back(fmt::format("it is not the memory's bandwidth: {}", memory.why));
    return;
  }
}

}  // namespace

void add_machine(const Study& study, Analysis& analysis) {
  if (!analysis.options.machine) return;
  const MemoryQuestion question{.machine = &*analysis.options.machine,
                                .flops = analysis.options.flops,
                                .bytes = analysis.options.bytes};
  analysis.reach = machine_reach(study, analysis, question);
  analysis.memory = memory_scaling(study, analysis, question);
  if (!analysis.memory || analysis.diagnosis.causes.empty()) return;
  std::vector<Cause>& causes = analysis.diagnosis.causes;
  if (analysis.memory->verdict == MemoryVerdict::kBound) name_memory(*analysis.memory, causes);
  if (analysis.memory->verdict == MemoryVerdict::kNot) say_not(*analysis.memory, causes);
}

}  // namespace kstar
