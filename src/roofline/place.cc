#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"
#include "kstar/roofline.h"
#include "kstar/stats.h"
#include "roofline/doubts.h"

namespace kstar {

namespace {

using roofline::add_doubts;
using roofline::forget;
using roofline::other_gpu;
using roofline::reported_of;
using roofline::say_threads;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Estimate exact_share(double share) {
  return {.point = share, .standard_error = 0, .low = share, .high = share};
}

/// amount / time / ceiling, with the errors of the time and of the ceiling.
Estimate share_of(double amount, double seconds, const std::optional<Estimate>& time,
                  const Estimate& ceiling) {
  Estimate share = ceiling;
  const bool spread = time && is_bounded(*time);
  const double fast = spread ? time->low : seconds, slow = spread ? time->high : seconds;
  share.point = amount / seconds / ceiling.point;
  share.standard_error = std::numeric_limits<double>::quiet_NaN();
  const bool bounded = is_bounded(ceiling) && ceiling.low > 0;
  share.low = bounded ? amount / slow / ceiling.high : -kInfinite;
  share.high = bounded ? amount / fast / ceiling.low : kInfinite;
  if (!bounded && spread) {
    share.low = amount / slow / ceiling.point;
    share.high = amount / fast / ceiling.point;
  }
  return share;
}

const double* bytes_of(const RooflineKernel& kernel, std::string_view level) {
  for (const LevelBytes& one : kernel.bytes) {
    if (one.level == level) return &one.bytes;
  }
  return nullptr;
}

class Placer {
 public:
  Placer(const MachineCeilings* machine, const RooflineOptions& options)
      : machine_(machine), options_(options) {}

  RooflinePlace place(const RooflineKernel& kernel) const {
    RooflinePlace found;
    found.kernel = kernel;
    add_compute(found);
    add_levels(found);
    found.pipes = reported_of(kernel, "sm");
    add_attainable(found);
    found.above = is_above(found);
    if (waits_here(kernel) && !found.above) {
      found.bound = Bound::kLatency;  // how much faster it could be is not known
    } else if (!found.above) {
      decide(found);
      mind_precision(found);
      mind_lower(found);
    }
    mind_threads(found);
    return found;
  }

 private:
  /// On a GPU it may compute while its threads wait.
  bool waits_here(const RooflineKernel& kernel) const {
    return waits(kernel) && (machine_ == nullptr || machine_->kind != "gpu");
  }

  /// Ceilings on more threads than it used are too high, and those on fewer too low.
  void mind_threads(RooflinePlace& found) const {
    if (machine_ == nullptr || machine_->kind == "gpu" || waits_here(found.kernel)) return;
    const int threads = threads_of(found.kernel);
    bool too_high = false, too_low = false;
    const auto mind = [&](const std::optional<CeilingAt>& ceiling) {
      if (!ceiling || !ceiling->beyond || ceiling->from->threads == 0) return;
      (ceiling->from->threads > threads ? too_high : too_low) = true;
    };
    if (found.kernel.flops) mind(peak_of(found.kernel));
    for (const LevelBytes& one : found.kernel.bytes) {
      mind(bandwidth_ceiling(*machine_, one.level, threads));
    }
    if (too_low) found.above = false;
    if ((too_high && found.bound == Bound::kLatency) ||
        (too_low && found.bound != Bound::kLatency)) {
      forget(found);
    }
  }

  int threads_of(const RooflineKernel& kernel) const {
    if (options_.threads > 0) return options_.threads;
    if (kernel.threads > 0) return kernel.threads;
    const std::vector<int> counts = machine_ ? thread_counts(*machine_) : std::vector<int>{1};
    return counts.empty() ? 1 : counts.back();
  }

  std::optional<CeilingAt> peak_of(const RooflineKernel& kernel) const {
    if (machine_ == nullptr) return std::nullopt;
    const double rate = kernel.seconds > 0 ? kernel.flops.value_or(0) / kernel.seconds : 0;
    return peak_to_reach(*machine_, threads_of(kernel), precision_of(kernel), rate);
  }

  std::string precision_of(const RooflineKernel& kernel) const {
    return kernel.precision.empty() ? options_.precision : kernel.precision;
  }

  /// In another precision it may be far from its peak.
  void mind_precision(RooflinePlace& found) const {
    if (!found.precision_assumed || found.bound != Bound::kCompute) return;
    const auto most = compute_ceiling(*machine_, threads_of(found.kernel));
    const double share = *found.rate / most->rate.point;
    if (share >= kBoundShare) return;
    forget(found);
    found.kernel.missing =
        fmt::format("its precision: it would reach {} of the {} peak; --precision says which",
                    percent(share, 0), most->from->precision);
  }

  /// It may be at a ceiling below the highest: of ordinary stores, which read their line first, or
  /// of narrower registers; of these the nearest that it does not exceed.
  void mind_lower(RooflinePlace& found) const {
    if (machine_ == nullptr || found.bound != Bound::kLatency) return;
    const int threads = threads_of(found.kernel);
    const LevelShare* memory = found.levels.empty() ? nullptr : &found.levels.back();
    if (memory != nullptr && memory->level == "memory" && memory->rate && memory->share) {
      for (const LowerCeiling& one : lower_ceilings(*machine_, "memory", threads)) {
        const double share = *memory->rate / one.rate;
        if (share < kBoundShare || (found.lower && share <= found.lower->share)) continue;
        found.lower = {"memory", one.name, share};
      }
      if (found.lower && found.lower->share >= kSurelyBoundShare) {
        found.bound = Bound::kMemory;
        found.level = "memory";
        return set_headroom(*memory->share, found);
      }
    }
    constexpr double kImpossible = 1.05;
    for (const LowerCeiling& one :
         lower_ceilings(*machine_, "compute", threads, found.kernel.precision)) {
      const double share = found.rate.value_or(0) / one.rate;
      if (share < kBoundShare || share > kImpossible) continue;
      if (!found.lower || share > found.lower->share) found.lower = {"compute", one.name, share};
    }
    if (found.lower) forget(found);
  }

  void add_compute(RooflinePlace& found) const {
    const RooflineKernel& kernel = found.kernel;
    if (kernel.flops && kernel.seconds > 0) found.rate = *kernel.flops / kernel.seconds;
    if (const auto peak = peak_of(kernel); peak && kernel.flops && kernel.seconds > 0) {
      found.compute = share_of(*kernel.flops, kernel.seconds, kernel.time, peak->rate);
      found.precision_assumed = precision_of(kernel).empty() && machine_->kind == "cpu" &&
                                precisions_of(*machine_).size() > 1;
      if (kernel.precision.empty()) found.kernel.precision = peak->from->precision;
      return;
    }
    if (kernel.matrix && !kernel.flops) return;  // what the other units do says nothing of these
    for (const char* precision : {"fp64", "fp32", "fp16"}) {
      const std::optional<double> share = reported_of(kernel, precision);
      if (share && (!found.compute || *share > found.compute->point)) {
        found.compute = exact_share(*share);
      }
    }
  }

  void add_levels(RooflinePlace& found) const {
    const RooflineKernel& kernel = found.kernel;
    for (const std::string& level : memory_levels()) {
      const double* bytes = bytes_of(kernel, level);
      const std::optional<double> reported = reported_of(kernel, level);
      if (bytes == nullptr && !reported) continue;
      LevelShare one{.level = level};
      if (bytes != nullptr && kernel.seconds > 0) {
        one.rate = *bytes / kernel.seconds;
        if (kernel.flops && *bytes > 0) one.intensity = *kernel.flops / *bytes;
        const auto ceiling = machine_ == nullptr
                                 ? std::nullopt
                                 : bandwidth_ceiling(*machine_, level, threads_of(kernel));
        if (ceiling) one.share = share_of(*bytes, kernel.seconds, kernel.time, ceiling->rate);
      }
      if (!one.share && reported) one.share = exact_share(*reported);
      found.levels.push_back(one);
      if (level == "memory") found.intensity = one.intensity;
    }
  }

  void add_attainable(RooflinePlace& found) const {
    const auto peak = peak_of(found.kernel);
    if (!peak || !found.intensity) return;
    const auto bandwidth = bandwidth_ceiling(*machine_, "memory", threads_of(found.kernel));
    if (bandwidth) {
      found.attainable = attainable_rate(peak->rate.point, bandwidth->rate.point, *found.intensity);
    }
  }

  static bool is_above(const RooflinePlace& found) {
    constexpr double kImpossible = 1.05, kHowever = 1.5;  // however wide its interval
    const auto above = [&](const std::optional<Estimate>& share) {
      if (!share || share->point <= kImpossible) return false;
      return !is_bounded(*share) || share->low > 1 || share->point > kHowever;
    };
    return above(found.compute) ||
           std::any_of(found.levels.begin(), found.levels.end(),
                       [&](const LevelShare& level) { return above(level.share); });
  }

  /// The ceiling that is nearest. Traffic to a far level passes the nearer ones: of levels that are
  /// used about alike, the farthest is the cause.
  static void decide(RooflinePlace& found) {
    constexpr double kAlike = 0.9;
    const LevelShare* level = nullptr;
    for (const LevelShare& one : found.levels) {
      if (!one.share) continue;
      if (level == nullptr || one.share->point >= kAlike * level->share->point) level = &one;
    }
    const double memory = level != nullptr ? level->share->point : 0;
    const double compute = found.compute ? found.compute->point : 0;
    if (is_idle(found)) return set_latency(exact_share(std::max(memory, *found.pipes)), found);
    if (level == nullptr && !found.compute) return;
    const bool by_memory = !found.compute || memory > compute;
    if (by_memory && level->level == "l1" && found.kernel.l1_contested) return;
    const Estimate& share = by_memory ? *level->share : *found.compute;
    const bool idle = found.pipes ? *found.pipes < kBoundShare : compute > 0;
    constexpr double kWide = 4;  // between such ends anything may bind
    if (is_bounded(share) && share.high > kWide * share.low) return;
    const bool careful =
        by_memory ? may_be_operations(found, memory) : !found.kernel.missing.empty();
    if (share.point >= (careful ? kSurelyBoundShare : kBoundShare)) {
      found.bound = by_memory ? Bound::kMemory : Bound::kCompute;
    } else {
      found.bound = !is_uncounted(found) && idle ? Bound::kLatency : Bound::kUnknown;
    }
    if (by_memory) found.level = level->level;
    if (found.bound == Bound::kUnknown) return;
    set_headroom(share, found);
  }

  /// What is not known may be what bounds it: operations that were not counted; of a kernel that
  /// has none, those on integers.
  static bool is_uncounted(const RooflinePlace& found) {
    return !found.compute || !found.kernel.missing.empty() || !reaches_memory(found);
  }

  /// Not where the processor is less busy than the memory, with whatever instructions, by the
  /// profiler's own share of its busiest unit.
  static bool may_be_operations(const RooflinePlace& found, double memory) {
    const double pipes = found.pipes.value_or(0);
    const bool calm = !found.kernel.matrix && pipes > 0 && pipes <= memory;
    const bool part = !reaches_memory(found) || found.kernel.part_of_bytes;
    return part || pipes > memory || (is_uncounted(found) && !calm);
  }

  static bool reaches_memory(const RooflinePlace& found) {
    return std::any_of(found.levels.begin(), found.levels.end(),
                       [](const LevelShare& one) { return one.level == "memory" && one.share; });
  }

  /// Of operations that were not counted: the profiler's own share of the busiest of all units of
  /// the processor, and those of the memory, are small. That of matrix units is not trusted to be
  /// among them.
  static bool is_idle(const RooflinePlace& found) {
    if (found.compute || found.kernel.matrix || !found.pipes || *found.pipes <= 0) return false;
    return *found.pipes < kBoundShare && reaches_memory(found) &&
           std::all_of(found.levels.begin(), found.levels.end(), [](const LevelShare& one) {
             return one.share && one.share->point < kBoundShare;
           });
  }

  static void set_latency(const Estimate& share, RooflinePlace& found) {
    found.bound = Bound::kLatency;
    set_headroom(share, found);
  }

  static void set_headroom(const Estimate& share, RooflinePlace& found) {
    if (share.point <= 0) return;
    Estimate headroom = share;
    headroom.point = std::max(1.0, 1 / share.point);
    headroom.low = share.high > 0 && std::isfinite(share.high) ? std::max(1.0, 1 / share.high) : 1;
    headroom.high = share.low > 0 ? std::max(1.0, 1 / share.low) : kInfinite;
    found.headroom = headroom;
    found.saved = found.kernel.seconds * (1 - 1 / headroom.point);
  }

  const MachineCeilings* machine_;
  const RooflineOptions& options_;
};

std::vector<Ridge> ridges_of(const MachineCeilings& machine, int threads) {
  std::vector<Ridge> ridges;
  const auto bandwidth = bandwidth_ceiling(machine, "memory", threads);
  if (!bandwidth) return ridges;
  for (const std::string& precision : precisions_of(machine)) {
    const auto peak = compute_ceiling(machine, threads, precision);
    if (!peak) continue;
    ridges.push_back({.precision = precision,
                      .level = "memory",
                      .compute = peak->rate.point,
                      .bandwidth = bandwidth->rate.point,
                      .intensity = peak->rate.point / bandwidth->rate.point});
  }
  return ridges;
}

}  // namespace

bool waits(const RooflineKernel& kernel) {
  return kernel.active.value_or(1) < kActiveShare;
}

std::string_view name_of(Bound bound) {
  constexpr std::array<std::string_view, 4> kNames = {"compute", "memory", "latency", "unknown"};
  return kNames.at(static_cast<std::size_t>(bound));
}

double attainable_rate(double peak, double bandwidth, double intensity) {
  return std::min(peak, intensity * bandwidth);
}

Roofline place_kernels(const RooflineProfile& profile,
                       const std::optional<MachineCeilings>& machine,
                       const RooflineOptions& options) {
  Roofline result;
  result.machine = machine ? machine : profile.ceilings;
  result.notes = profile.notes;
  const MachineCeilings* ceilings = result.machine ? &*result.machine : nullptr;
  const auto place_all = [&] {
    const Placer placer(ceilings, options);
    result.places.clear();
    for (const RooflineKernel& kernel : profile.kernels) {
      result.places.push_back(placer.place(kernel));
    }
  };
  place_all();
  for (const RooflineKernel& kernel : profile.kernels) result.seconds += kernel.seconds;
  if (std::string other = other_gpu(profile, result); !other.empty()) {
    result.doubts.push_back(std::move(other));
    result.machine.reset();
    ceilings = nullptr;
    place_all();
  }
  add_doubts(profile, result);
  std::stable_sort(result.places.begin(), result.places.end(),
                   [](const RooflinePlace& a, const RooflinePlace& b) {
                     return a.kernel.seconds > b.kernel.seconds;
                   });
  for (std::size_t i = 0; i < result.places.size(); ++i) {
    if (result.places[i].saved <= 0) continue;
    if (!result.first || result.places[i].saved > result.places[*result.first].saved) {
      result.first = i;
    }
  }
  result.threads = options.threads;
  if (result.threads == 0 && !result.places.empty()) {
    result.threads = result.places.front().kernel.threads;
  }
  if (ceilings != nullptr) {
    const std::vector<int> counts = thread_counts(*ceilings);
    if (!counts.empty() && (result.threads == 0 || counts.back() == 0)) {
      result.threads = counts.back();
    }
    result.ridges = ridges_of(*ceilings, result.threads);
    say_threads(options, profile.gpu, result);
  }
  return result;
}

}  // namespace kstar
