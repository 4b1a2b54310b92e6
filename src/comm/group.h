#pragma once

#include <vector>

#include "kstar/comm_fit.h"

namespace kstar::comm {

/// The sweeps of one collective, K, number of nodes and tool.
struct Group {
  std::vector<const CommSweep*> sweeps;
};

std::vector<Group> groups_of(const CommData& data);

/// Its sizes, each once, with the median of their times.
CommFit fit_group(const Group& group, std::size_t most_pieces);

/// Sets small and large of all fits of one collective: together they show how alpha and beta grow.
void guess_algorithms(std::vector<CommFit>& fits);

/// Of every collective that was measured on one full node and on several such nodes.
std::vector<NetworkLevels> levels_of(const std::vector<CommFit>& fits);

/// Of every collective with three K or more (on one node or between nodes).
std::vector<CommHindcast> hindcasts_of(const std::vector<CommFit>& fits,
                                       const std::optional<double>& node_workers);

}  // namespace kstar::comm
