#include "comm/group.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "comm/line_fit.h"
#include "kstar/network_cost.h"
#include "kstar/stats.h"

namespace kstar::comm {

namespace {

double middle_of(std::vector<double> values) {
  return values.empty() ? 0 : median_of(std::move(values));
}

std::vector<CommPoint> points_of(const Group& group) {
  std::map<double, std::vector<double>> times;
  for (const CommSweep* sweep : group.sweeps) {
    for (const CommSample& sample : sweep->samples) times[sample.bytes].push_back(sample.seconds);
  }
  std::vector<CommPoint> points;
  for (const auto& [bytes, all] : times) {
    CommPoint point{.bytes = bytes, .seconds = middle_of(all), .times = all.size()};
    point.low = *std::min_element(all.begin(), all.end());
    point.high = *std::max_element(all.begin(), all.end());
    points.push_back(point);
  }
  return points;
}

double line_at(const NetworkPiece& piece, double bytes) {
  return piece.alpha.point + piece.beta.point * bytes;
}

/// Sizes that their piece misses by a fifth, or that cost a quarter more than the next larger one:
/// no algorithm does that by itself. The first size is often slow for want of warm-up, and does not
/// count alone.
void find_irregular(CommFit& fit) {
  constexpr double kMuchLess = 1.25, kFarOff = 0.2;
  for (std::size_t i = 1; i < fit.points.size(); ++i) {
    const CommPoint& point = fit.points[i];
    const bool falls =
        i + 1 < fit.points.size() && point.seconds > kMuchLess * fit.points[i + 1].seconds;
    if (falls || std::abs(point.fitted / point.seconds - 1) > kFarOff) {
      fit.irregular_sizes.push_back(point.bytes);
    }
  }
  fit.irregular = !fit.irregular_sizes.empty();
}

/// Where the size `to` reaches this bandwidth and the one below it does not: between them, on a
/// line of logarithms.
double half_between(const std::vector<CommPoint>& points, double to, double half) {
  std::size_t at = 1;
  while (at + 1 < points.size() && points[at].bytes < to) ++at;
  const CommPoint &below = points[at - 1], &above = points[at];
  const double slow = below.bytes / below.seconds, fast = above.bytes / above.seconds;
  if (!(slow > 0) || slow >= half) return std::max(1.0, below.bytes);
  if (fast <= half) return above.bytes;
  const double share = std::log(half / slow) / std::log(fast / slow);
  return below.bytes * std::pow(above.bytes / below.bytes, share);
}

/// The first size whose bandwidth reaches half of the last piece's.
void find_half_size(CommFit& fit) {
  const NetworkPiece& last = fit.pieces.back();
  if (!(last.beta.point > 0)) return;
  const double half = 0.5 / last.beta.point;
  for (const NetworkPiece& piece : fit.pieces) {
    // n / (alpha + beta n) = half, where the piece gets there at all
    const double slope = 1 / half - piece.beta.point;
    if (!(slope > 0)) continue;
    const double reached = piece.alpha.point / slope;
    if (&piece == &fit.pieces.front() && reached < piece.from) return;  // below all sizes
    if (&piece != &fit.pieces.front() && reached < piece.from) {
      fit.half_size = half_between(fit.points, piece.from, half);
      return;
    }
    const double bytes = std::max(piece.from, reached);
    if (bytes <= piece.to || &piece == &last) {
      fit.half_size = bytes;
      return;
    }
  }
}

void find_best_bus(CommFit& fit) {
  if (fit.workers < 2) return;
  const double factor = bus_factor(fit.collective, fit.workers);
  for (const CommPoint& point : fit.points) {
    const double bus = factor * point.bytes / point.seconds;
    if (bus > fit.best_bus) fit.best_bus = bus, fit.best_bytes = point.bytes;
  }
}

void judge_misses(CommFit& fit) {
  std::vector<double> misses;
  NetworkSweep sweep{.pieces = fit.pieces};
  for (CommPoint& point : fit.points) {
    bool beyond = false;
    point.fitted = sweep_time(sweep, point.bytes, beyond).point;
    misses.push_back(std::abs(point.fitted / point.seconds - 1));
  }
  fit.worst_miss = *std::max_element(misses.begin(), misses.end());
  fit.middle_miss = middle_of(misses);
  constexpr double kFar = 0.15, kTimes = 5;
  const double far = std::max(kFar, kTimes * fit.middle_miss);
  for (std::size_t i = 0; i < misses.size(); ++i) fit.points[i].odd = misses[i] > far;
  for (const CommPoint& point : fit.points) {
    fit.one_line_worst = std::max(
        fit.one_line_worst, std::abs(line_at(*fit.one_line, point.bytes) / point.seconds - 1));
  }
}

/// How many characters all labels begin with, up to a blank.
std::size_t shared_start(const Group& group) {
  const std::string& first = group.sweeps.front()->label;
  std::size_t shared = first.size();
  for (const CommSweep* sweep : group.sweeps) {
    std::size_t same = 0;
    while (same < std::min(shared, sweep->label.size()) && sweep->label[same] == first[same]) {
      ++same;
    }
    shared = same;
  }
  const std::size_t blank = first.substr(0, shared).find_last_of(' ');
  return blank == std::string::npos ? 0 : blank + 1;
}

/// Sweeps whose times differ from the median of all by far more than the others do.
void find_odd_sweeps(const Group& group, CommFit& fit) {
  constexpr std::size_t kFew = 4;
  if (group.sweeps.size() < kFew) return;
  std::map<double, double> middle;
  for (const CommPoint& point : fit.points) middle[point.bytes] = point.seconds;
  std::vector<double> factors;
  for (const CommSweep* sweep : group.sweeps) {
    std::vector<double> ratios;
    for (const CommSample& sample : sweep->samples) {
      ratios.push_back(sample.seconds / middle[sample.bytes]);
    }
    factors.push_back(middle_of(std::move(ratios)));
  }
  std::vector<double> off;
  for (const double factor : factors) off.push_back(std::abs(std::log(factor)));
  constexpr double kLeast = 0.1, kTimes = 5, kMad = 1.4826;
  const double far = std::max(kLeast, kTimes * kMad * middle_of(off));
  const std::size_t skip = shared_start(group);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (off[i] <= far) continue;
    const CommSweep& sweep = *group.sweeps[i];
    const std::size_t slash = sweep.source.find_last_of('/');
    const std::string name(trim(sweep.label).empty()
                               ? sweep.source.substr(slash == std::string::npos ? 0 : slash + 1)
                               : sweep.label.substr(std::min(skip, sweep.label.size())));
    fit.odd_sweeps.push_back({printable(name), factors[i]});
  }
  std::sort(fit.odd_sweeps.begin(), fit.odd_sweeps.end(),
            [](const OddSweep& a, const OddSweep& b) { return a.factor > b.factor; });
}

/// What single measurements scatter around their median joins what medians scatter around the line.
void add_scatter(CommFit& fit) {
  for (NetworkPiece& piece : fit.pieces) {
    std::vector<double> widths;
    for (const CommPoint& point : fit.points) {
      const bool inside = point.bytes >= piece.from && point.bytes <= piece.to;
      if (inside && point.times > 1) {
        // The range of so few is about two to four standard deviations.
        const double deviations = 2 + std::log2(static_cast<double>(point.times)) / 2;
        widths.push_back(std::log(point.high / point.low) / deviations);
      }
    }
    piece.spread = std::hypot(piece.spread, middle_of(std::move(widths)));
  }
}

/// The slowest over the fastest sweep at three neighbouring sizes, so that a single slow size does
/// not count; 1 where the noise of single sweeps explains it.
double differing_times(const Group& group, const CommFit& fit) {
  if (group.sweeps.size() < 2) return 1;
  std::vector<double> wide;
  for (const CommPoint& point : fit.points) {
    if (point.times > 1) wide.push_back(std::log(point.high / point.low));
  }
  double most = 0;
  for (std::size_t i = 0; i + 2 < wide.size(); ++i) {
    most = std::max(most, std::min({wide[i], wide[i + 1], wide[i + 2]}));
  }
  std::vector<double> noises;
  for (const CommSweep* sweep : group.sweeps) {
    std::map<double, double> times;  // by size, each once
    for (const CommSample& one : sweep->samples) times[one.bytes] = one.seconds;
    std::vector<CommSample> sizes;
    for (const auto& [bytes, seconds] : times) sizes.push_back({bytes, seconds});
    if (sizes.size() >= 3) noises.push_back(neighbour_noise(sizes));
  }
  constexpr double kLeast = 0.1, kDeviations = 4;
  return most > std::max(kLeast, kDeviations * middle_of(std::move(noises))) ? std::exp(most) : 1;
}

/// Where sweeps differ, alpha and beta hold those of the fastest and of the slowest.
void hold_all_sweeps(CommFit& fit) {
  const auto hold = [](Bounded& value, double other) {
    value.low = std::min(value.low, other);
    value.high = std::max(value.high, other);
  };
  for (NetworkPiece& piece : fit.pieces) {
    std::vector<CommSample> fast, slow;
    for (const CommPoint& point : fit.points) {
      if (point.bytes < piece.from || point.bytes > piece.to) continue;
      fast.push_back({point.bytes, point.low});
      slow.push_back({point.bytes, point.high});
    }
    for (const auto* side : {&fast, &slow}) {
      const LineFit line = fit_line(*side, neighbour_noise(*side));
      hold(piece.alpha, line.alpha);
      hold(piece.beta, line.beta);
    }
  }
}

}  // namespace

std::vector<Group> groups_of(const CommData& data) {
  using Key = std::tuple<Collective, bool, double, double, std::string, std::string>;
  std::map<Key, Group> groups;
  for (const CommSweep& sweep : data.sweeps) {
    if (sweep.samples.empty()) continue;
    // Without K, files are apart: they may be of different K.
    const std::string apart = sweep.workers > 0 ? "" : sweep.source;
    groups[{sweep.collective, sweep.nodes > 1, sweep.workers, sweep.nodes, sweep.tool, apart}]
        .sweeps.push_back(&sweep);
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

CommFit fit_group(const Group& group, std::size_t most_pieces) {
  const CommSweep& first = *group.sweeps.front();
  CommFit fit{.collective = first.collective,
              .workers = first.workers,
              .nodes = first.nodes,
              .tool = first.tool,
              .sweeps = group.sweeps.size()};
  std::set<std::string> sources;
  for (const CommSweep* sweep : group.sweeps) {
    sources.insert(printable(sweep->source));
    fit.wrong = fit.wrong || sweep->wrong;
  }
  fit.sources.assign(sources.begin(), sources.end());
  if (group.sweeps.size() == 1) fit.stated_average = first.stated_average;
  fit.points = points_of(group);
  find_best_bus(fit);
  std::vector<CommSample> sizes;
  for (const CommPoint& point : fit.points) sizes.push_back({point.bytes, point.seconds});
  fit.pieces = fit_pieces(sizes, most_pieces);
  if (fit.pieces.empty()) return fit;
  fit.one_line = fit_pieces(sizes, 1).front();
  judge_misses(fit);
  find_irregular(fit);
  find_half_size(fit);
  find_odd_sweeps(group, fit);
  add_scatter(fit);
  fit.sweeps_differ = differing_times(group, fit);
  if (fit.sweeps_differ > 1) hold_all_sweeps(fit);
  return fit;
}

}  // namespace kstar::comm
