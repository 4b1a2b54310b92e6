#pragma once

#include <cstdint>
#include <vector>

#include "kstar/stopping.h"
#include "support/noise_process.h"

/// Whole studies measured until they may stop, against a truth that is known.
namespace kstar::noise {

struct Outcome {
  double runs = 0;            ///< of all K together, the mean over the studies
  double coverage = 0;        ///< the share of final intervals that hold the true mean
  double standard_error = 0;  ///< of the coverage; the K of one study count as one
  double worst = 1;           ///< the coverage at the K where it is least
};

/// The least n at which the interval of a process whose variance and correlation are known,
/// 1.96 sqrt(Var(mean of n)), is within `rule.precision`: what an oracle would run. It is bound by
/// max_runs, but not by min_runs.
std::size_t oracle_runs(const Process& process, const StoppingRule& rule);

/// The oracle: as many runs as oracle_runs says and at least ten; its interval has the known
/// width.
Outcome try_oracle(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                   std::size_t replications, std::uint64_t seed);

/// What most would write: each K for itself, from the third run on, until Student's interval is
/// narrow enough.
Outcome try_naive(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                  std::size_t replications, std::uint64_t seed);

/// Rounds over every K that is not done, as kstar measures.
Outcome try_rule(const std::vector<ProcessPointer>& study, const StoppingRule& rule,
                 std::size_t replications, std::uint64_t seed);

}  // namespace kstar::noise
