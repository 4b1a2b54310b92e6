#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "comm/group.h"
#include "kstar/comm_fit.h"
#include "kstar/network_cost.h"

namespace kstar {

namespace {

NetworkSweep network_sweep(const CommFit& fit) {
  NetworkSweep sweep{.collective = fit.collective,
                     .workers = fit.workers,
                     .nodes = fit.nodes,
                     .sizes = fit.points.size(),
                     .irregular = fit.irregular,
                     .wrong = fit.wrong,
                     .source = fit.sources.front(),
                     .pieces = fit.pieces};
  const bool repeated = std::any_of(fit.points.begin(), fit.points.end(),
                                    [](const CommPoint& point) { return point.times > 1; });
  for (const CommPoint& point : fit.points) {
    sweep.curve.bytes.push_back(point.bytes);
    sweep.curve.seconds.push_back(point.seconds);
    if (repeated) sweep.curve.fastest.push_back(point.low);
    if (repeated) sweep.curve.slowest.push_back(point.high);
  }
  constexpr double kSure = 0.8;
  if (fit.small.probability >= kSure) sweep.pieces.front().algorithm = fit.small.name;
  if (fit.large.probability >= kSure) sweep.pieces.back().algorithm = fit.large.name;
  return sweep;
}

/// Workers of a node where all sweeps on several nodes agree, or the most that were on one.
std::optional<double> node_workers_of(const std::vector<CommFit>& fits) {
  double most = 0;
  for (const CommFit& fit : fits) {
    if (fit.nodes >= 1 && fit.workers >= 2) most = std::max(most, fit.workers / fit.nodes);
  }
  return most >= 1 && most == std::floor(most) ? std::optional(most) : std::nullopt;
}

Network network_of(const std::vector<CommFit>& fits, const CommFitOptions& options) {
  Network network;
  network.link = options.link;
  network.node_workers = options.node_workers ? options.node_workers : node_workers_of(fits);
  for (const CommFit& fit : fits) {
    if (!fit.pieces.empty() && fit.workers >= 2) network.sweeps.push_back(network_sweep(fit));
  }
  network.levels = comm::levels_of(fits);
  sort_sweeps(network);
  return network;
}

/// "OSU" of "OSU v5.8".
std::string_view tool_family(const std::string& tool) {
  return std::string_view(tool).substr(0, tool.find(' '));
}

/// The middle of some of the ratios by size; 0 where there are none.
double middle_ratio(std::vector<double> ratios) {
  if (ratios.empty()) return 0;
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

/// How many times as long the smaller K takes, in the middle of the sizes that both have, or in
/// that of the larger half of them.
double slower_times(const CommFit& small, const CommFit& large) {
  std::vector<double> ratios;  // by size
  for (const CommPoint& a : small.points) {
    for (const CommPoint& b : large.points) {
      if (a.bytes == b.bytes) ratios.push_back(a.seconds / b.seconds);
    }
  }
  const auto large_ones = ratios.end() - static_cast<std::ptrdiff_t>((ratios.size() + 3) / 4);
  return std::max(middle_ratio(ratios), middle_ratio({large_ones, ratios.end()}));
}

/// How much slower an algorithm may be on fewer workers: more rounds and bytes where their number
/// is no power of two.
double slower_by_algorithm(const CommFit& small, const CommFit& large) {
  double most = 1;
  for (const Algorithm& one : algorithms_of(small.collective)) {
    most = std::max({most, one.rounds(small.workers) / one.rounds(large.workers),
                     one.volume(small.workers) / one.volume(large.workers)});
  }
  return most;
}

/// Sweeps of a collective that are hardly of one network: by different tools, or slower on fewer
/// workers by a quarter more than any algorithm is.
void warn_of_other_networks(CommAnalysis& analysis) {
  constexpr double kMuchSlower = 1.25;
  const CommFit *first = nullptr, *second = nullptr;
  double most = 0;
  for (const CommFit& a : analysis.fits) {
    for (const CommFit& b : analysis.fits) {
      const bool both = !a.pieces.empty() && !b.pieces.empty() && a.workers >= 2;
      if (!both || a.collective != b.collective || &a == &b || a.workers > b.workers) continue;
      double slower = a.workers < b.workers ? slower_times(a, b) : 0;
      if (slower <= kMuchSlower * slower_by_algorithm(a, b)) slower = 0;
      const bool other = tool_family(a.tool) != tool_family(b.tool);
      if (!other && slower == 0) continue;
      if (first == nullptr || slower > most) first = &a, second = &b, most = slower;
    }
  }
  if (first == nullptr) return;
  ++analysis.grave_notes;
  const bool other = tool_family(first->tool) != tool_family(second->tool);
  analysis.notes.insert(
      analysis.notes.begin(),
      fmt::format(
          "{} on K = {} ({}){} K = {} ({}){}: hardly one network, though a prediction takes "
          "them for one. Give it the files of one",
          name_of(first->collective), shortest(first->workers), printable(first->tool),
          most > 0 ? fmt::format(" takes {} times as long as on", significant(most, 2)) : " and",
          shortest(second->workers), printable(second->tool),
          most == 0 && other ? " are of different tools" : ""));
}

/// A K between nodes that takes longer than any algorithm makes of the K before it, in the middle
/// of the sizes that both have.
void warn_of_collapse(CommAnalysis& analysis) {
  constexpr double kFarMore = 1.5;
  std::string worst;
  double most = 0;
  for (const CommFit& large : analysis.fits) {
    const CommFit* before = nullptr;
    for (const CommFit& fit : analysis.fits) {
      const bool smaller = fit.collective == large.collective && fit.workers >= 2 &&
                           fit.nodes >= 2 && fit.workers < large.workers && fit.nodes < large.nodes;
      if (smaller && (before == nullptr || fit.workers >= before->workers)) before = &fit;
    }
    if (before == nullptr || tool_family(before->tool) != tool_family(large.tool)) continue;
    double allowed = 1;
    for (const Algorithm& one : algorithms_of(large.collective)) {
      allowed = std::max({allowed, one.rounds(large.workers) / one.rounds(before->workers),
                          one.volume(large.workers) / one.volume(before->workers)});
    }
    std::vector<double> ratios;
    for (const CommPoint& a : before->points) {
      for (const CommPoint& b : large.points) {
        if (a.bytes == b.bytes) ratios.push_back(b.seconds / a.seconds);
      }
    }
    const double slower = middle_ratio(std::move(ratios));
    if (slower <= std::max(most, kFarMore * allowed)) continue;
    most = slower;
    worst = fmt::format(
        "{} on K = {} takes {} times as long as on K = {}, more than any algorithm makes of it: "
        "measure it again, or look for what those nodes share",
        name_of(large.collective), shortest(large.workers), significant(slower, 2),
        shortest(before->workers));
  }
  if (worst.empty()) return;
  analysis.notes.insert(analysis.notes.begin(), std::move(worst));
  ++analysis.grave_notes;
}

void add_notes(const CommData& data, CommAnalysis& analysis) {
  analysis.notes = data.notes;
  analysis.failed = data.failed;
  warn_of_collapse(analysis);
  warn_of_other_networks(analysis);
  if (!data.skipped.empty()) {
    constexpr std::size_t kNamed = 6;
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamed, data.skipped.size()); ++i) {
      names += fmt::format("{}{}", i > 0 ? ", " : "", printable(data.skipped[i]));
    }
    const std::size_t more = data.skipped.size() - std::min(kNamed, data.skipped.size());
    analysis.notes.push_back(fmt::format(
        "left out, as they are no time of one collective or of a message sent and received: {}{}",
        names, more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  std::size_t unknown = 0, few = 0;
  for (const CommFit& fit : analysis.fits) {
    unknown += fit.workers < 2 ? 1U : 0U;
    few += fit.pieces.empty() ? 1U : 0U;
  }
  if (unknown > 0) {
    analysis.notes.push_back(
        fmt::format("the files do not say on how many workers {} ran: --ranks N says it; without "
                    "it there is no bus bandwidth and no prediction",
                    unknown == 1 ? "a sweep" : fmt::format("{} sweeps", unknown)));
  }
  if (few > 0) {
    analysis.notes.push_back(fmt::format(
        "{} with fewer than three sizes: alpha and beta cannot be told apart, so they are not "
        "fitted",
        count_text(few, "sweep")));
  }
}

}  // namespace

namespace comm {

std::vector<CommHindcast> hindcasts_of(const std::vector<CommFit>& fits,
                                       const std::optional<double>& node_workers) {
  std::map<std::pair<Collective, bool>, std::vector<const CommFit*>> kinds;
  for (const CommFit& fit : fits) {
    if (fit.pieces.empty() || fit.workers < 2) continue;
    if (fit.collective == Collective::kPointToPoint) continue;
    kinds[{fit.collective, fit.nodes == 1}].push_back(&fit);
  }
  std::vector<CommHindcast> all;
  for (const auto& [key, list] : kinds) {
    const auto largest = std::max_element(
        list.begin(), list.end(),
        [](const CommFit* a, const CommFit* b) { return a->workers < b->workers; });
    Network network{.node_workers = node_workers};
    for (const CommFit* fit : list) {
      if (fit->workers < (*largest)->workers) network.sweeps.push_back(network_sweep(*fit));
    }
    if (network.sweeps.size() < 2) continue;
    std::vector<CommFit> smaller;
    for (const CommFit& fit : fits) {
      if (fit.workers < (*largest)->workers) smaller.push_back(fit);
    }
    network.levels = levels_of(smaller);
    sort_sweeps(network);
    CommHindcast cast{.collective = key.first, .workers = (*largest)->workers};
    for (const NetworkSweep& sweep : network.sweeps) {
      cast.from_workers = std::max(cast.from_workers, sweep.workers);
    }
    std::vector<double> errors;
    for (const CommPoint& point : (*largest)->points) {
      const auto cost = collective_cost(network, key.first, point.bytes, cast.workers);
      if (!cost) continue;
      errors.push_back(std::abs(cost->seconds.point / point.seconds - 1));
      cast.covered +=
          point.seconds >= cost->seconds.low && point.seconds <= cost->seconds.high ? 1U : 0U;
    }
    if (errors.empty()) continue;
    cast.sizes = errors.size();
    std::sort(errors.begin(), errors.end());
    cast.middle_error = errors[errors.size() / 2];
    cast.worst_error = errors.back();
    all.push_back(cast);
  }
  return all;
}

}  // namespace comm

Result<CommAnalysis> analyze_comm(const CommData& data, const CommFitOptions& options) {
  CommAnalysis analysis{.link = options.link, .link_text = options.link_text};
  for (const comm::Group& group : comm::groups_of(data)) {
    analysis.fits.push_back(comm::fit_group(group, options.most_pieces));
  }
  if (analysis.fits.empty()) {
    std::string names;
    for (const std::string& name : data.skipped) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", printable(name));
    }
    const std::string none = data.notes.empty()
                                 ? "the files have no times of collectives or messages"
                                 : "nothing is left to fit: " + data.notes.front();
    return fail({.where = "kstar comm",
                 .message = names.empty() ? none : fmt::format("the files have only {}", names),
                 .hint = "needed are latencies by size: all_reduce_perf, osu_allreduce, "
                         "osu_latency, IMB-MPI1 Allreduce"});
  }
  comm::guess_algorithms(analysis.fits);
  analysis.network = network_of(analysis.fits, options);
  analysis.hindcasts = comm::hindcasts_of(analysis.fits, analysis.network.node_workers);
  add_notes(data, analysis);
  return analysis;
}

}  // namespace kstar
