#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kstar/comm.h"
#include "kstar/export.h"
#include "kstar/network.h"

/// Sweeps to pieces of time = alpha + beta bytes, what they look like, and whether they are good.
namespace kstar {

/// One size of a sweep: what was measured there, and what its piece says.
struct CommPoint {
  double bytes = 0;
  double seconds = 0;  ///< the median where it was measured several times
  double low = 0;      ///< the fastest and
  double high = 0;     ///< the slowest of them
  std::size_t times = 1;
  double fitted = 0;
  bool odd = false;  ///< far from its piece
};

/// One of several measurements of the same that is out of line: a pair of nodes, a run.
struct OddSweep {
  std::string label;
  double factor = 1;  ///< its time over the median of all, at the middle size
};

/// Which algorithm the growth of alpha or beta with K looks like.
struct AlgorithmGuess {
  std::string name;                   ///< empty: it cannot be told, for the reason in `unknown`
  double probability = 0;             ///< of it, where "another than those known" is possible too
  std::vector<std::string> others;    ///< that cannot be told from it
  double together = 0;                ///< the probability of it and the others
  std::vector<std::string> excluded;  ///< the rest of those known
  std::string unknown;                ///< "one K alone does not tell"
  std::string from;                   ///< "K = 2, 4 and messages": what it rests on
};

/// All sweeps of a collective on K workers and so many nodes, put together.
struct CommFit {
  Collective collective = Collective::kAllReduce;
  double workers = 0;  ///< 0 where nobody said
  double nodes = 0;
  std::string tool;
  std::vector<std::string> sources;
  std::size_t sweeps = 1;
  std::vector<CommPoint> points;         ///< by size
  std::vector<NetworkPiece> pieces;      ///< empty with fewer than three sizes
  std::optional<NetworkPiece> one_line;  ///< a single piece for all sizes, to compare with
  double worst_miss = 0;                 ///< of the pieces, and
  double middle_miss = 0;                ///< the median
  double one_line_worst = 0;
  bool irregular = false;
  bool wrong = false;                   ///< the benchmark itself found results of it wrong
  std::vector<double> irregular_sizes;  ///< far off their piece, or slower than the next larger
  std::optional<double> half_size;      ///< bytes that reach half of the last piece's bandwidth
  double best_bus = 0;                  ///< bytes per second, at its best size
  double best_bytes = 0;
  std::optional<double> stated_average;
  std::vector<OddSweep> odd_sweeps;
  double sweeps_differ = 1;  ///< the slowest over the fastest, where that is more than their noise
  AlgorithmGuess small, large;
};

/// What the fitted pieces of the smaller K would have said of the largest.
struct CommHindcast {
  Collective collective = Collective::kAllReduce;
  double workers = 0;
  double from_workers = 0;
  double middle_error = 0;  ///< median over its sizes of |predicted / measured - 1|
  double worst_error = 0;
  std::size_t sizes = 0;
  std::size_t covered = 0;  ///< of them, in the interval
};

struct CommAnalysis {
  std::vector<CommFit> fits;  ///< by collective, nodes and K
  Network network;            ///< of those that have pieces and K
  std::optional<double> link;
  std::string link_text;  ///< as it was given: "25GB/s x8"
  std::vector<CommHindcast> hindcasts;
  std::vector<std::string> failed;  ///< results that the benchmark itself found wrong
  std::vector<std::string> notes;
  std::size_t grave_notes = 0;  ///< so many of the first notes stand before all other warnings
};

struct CommFitOptions {
  std::optional<double> link;  ///< stated bytes per second
  std::string link_text;
  std::optional<double> node_workers;
  std::size_t most_pieces = 6;
};

/// Fails where there is nothing to fit.
KSTAR_EXPORT Result<CommAnalysis> analyze_comm(const CommData& data,
                                               const CommFitOptions& options = {});

/// The pieces of one list of sizes, ascending and each once: segmented regression by dynamic
/// programming, three sizes or more in each piece, their number by BIC, Huber's loss on the
/// logarithms of times.
KSTAR_EXPORT std::vector<NetworkPiece> fit_pieces(std::span<const CommSample> sizes,
                                                  std::size_t most_pieces = 6);

}  // namespace kstar
