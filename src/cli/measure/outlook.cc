#include "cli/measure/outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/measure_plan.h"

namespace kstar {

namespace {

constexpr double kSecondsAnHour = 3600;

/// First runs among a point's times that do not count.
std::size_t found_warm_up(const MeasureSpec& spec, const MeasurePoint& point) {
  return spec.warm_up_runs ? 0 : std::min(point.warm_up, point.times.size());
}

/// What one point still needs for itself.
double own_runs_left(const MeasureSpec& spec, const MeasurePoint& point,
                     const RunPrecision* verdict) {
  if (point.given_up) return 0;
  const auto made = static_cast<double>(point.times.size());
  if (point.inside) return std::max(0.0, spec.inside - made);
  double wanted = fewest_runs(spec);
  if (!spec.runs && verdict != nullptr) {
    const bool narrow = verdict->relative_half_width <= spec.precision;
    if (!narrow) wanted = static_cast<double>(verdict->runs_expected);
    wanted += static_cast<double>(found_warm_up(spec, point));
    if (verdict->done) wanted = made;
  }
  const double warm_up = spec.warm_up_runs.value_or(0) - static_cast<double>(point.warm_up);
  const double still_warm = spec.warm_up_runs ? std::max(0.0, warm_up) : 0;
  return std::max(0.0, wanted - made) + still_warm;
}

}  // namespace

std::vector<RunPrecision> verdicts_now(const MeasureSpec& spec,
                                       const std::vector<MeasurePoint>& all) {
  return judge_points(spec, all).value_or(std::vector<RunPrecision>());
}

MeasureOutlook::MeasureOutlook(const MeasureSpec& spec, const Study& earlier) : spec_(spec) {
  for (const Run& run : earlier.runs) add(run);
}

void MeasureOutlook::add(const Run& run) {
  const double wall = run.wall.value_or(0);
  seconds_ += wall;
  worker_seconds_ += wall * run.workers;
  // It says nothing about how long a good, plain one takes.
  if (failed(run) || is_profiled(run)) return;
  Walls& walls = walls_[{run.role, run.workers}];
  walls.seconds += wall;
  walls.runs += 1;
}

std::optional<double> MeasureOutlook::seconds_a_run(Role role, int workers) const {
  // Asked for every K between two runs: the nearest are the neighbours in the map.
  const auto distance = [&](const auto& entry) {
    constexpr double kOtherProgram = 1000;
    return std::fabs(std::log2(static_cast<double>(entry.first.second) / workers)) +
           (entry.first.first == role ? 0 : kOtherProgram);
  };
  const auto above = walls_.lower_bound({role, workers});
  auto nearest = walls_.end();
  for (auto near : {above == walls_.begin() ? above : std::prev(above), above}) {
    if (near == walls_.end()) continue;
    if (nearest == walls_.end() || distance(*near) < distance(*nearest)) nearest = near;
  }
  if (nearest == walls_.end()) return std::nullopt;
  return nearest->second.seconds / nearest->second.runs;
}

std::vector<double> MeasureOutlook::runs_left(const std::vector<MeasurePoint>& all,
                                              const std::vector<RunPrecision>& verdicts) const {
  std::vector<double> left;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool judged = i < verdicts.size() && !all[i].times.empty();
    left.push_back(own_runs_left(spec_, all[i], judged ? &verdicts[i] : nullptr));
  }
  const double blocks = left.empty() ? 0 : *std::max_element(left.begin(), left.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    // The base runs in every block, up to the limit.
    if (!all[i].base || all[i].given_up || spec_.runs) continue;
    const double allowed = spec_.max_runs - static_cast<double>(all[i].times.size());
    left[i] = std::max(left[i], std::min(blocks, allowed));
  }
  return left;
}

std::optional<MeasureOutlook::Rest> MeasureOutlook::rest(
    const std::vector<MeasurePoint>& all, const std::vector<RunPrecision>& verdicts) const {
  const std::vector<double> runs = runs_left(all, verdicts);
  Rest rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::optional<double> each = seconds_a_run(all[i].role, all[i].workers);
    if (!each) return std::nullopt;
    rest.seconds += runs[i] * *each;
    rest.worker_seconds += runs[i] * *each * all[i].workers;
  }
  return rest;
}

double MeasureOutlook::allowed_share(const Rest& rest) const {
  double share = 1;
  if (spec_.budget_worker_hours && rest.worker_seconds > 0) {
    const double allowed = *spec_.budget_worker_hours * kSecondsAnHour - worker_seconds_;
    share = std::clamp(allowed / rest.worker_seconds, 0.0, 1.0);
  }
  if (spec_.budget_seconds && rest.seconds > 0) {
    const double allowed = *spec_.budget_seconds - seconds_;
    share = std::min(share, std::clamp(allowed / rest.seconds, 0.0, 1.0));
  }
  return share;
}

std::optional<double> MeasureOutlook::seconds_left(
    const std::vector<MeasurePoint>& all, const std::vector<RunPrecision>& verdicts) const {
  const std::optional<Rest> left = rest(all, verdicts);
  if (!left) return std::nullopt;
  return left->seconds * allowed_share(*left);
}

std::optional<std::string> MeasureOutlook::out_of_reach(
    const std::vector<MeasurePoint>& all, const std::vector<RunPrecision>& verdicts) const {
  constexpr std::size_t kEnough = 5;  // runs at each K; of fewer, the scatter is a guess
  constexpr double kClearly = 1.2;
  if (spec_.runs || verdicts.size() != all.size()) return std::nullopt;
  const std::optional<Rest> left = rest(all, verdicts);
  const double share = left ? allowed_share(*left) : 1;
  double by_runs = 0, by_budget = 0;
  const MeasurePoint* worst = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].inside || all[i].given_up) continue;
    const std::size_t counted = all[i].times.size() - found_warm_up(spec_, all[i]);
    if (counted < kEnough) return std::nullopt;
    const auto made = static_cast<double>(counted);
    const auto wanted = std::max(made, static_cast<double>(verdicts[i].runs_expected));
    // The interval narrows with the root of the runs.
    const double paid =
        verdicts[i].relative_half_width * std::sqrt(made / (made + (wanted - made) * share));
    const bool wider =
        std::max(verdicts[i].half_width_at_most, paid) > std::max(by_runs, by_budget);
    if (worst == nullptr || wider) worst = &all[i];
    by_runs = std::max(by_runs, verdicts[i].half_width_at_most);
    if (share < 1) by_budget = std::max(by_budget, paid);
  }
  const double reach = std::max(by_runs, by_budget);
  if (worst == nullptr || reach <= kClearly * spec_.precision) return std::nullopt;
  const bool runs = by_runs >= by_budget;
  constexpr double kUseful = 0.5;  // a wider interval answers nothing
  const std::string advice =
      reach > kUseful
          ? std::string("the times vary too much for the runs that are left")
          : fmt::format("--precision {}% would do", significant(std::ceil(110 * reach), 3));
  return fmt::format("+-{}% is out of reach within {}: about +-{}% {}; {}",
                     significant(100 * spec_.precision, 3),
                     runs ? fmt::format("--max-runs {}", spec_.max_runs) : "the budget",
                     significant(100 * reach, 2),
                     worst->role == Role::kBaseline ? std::string("for the baseline")
                                                    : fmt::format("at K = {}", worst->workers),
                     advice);
}

}  // namespace kstar
