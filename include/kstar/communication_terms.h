#pragma once

#include <vector>

#include "kstar/cost_model.h"
#include "kstar/export.h"
#include "kstar/network_cost.h"

/// A collective on a network as terms of a cost model: bandwidth grows as 2(K-1)/K, latency as
/// log2 K or as K - 1.
namespace kstar {

struct CommunicationTerms {
  std::vector<Communication> terms;  ///< seconds
  CollectiveCost at_first;           ///< on the first K
  CollectiveCost at_last;
  double worst = 0;   ///< how far the terms are from what the network says, at any K up to the last
                      ///< that was measured, and
  double beyond = 0;  ///< at those that were not
};

/// For K from `first` (2 or more) to `last`.
KSTAR_EXPORT Result<CommunicationTerms> communication_terms(const Network& network,
                                                            Collective collective, double bytes,
                                                            double first, double last);

}  // namespace kstar
