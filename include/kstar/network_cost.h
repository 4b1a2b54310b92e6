#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/network.h"
#include "kstar/result.h"

/// Time by collective, bytes, K and algorithm: from the formulas of the algorithms, and from what a
/// network file has seen.
namespace kstar {

/// A message of n bytes between two workers takes latency + n per_byte; reducing it takes
/// n per_reduced more.
struct Wire {
  double latency = 0;
  double per_byte = 0;
  double per_reduced = 0;
};

/// time = rounds(p) latency + volume(p) n per_byte + reduced(p) n per_reduced
/// (Thakur, Rabenseifner, Gropp, IJHPCA 19, 2005; Sanders, Speck, Traeff 2009 for two_trees).
struct Algorithm {
  Collective collective;
  std::string_view name;  ///< "ring", "recursive-doubling", "halving-doubling", "tree" ...
  double (*rounds)(double workers);
  double (*volume)(double workers);
  double (*reduced)(double workers);
};

/// Those that are known for a collective, in a fixed order.
KSTAR_EXPORT std::vector<Algorithm> algorithms_of(Collective collective);
KSTAR_EXPORT std::optional<Algorithm> find_algorithm(Collective collective, std::string_view name);

KSTAR_EXPORT double algorithm_time(const Algorithm& algorithm, const Wire& wire, double bytes,
                                   double workers);

/// `algorithm` is the cheapest from `from` bytes on.
struct CheapestFrom {
  double from = 0;
  Algorithm algorithm;
};
/// The cheapest by size; the first is from 0 bytes on.
KSTAR_EXPORT std::vector<CheapestFrom> cheapest_by_size(Collective collective, const Wire& wire,
                                                        double workers);
/// The size at which two algorithms take the same time; none where one is never slower.
KSTAR_EXPORT std::optional<double> crossover(const Algorithm& a, const Algorithm& b,
                                             const Wire& wire, double workers);

/// What a time rests on; the surest first.
enum class CostBasis {
  kMeasured,  ///< this collective on this K
  kBetween,   ///< between two K
  kBeyond,    ///< outside the K seen
  kDerived    ///< from another collective, by the formulas of the algorithms
};

struct CollectiveCost {
  Bounded seconds;  ///< `high` is infinite where the point is a lower bound only
  CostBasis basis = CostBasis::kMeasured;
  double distance = 1;       ///< K over the nearest K seen, or its inverse
  bool size_beyond = false;  ///< larger or smaller than the sizes seen
  bool leaves_node = false;  ///< only one node was seen, and K may need more: a lower bound
  bool irregular = false;    ///< from a sweep that is
  bool wrong = false;        ///< from a sweep whose results were
  std::string from;          ///< "measured", "extrapolated 4x from K = 16": what it rests on
  std::string condition;     ///< what that takes to be so: " if every added worker is a node"
};

/// What it rests on and the condition.
KSTAR_EXPORT std::string basis_text(const CollectiveCost& cost);

/// Why a cost is doubtful, behind "as": "the times seen are irregular"; "" where nothing says so.
KSTAR_EXPORT std::string_view doubt_of(const CollectiveCost& cost);

/// Both: "extrapolated 4x from K = 16; doubtful, as the times seen are irregular".
KSTAR_EXPORT std::string evidence_text(const CollectiveCost& cost);

/// Fails where the network has nothing to say of it.
KSTAR_EXPORT Result<CollectiveCost> collective_cost(const Network& network, Collective collective,
                                                    double bytes, double workers);

/// Of one sweep, on its own K; `beyond` becomes true where the size is outside those seen.
KSTAR_EXPORT Bounded sweep_time(const NetworkSweep& sweep, double bytes, bool& beyond);

/// Whether sizes were large enough to tell a bandwidth: at the largest, bytes take as long as
/// latency, and the interval of the slope excludes 0.
KSTAR_EXPORT bool tells_bandwidth(std::span<const NetworkPiece> pieces);
/// Whether the largest size does by itself, also where no line holds the times: it takes twice the
/// least of them, and half of that or more comes with the bytes since the size before it.
KSTAR_EXPORT bool tells_rate(const NetworkCurve& curve);

/// The parameters of a message that the network implies, to compare algorithms with; `from` says
/// what they rest on. From messages where there are some, otherwise from the collective.
struct ImpliedWire {
  Wire wire;
  std::string from;
};
KSTAR_EXPORT Result<ImpliedWire> wire_of(const Network& network, Collective collective,
                                         double workers);

}  // namespace kstar
