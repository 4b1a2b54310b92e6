#include "analysis/suspicions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kstar/limits.h"

namespace kstar {

namespace {

/// The points of a curve besides its base, by K.
struct ScaledPoints {
  const ScalingTable& table;
  std::vector<const ScalingPoint*> points;

  explicit ScaledPoints(const ScalingTable& of) : table(of) {
    for (const ScalingPoint& point : of.points) {
      if (point.role == Role::kParallel && point.workers > of.base_workers && point.efficiency) {
        points.push_back(&point);
      }
    }
  }
  const ScalingPoint& last() const { return *points.back(); }
  /// How many times the workers of the base.
  double growth(const ScalingPoint& point) const {
    return static_cast<double>(point.workers) / table.base_workers;
  }
  /// T(K) / T(K0).
  double slower(const ScalingPoint& point) const { return point.work / point.speedup->point; }

  template <typename Holds>
  bool all(const Holds& holds) const {
    return std::all_of(points.begin(), points.end(),
                       [&](const ScalingPoint* point) { return holds(*point); });
  }
  /// Whether a quantity never falls from one K to the next by more than single values are off.
  template <typename Value>
  bool rises(const Value& value) const {
    constexpr double kOff = 0.98;
    double before = 1;
    for (const ScalingPoint* point : points) {
      if (value(*point) < kOff * before) return false;
      before = value(*point);
    }
    return true;
  }
};

bool is_fixed_work(const ScalingTable& table) {
  return table.regime == Regime::kStrong || table.regime == Regime::kThroughput;
}

/// Nobody declared what stays fixed: it was assumed, or follows from columns that may not be all.
bool is_assumed(const ScalingTable& table) {
  return std::any_of(table.notes.begin(), table.notes.end(), [](const Note& note) {
    return note.what == "regime-assumed" || note.what == "regime-derived";
  });
}

using Found = std::optional<Suspicion>;

Suspicion found(SuspicionKind kind, const ScaledPoints& curve, const ScalingPoint& at,
                double value) {
  return {.kind = kind,
          .regime = *curve.table.regime,
          .workers = at.workers,
          .value = value,
          .cpus = 0,
          .own = false,
          .step = {}};
}

/// The share of the time in which its threads could run that they had no CPU.
double waiting_share(const CpuPoint& point) {
  return point.most_waited / (point.cpu + point.most_waited);
}

/// Other jobs had a third of the CPUs, or so much that half as many workers would have had one.
bool is_starved(const CpuPoint& point, const CpuAccounts& accounts) {
  constexpr double kThird = 1.0 / 3, kMuch = 0.1, kTenth = 0.1, kVeryMuch = 0.25, kLittle = 0.05;
  const double cpus = accounts.machine_cpus;
  const double share = waiting_share(point);
  if (point.most_waited < kLittle * point.workers * point.wall) return false;  // it hardly runs
  if (point.workers > accounts.cpus) {  // by its own workers, where others left what it may use
    const bool may_use_all = accounts.cpus >= cpus;
    if (point.others < kThird * cpus) return false;
    if (!may_use_all && cpus - point.others >= accounts.cpus) return false;
  }
  return (point.others >= kThird * cpus && share > kMuch) ||
         (point.others >= kTenth * cpus && share > kVeryMuch);
}

/// T is as much theirs as the job's.
Found busy_machine(const ScaledPoints& curve, const Analysis& analysis) {
  if (!analysis.diagnosis.cpu) return {};
  const CpuAccounts& accounts = *analysis.diagnosis.cpu;
  const CpuPoint* most = nullptr;
  for (const CpuPoint& point : accounts.points) {
    const bool known = point.waited || accounts.not_usable.empty();
    if (!known || accounts.cpus <= 0 || !is_starved(point, accounts)) continue;
    if (most == nullptr || point.others > most->others) most = &point;
  }
  if (most == nullptr) return {};
  Suspicion suspicion = found(SuspicionKind::kBusyMachine, curve, curve.last(), most->others);
  suspicion.workers = most->workers;
  suspicion.cpus = accounts.machine_cpus;
  return suspicion;
}

/// Fixed work read as growing work has an E of up to K; the square root of that is no cache.
Found growing_efficiency(const ScaledPoints& curve, const Analysis&) {
  constexpr double kFar = 1.5;
  const ScalingPoint& last = curve.last();
  const double efficiency = last.efficiency->point;
  const bool grows = curve.rises([](const ScalingPoint& point) { return point.efficiency->point; });
  if (!grows || efficiency < kFar || efficiency < std::sqrt(curve.growth(last))) return {};
  return found(SuspicionKind::kGrowingEfficiency, curve, last, efficiency);
}

/// From the first step on in proportion to K, then perhaps less: so does a rate that saturates.
Found rises_like_rate(const ScaledPoints& curve, const Analysis&) {
  constexpr double kLeast = 0.75, kMost = 1.2, kSaturated = 0.25;
  const auto power = [&](const ScalingPoint& point) {
    return std::log(curve.slower(point)) / std::log(curve.growth(point));
  };
  const bool rises = curve.rises([&](const ScalingPoint& point) { return curve.slower(point); });
  const double first = power(*curve.points.front()), last = power(curve.last());
  if (!rises || first < kLeast || first > kMost || last < kSaturated || last > kMost) return {};
  return found(SuspicionKind::kRisesLikeRate, curve, curve.last(), curve.slower(curve.last()));
}

/// T up to which growing work would still be worth its workers, or nearly so on very many of them.
double most_of_weak(double growth, bool assumed) {
  constexpr double kSlow = 0.25;
  return std::max(1 / kThreshold, assumed ? std::pow(growth, kSlow) : 1);
}

/// More workers can run than at the base, or stop to wait for each other: they are there, and
/// something else costs what they gain.
bool keeps_workers_busy(const Analysis& analysis, int workers) {
  constexpr double kMore = 1.3, kOften = 200, kManyMore = 10;  // times per CPU second
  const std::optional<CpuAccounts>& cpu = analysis.diagnosis.cpu;
  if (!cpu || !cpu->not_usable.empty()) return false;
  const auto ready = [](const CpuPoint& point) {
    return (point.cpu + point.waited.value_or(0)) / point.wall;
  };
  const CpuPoint& base = cpu->points.front();
  const auto stops = [](const CpuPoint& point) {
    return point.evidence.voluntary_switches.value_or(0);
  };
  return std::any_of(cpu->points.begin(), cpu->points.end(), [&](const CpuPoint& point) {
    const bool waits = stops(point) > kOften && stops(point) > kManyMore * stops(base);
    return point.workers == workers && (waits || ready(point) > kMore * ready(base));
  });
}

Found flat_time(const ScaledPoints& curve, const Analysis& analysis) {
  constexpr double kFaster = 1 / 1.2, kFourthRoot = 0.25;  // few more workers gain little
  if (!is_fixed_work(curve.table)) return {};
  const bool assumed = is_assumed(analysis.table);
  const double most = most_of_weak(curve.growth(curve.last()), assumed);
  const bool flat = curve.all([&](const ScalingPoint& point) {
    const double least = std::max(kFaster, std::pow(curve.growth(point), -kFourthRoot));
    return curve.slower(point) > least && curve.slower(point) < most;
  });
  const ScalingPoint& last = curve.last();
  if (!flat || keeps_workers_busy(analysis, last.workers)) return {};
  return assumed ? found(SuspicionKind::kFlatTime, curve, last, curve.slower(last))
                 : found(SuspicionKind::kUnusedWorkers, curve, last, last.speedup->point);
}

/// Where one step makes most of what E is above 1, it says where to look.
std::optional<SpeedStep> speed_step(const ScaledPoints& curve, const ScalingPoint& at) {
  constexpr double kMuch = 1.1, kMost = 0.5;
  SpeedStep step;
  int before = curve.table.base_workers;
  double efficiency = 1;
  for (const ScalingPoint* point : curve.points) {
    if (point->workers > at.workers) break;
    const double factor = point->efficiency->point / efficiency;
    if (factor > step.factor) step = {before, point->workers, factor};
    before = point->workers;
    efficiency = point->efficiency->point;
  }
  const bool shown =
      step.factor > kMuch && std::log(step.factor) > kMost * std::log(at.efficiency->point);
  return shown ? std::optional(step) : std::nullopt;
}

/// What the curve through all points says of one of them; its own value where there is no curve.
double efficiency_by_curve(const Analysis& analysis, const ScalingPoint& point) {
  const bool own_base = analysis.table.base_role == Role::kParallel;
  if (analysis.models && own_base) {
    for (const PredictedWorkers& at : analysis.models->fitted) {
      if (at.workers == point.workers) return at.efficiency.point;
    }
  }
  return point.efficiency->point;
}

/// With so many K one is above 1 by chance, a little. Single values are off by up to a tenth: the
/// curve through all of them must say so, too.
bool is_clearly_above(const Analysis& analysis, const ScalingPoint& point) {
  constexpr double kLittle = 1.02, kSingle = 1.1;
  const Estimate& efficiency = *point.efficiency;
  if (is_bounded(efficiency)) return efficiency.low > kLittle;
  return efficiency.point > kSingle && efficiency_by_curve(analysis, point) > kSingle;
}

Found superlinear(const ScaledPoints& curve, const Analysis& analysis) {
  if (!analysis.superlinear) return {};
  for (const ScalingPoint* point : curve.points) {
    if (!is_clearly_above(analysis, *point)) continue;
    Suspicion suspicion =
        found(SuspicionKind::kSuperlinear, curve, *point, point->efficiency->point);
    suspicion.step = speed_step(curve, *point);
    return suspicion;
  }
  return {};
}

Found large_base(const ScaledPoints& curve, const Analysis& analysis) {
  const ScalingTable& table = analysis.table;
  if (table.base_workers == 1 || table.base_role == Role::kBaseline) return {};
  if (analysis.options.baseline_time) return {};
  Suspicion suspicion = found(SuspicionKind::kLargeBase, curve, curve.last(), 1);
  suspicion.workers = table.base_workers;
  return suspicion;
}

/// A curve that stays near the ideal line for so long has a problem that changes with K, or a slow
/// T(1), more often than no overhead.
Found no_bend(const ScaledPoints& curve, const Analysis& analysis) {
  constexpr double kLarge = 32, kNearIdeal = 0.9, kVeryLarge = 128;
  if (analysis.table.regime != Regime::kStrong || analysis.bend) return {};
  const ScalingPoint& last = curve.last();
  const double growth = curve.growth(last), efficiency = last.efficiency->point;
  if (growth < kLarge || (growth < kVeryLarge && efficiency < kNearIdeal)) return {};
  return found(SuspicionKind::kNoBend, curve, last, efficiency);
}

/// What takes another's place: two of these would say one thing twice.
bool is_said(const std::vector<Suspicion>& said, SuspicionKind kind) {
  if (kind == SuspicionKind::kLargeBase) return false;
  return std::any_of(said.begin(), said.end(), [&](const Suspicion& one) {
    const bool asks_baseline = one.kind == SuspicionKind::kSuperlinear;
    return questions_the_reading(one) || (asks_baseline && kind == SuspicionKind::kNoBend);
  });
}

}  // namespace

std::vector<Suspicion> suspicions_of(const Study& study, const Analysis& analysis) {
  std::vector<Suspicion> all;
  if (!analysis.table.regime || analysis.table.regime == Regime::kMixed) return all;
  const ScaledPoints curve(analysis.table);
  if (curve.points.empty()) return all;
  constexpr std::array kRules = {busy_machine, growing_efficiency, rises_like_rate, flat_time,
                                 superlinear,  large_base,         no_bend};
  const std::optional<SourceKind> kind = study.header.source.kind;
  for (const auto& rule : kRules) {
    Found one = rule(curve, analysis);
    if (!one || is_said(all, one->kind)) continue;
    one->own = kind == SourceKind::kMeasured || kind == SourceKind::kSimulated;
    all.push_back(*one);
  }
  return all;
}

std::string_view name_of(SuspicionKind kind) {
  switch (kind) {
    case SuspicionKind::kBusyMachine:
      return "busy_machine";
    case SuspicionKind::kGrowingEfficiency:
      return "growing_efficiency";
    case SuspicionKind::kRisesLikeRate:
      return "rises_like_rate";
    case SuspicionKind::kFlatTime:
      return "flat_time";
    case SuspicionKind::kUnusedWorkers:
      return "unused_workers";
    case SuspicionKind::kSuperlinear:
      return "superlinear";
    case SuspicionKind::kLargeBase:
      return "large_base";
    case SuspicionKind::kNoBend:
      return "no_bend";
  }
  return "";
}

bool questions_the_reading(const Suspicion& suspicion) {
  constexpr double kNoCache = 1.5;  // so far above linear the base is another job
  return suspicion.kind == SuspicionKind::kBusyMachine ||
         suspicion.kind == SuspicionKind::kGrowingEfficiency ||
         (suspicion.kind == SuspicionKind::kSuperlinear && suspicion.value >= kNoCache) ||
         (suspicion.kind == SuspicionKind::kRisesLikeRate && !suspicion.own) ||
         suspicion.kind == SuspicionKind::kFlatTime;
}

}  // namespace kstar
