#pragma once

#include <string>

#include "network/sweep_time.h"

/// A collective on a K that was not measured, from sweeps on others.
namespace kstar::costs {

/// A cost from this sweep is as doubtful as the sweep.
void take_doubts(const NetworkSweep& sweep, CollectiveCost& cost);

/// Outside of the K seen.
CollectiveCost beyond_seen(const Sweeps& sweeps, double bytes, double workers);

/// The levels of a collective on full nodes of the size that `nearest` ran on; none where there are
/// none for this size.
const NetworkLevels* levels_of(const Network& network, const NetworkSweep& nearest, double bytes);

/// Beyond the nodes seen, full nodes each.
CollectiveCost beyond_nodes(const NetworkLevels& both, const NetworkSweep& nearest, double bytes,
                            double workers);

/// Where the largest K took longer than any algorithm makes of the one before it, something else
/// may have: the low end holds what that one says of `workers`.
void hold_recovery(const Sweeps& sweeps, double bytes, double workers, CollectiveCost& cost);

/// What more workers are taken to be, where the K seen are on several nodes: " if every added
/// worker is a node".
std::string growth_condition(const Sweeps& sweeps);

CollectiveCost between_seen(const NetworkSweep& low, const NetworkSweep& high, double bytes,
                            double workers);

}  // namespace kstar::costs
