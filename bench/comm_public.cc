// How well pieces of alpha and beta hold public sweeps: bench_comm_public FOLDER
//
// - messages: the worst and the median miss of every point-to-point sweep;
// - collectives: every size left out in turn, predicted by the pieces of the others and, for
//   comparison, by a log-log line through its two neighbours;
// - the largest K from the smaller ones: error and coverage, one unit per environment.
//
// hpc_cloud_study and the OSU files of collectives/ share the runs of aws/parallel-cluster: they
// are counted once, from the OSU files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/comm_fit.h"
#include "kstar/network_cost.h"

namespace {

using namespace kstar;
namespace fs = std::filesystem;

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Sweep {
  std::string name;
  std::string environment;  ///< where several K are of one
  Collective collective;
  double workers = 0, nodes = 0;
  std::vector<CommSample> samples;
};

/// Ascending sizes, each once.
std::vector<CommSample> by_size(const std::vector<CommSample>& all) {
  std::map<double, std::vector<double>> times;
  for (const CommSample& one : all) times[one.bytes].push_back(one.seconds);
  std::vector<CommSample> list;
  for (auto& [bytes, seconds] : times) list.push_back({bytes, median(seconds)});
  return list;
}

void read_logs(const fs::path& folder, std::vector<Sweep>& sweeps) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    const auto text = read_file(entry.path().string(), std::size_t{1} << 30U);
    CommData data;
    if (!text || !read_collectives(text->view(), entry.path().string(), data)) continue;
    apply_given({}, data);
    for (const CommSweep& sweep : data.sweeps) {
      sweeps.push_back({entry.path().filename().string() + " " + sweep.label, "", sweep.collective,
                        sweep.workers, sweep.nodes, by_size(sweep.samples)});
    }
  }
}

/// Several iterations of one environment and K stand one below the other, each from 4 bytes on.
void read_study(const fs::path& folder, std::vector<Sweep>& sweeps) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find("osu_allreduce") == name.npos) continue;
    const auto text = read_file(entry.path().string(), std::size_t{1} << 28U);
    if (!text) continue;
    std::map<std::string, Sweep> open;
    for (const std::string_view line : split(text->view(), '\n')) {
      const auto cells = split(line, ',');
      if (cells.size() < 9) continue;
      const auto bytes = parse_double(cells[1]), time = parse_double(cells[2]);
      const auto nodes = parse_double(cells[7]);
      if (!bytes || !time || !nodes || cells[3].starts_with("aws/parallel-cluster")) continue;
      const std::string environment(cells[3]);
      const std::string key = fmt::format("{} {}", environment, *nodes);
      Sweep& sweep = open[key];
      if (!sweep.samples.empty() && *bytes <= sweep.samples.back().bytes) {
        sweeps.push_back(std::move(sweep));
        sweep = {};
      }
      sweep.name = key, sweep.environment = environment;
      sweep.collective = Collective::kAllReduce;
      // K in proportion where it is not known: what a node holds is the same in an environment.
      const auto gpus = parse_double(cells[8]);
      sweep.workers = gpus && *gpus > *nodes ? *gpus : *nodes;
      sweep.nodes = *nodes;
      sweep.samples.push_back({*bytes, *time * 1e-6});
    }
    for (auto& [key, sweep] : open) sweeps.push_back(std::move(sweep));
  }
}

double fitted(const std::vector<NetworkPiece>& pieces, double bytes) {
  NetworkSweep sweep{.pieces = pieces};
  bool beyond = false;
  return sweep_time(sweep, bytes, beyond).point;
}

NetworkCurve curve_of(const std::vector<CommSample>& sizes) {
  NetworkCurve curve;
  for (const CommSample& one : sizes) {
    curve.bytes.push_back(one.bytes);
    curve.seconds.push_back(one.seconds);
  }
  return curve;
}

void judge_messages(const std::vector<Sweep>& sweeps) {
  std::vector<double> all;
  double worst = 0;
  std::string where;
  std::size_t count = 0;
  for (const Sweep& sweep : sweeps) {
    if (sweep.collective != Collective::kPointToPoint || sweep.samples.size() < 3) continue;
    ++count;
    const auto pieces = fit_pieces(sweep.samples);
    for (const CommSample& one : sweep.samples) {
      const double miss = std::abs(fitted(pieces, one.bytes) / one.seconds - 1);
      all.push_back(miss);
      if (miss > worst) worst = miss, where = fmt::format("{} at {} B", sweep.name, one.bytes);
    }
  }
  fmt::print("messages: {} sweeps, {} sizes: worst {:.1f}% ({}), median {:.2f}%\n", count,
             all.size(), 100 * worst, where, 100 * median(all));
}

bool is_irregular(const std::vector<CommSample>& sizes) {
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    if (sizes[i].seconds > 1.25 * sizes[i + 1].seconds) return true;
  }
  return false;
}

void judge_left_out(const std::vector<Sweep>& sweeps) {
  std::size_t count = 0, no_worse = 0, irregular = 0, regular_no_worse = 0;
  std::vector<double> own, lines;
  for (const Sweep& sweep : sweeps) {
    const auto& sizes = sweep.samples;
    if (sweep.collective == Collective::kPointToPoint || sizes.size() < 6) continue;
    std::vector<double> mine, line;
    for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
      std::vector<CommSample> others = sizes;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const NetworkSweep fit{.pieces = fit_pieces(others), .curve = curve_of(others)};
      bool beyond = false;
      const double predicted = sweep_time(fit, sizes[i].bytes, beyond).point;
      mine.push_back(std::abs(predicted / sizes[i].seconds - 1));
      const double share = std::log(sizes[i].bytes / std::max(1.0, sizes[i - 1].bytes)) /
                           std::log(sizes[i + 1].bytes / std::max(1.0, sizes[i - 1].bytes));
      const double between =
          sizes[i - 1].seconds * std::pow(sizes[i + 1].seconds / sizes[i - 1].seconds, share);
      line.push_back(std::abs(between / sizes[i].seconds - 1));
    }
    ++count;
    const bool held = median(mine) <= median(line);
    no_worse += held ? 1U : 0U;
    const bool odd = is_irregular(sizes);
    irregular += odd ? 1U : 0U;
    if (!odd) regular_no_worse += held ? 1U : 0U;
    own.push_back(median(mine));
    lines.push_back(median(line));
  }
  fmt::print(
      "collectives, one size left out: {} sweeps ({} irregular): no worse than a log-log line "
      "between the neighbours on {} ({:.0f}%), of the regular ones on {} of {}; median error "
      "{:.1f}% and {:.1f}%\n",
      count, irregular, no_worse,
      100.0 * static_cast<double>(no_worse) / static_cast<double>(count), regular_no_worse,
      count - irregular, 100 * median(own), 100 * median(lines));
}

/// How the largest K of an environment would have been predicted; with two levels or without.
struct Hindcast {
  std::vector<double> errors;
  std::size_t held = 0;
};

Hindcast hindcast(const Network& network, const CommSweep& largest) {
  Hindcast cast;
  for (const CommSample& one : by_size(largest.samples)) {
    const auto cost = collective_cost(network, Collective::kAllReduce, one.bytes, largest.workers);
    if (!cost) continue;
    cast.errors.push_back(std::abs(cost->seconds.point / one.seconds - 1));
    cast.held += one.seconds >= cost->seconds.low && one.seconds <= cost->seconds.high ? 1U : 0U;
  }
  return cast;
}

void judge_largest(const std::vector<Sweep>& sweeps) {
  std::map<std::string, std::map<double, CommSweep>> environments;
  for (const Sweep& sweep : sweeps) {
    if (sweep.environment.empty()) continue;
    CommSweep& all = environments[sweep.environment][sweep.workers];
    all.workers = sweep.workers, all.nodes = sweep.nodes;
    all.samples.insert(all.samples.end(), sweep.samples.begin(), sweep.samples.end());
  }
  std::vector<double> middles;
  std::size_t covered = 0, sizes = 0, units = 0;
  for (const auto& [name, points] : environments) {
    if (points.size() < 3) continue;
    const CommSweep& largest = points.rbegin()->second;
    CommData smaller;
    for (const auto& [workers, sweep] : points) {
      if (workers < largest.workers) smaller.sweeps.push_back(sweep);
    }
    Network network = analyze_comm(smaller)->network;
    const Hindcast both = hindcast(network, largest);
    const bool levels = !network.levels.empty();
    network.levels.clear();
    const Hindcast one = hindcast(network, largest);
    fmt::print(
        "  {}: K up to {} -> {}: median error {:.0f}%, worst {:.0f}%, {} of {} in their "
        "intervals",
        name, smaller.sweeps.back().workers, largest.workers, 100 * median(both.errors),
        100 * *std::max_element(both.errors.begin(), both.errors.end()), both.held,
        both.errors.size());
    if (levels) {
      fmt::print(" (without two levels {:.0f}%, {:.0f}%, {})", 100 * median(one.errors),
                 100 * *std::max_element(one.errors.begin(), one.errors.end()), one.held);
    }
    fmt::print("\n");
    middles.push_back(median(both.errors));
    covered += both.held, sizes += both.errors.size(), ++units;
  }
  fmt::print(
      "the largest K from the smaller ones: {} environments, median error {:.0f}%, {} of {} "
      "sizes in their intervals ({:.0f}%)\n",
      units, 100 * median(middles), covered, sizes,
      100.0 * static_cast<double>(covered) / static_cast<double>(sizes));
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = argc > 1 ? argv[1] : "../shared/data/public";
  if (!fs::exists(folder / "collectives")) {
    fmt::print(stderr, "{}: no public data here\n", folder.string());
    return 1;
  }
  std::vector<Sweep> sweeps;
  read_logs(folder / "collectives", sweeps);
  read_logs(folder / "samples" / "comm", sweeps);
  read_study(folder / "hpc_cloud_study", sweeps);
  fmt::print("{} sweeps\n", sweeps.size());
  judge_messages(sweeps);
  judge_left_out(sweeps);
  judge_largest(sweeps);
}
