#include "analysis/causes/one_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/causes/noise_floor.h"
#include "analysis/causes/registry.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

/// What start and end of the program and the noise may add.
constexpr double kNearOne = 0.1;
/// A single task that waits less than half of the time is busy.
constexpr double kBusy = 0.5;
constexpr std::size_t kFewestK = 2;

/// Cores that are busy, or would be if other jobs left them, on average over the run; none where it
/// is not known, or the wall time holds more than the program (a launcher on another host).
std::optional<double> busy_cores(const Run& run) {
  const Usage& usage = run.usage;
  if (!usage.cpu_user || !usage.cpu_system || !run.wall || !(*run.wall > 0)) return std::nullopt;
  const double wanted = usage.cpu_wait ? *usage.cpu_wait : 0;
  return (*usage.cpu_user + *usage.cpu_system + wanted) / *run.wall;
}

/// The mean at one K; none where a run does not know it.
std::optional<double> busy_at(const Study& study, int workers) {
  std::vector<double> busy;
  for (const Run& run : study.runs) {
    if (!counts(run) || run.role != Role::kParallel || run.workers != workers) continue;
    if (run.hosts.size() > 1) return std::nullopt;
    const std::optional<double> one = busy_cores(run);
    if (!one) return std::nullopt;
    busy.push_back(*one);
  }
  return busy.empty() ? std::nullopt : std::optional(mean_of(busy));
}

/// S is 1 at this K: nobody helps. With growing work, E falls as 1/K.
bool gains_nothing(const ScalingPoint& point) {
  return point.speedup && std::fabs(point.speedup->point - 1) < kNearOne;
}

struct BusyRange {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  std::size_t points = 0;
};

/// Over all K above the base; none where one of them gains, or is not known.
std::optional<BusyRange> busy_range(const Study& study, const ScalingTable& table) {
  BusyRange range;
  for (const ScalingPoint& point : table.points) {
    if (point.role != Role::kParallel || point.workers <= table.base_workers) continue;
    const std::optional<double> busy = busy_at(study, point.workers);
    if (!busy || !gains_nothing(point)) return std::nullopt;
    range.least = std::min(range.least, *busy);
    range.most = std::max(range.most, *busy);
    ++range.points;
  }
  return range.points >= kFewestK ? std::optional(range) : std::nullopt;
}

/// Mostly asleep, or one core busy all the time; else something in between, which is not told here.
std::optional<std::string> used_text(const BusyRange& range, int last) {
  if (range.most < kNearOne) {
    return fmt::format(
        "At most one core is used at every K: it is busy {} of the time, and S stays near 1 up to "
        "K = {}. The time is sleep, or waiting for something outside of the program",
        percent(range.most, 0), last);
  }
  if (range.least > kBusy && range.most < 1 + kNearOne) {
    return fmt::format(
        "One core is used at every K: {} cores are busy, and S stays near 1 up to K = {}. A "
        "missing flag, a global lock (as Python's) or a single task does this",
        fixed((range.least + range.most) / 2, 2), last);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cause> one_core(const Study& study, const ScalingTable& table, double confidence) {
  if (table.base_workers != 1) return std::nullopt;
  const std::optional<BusyRange> range = busy_range(study, table);
  if (!range) return std::nullopt;
  const ScalingPoint& last = table.points.back();
  const std::optional<std::string> text = used_text(*range, last.workers);
  if (!text) return std::nullopt;
  Cause cause;
  cause.kind = CauseKind::kOneCore;
  cause.confidence = Confidence::kCounted;
  cause.share = {.point = 1, .low = 1, .high = 1, .confidence = confidence};
  cause.factor = *last.efficiency;
  cause.evidence = {*text};
  cause.advice =
      "check that K reaches the program (the flag or variable that sets its workers), and look at "
      "its threads while it runs (top -H)";
  return cause;
}

const CauseEntry kOneCoreCause = {
    .about = {CauseKind::kOneCore, "one_core", "one core is used at every K", "one core is used"}};

}  // namespace kstar::causes
