#include "kstar/scaling_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kstar/noise_pool.h"
#include "kstar/stopping.h"

namespace kstar {

namespace {

/// Session and number.
using Block = std::pair<std::string, int>;

/// The times of one program at one K, with the block of each.
struct Samples {
  std::vector<double> times;
  std::vector<Block> blocks;  ///< empty when not known
  std::vector<double> setups;
  std::size_t failed = 0;
  std::size_t warm_up = 0;
  std::vector<Shape> shapes;  ///< of the runs that say one, each once
};

/// The baseline program sorts before the parallel one.
using Key = std::pair<bool, int>;

Key key_of(const Run& run) {
  return {run.role == Role::kParallel, run.workers};
}

void note_shape(const Run& run, std::vector<Shape>& shapes) {
  if (!run.nodes && !run.ranks && !run.threads) return;
  const Shape shape{run.nodes.value_or(1), run.ranks.value_or(1), run.threads.value_or(1)};
  if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
}

std::map<Key, Samples> group(const Study& study) {
  std::map<Key, Samples> groups;
  for (const Run& run : study.runs) {
    if (looked_into(run)) continue;
    Samples& samples = groups[key_of(run)];
    note_shape(run, samples.shapes);
    const std::optional<double> time = steady_time(run);
    if (failed(run) || !time) {
      ++samples.failed;
    } else if (run.warm_up) {
      ++samples.warm_up;
    } else {
      samples.times.push_back(*time);
      if (run.setup) samples.setups.push_back(*run.setup);
      if (run.block) samples.blocks.emplace_back(run.session, *run.block);
    }
  }
  return groups;
}

std::size_t sessions_of(const Study& study) {
  std::set<std::string> names;
  for (const Run& run : study.runs) names.insert(run.session);
  return names.size();
}

/// The times of both sides in the blocks that both have, in their order.
struct Pairs {
  std::vector<double> base;
  std::vector<double> at;
};

/// The times by block. None where a run has no block, or a block has two runs at that K.
std::optional<std::map<Block, double>> by_block(const Samples& samples) {
  if (samples.blocks.size() != samples.times.size()) return std::nullopt;
  std::map<Block, double> times;
  for (std::size_t i = 0; i < samples.times.size(); ++i) {
    if (!times.emplace(samples.blocks[i], samples.times[i]).second) return std::nullopt;
  }
  return times;
}

/// Runs of one block shared the machine's mood, and pairing cancels it. A failed run or a warm-up
/// breaks one pair, not all of them; but where one side has many runs more, they say more than
/// pairs do.
std::optional<Pairs> pairs_of(const Samples& base, const Samples& at) {
  constexpr std::size_t kFewestPairs = 3;
  const auto others = by_block(at);
  if (!others || !by_block(base)) return std::nullopt;
  Pairs pairs;
  for (std::size_t i = 0; i < base.times.size(); ++i) {
    const auto found = others->find(base.blocks[i]);
    if (found == others->end()) continue;
    pairs.base.push_back(base.times[i]);
    pairs.at.push_back(found->second);
  }
  const std::size_t runs = std::max(base.times.size(), at.times.size());
  const bool enough = pairs.at.size() >= kFewestPairs && 4 * pairs.at.size() >= 3 * runs;
  return enough ? std::optional(std::move(pairs)) : std::nullopt;
}

Result<Estimate> ratio(const Samples& base, const Samples& at, const RatioOptions& options) {
  RatioOptions chosen = options;
  if (&base == &at) {  // a time over itself is 1, however uncertain it is
    return Estimate{.point = 1,
                    .standard_error = 0,
                    .low = 1,
                    .high = 1,
                    .confidence = options.confidence,
                    .n = at.times.size(),
                    .method = IntervalMethod::kPairedEffective,
                    .scope = options.scope};
  }
  // Runs near in time resemble each other, and so do blocks.
  if (const std::optional<Pairs> pairs = pairs_of(base, at)) {
    chosen.method = IntervalMethod::kPairedEffective;
    return estimate_ratio(pairs->base, pairs->at, chosen);
  }
  chosen.method = IntervalMethod::kWelchLogEffective;
  return estimate_ratio(base.times, at.times, chosen);
}

/// Whether T(K) rests on runs that S and E do not.
bool left_out(const Estimate& ratio, const Samples& base, const Samples& at) {
  return ratio.method == IntervalMethod::kPairedEffective &&
         ratio.n < std::max(base.times.size(), at.times.size());
}

Note unpaired_note(const Key& key, const Estimate& ratio) {
  return {.severity = Severity::kInfo,
          .what = "unpaired",
          .where = fmt::format("{} workers", key.second),
          .text = fmt::format("S and E are from the {} blocks that the base has too", ratio.n)};
}

/// S and E of a point from the ratio of times, by the regime.
void set_speedup(ScalingPoint& point, const Estimate& times_ratio, Regime regime, int base) {
  const double growth = static_cast<double>(point.workers) / base;
  if (regime == Regime::kWeak) {
    point.efficiency = times_ratio;
    point.speedup = scaled(times_ratio, growth);
  } else if (regime != Regime::kMixed) {
    point.speedup = times_ratio;
    point.efficiency = scaled(times_ratio, 1 / growth);
  }
}

Result<ScalingPoint> point_of(const Key& key, const Samples& samples, const TableOptions& options,
                              const std::optional<NoisePool>& pool, Scope scope) {
  ScalingPoint point;
  point.workers = key.second;
  point.role = key.first ? Role::kParallel : Role::kBaseline;
  if (samples.shapes.size() == 1) point.shape = samples.shapes[0];
  point.failed = samples.failed;
  point.warm_up = samples.warm_up;
  const Result<Summary> summary = summarize(samples.times);
  if (!summary) return fail(summary.error());
  point.times = *summary;
  const Result<Estimate> time =
      pool ? estimate_pooled_mean(samples.times, *pool, options.confidence, scope)
           : estimate_mean(samples.times, {.confidence = options.confidence, .scope = scope});
  if (!time) return fail(time.error());
  point.time = *time;
  if (!samples.setups.empty()) point.setup = summarize(samples.setups)->mean;
  return point;
}

/// The noise that all K share, so that T carries the interval that measuring stopped at. With fewer
/// runs than stopping looks at there is too little of it: then each K speaks for itself.
std::optional<NoisePool> pool_of(const std::map<Key, Samples>& groups) {
  std::vector<std::vector<double>> times;
  for (const auto& [key, samples] : groups) {
    if (samples.times.empty()) continue;
    if (samples.times.size() < StoppingRule{}.min_runs) return std::nullopt;
    times.push_back(samples.times);
  }
  const Result<NoisePool> pool = pool_noise(times);
  return pool ? std::optional(*pool) : std::nullopt;
}

NodeGrowth growth_between(const Shape& from, const Shape& to) {
  if (from.nodes == to.nodes) return NodeGrowth::kInsideNode;
  return from.on_a_node() == to.on_a_node() ? NodeGrowth::kMoreNodes : NodeGrowth::kBoth;
}

/// E(to) / E(from) needs no base: T(from) / T(to), and in proportion to K where the work is fixed.
void find_steps(const std::map<Key, Samples>& groups, const RatioOptions& options,
                ScalingTable& table) {
  if (!table.regime || *table.regime == Regime::kMixed) return;
  const ScalingPoint* last = nullptr;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline || !point.shape) continue;
    if (const ScalingPoint* from = std::exchange(last, &point)) {
      const Result<Estimate> times =
          ratio(groups.at({true, from->workers}), groups.at({true, point.workers}), options);
      if (!times) continue;
      const bool weak = *table.regime == Regime::kWeak;
      const double share = weak ? 1 : static_cast<double>(from->workers) / point.workers;
      table.steps.push_back({.from = from->workers,
                             .to = point.workers,
                             .growth = growth_between(*from->shape, *point.shape),
                             .kept = scaled(*times, share)});
    }
  }
}

/// Runs of two shapes are two curves: a mean over both answers no question.
void note_mixed_shapes(const Key& key, const Samples& samples, ScalingTable& table) {
  if (samples.shapes.size() < 2) return;
  std::string names;
  for (const Shape& shape : samples.shapes)
    names += (names.empty() ? "" : ", ") + shape_text(shape);
  table.notes.push_back(
      {.severity = Severity::kWarning,
       .what = "mixed-shapes",
       .where = fmt::format("{} workers", key.second),
       .text = fmt::format("runs of different shapes ({}) are taken together", names)});
}

void find_bend(ScalingTable& table) {
  for (ScalingPoint& point : table.points) {
    if (!point.efficiency || point.role == Role::kBaseline) continue;
    point.good = point.efficiency->point >= table.threshold;
    point.clear = point.good ? point.efficiency->low >= table.threshold
                             : point.efficiency->high < table.threshold;
    if (!point.good && !table.first_bad) table.first_bad = point.workers;
    if (point.good && !table.first_bad) table.last_good = point.workers;
  }
}

/// The base is what the study says it is: its baseline program, or the smallest K it has. When that
/// one has no time that counts there is no speedup; another base would answer another question.
const Samples* base_of(const Study& study, const std::map<Key, Samples>& groups,
                       ScalingTable& table) {
  Key key{true, groups.empty() ? 1 : groups.rbegin()->first.second};
  for (const auto& [other, samples] : groups) {
    if (other.first) key.second = std::min(key.second, other.second);
  }
  for (const Workload& workload : study.header.workload) {
    if (workload.workers) key.second = std::min(key.second, *workload.workers);
  }
  const bool own_program = study.header.baseline.kind == BaselineKind::kFastestSingle ||
                           (!groups.empty() && !groups.begin()->first.first);
  if (own_program) key = {false, 1};
  table.base_workers = key.second;
  table.base_role = own_program ? Role::kBaseline : Role::kParallel;
  const auto found = groups.find(key);
  const bool usable = found != groups.end() && !found->second.times.empty();
  return usable ? &found->second : nullptr;
}

}  // namespace

Result<ScalingTable> scaling_table(const Study& study, const TableOptions& options) {
  const std::map<Key, Samples> groups = group(study);
  const Scope scope = sessions_of(study) > 1 ? Scope::kSeveralSessions : Scope::kOneSession;
  const std::optional<NoisePool> pool = pool_of(groups);
  ScalingTable table;
  table.regime = study.header.regime;
  table.threshold = options.threshold;
  const Samples* base = base_of(study, groups, table);
  for (const auto& [key, samples] : groups) {
    if (samples.times.empty()) {
      table.notes.push_back({.severity = Severity::kWarning,
                             .what = "no-times",
                             .where = !key.first ? "baseline" : fmt::format("K = {}", key.second),
                             .text = fmt::format("{} made, none with a time that counts",
                                                 samples.failed + samples.warm_up)});
      continue;
    }
    note_mixed_shapes(key, samples, table);
    Result<ScalingPoint> point = point_of(key, samples, options, pool, scope);
    if (!point) return fail(point.error());
    if (base != nullptr && table.regime) {
      const Result<Estimate> times_ratio =
          ratio(*base, samples, {.confidence = options.confidence, .scope = scope});
      if (times_ratio) set_speedup(*point, *times_ratio, *table.regime, table.base_workers);
      if (times_ratio && left_out(*times_ratio, *base, samples)) {
        table.notes.push_back(unpaired_note(key, *times_ratio));
      }
    }
    table.points.push_back(std::move(*point));
  }
  if (table.points.empty()) {
    return fail(
        {.where = study.name,
         .message = fmt::format("no run has a time that counts ({} runs)", study.runs.size())});
  }
  find_bend(table);
  find_steps(groups, {.confidence = options.confidence, .scope = scope}, table);
  return table;
}

}  // namespace kstar
