// How well pieces of alpha and beta hold public sweeps: bench_comm_public [FOLDER] [LOGS...]
//
// - messages: the worst and the median miss of the pieces of every point-to-point sweep, and
// whether
//   those that miss a size by a fifth are called irregular;
// - messages and collectives: every size left out in turn, predicted from the others: error,
//   whether the interval holds it, how wide that is, and, for comparison, a log-log line through
//   its two neighbours;
// - sizes measured again: whether the interval of one sweep holds another of the same K;
// - the largest K from the smaller ones: error and coverage, one unit per environment.
//
// hpc_cloud_study and the OSU files of collectives/ share the runs of aws/parallel-cluster: they
// are counted once, from the OSU files. LOGS: further folders, each judged by itself.
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

/// Messages or collectives, those with so many sizes.
std::vector<const Sweep*> of_kind(const std::vector<Sweep>& sweeps, bool messages,
                                  std::size_t least) {
  std::vector<const Sweep*> list;
  for (const Sweep& sweep : sweeps) {
    const bool message = sweep.collective == Collective::kPointToPoint;
    if (message == messages && sweep.samples.size() >= least) list.push_back(&sweep);
  }
  return list;
}

/// Whether the program calls it irregular.
bool is_named(const Sweep& sweep) {
  CommData data;
  data.sweeps.push_back(
      {.collective = sweep.collective, .workers = 2, .samples = sweep.samples, .source = "x"});
  return analyze_comm(data)->fits.front().irregular;
}

void judge_messages(const std::vector<Sweep>& sweeps) {
  constexpr double kBar = 0.2;
  std::vector<double> all;
  std::string worse;
  std::size_t beyond = 0, named = 0;
  double worst = 0;
  const auto messages = of_kind(sweeps, true, 3);
  for (const Sweep* sweep : messages) {
    const auto pieces = fit_pieces(sweep->samples);
    double own = 0, where = 0;
    for (const CommSample& one : sweep->samples) {
      const double miss = std::abs(fitted(pieces, one.bytes) / one.seconds - 1);
      all.push_back(miss);
      if (miss > own) own = miss, where = one.bytes;
    }
    worst = std::max(worst, own);
    if (own < kBar) continue;
    ++beyond;
    named += is_named(*sweep) ? 1U : 0U;
    worse += fmt::format("  {}: {:.0f}% at {} B, {} pieces\n", sweep->name, 100 * own, where,
                         pieces.size());
  }
  fmt::print(
      "messages, pieces: {} sweeps, {} sizes: worst {:.1f}%, median {:.2f}%; a fifth or more on {} "
      "sweeps, {} of them called irregular\n{}",
      messages.size(), all.size(), 100 * worst, 100 * median(all), beyond, named, worse);
}

bool is_irregular(const std::vector<CommSample>& sizes) {
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    if (sizes[i].seconds > 1.25 * sizes[i + 1].seconds) return true;
  }
  return false;
}

/// Every size but the ends in turn, from the others.
struct LeftOut {
  std::vector<double> mine, line, widths;
  std::size_t held = 0;
};

LeftOut left_out(const std::vector<CommSample>& sizes) {
  LeftOut result;
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    if (!(sizes[i - 1].bytes > 0)) continue;  // 0 bytes have no logarithm
    std::vector<CommSample> others = sizes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const NetworkSweep fit{.pieces = fit_pieces(others), .curve = curve_of(others)};
    bool beyond = false;
    const Bounded predicted = sweep_time(fit, sizes[i].bytes, beyond);
    const double seconds = sizes[i].seconds;
    result.mine.push_back(std::abs(predicted.point / seconds - 1));
    result.widths.push_back(std::sqrt(predicted.high / predicted.low) - 1);
    result.held += predicted.low <= seconds && seconds <= predicted.high ? 1U : 0U;
    const double share = std::log(sizes[i].bytes / sizes[i - 1].bytes) /
                         std::log(sizes[i + 1].bytes / sizes[i - 1].bytes);
    const double between =
        sizes[i - 1].seconds * std::pow(sizes[i + 1].seconds / sizes[i - 1].seconds, share);
    result.line.push_back(std::abs(between / seconds - 1));
  }
  return result;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void judge_left_out(const std::vector<Sweep>& sweeps, bool messages) {
  std::size_t no_worse = 0, irregular = 0, regular_no_worse = 0, held = 0;
  std::vector<double> own, lines, errors, widths;
  const auto kind = of_kind(sweeps, messages, 6);
  if (kind.empty()) return;
  for (const Sweep* sweep : kind) {
    const LeftOut out = left_out(sweep->samples);
    const bool better = median(out.mine) <= median(out.line);
    no_worse += better ? 1U : 0U;
    const bool odd = is_irregular(sweep->samples);
    irregular += odd ? 1U : 0U;
    if (!odd) regular_no_worse += better ? 1U : 0U;
    own.push_back(median(out.mine));
    lines.push_back(median(out.line));
    append(errors, out.mine);
    append(widths, out.widths);
    held += out.held;
  }
  std::sort(errors.begin(), errors.end());
  const double sizes = static_cast<double>(errors.size());
  fmt::print(
      "{}, one size left out: {} sweeps ({} irregular): no worse than a log-log line between the "
      "neighbours on {} ({:.0f}%), of the regular ones on {} of {}; median error {:.1f}% and "
      "{:.1f}%; of {} sizes {:.1f}% in their intervals, which are +-{:.1f}% wide in the middle, "
      "90% of the errors up to {:.0f}%, worst {:.0f}%\n",
      messages ? "messages" : "collectives", kind.size(), irregular, no_worse,
      100.0 * static_cast<double>(no_worse) / static_cast<double>(kind.size()), regular_no_worse,
      kind.size() - irregular, 100 * median(own), 100 * median(lines), errors.size(),
      100 * static_cast<double>(held) / sizes, 100 * median(widths),
      100 * errors[errors.size() * 9 / 10], 100 * errors.back());
}

/// Whether what one sweep says of its own sizes holds the other sweeps of the same K.
void judge_repeated(const std::vector<Sweep>& sweeps) {
  std::size_t pairs = 0, held = 0, sizes = 0;
  std::vector<double> widths;
  for (std::size_t i = 0; i + 1 < sweeps.size(); ++i) {
    for (std::size_t j = i + 1; j < sweeps.size(); ++j) {
      const Sweep &one = sweeps[i], &again = sweeps[j];
      if (one.environment.empty() || one.name != again.name || one.samples.size() < 6) continue;
      const NetworkSweep fit{.pieces = fit_pieces(one.samples), .curve = curve_of(one.samples)};
      ++pairs;
      for (const CommSample& sample : again.samples) {
        bool beyond = false;
        const Bounded said = sweep_time(fit, sample.bytes, beyond);
        if (beyond) continue;
        ++sizes;
        held += said.low <= sample.seconds && sample.seconds <= said.high ? 1U : 0U;
        widths.push_back(std::sqrt(said.high / said.low) - 1);
      }
    }
  }
  fmt::print(
      "measured again: {} pairs of sweeps, of {} sizes {:.1f}% in the intervals of the other, "
      "which are +-{:.1f}% wide in the middle\n",
      pairs, sizes, 100 * static_cast<double>(held) / static_cast<double>(sizes),
      100 * median(widths));
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
  const auto judge = [](const std::vector<Sweep>& some, const std::string& name) {
    fmt::print("{}: {} sweeps\n", name, some.size());
    judge_messages(some);
    for (const bool messages : {true, false}) judge_left_out(some, messages);
  };
  judge(sweeps, folder.string());
  judge_repeated(sweeps);
  judge_largest(sweeps);
  for (int i = 2; i < argc; ++i) {
    std::vector<Sweep> more;
    read_logs(argv[i], more);
    judge(more, argv[i]);
  }
}
