// What the average of models predicts, and whether its intervals hold: on published series, on
// curves whose truth is known, and for T itself where a K has two runs of many steps. Real data is
// read from ../shared; without it only the last two parts run.
//
//   bench_models [--quick] [SHARED]
#include "kstar/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "kstar/scaling_table.h"
#include "models_series.h"

namespace {

using kstar::Curve;
using kstar::CurvePoint;

/// One K of a series, predicted from others.
struct Task {
  Curve known;
  CurvePoint asked;
};

/// last: the largest K from the rest; far: without the two largest; middle: each inner K left out.
std::map<std::string, std::vector<Task>> tasks_of(const std::map<std::string, Curve>& series) {
  std::map<std::string, std::vector<Task>> tasks;
  const auto add = [&](const char* name, const Curve& curve, std::size_t asked, auto keep) {
    Task task{curve, curve.points[asked]};
    task.known.points.clear();
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      if (keep(i)) task.known.points.push_back(curve.points[i]);
    }
    tasks[name].push_back(std::move(task));
  };
  for (const auto& [name, curve] : series) {
    const std::size_t n = curve.points.size();
    if (n < 3) continue;
    add("last", curve, n - 1, [&](std::size_t i) { return i + 1 < n; });
    if (n >= 5) add("far", curve, n - 1, [&](std::size_t i) { return i + 2 < n; });
    for (std::size_t j = 1; j + 1 < n; ++j) {
      add("middle", curve, j, [&](std::size_t i) { return i != j; });
    }
  }
  return tasks;
}

/// A straight line through the logarithms of the two neighbours: what people do by hand.
double by_neighbours(const Task& task) {
  const auto& points = task.known.points;
  std::size_t i = 1;
  while (i + 1 < points.size() && points[i].workers < task.asked.workers) ++i;
  const CurvePoint &a = points[i - 1], &b = points[i];
  const double share = std::log(task.asked.workers / a.workers) / std::log(b.workers / a.workers);
  return a.time * std::pow(b.time / a.time, share);
}

double last_value(const Task& task) {
  return task.known.points.back().time;
}

/// b/K + c K^-1/4 with b and c at or above zero, by least squares of the relative error.
double quarter_law(const Task& task) {
  double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
  for (const CurvePoint& point : task.known.points) {
    const double u = 1 / point.workers / point.time;
    const double v = std::pow(point.workers, -0.25) / point.time;
    xx += u * u, xy += u * v, yy += v * v, x += u, y += v;
  }
  const double det = xx * yy - xy * xy;
  double b = (x * yy - y * xy) / det, c = (y * xx - x * xy) / det;
  if (!(b > 0)) b = 0, c = y / yy;
  if (!(c > 0)) c = 0, b = x / xx;
  return b / task.asked.workers + c * std::pow(task.asked.workers, -0.25);
}

struct Sums {
  double held = 0, score = 0, error = 0, peer = 0, count = 0;

  /// The interval score of Gneiting and Raftery (2007), on the logarithm.
  void add(const kstar::Estimate& time, double truth) {
    constexpr double kOutside = 2 / 0.10;
    const double low = std::log(time.low / truth), high = std::log(time.high / truth);
    held += low <= 0 && high >= 0 ? 1 : 0;
    score += high - low + kOutside * (std::max(low, 0.0) + std::max(-high, 0.0));
    error += std::abs(std::log(time.point / truth));
    ++count;
  }
};

void print(const std::string& name, const std::string& task, const Sums& sums) {
  fmt::print("  {:<14} {:<12} n {:4}  90% intervals hold {:3.0f}%  score {:6.3f}  error {:.3f}",
             name, task, sums.count, 100 * sums.held / sums.count, sums.score / sums.count,
             sums.error / sums.count);
  if (sums.peer > 0) fmt::print("  peer {:.3f}", sums.peer / sums.count);
  fmt::print("\n");
}

void real_series(const bench::Series& series) {
  fmt::print("real series; error: the mean |log(predicted / true)|\n");
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [domain, list] : series) {
    for (const auto& [name, tasks] : tasks_of(list)) {
      Sums sums;
      const bool weak = domain.ends_with("weak");
      const auto peer = name == "middle" ? by_neighbours : weak ? last_value : quarter_law;
      for (const Task& task : tasks) {
        const auto fit =
            kstar::fit_models(task.known, {.confidence = 0.90, .predict = {task.asked.workers}});
        sums.add(fit.value().predictions[0].time, task.asked.time);
        sums.peer += std::abs(std::log(peer(task) / task.asked.time));
      }
      print(domain, name, sums);
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("  {:.1f} s\n", took.count());
}

using Law = std::function<double(double)>;

/// Measured at K = 1 to 16 with so many runs of 3% noise.
Curve noisy(const Law& law, int runs, kstar::Random& random) {
  constexpr double kNoise = 0.03;
  Curve curve;
  if (runs == 1) curve.origin = kstar::CurveOrigin::kPublished;
  for (const double k : {1., 2., 4., 8., 16.}) {
    double mean = 0, squares = 0;
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) times.push_back(law(k) * std::exp(kNoise * random.normal()));
    for (const double time : times) mean += time / runs;
    for (const double time : times) squares += (time - mean) * (time - mean);
    curve.points.push_back({.workers = k,
                            .time = mean,
                            .relative_error = std::sqrt(squares / (runs - 1) / runs) / mean,
                            .runs = static_cast<std::size_t>(runs)});
  }
  return curve;
}

void known_curves(int seeds) {
  const std::map<std::string, Law> laws = {
      {"amdahl", [](double k) { return 0.97 / k + 0.03; }},
      {"log2", [](double k) { return 0.97 / k + 0.03 + 0.01 * std::log2(k); }},
      {"sqrt", [](double k) { return 0.97 / k + 0.03 + 0.01 * (std::sqrt(k) - 1); }},
      {"rising", [](double k) { return 0.97 / k + 0.03 + 0.01 * (k - 1); }},
      {"surface", [](double k) { return 0.97 / k + 0.003 + 0.02 * std::pow(k, -2. / 3); }},
      {"limit", [](double k) { return std::max(1 / k, 0.1); }},
      {"node", [](double k) { return 1 / k + (k > 8 ? 0.07 : 0); }}};
  for (const int runs : {5, 1}) {
    fmt::print("known curves, K = 1 to 16 measured, {} run{} each, {} seeds\n", runs,
               runs == 1 ? "" : "s", seeds);
    for (const auto& [name, law] : laws) {
      for (const double k : {32., 64.}) {
        Sums sums;
        kstar::Random random(7);
        for (int seed = 0; seed < seeds; ++seed) {
          const auto fit =
              kstar::fit_models(noisy(law, runs, random), {.confidence = 0.90, .predict = {k}});
          sums.add(fit.value().predictions[0].time, law(k));
        }
        print(name, fmt::format("K = {}", k), sums);
      }
    }
  }
}

/// Two runs at each K, each with a speed of its own and steps that resemble the step before.
kstar::Study few_runs(double between, double inside, double memory, kstar::Random& random) {
  kstar::Study study;
  study.header.regime = kstar::Regime::kStrong;
  for (const int k : {1, 2, 4, 8, 16}) {
    for (int i = 0; i < 2; ++i) {
      kstar::Run run;
      run.workers = k;
      const double mean = (0.05 + 0.95 / k) * (1 + between * random.normal());
      double off = random.normal();
      for (int step = 0; step < 60; ++step) {
        off = memory * off + std::sqrt(1 - memory * memory) * random.normal();
        run.steps.push_back(mean * (1 + inside * off));
      }
      study.runs.push_back(std::move(run));
    }
  }
  return study;
}

void few_run_coverage(int seeds) {
  fmt::print("two runs of 60 steps at each of 5 K: 95% intervals of T, {} studies\n", seeds);
  for (const double between : {0.0, 0.01, 0.04}) {
    for (const double memory : {0.0, 0.6}) {
      kstar::Random random(3);
      double held = 0, all = 0, width = 0;
      for (int seed = 0; seed < seeds; ++seed) {
        const auto table = kstar::scaling_table(few_runs(between, 0.12, memory, random));
        for (const kstar::ScalingPoint& point : table.value().points) {
          const double truth = 0.05 + 0.95 / point.workers;
          held += point.time.low <= truth && truth <= point.time.high ? 1 : 0;
          width += (point.time.high - point.time.low) / truth / 2;
          ++all;
        }
      }
      fmt::print(
          "  runs differ by {:.0f}%, steps by 12% (correlation {:.1f}): hold {:.1f}%, +-{:.1f}%\n",
          100 * between, memory, 100 * held / all, 100 * width / all);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  bool quick = false;
  std::string shared = "../shared";
  for (int i = 1; i < count; ++i) {
    if (std::string(words[i]) == "--quick") {
      quick = true;
    } else {
      shared = words[i];
    }
  }
  const bench::Series series = bench::read_series(shared);
  if (series.empty()) fmt::print("no {}/data/public: the real series are left out\n", shared);
  if (!series.empty()) real_series(series);
  known_curves(quick ? 20 : 200);
  few_run_coverage(quick ? 200 : 2000);
}
