#include "analysis/table/samples.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace kstar {

namespace {

/// Numbers for sessions and their blocks, in the order in which they come.
class BlockNumbers {
 public:
  std::size_t of(const Run& run) {
    auto& blocks = sessions_[run.session];
    return blocks.emplace(*run.block, count_).second ? count_++ : blocks[*run.block];
  }

 private:
  std::unordered_map<std::string, std::unordered_map<int, std::size_t>> sessions_;
  std::size_t count_ = 0;
};

void note_shape(const Run& run, std::vector<Shape>& shapes) {
  if (!run.nodes && !run.ranks && !run.threads) return;
  const Shape shape{run.nodes.value_or(1), run.ranks.value_or(1), run.threads.value_or(1)};
  if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
}

void keep_work(const Run& run, Samples& samples) {
  if (!run.steps.empty()) return;
  if (run.work && *run.work > 0) samples.works.push_back(*run.work);
  if (run.fixed && *run.fixed < samples.times.back()) samples.fixed.push_back(*run.fixed);
}

void keep_usage(const Run& run, Samples& samples) {
  const Usage& usage = run.usage;
  if (usage.cpu_user && run.wall && *run.wall > 0) {
    const double cpu = *usage.cpu_user + usage.cpu_system.value_or(0);
    samples.cpu_use.push_back(cpu / (*run.wall * run.workers));
  }
  if (usage.peak_memory) samples.peak_memory.push_back(static_cast<double>(*usage.peak_memory));
}

/// Blocks are of use where every run has one.
void check_blocks(Samples& samples) {
  if (samples.blocks.size() != samples.times.size()) samples.blocks.clear();
  std::vector<std::size_t> sorted = samples.blocks;
  std::sort(sorted.begin(), sorted.end());
  samples.once_a_block = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

SampleGroups group_runs(const Study& study) {
  SampleGroups groups;
  BlockNumbers numbers;
  for (const Run& run : study.runs) {
    if (is_profiled(run)) continue;
    Samples& samples = groups[{run.role == Role::kParallel, run.workers}];
    note_shape(run, samples.shapes);
    const std::optional<double> time = steady_time(run);
    if (failed(run) || !time) {
      ++samples.failed;
    } else if (run.warm_up) {
      ++samples.warm_up;
    } else {
      samples.times.push_back(*time);
      if (run.setup) samples.setups.push_back(*run.setup);
      keep_work(run, samples);
      keep_usage(run, samples);
      if (run.block) samples.blocks.push_back(numbers.of(run));
    }
  }
  for (auto& [key, samples] : groups) {
    check_blocks(samples);
    if (samples.works.size() != samples.times.size()) samples.works.clear();
    if (samples.fixed.size() != samples.times.size()) samples.fixed.clear();
  }
  return groups;
}

Scope scope_of(const Study& study) {
  for (const Run& run : study.runs) {
    if (run.session != study.runs.front().session) return Scope::kSeveralSessions;
  }
  return Scope::kOneSession;
}

std::optional<SamplePairs> pairs_of(const Samples& base, const Samples& at) {
  constexpr std::size_t kFewestPairs = 3;
  if (base.blocks.empty() || at.blocks.empty()) return std::nullopt;
  if (!base.once_a_block || !at.once_a_block) return std::nullopt;
  std::unordered_map<std::size_t, double> others;
  for (std::size_t i = 0; i < at.times.size(); ++i) others.emplace(at.blocks[i], at.times[i]);
  SamplePairs pairs;
  for (std::size_t i = 0; i < base.times.size(); ++i) {
    const auto found = others.find(base.blocks[i]);
    if (found == others.end()) continue;
    pairs.base.push_back(base.times[i]);
    pairs.at.push_back(found->second);
  }
  const std::size_t runs = std::max(base.times.size(), at.times.size());
  const bool enough = pairs.at.size() >= kFewestPairs && 4 * pairs.at.size() >= 3 * runs;
  return enough ? std::optional(std::move(pairs)) : std::nullopt;
}

Result<Estimate> ratio_of_times(const Samples& base, const Samples& at,
                                const RatioOptions& options) {
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
  if (base.known && at.known) {
    return estimate_ratio(*base.known, *at.known, options.confidence);
  }
  // Runs near in time resemble each other, and so do blocks.
  if (const std::optional<SamplePairs> pairs = pairs_of(base, at)) {
    chosen.method = IntervalMethod::kPairedEffective;
    return estimate_ratio(pairs->base, pairs->at, chosen);
  }
  chosen.method = IntervalMethod::kWelchLogEffective;
  return estimate_ratio(base.times, at.times, chosen);
}

}  // namespace kstar
