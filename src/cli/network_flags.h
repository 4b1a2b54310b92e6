#pragma once

#include <optional>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/analysis.h"
#include "kstar/network.h"
#include "kstar/network_cost.h"
#include "kstar/prediction.h"

/// A network file on the command line of other commands: --network and --bytes. Where --bytes is
/// what memory moves, the size of a collective has another name.
namespace kstar {

std::vector<Flag> network_flags(const std::string& size_flag = "bytes");

struct NetworkUse {
  Network network;
  Collective collective = Collective::kAllReduce;
  double bytes = 0;
};

/// Nothing where neither was given.
Result<std::optional<NetworkUse>> network_use(const Arguments& arguments,
                                              const std::string& size_flag = "bytes");

/// The parameters of the step law that a network says, beside those that were given.
Result<void> add_network(const NetworkUse& use, const Arguments& arguments,
                         std::vector<ParameterList>& lists);
/// Puts its communication into every instance; says what it is and what it rests on.
Result<void> apply_network(const NetworkUse& use, const Console& console,
                           std::vector<LawInstance>& instances);

/// "3.2 ms (3 ms to 3.5 ms)", or "at least 3.2 ms".
std::string bounded_text(const Bounded& seconds);

/// What a K that is advised rests on where the network was not measured there, or is doubtful: "at
/// K = 43 all-reduce of 14 GB takes 57 ms ..."; "" where there is nothing to say.
std::string network_caveat(const NetworkUse& use, double workers);
/// Whether the network takes at least that long on so many workers, and nothing says how much more.
bool is_lower_bound(const NetworkUse& use, double workers);

}  // namespace kstar
