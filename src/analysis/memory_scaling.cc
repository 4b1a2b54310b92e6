#include "kstar/memory_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/causes/factors.h"
#include "analysis/memory_cause.h"
#include "base/number.h"
#include "kstar/analysis.h"
#include "kstar/estimate_words.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

/// 1 / x, ends exchanged.
Estimate inverse(const Estimate& of) {
  Estimate result = of;
  result.point = 1 / of.point;
  result.low = of.high > 0 ? 1 / of.high : 0;
  result.high = of.low > 0 ? 1 / of.low : std::numeric_limits<double>::infinity();
  result.standard_error = of.standard_error / (of.point * of.point);
  return result;
}

struct Slowdown {
  int workers = 1;
  Estimate times;  ///< the useful time of the same work, over that of the base
};

/// From the best evidence there is: times of workers, processor time, efficiencies.
std::vector<Slowdown> slowdowns_of(const Analysis& analysis) {
  std::vector<Slowdown> found;
  const Diagnosis& diagnosis = analysis.diagnosis;
  for (const FactorPoint& point : diagnosis.factors) {
    if (point.computation && point.computation->point > 0) {
      found.push_back({point.workers, inverse(*point.computation)});
    }
  }
  if (found.size() > 1) return found;
  found.clear();
  if (diagnosis.cpu && diagnosis.cpu->not_usable.empty()) {
    for (const CpuPoint& point : diagnosis.cpu->points) {
      if (point.growth.point > 0) found.push_back({point.workers, inverse(point.growth)});
    }
  }
  if (found.size() > 1) return found;
  found.clear();
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.role != Role::kParallel || !point.efficiency) continue;
    if (point.efficiency->point > 0) found.push_back({point.workers, inverse(*point.efficiency)});
  }
  return found;
}

/// What the workers of one run marked, per step.
std::optional<double> marked_per_step(const Run& run, std::vector<double> PerWorker::*quantity) {
  if (!run.per_worker) return std::nullopt;
  const std::vector<double>& amounts = (*run.per_worker).*quantity;
  if (amounts.size() != static_cast<std::size_t>(std::max(0, run.workers))) return std::nullopt;
  const double sum = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  const auto warm = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
  const std::size_t steps = run.steps.size() > warm ? run.steps.size() - warm : 0;
  return steps > 0 ? sum / static_cast<double>(steps) : sum;
}

/// Of one T at K: the mean over the runs that know it, or what was said of the base, which grows as
/// the work does.
std::optional<double> amount_at(const Study& study, const ScalingPoint& point,
                                std::vector<double> PerWorker::*quantity,
                                const std::optional<double>& said) {
  double sum = 0;
  std::size_t runs = 0;
  for (const Run& run : study.runs) {
    if (run.workers != point.workers || run.role != point.role || !counts(run)) continue;
    if (const auto amount = marked_per_step(run, quantity); amount && *amount > 0) {
      sum += *amount;
      ++runs;
    }
  }
  if (runs > 0) return sum / static_cast<double>(runs);
  if (said) return *said * point.work;
  return std::nullopt;
}

/// amount / (T ceiling), with the errors of both.
Estimate share_of_ceiling(double amount, const Estimate& time, const Estimate& ceiling) {
  if (const auto ratio = estimate_ratio(inverse(time), ceiling, time.confidence)) {
    return scaled(*ratio, amount);
  }
  Estimate result = time;
  result.point = amount / time.point / ceiling.point;
  result.low = amount / time.high / ceiling.high;
  result.high = amount / time.low / ceiling.low;
  result.standard_error = std::numeric_limits<double>::quiet_NaN();
  if (!is_bounded(result)) {
    result.low = -std::numeric_limits<double>::infinity();
    result.high = std::numeric_limits<double>::infinity();
  }
  return result;
}

const ScalingPoint* base_point(const ScalingTable& table) {
  const ScalingPoint* found = nullptr;
  for (const ScalingPoint& point : table.points) {
    if (point.role != Role::kParallel) continue;
    if (found == nullptr || point.workers < found->workers) found = &point;
  }
  return found;
}

/// (K/K0) R(K0)/R(K): how much longer the same work takes where a rate is shared.
std::optional<double> sharing(const std::optional<CeilingAt>& base,
                              const std::optional<CeilingAt>& here, double workers) {
  if (!base || !here || here->beyond) return std::nullopt;
  return workers * base->rate.point / here->rate.point;
}

double memory_sharing(const BandwidthCurve& curve, int base, int workers) {
  const std::optional<Estimate> one = memory_speedup(curve, base);
  const std::optional<Estimate> many = memory_speedup(curve, workers);
  if (!one || !many) return 0;
  return static_cast<double>(workers) / base * one->point / many->point;
}

std::string share_words(double share) {
  return percent(share, share < 0.095 ? 1 : 0);
}

/// What the bytes of a step leave open for the share of T at the base that moves them: at the
/// fastest and at the slowest way to move them that was measured.
struct ByteShare {
  double low = 0, high = 1;
};

/// Sets share, verdict and reason from the last point and what is known of bytes.
class Judge {
 public:
  Judge(MemoryScaling& scaling, std::optional<ByteShare> bytes)
      : scaling_(scaling), bytes_(bytes), last_(scaling.points.back()) {}

  void decide() {
    const double room = last_.bandwidth - 1, lost = last_.slowdown.point - 1;
    constexpr double kGrows = 0.10;
    set_share(room);
    if (bytes_ && std::min(bytes_->high, 1.0) * (most_sharing() - 1) < causes::kNegligible) {
      return say(MemoryVerdict::kNot,
                 fmt::format("{}, too few for sharing it to matter", used_text()));
    }
    const bool slower = is_bounded(last_.slowdown) ? last_.slowdown.low > 1 + causes::kNegligible
                                                   : lost > causes::kPlain;
    if (!slower) return not_slower();
    if (room < kGrows) return bandwidth_grows(most_sharing() - 1 < kGrows);
    if (!bytes_ || !decide_by_bytes(room, lost)) decide_by_times();
  }

 private:
  /// Nothing is lost, or the noise hides what is.
  void not_slower() {
    const Estimate& slowdown = last_.slowdown;
    if (!is_bounded(slowdown) || slowdown.high < 1 + causes::kPlain) {
      return say(MemoryVerdict::kNot,
                 fmt::format("computation is not slower at K = {} than at K = {}, beyond the noise",
                             last_.workers, scaling_.points.front().workers));
    }
    say(MemoryVerdict::kUndecided,
        fmt::format("the noise hides whether computation is slower at K = {} ({} times as long)",
                    last_.workers, range_words(slowdown, 3)));
  }

  void bandwidth_grows(bool surely) {
    if (surely) {
      return say(MemoryVerdict::kNot,
                 fmt::format("bandwidth grows with the workers up to K = {} on this machine",
                             last_.workers));
    }
    say(MemoryVerdict::kUndecided,
        fmt::format("moving memory may take {} times as long at K = {}, or no longer: this "
                    "machine's bandwidth on so many threads is not known well enough",
                    significant(most_sharing(), 3), last_.workers));
  }

  /// m(K) at the lower end of the bandwidth's speedup.
  double most_sharing() const {
    const std::optional<Estimate> moved = memory_speedup(scaling_.curve, last_.workers);
    const bool bounded = moved && is_bounded(*moved) && moved->low > 0;
    return bounded ? last_.bandwidth * moved->point / moved->low : last_.bandwidth;
  }

  void say(MemoryVerdict verdict, std::string why) {
    scaling_.verdict = verdict;
    scaling_.why = std::move(why);
  }

  /// From the times, with a compute part that does not slow down; bytes bound it.
  void set_share(double room) {
    scaling_.from_bytes = bytes_.has_value();
    Estimate share = last_.slowdown;
    if (room > 0) {
      const auto of = [&](double slowdown) { return (slowdown - 1) / room; };
      share.point = of(last_.slowdown.point);
      share.low = of(last_.slowdown.low);
      share.high = of(last_.slowdown.high);
      share.standard_error = last_.slowdown.standard_error / room;
    }
    const double least = bytes_ ? std::min(bytes_->low, 1.0) : 0;
    const double most = bytes_ ? std::min(bytes_->high, 1.0) : 1;
    share.point = std::clamp(share.point, least, most);
    share.low = std::clamp(share.low, least, most);
    share.high = std::clamp(share.high, least, most);
    scaling_.share = share;
  }

  std::string used_text() const {
    if (last_.used) {
      return fmt::format("its bytes are {} of this machine's bandwidth at K = {}",
                         share_value_text(*last_.used), last_.workers);
    }
    return "the bytes that it moves are known";
  }

  /// Bytes must be moved, whatever else happens: at the fastest way to move them they explain at
  /// least so much of the loss, at the slowest at most so much. False where that leaves it open.
  bool decide_by_bytes(double room, double lost) {
    constexpr double kMost = 0.5, kLittle = 0.25;
    const double least = std::min(bytes_->low, 1.0) * room / lost;
    const double most = std::min(bytes_->high, 1.0) * room / lost;
    if (least >= kMost) {
      say(MemoryVerdict::kBound,
          fmt::format("{}, and sharing it explains {} of what computation loses (half names it)",
                      used_text(), least >= 1 ? "all" : share_words(least) + " or more"));
      return true;
    }
    if (most >= kMost) return false;
    say(most < kLittle ? MemoryVerdict::kNot : MemoryVerdict::kUndecided,
        fmt::format("{}: sharing it explains at most {} of what computation loses (half would name "
                    "it, less than a quarter rules it out)",
                    used_text(), share_words(std::max(0.0, most))));
    return true;
  }

  /// Where bandwidth takes something before the last K, the times must show it there, too.
  bool follows_curve(double share) const {
    constexpr double kVisible = 0.10, kAtLeast = 0.5;
    return std::all_of(
        scaling_.points.begin(), scaling_.points.end(), [&](const MemoryPoint& point) {
          const double takes = share * (point.bandwidth - 1);
          const double most =
              is_bounded(point.slowdown) ? point.slowdown.high : point.slowdown.point;
          return takes < kVisible || most >= 1 + kAtLeast * takes;
        });
  }

  /// Operations alone slow down, too, where cores share a clock or more: what times show beyond
  /// that can be the memory. Times cannot tell its bandwidth from another thing that is shared, so
  /// that they never name it by themselves.
  void decide_by_times() {
    constexpr double kMore = 1.25;
    const double surely = is_bounded(last_.slowdown) ? last_.slowdown.low : last_.slowdown.point;
    if (surely < last_.compute / (1 - causes::kCountedLoss)) {
      return say(
          MemoryVerdict::kUndecided,
          fmt::format(
              "computation takes {} times as long at K = {}, and on this machine operations "
              "alone may take {} times; {}",
              significant(last_.slowdown.point, 3), last_.workers, significant(last_.compute, 3),
              bytes_ ? used_text() + ", which leaves it open"
                     : "the bytes that a step moves (marks, --bytes) would tell"));
    }
    if (surely > 1 + kMore * (last_.bandwidth - 1)) {
      return say(
          MemoryVerdict::kUndecided,
          fmt::format("computation takes {} times as long at K = {}, and a program that only "
                      "moves memory {} times: bandwidth alone does not explain it",
                      significant(last_.slowdown.point, 3), last_.workers,
                      significant(last_.bandwidth, 3)));
    }
    if (!follows_curve(scaling_.share.point)) {
      return say(MemoryVerdict::kUndecided,
                 "computation does not slow down where this machine's bandwidth does");
    }
    const int base = scaling_.points.front().workers;
    if (bytes_) {
      return say(MemoryVerdict::kBound,
                 fmt::format("computation slows down as this machine's bandwidth is shared: {} of "
                             "T({}) moves memory; {}",
                             share_range(), base, used_text()));
    }
    say(MemoryVerdict::kUndecided,
        fmt::format("computation slows down as if {} of T({}) moved memory, and would so with a "
                    "cache line or a lock that is shared: the bytes that a step moves (marks, "
                    "--bytes) would tell",
                    share_range(), base));
  }

  std::string share_range() const {
    const Estimate& of = scaling_.share;
    if (!is_bounded(of)) return "about " + percent(of.point, 0);
    return fmt::format("{} to {}", percent(of.low, 0), percent(of.high, 0));
  }

  MemoryScaling& scaling_;
  std::optional<ByteShare> bytes_;
  const MemoryPoint& last_;
};

void add_points(const Study& study, const Analysis& analysis, const MemoryQuestion& question,
                MemoryScaling& scaling) {
  const std::vector<Slowdown> slowdowns = slowdowns_of(analysis);
  if (slowdowns.empty()) return;
  const int base = slowdowns.front().workers;
  const MachineCeilings& machine = *question.machine;
  const int most = scaling.curve.points.back().threads;
  for (const Slowdown& one : slowdowns) {
    if (one.workers > most) continue;
    MemoryPoint point{.workers = one.workers, .slowdown = one.times};
    point.bandwidth = memory_sharing(scaling.curve, base, one.workers);
    point.compute = sharing(compute_ceiling(machine, base, question.precision),
                            compute_ceiling(machine, one.workers, question.precision),
                            static_cast<double>(one.workers) / base)
                        .value_or(1);
    const ScalingPoint* measured = point_at(analysis.table, Role::kParallel, one.workers);
    const auto ceiling = bandwidth_ceiling(machine, "memory", one.workers);
    if (measured != nullptr && ceiling) {
      const auto bytes = amount_at(study, *measured, &PerWorker::bytes, question.bytes);
      if (bytes) point.used = share_of_ceiling(*bytes, measured->time, ceiling->rate);
    }
    scaling.points.push_back(point);
  }
}

/// Of the fastest and the slowest way of moving memory, where the bytes of the base are known.
std::optional<ByteShare> byte_share(const MemoryPoint& base, const MachineCeilings& machine) {
  const auto fastest = bandwidth_ceiling(machine, "memory", base.workers);
  if (!base.used || !fastest) return std::nullopt;
  double slowest = fastest->rate.point;
  for (const MachineCeiling& one : machine.ceilings) {
    const auto rate = one.level == "memory"
                          ? bandwidth_ceiling(machine, "memory", base.workers, one.kernel)
                          : std::nullopt;
    if (rate) slowest = std::min(slowest, rate->rate.point);
  }
  return ByteShare{.low = base.used->point,
                   .high = base.used->point * fastest->rate.point / slowest};
}

/// S(K) = (K/K0) / ((1 - f) + f m(K)), and the largest of them on the machine's own threads.
void set_predictions(MemoryScaling& scaling) {
  const double share = scaling.share.point, base = scaling.points.front().workers;
  for (MemoryPoint& point : scaling.points) {
    const double slowdown = 1 - share + share * point.bandwidth;
    const double workers = point.workers / base;
    const std::optional<Estimate> moved = memory_speedup(scaling.curve, point.workers);
    if (!moved || slowdown <= 0) continue;
    point.predicted = *moved;
    point.predicted.point = workers / slowdown;
    const auto with = [&](double speedup) {  // of the bandwidth
      const double memory = point.bandwidth * moved->point / speedup;
      return workers / (1 - share + share * memory);
    };
    if (is_bounded(*moved) && moved->low > 0) {
      point.predicted.low = with(moved->low);
      point.predicted.high = with(moved->high);
    }
    point.predicted.standard_error = moved->standard_error / moved->point * share *
                                     point.bandwidth / slowdown * point.predicted.point;
    if (scaling.verdict == MemoryVerdict::kBound) {
      scaling.ceiling = std::max(scaling.ceiling, point.predicted.point);
    }
  }
}

/// Why nothing can be concluded: ceilings of another machine than the study's, or of one that was
/// not measured well.
std::string doubt_of(const Study& study, const MachineCeilings& machine) {
  if (std::string disturbed = disturbance_of(machine); !disturbed.empty()) return disturbed;
  const std::vector<Host>& hosts = study.header.environment.hosts;
  if (hosts.empty() || hosts[0].cpu.empty() || machine.processor.empty()) return "";
  if (hosts[0].cpu == machine.processor) return "";
  return fmt::format("the machine file is of another processor ({}) than the study ({})",
                     machine.processor, hosts[0].cpu);
}

/// More than there is.
std::string above_ceiling(const MachineReach& reach) {
  constexpr double kImpossible = 1.05;
  const Estimate& best = *reach.best;
  if (best.point <= kImpossible || (is_bounded(best) && best.low <= 1)) return "";
  return fmt::format(
      "{} of the {} is more than there is: the operations or bytes, or the ceilings, are not those "
      "of this study",
      percent(best.point, 0), reach.best_of);
}

}  // namespace

std::string_view name_of(MemoryVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"memory_bound", "not_memory_bound",
                                                      "undecided"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::optional<MemoryScaling> memory_scaling(const Study& study, const Analysis& analysis,
                                            const MemoryQuestion& question) {
  if (question.machine == nullptr) return std::nullopt;
  std::optional<BandwidthCurve> curve = bandwidth_curve(*question.machine);
  if (!curve) return std::nullopt;
  MemoryScaling scaling{.machine = question.machine->name, .curve = std::move(*curve)};
  add_points(study, analysis, question, scaling);
  if (scaling.points.size() < 2) return std::nullopt;
  Judge(scaling, byte_share(scaling.points.front(), *question.machine)).decide();
  std::string doubt = doubt_of(study, *question.machine);
  if (const auto reach = machine_reach(study, analysis, question); doubt.empty() && reach) {
    doubt = reach->doubt;
  }
  if (!doubt.empty()) {
    scaling.verdict = MemoryVerdict::kUndecided;
    scaling.why = std::move(doubt);
  }
  set_predictions(scaling);
  return scaling;
}

std::optional<MachineReach> machine_reach(const Study& study, const Analysis& analysis,
                                          const MemoryQuestion& question) {
  const ScalingPoint* base = base_point(analysis.table);
  if (question.machine == nullptr || base == nullptr) return std::nullopt;
  const MachineCeilings& machine = *question.machine;
  MachineReach reach{.workers = base->workers};
  const auto flops = amount_at(study, *base, &PerWorker::flops, question.flops);
  const auto bytes = amount_at(study, *base, &PerWorker::bytes, question.bytes);
  const auto add = [&](const std::optional<double>& amount, const std::optional<CeilingAt>& ceiling,
                       std::optional<double>& rate, std::optional<Estimate>& share) {
    if (!amount) return;
    rate = *amount / base->time.point;
    if (ceiling) share = share_of_ceiling(*amount, base->time, ceiling->rate);
  };
  const auto peak = peak_to_reach(machine, base->workers, question.precision,
                                  flops.value_or(0) / base->time.point);
  if (peak) reach.precision = peak->from->precision;
  add(flops, peak, reach.flops, reach.compute);
  add(bytes, bandwidth_ceiling(machine, "memory", base->workers), reach.bytes, reach.bandwidth);
  if (reach.bytes) {
    for (const LowerCeiling& one : lower_ceilings(machine, "memory", base->workers)) {
      reach.ordinary = std::max(reach.ordinary.value_or(0), *reach.bytes / one.rate);
    }
  }
  if (flops && bytes) reach.intensity = *flops / *bytes;
  if (!reach.compute && !reach.bandwidth) return std::nullopt;
  const bool by_memory =
      reach.bandwidth && (!reach.compute || reach.bandwidth->point > reach.compute->point);
  reach.best = by_memory ? reach.bandwidth : reach.compute;
  reach.best_of = by_memory ? "memory bandwidth" : reach.precision + " peak";
  reach.doubt = doubt_of(study, machine);
  if (reach.doubt.empty()) reach.doubt = above_ceiling(reach);
  return reach;
}

}  // namespace kstar
