#include "kstar/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

/// Of one sample there is no interval.
Estimate rate_of(const std::vector<double>& samples) {
  if (const Result<Estimate> median = estimate_median(samples); median) return *median;
  return {};
}

bool is_of(const MachineCeiling& ceiling, std::string_view level, std::string_view kernel,
           std::string_view precision, std::string_view vector = "") {
  return ceiling.level == level && (kernel.empty() || ceiling.kernel == kernel) &&
         (precision.empty() || ceiling.precision == precision) &&
         (vector.empty() || ceiling.vector == vector);
}

/// The fastest at each count of threads.
std::vector<const MachineCeiling*> fastest(const MachineCeilings& machine, std::string_view level,
                                           std::string_view kernel, std::string_view precision,
                                           std::string_view vector = "") {
  std::vector<const MachineCeiling*> found;
  for (const MachineCeiling& one : machine.ceilings) {
    if (!is_of(one, level, kernel, precision, vector)) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const MachineCeiling* other) {
      return other->threads == one.threads;
    });
    if (same == found.end()) {
      found.push_back(&one);
    } else if (one.rate.point > (*same)->rate.point) {
      *same = &one;
    }
  }
  std::sort(found.begin(), found.end(), [](const MachineCeiling* a, const MachineCeiling* b) {
    return a->threads < b->threads;
  });
  return found;
}

/// On the line between two estimates; `share` of the way.
Estimate between(const Estimate& a, const Estimate& b, double share) {
  Estimate result = share < 0.5 ? a : b;
  const auto mix = [&](double x, double y) { return x + (y - x) * share; };
  result.point = mix(a.point, b.point);
  result.low = mix(a.low, b.low);
  result.high = mix(a.high, b.high);
  result.standard_error = mix(a.standard_error, b.standard_error);
  return result;
}

std::optional<CeilingAt> ceiling_at(const std::vector<const MachineCeiling*>& by_threads,
                                    int threads) {
  if (by_threads.empty()) return std::nullopt;
  const auto next =
      std::find_if(by_threads.begin(), by_threads.end(),
                   [&](const MachineCeiling* one) { return one->threads >= threads; });
  if (next == by_threads.end()) {
    return CeilingAt{.rate = by_threads.back()->rate, .from = by_threads.back(), .beyond = true};
  }
  if ((*next)->threads == threads || next == by_threads.begin()) {
    return CeilingAt{.rate = (*next)->rate, .from = *next, .beyond = (*next)->threads != threads};
  }
  const MachineCeiling& before = **std::prev(next);
  const double share =
      static_cast<double>(threads - before.threads) / ((*next)->threads - before.threads);
  return CeilingAt{.rate = between(before.rate, (*next)->rate, share),
                   .from = share < 0.5 ? &before : *next,
                   .between = true};
}

/// mean(1 / one) / mean(1 / many): a ratio of times, as S(K) is. Repetition i of both was made in
/// round i.
Estimate speedup_of(const MachineCeiling& one, const MachineCeiling& many) {
  const auto times = [](const MachineCeiling& ceiling) {
    std::vector<double> all;
    for (const double rate : ceiling.samples) all.push_back(1 / rate);
    return all;
  };
  const std::vector<double> numerator = times(one), denominator = times(many);
  RatioOptions options;
  if (numerator.size() == denominator.size() && numerator.size() > 2) {
    options.method = IntervalMethod::kPaired;
  }
  if (const Result<Estimate> ratio = estimate_ratio(numerator, denominator, options); ratio) {
    return *ratio;
  }
  return {};
}

/// Ceilings and program are measured one after the other: each has its own drift.
Estimate with_drift(Estimate speedup, double memory) {
  const double drift = memory * kSessionDrift * std::sqrt(2.0);
  constexpr double kNormal95 = 1.96;
  const auto end = [&](double at, double sign) {
    if (!(at > 0) || !std::isfinite(at)) return at;
    const double own = std::log(at / speedup.point);
    return speedup.point * std::exp(sign * std::hypot(own, kNormal95 * drift));
  };
  speedup.low = end(speedup.low, -1);
  speedup.high = end(speedup.high, 1);
  speedup.standard_error = std::hypot(speedup.standard_error, speedup.point * drift);
  return speedup;
}

/// The fewest threads that reach `share` of the most.
void set_used_up(BandwidthCurve& curve) {
  const auto fewest = [&](auto reaches) {
    const auto found = std::find_if(curve.points.begin(), curve.points.end(), reaches);
    return found == curve.points.end() ? curve.points.back().threads : found->threads;
  };
  for (const BandwidthPoint& point : curve.points) {
    curve.most = std::max(curve.most, point.rate.point);
  }
  const double enough = kUsedUpShare * curve.most;
  curve.used_up = fewest([&](const BandwidthPoint& p) { return p.rate.point >= enough; });
  curve.used_up_low = fewest([&](const BandwidthPoint& p) { return p.rate.high >= enough; });
  curve.used_up_high = fewest([&](const BandwidthPoint& p) { return p.rate.low >= enough; });
}

template <typename Value>
std::vector<std::string> in_usual_order(const std::set<Value>& found,
                                        const std::vector<std::string>& usual) {
  std::vector<std::string> ordered;
  for (const std::string& one : usual) {
    if (found.count(one) > 0) ordered.push_back(one);
  }
  for (const Value& one : found) {
    if (std::find(usual.begin(), usual.end(), one) == usual.end()) ordered.emplace_back(one);
  }
  return ordered;
}

}  // namespace

const std::vector<std::string>& memory_levels() {
  static const std::vector<std::string> kLevels = {"l1", "l2", "l3", "memory"};
  return kLevels;
}

std::string level_words(std::string_view level) {
  if (level.size() == 2 && level[0] == 'l') return "L" + std::string(level.substr(1));
  return std::string(level);
}

std::string disturbance_of(const MachineCeilings& machine) {
  constexpr double kLittle = 0.05;
  if (machine.cpu_wait < kLittle) return "";
  return fmt::format("other jobs had the CPUs for {} of the time in which {} was measured",
                     percent(machine.cpu_wait, 0), machine.name);
}

std::string capability_of(const MachineCeilings& machine) {
  struct Known {
    std::string_view gpu, capability;
  };
  static constexpr std::array<Known, 14> kKnown = {{{"P100", "6.0"},
                                                    {"V100", "7.0"},
                                                    {"T4", "7.5"},
                                                    {"A100", "8.0"},
                                                    {"A30", "8.0"},
                                                    {"A10", "8.6"},
                                                    {"A40", "8.6"},
                                                    {"L4", "8.9"},
                                                    {"L40", "8.9"},
                                                    {"L40S", "8.9"},
                                                    {"H100", "9.0"},
                                                    {"H200", "9.0"},
                                                    {"GH200", "9.0"},
                                                    {"B200", "10.0"}}};
  if (!machine.capability.empty() || machine.kind != "gpu") return machine.capability;
  std::string name = machine.processor.empty() ? machine.name : machine.processor;
  std::replace(name.begin(), name.end(), '-', ' ');  // "NVIDIA A100-SXM4-80GB"
  for (const std::string_view word : split(name, ' ')) {
    for (const Known& known : kKnown) {
      if (word == known.gpu) return std::string(known.capability);
    }
  }
  return "";
}

MachineCeiling make_ceiling(MachineCeiling about, std::vector<double> samples) {
  about.samples = std::move(samples);
  about.rate = rate_of(about.samples);
  return about;
}

std::optional<CeilingAt> compute_ceiling(const MachineCeilings& machine, int threads,
                                         std::string_view precision) {
  return ceiling_at(fastest(machine, "compute", "", precision), threads);
}

std::optional<CeilingAt> bandwidth_ceiling(const MachineCeilings& machine, std::string_view level,
                                           int threads, std::string_view kernel) {
  return ceiling_at(fastest(machine, level, kernel, ""), threads);
}

std::vector<LowerCeiling> lower_ceilings(const MachineCeilings& machine, std::string_view level,
                                         int threads, std::string_view precision) {
  std::vector<LowerCeiling> found;
  if (machine.kind == "gpu") return found;
  if (level != "compute") {
    for (const char* kernel : {"copy", "triad"}) {
      const auto moved = bandwidth_ceiling(machine, level, threads, kernel);
      if (moved) found.push_back({.name = kernel, .rate = moved->rate.point});
    }
    return found;
  }
  std::set<std::string> vectors;
  for (const MachineCeiling& one : machine.ceilings) {
    if (is_of(one, level, "", precision) && !one.vector.empty()) vectors.insert(one.vector);
  }
  for (const std::string& vector : vectors) {
    const auto by_threads = fastest(machine, level, "", precision, vector);
    const double rate = ceiling_at(by_threads, threads)->rate.point;
    found.push_back({.name = vector, .rate = rate});
    // The same instructions on one number instead of two of fp64, or four of fp32.
    constexpr double kNumbers64 = 2, kNumbers32 = 4;
    if (vector != "sse2") continue;
    found.push_back(
        {.name = "scalar", .rate = rate / (precision == "fp32" ? kNumbers32 : kNumbers64)});
  }
  return found;
}

std::optional<CeilingAt> peak_to_reach(const MachineCeilings& machine, int threads,
                                       std::string_view precision, double rate) {
  if (precision.empty() && machine.kind == "cpu") {
    const auto doubles = compute_ceiling(machine, threads, "fp64");
    if (doubles && rate <= doubles->rate.point) return doubles;
  }
  return compute_ceiling(machine, threads, precision);
}

std::vector<std::string> precisions_of(const MachineCeilings& machine) {
  std::set<std::string> found;
  for (const MachineCeiling& one : machine.ceilings) {
    if (one.is_compute()) found.insert(one.precision);
  }
  return in_usual_order(found, {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8"});
}

std::vector<std::string> levels_of(const MachineCeilings& machine) {
  std::set<std::string> found;
  for (const MachineCeiling& one : machine.ceilings) {
    if (!one.is_compute()) found.insert(one.level);
  }
  return in_usual_order(found, memory_levels());
}

std::vector<int> thread_counts(const MachineCeilings& machine) {
  std::set<int> found;
  for (const MachineCeiling& one : machine.ceilings) found.insert(one.threads);
  return {found.begin(), found.end()};
}

std::optional<BandwidthCurve> bandwidth_curve(const MachineCeilings& machine,
                                              std::string_view level, std::string_view kernel) {
  std::string chosen(kernel);
  if (chosen.empty()) {  // what programs do: ordinary stores
    for (const char* usual : {"triad", "copy", "update", "read", ""}) {
      chosen = usual;
      if (fastest(machine, level, chosen, "").size() > 1) break;
    }
  }
  const std::vector<const MachineCeiling*> all = fastest(machine, level, chosen, "");
  if (all.size() < 2 || all.front()->threads != 1) return std::nullopt;
  BandwidthCurve curve{.level = std::string(level), .kernel = chosen};
  for (const MachineCeiling* one : all) {
    curve.points.push_back(
        {.threads = one->threads, .rate = one->rate, .speedup = speedup_of(*all.front(), *one)});
  }
  curve.points.front().speedup = {.point = 1, .low = 1, .high = 1};
  set_used_up(curve);
  return curve;
}

std::optional<Estimate> memory_speedup(const BandwidthCurve& curve, double workers, double memory) {
  const auto next = std::find_if(curve.points.begin(), curve.points.end(),
                                 [&](const BandwidthPoint& p) { return p.threads >= workers; });
  if (next == curve.points.end() || workers < 1) return std::nullopt;
  Estimate bandwidth = next->speedup;
  if (next != curve.points.begin() && next->threads > workers) {
    const BandwidthPoint& before = *std::prev(next);
    bandwidth = between(before.speedup, next->speedup,
                        (workers - before.threads) / (next->threads - before.threads));
  }
  const auto speedup = [&](double s) {
    return s > 0 ? 1 / ((1 - memory) / workers + memory / s) : 0.0;
  };
  Estimate result = bandwidth;
  result.point = speedup(bandwidth.point);
  result.low = std::isfinite(bandwidth.low) ? speedup(bandwidth.low) : bandwidth.low;
  result.high = std::isfinite(bandwidth.high) ? speedup(bandwidth.high) : bandwidth.high;
  // dS/ds = S^2 f / s^2
  const double slope = result.point * result.point * memory / (bandwidth.point * bandwidth.point);
  result.standard_error = bandwidth.standard_error * slope;
  return workers > 1 ? with_drift(result, memory) : result;
}

}  // namespace kstar
