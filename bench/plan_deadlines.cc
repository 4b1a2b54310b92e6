// Whether stated probabilities of deadlines hold: every public MLPerf series is planned on all but
// its largest K, and the time there is what happened. The probability integral transform of what
// happened must be uniform (Kolmogorov and Smirnov), and the Brier score of deadlines below that of
// always saying the base rate. Then how long the split of a large fleet takes.
//
//   bench_plan_deadlines [SHARED]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "kstar/curve_draws.h"
#include "kstar/plan_fleet.h"
#include "models_series.h"

namespace {

using kstar::Curve;

/// One largest K: what happened, and what was drawn for it.
struct Held {
  double observed = 0;
  double ideal = 0;  ///< had the last step been perfect: deadlines are set relative to it
  std::vector<double> drawn;
};

std::vector<Held> held_out(const std::map<std::string, Curve>& series) {
  std::vector<Held> all;
  for (const auto& [name, curve] : series) {
    if (curve.points.size() < 3) continue;
    Curve known = curve;
    known.points.pop_back();
    const kstar::CurvePoint &last = curve.points.back(), &before = known.points.back();
    const double asked[] = {last.workers};
    const auto draws = kstar::draw_curves(known, asked);
    if (!draws) continue;
    Held one{.observed = last.time, .ideal = before.time * before.workers / last.workers};
    for (std::size_t i = 0; i < draws->times.size(); ++i) {
      one.drawn.push_back(draws->times[i][0] * draws->run_factors[i]);
    }
    all.push_back(std::move(one));
  }
  return all;
}

double chance(const Held& one, double limit) {
  const auto below =
      std::count_if(one.drawn.begin(), one.drawn.end(), [&](double time) { return time <= limit; });
  return static_cast<double>(below) / static_cast<double>(one.drawn.size());
}

/// The asymptotic p of Kolmogorov's statistic, with Stephens's correction.
double kolmogorov_p(std::vector<double> uniform) {
  std::sort(uniform.begin(), uniform.end());
  const auto n = static_cast<double>(uniform.size());
  double distance = 0;
  for (std::size_t i = 0; i < uniform.size(); ++i) {
    const auto place = static_cast<double>(i);
    distance = std::max({distance, uniform[i] - place / n, (place + 1) / n - uniform[i]});
  }
  const double z = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double p = 0;
  for (int j = 1; j < 100; ++j) p += (j % 2 == 1 ? 2 : -2) * std::exp(-2.0 * j * j * z * z);
  return std::clamp(p, 0.0, 1.0);
}

void show_deadlines(const std::vector<Held>& all) {
  std::vector<double> pit;
  for (const Held& one : all) pit.push_back(chance(one, one.observed));
  fmt::print("{} series, PIT: Kolmogorov-Smirnov p = {:.3f}\n", all.size(), kolmogorov_p(pit));
  int bins[10] = {};
  for (const double u : pit) ++bins[std::min(9, static_cast<int>(u * 10))];
  fmt::print("  PIT by tenths: {}\n", fmt::join(bins, " "));
  fmt::print("  deadline  happened   Brier  climatology\n");
  double scores = 0, climatology = 0, count = 0;
  for (const double slack : {1.05, 1.1, 1.2, 1.35, 1.5, 2.0}) {
    double met = 0, brier = 0;
    for (const Held& one : all) {
      const double limit = slack * one.ideal, happened = one.observed <= limit ? 1 : 0;
      met += happened;
      brier += std::pow(chance(one, limit) - happened, 2);
    }
    const auto n = static_cast<double>(all.size());
    const double rate = met / n;
    fmt::print("  {:>4}x ideal  {:>5.2f}   {:.4f}   {:.4f}\n", slack, rate, brier / n,
               rate * (1 - rate));
    scores += brier / n, climatology += rate * (1 - rate), count += 1;
  }
  fmt::print("  all             {:>7.4f}   {:.4f}\n", scores / count, climatology / count);
}

void show_fleet(bool steps) {
  constexpr std::size_t kClasses = 50, kWorkers = 10000;
  std::vector<kstar::FleetClass> classes;
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto x = static_cast<double>(i);
    kstar::FleetClass one{.name = "class", .jobs = 1 + i % 4, .value = 1 + x / 10};
    const double serial = 0.001 + 0.002 * x;
    for (std::size_t n = 1; n <= kWorkers; ++n) {
      const auto k = static_cast<double>(steps ? n / 8 * 8 : n);
      one.rate.push_back(k < 1 ? 0 : 1 / (serial + (1 - serial) / k));
    }
    classes.push_back(std::move(one));
  }
  const auto start = std::chrono::steady_clock::now();
  const kstar::Fleet fleet = kstar::split_fleet(classes, kWorkers, kstar::FleetGoal::kValue);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  fmt::print("fleet of {} classes{} on {} workers: {:.3f} s, value {:.4f}\n", kClasses,
             steps ? " in whole nodes of 8" : "", kWorkers, taken.count(), fleet.value);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::size_t fewest : {std::size_t{4}, std::size_t{3}}) {  // planned on 3 or more, on 2
    const bench::Series series = bench::read_series(argc > 1 ? argv[1] : "../shared", fewest);
    const auto found = series.find("mlperf");
    if (found == series.end()) {
      fmt::print("no MLPerf series in ../shared: only the fleet\n");
      break;
    }
    fmt::print("of {} K or more: ", fewest);
    show_deadlines(held_out(found->second));
  }
  show_fleet(false);
  show_fleet(true);
}
