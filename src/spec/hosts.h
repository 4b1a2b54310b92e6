#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// A name or an address that can stand in a command line of mpirun or srun: letters, digits, and
/// . - _ : inside.
bool is_host_name(std::string_view text);

/// The hosts that --hosts says: the names themselves, or those of a hostfile (one per line, what
/// follows the name and what follows # is passed over; a host named again counts once).
Result<std::vector<std::string>> resolve_hosts(const std::vector<std::string>& said);

/// "n[1-3,07],login": the list that Slurm writes, one name each.
Result<std::vector<std::string>> expand_node_list(std::string_view list, std::string_view where);

/// What this machine calls itself.
std::string own_host_name();

}  // namespace kstar
