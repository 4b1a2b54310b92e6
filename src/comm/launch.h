#pragma once

#include <string_view>
#include <vector>

namespace kstar::comm {

/// What a command line in a log starts: how many ranks, on how many nodes; 0 where it does not say.
struct Launch {
  double ranks = 0;
  double nodes = 0;
};

/// Of a line with mpirun, srun, flux, jsrun or the like before a program; `starts` is whether it is
/// one. `words` is room to work in.
Launch launch_on(std::string_view line, std::vector<std::string_view>& words, bool& starts);

}  // namespace kstar::comm
