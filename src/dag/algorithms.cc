#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/dag_algorithms.h"

namespace kstar {

namespace {

double lg_up(double n) {
  double power = 1, lg = 0;
  for (; power < n; power *= 2) ++lg;
  return lg;
}

/// m values become ceil(m/2) by floor(m/2) operations, until one is left.
std::vector<StepLevels> reduction_levels(double n) {
  std::vector<StepLevels> levels;
  for (double left = n; left > 1; left = std::ceil(left / 2)) {
    levels.push_back({std::floor(left / 2), 1});
  }
  return levels;
}

/// Up the tree as a reduction, and down again.
std::vector<StepLevels> scan_levels(double n) {
  std::vector<StepLevels> levels = reduction_levels(n);
  const std::vector<StepLevels> up = levels;
  levels.insert(levels.end(), up.rbegin(), up.rend());
  return levels;
}

std::vector<StepLevels> sort_levels(double n) {
  const double lg = lg_up(n);
  return {{std::exp2(lg) / 2, lg * (lg + 1) / 2}};
}

/// n^3 products at once, then n^2 sums of n.
std::vector<StepLevels> matmul_levels(double n) {
  std::vector<StepLevels> levels = {{n * n * n, 1}};
  for (const StepLevels& level : reduction_levels(n)) levels.push_back({n * n * level.width, 1});
  return levels;
}

std::vector<StepLevels> fft_levels(double n) {
  return {{std::exp2(lg_up(n)) / 2, lg_up(n)}};
}

constexpr double kStencilSteps = 1000;

std::vector<StepLevels> stencil_levels(double n) {
  return {{n, kStencilSteps}};
}

/// The nodes of a complete binary tree with n leaves, from the root down.
std::vector<StepLevels> tree_levels(double n) {
  std::vector<StepLevels> levels;
  for (double left = n; left > 1; left = std::ceil(left / 2)) levels.push_back({left, 1});
  levels.push_back({1, 1});
  std::reverse(levels.begin(), levels.end());
  return levels;
}

/// The diagonals of a square.
std::vector<StepLevels> wavefront_levels(double n) {
  std::vector<StepLevels> levels;
  for (double width = 1; width <= n; ++width) levels.push_back({width, width == n ? 1.0 : 2.0});
  return levels;
}

/// For every column of tiles: its diagonal tile, the tiles below, the updates to the right.
std::vector<StepLevels> cholesky_levels(double n) {
  std::vector<StepLevels> levels;
  for (double below = n - 1; below >= 0; --below) {
    levels.push_back({1, 1});
    if (below == 0) break;
    levels.push_back({below, 1});
    levels.push_back({below * (below + 1) / 2, 1});
  }
  return levels;
}

constexpr DagAlgorithm kAlgorithms[] = {
    {"reduction", "the sum of n values, pairwise", "operation", "n - 1", "ceil(lg n)",
     "JaJa, An Introduction to Parallel Algorithms, 1992, section 1.3", 1e15, reduction_levels},
    {"scan", "all prefix sums of n values, work-efficient", "operation", "2 (n - 1)",
     "2 ceil(lg n)", "Blelloch, Prefix Sums and Their Applications, CMU-CS-90-190, 1990", 1e15,
     scan_levels},
    {"sort", "n values by Batcher's bitonic network; n rounded up to a power of 2", "comparison",
     "n lg n (lg n + 1) / 4", "lg n (lg n + 1) / 2, n rounded up to a power of 2",
     "Batcher, Sorting Networks and Their Applications, AFIPS 1968", 1e13, sort_levels},
    {"matmul", "two n x n matrices, by definition", "operation", "n^2 (2 n - 1)", "1 + ceil(lg n)",
     "Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, 3rd ed., ch. 27", 1e5,
     matmul_levels},
    {"fft", "n points, radix 2; n rounded up to a power of 2", "butterfly operation", "n lg n / 2",
     "lg n, n rounded up to a power of 2", "Cooley, Tukey, Math. Comp. 19, 1965", 1e14, fft_levels},
    {"stencil", "a grid of n points, 1000 time steps", "point update", "1000 n", "1000",
     "Williams, Waterman, Patterson, CACM 52(4), 2009: each step waits for the one before", 1e12,
     stencil_levels},
    {"tree", "a walk down a binary tree with n leaves", "node", "n + ceil(n/2) + ... + 1",
     "ceil(lg n) + 1",
     "Blumofe, Leiserson, Scheduling Multithreaded Computations, JACM 46(5), 1999", 1e15,
     tree_levels},
    {"wavefront", "an n x n table, each cell from its left and upper ones", "cell", "n^2",
     "2 n - 1", "Smith, Waterman, J. Mol. Biol. 147, 1981", 1e6, wavefront_levels},
    {"cholesky", "a matrix of n x n tiles", "tile operation", "n (n + 1) (n + 2) / 6", "3 n - 2",
     "Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35, 2009", 1e5, cholesky_levels},
};

/// The levels as a curve: what GreedyCurve is for a graph.
class LevelCurve {
 public:
  explicit LevelCurve(std::vector<StepLevels> levels) : levels_(std::move(levels)) {
    for (const StepLevels& level : levels_) {
      work_ += level.width * level.count;
      depth_ += level.count;
      widest_ = std::max(widest_, level.width);
    }
  }

  double work() const { return work_; }
  double depth() const { return depth_; }
  double widest() const { return widest_; }
  const std::vector<StepLevels>& levels() const { return levels_; }

  SchedulePoint point(double workers) const {
    SchedulePoint point{.workers = workers,
                        .time = time(workers),
                        .least = std::max(work_ / workers, depth_),
                        .most = work_ / workers + depth_ * (workers - 1) / workers};
    point.speedup = work_ / point.time;
    point.efficiency = point.speedup / workers;
    return point;
  }

  WorkersChoice choose(double threshold) const {
    const auto last = [&](double low, double high, const auto& time_of) {
      while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (work_ >= threshold * middle * time_of(middle) ? low : high) = middle;
      }
      return low;
    };
    const double beyond = std::floor(work_ / depth_ / threshold) + 2;
    WorkersChoice choice;
    choice.low = last(1, beyond, [&](double k) { return point(k).most; });
    choice.high = last(1, beyond, [&](double k) { return point(k).least; });
    choice.workers = fewest(efficient(choice.high, threshold));
    choice.low = std::min(std::ceil(work_ / point(choice.low).most), choice.workers);
    choice.point = point(choice.workers);
    choice.twice = point(2 * choice.workers);
    return choice;
  }

 private:
  /// The most workers with an E of the threshold or more. T does not grow with K: where K is not
  /// efficient, what is takes at least as long on fewer, and is at most W/(e T).
  double efficient(double workers, double threshold) const {
    while (workers > 1 && threshold * workers * time(workers) > work_) {
      workers = std::max(1.0, std::min(workers - 1, std::floor(work_ / threshold / time(workers))));
    }
    return workers;
  }

  /// The fewest workers that take as long.
  double fewest(double workers) const {
    const double least = time(workers);
    double slower = 0;
    while (workers - slower > 1) {
      const double middle = std::floor((slower + workers) / 2);
      (time(middle) <= least ? workers : slower) = middle;
    }
    return workers;
  }

  double time(double workers) const {
    double sum = 0;
    for (const StepLevels& level : levels_) sum += level.count * std::ceil(level.width / workers);
    return sum;
  }

  std::vector<StepLevels> levels_;
  double work_ = 0, depth_ = 0, widest_ = 1;
};

std::vector<double> level_workers(const DagOptions& options, const LevelCurve& curve) {
  if (!options.workers.empty()) return {options.workers.begin(), options.workers.end()};
  std::vector<double> workers;
  constexpr double kRows = 12, kMostWorkers = 1e9;
  const double last = std::min(kMostWorkers, std::max(2.0, 2 * curve.work() / curve.depth()));
  const double step = std::exp2(std::max(1.0, std::ceil(std::log2(last) / kRows)));
  for (double k = 1; k <= last; k *= step) workers.push_back(k);
  constexpr double kEvery = 64, kFiner = 1.25;
  for (double k = 1; options.every_worker && k <= last;
       k = k < kEvery ? k + 1 : std::floor(k * kFiner)) {
    workers.push_back(k);
  }
  return workers;
}

WidthCurve level_widths(const LevelCurve& curve) {
  WidthCurve widths{"enough workers", {}};
  double time = 0;
  for (const StepLevels& level : curve.levels()) {
    widths.steps.push_back({time, level.width});
    time += level.count;
  }
  widths.steps.push_back({time, 0});
  return widths;
}

}  // namespace

std::span<const DagAlgorithm> algorithms() {
  return kAlgorithms;
}

const DagAlgorithm* find_algorithm(std::string_view name) {
  for (const DagAlgorithm& algorithm : kAlgorithms) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

DagAnalysis analyze_algorithm(const DagAlgorithm& algorithm, double n, const DagOptions& options) {
  const LevelCurve curve(algorithm.levels(n));
  DagAnalysis analysis;
  analysis.title = fmt::format("{}, n = {}", algorithm.name, significant(n, 7));
  analysis.format = "algorithm";
  analysis.seconds = false;
  analysis.options = options;
  analysis.algorithm = AlgorithmFacts{std::string(algorithm.name),   std::string(algorithm.work),
                                      std::string(algorithm.depth),  std::string(algorithm.unit),
                                      std::string(algorithm.source), n};
  analysis.tasks = static_cast<std::size_t>(std::min(curve.work(), 1e18));
  analysis.work = curve.work();
  analysis.depth = curve.depth();
  analysis.parallelism = curve.work() / curve.depth();
  analysis.width = curve.widest();
  analysis.least = curve.depth();
  analysis.choice = curve.choose(options.threshold);
  std::vector<double> workers = level_workers(options, curve);
  if (options.workers.empty()) workers.push_back(analysis.choice.workers);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  for (const double k : workers) analysis.points.push_back(curve.point(k));
  analysis.fastest = curve.point(curve.widest());
  constexpr std::size_t kMostSteps = 4000;
  if (curve.levels().size() <= kMostSteps) analysis.widths.push_back(level_widths(curve));
  return analysis;
}

}  // namespace kstar
