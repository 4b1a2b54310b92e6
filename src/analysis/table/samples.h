#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/result.h"
#include "kstar/shape.h"
#include "kstar/stats.h"
#include "kstar/study.h"

namespace kstar {

/// The times of one program at one K, with the block of each.
struct Samples {
  std::vector<double> times;
  /// A number for each session and block, the same at all K; empty when one is not known.
  std::vector<std::size_t> blocks;
  bool once_a_block = true;  ///< no block has two of these runs
  std::vector<double> setups;
  std::vector<double> cpu_use, peak_memory;  ///< of the runs that know it
  /// Run::work and Run::fixed of each time, where all runs have one and T is that of a whole run.
  std::vector<double> works, fixed;
  std::size_t failed = 0;
  std::size_t warm_up = 0;
  std::vector<Shape> shapes;  ///< of the runs that say one, each once
  /// T that is not the mean of these runs alone: few runs with the noise of all K, or the median.
  std::optional<Estimate> known;
};

/// Whether it is the parallel program, and K. The baseline program sorts before the parallel one.
using SampleKey = std::pair<bool, int>;
using SampleGroups = std::map<SampleKey, Samples>;

/// All runs but those that look inside.
SampleGroups group_runs(const Study& study);

/// Whether the runs are of one session or of several.
Scope scope_of(const Study& study);

/// The times of both sides in the blocks that both have, in their order.
struct SamplePairs {
  std::vector<double> base;
  std::vector<double> at;
};

/// Runs of one block shared the machine's drift, and pairing cancels it. A failed run or a warm-up
/// breaks one pair, not all of them; but where one side has many runs more, they say more than
/// pairs do. None as well where a run has no block, or a block has two runs at that K.
std::optional<SamplePairs> pairs_of(const Samples& base, const Samples& at);

/// T(base) / T(at), paired where there are pairs.
Result<Estimate> ratio_of_times(const Samples& base, const Samples& at,
                                const RatioOptions& options);

}  // namespace kstar
