#include "comm/launch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "base/number.h"
#include "base/text.h"
#include "comm/lines.h"

namespace kstar::comm {

namespace {

constexpr std::int64_t kMostRanks = 100'000'000;

enum class Launcher { kNone, kMpi, kSlurm, kFlux, kJsrun };

Launcher launcher_named(std::string_view word) {
  word = word.substr(word.find_last_of('/') == word.npos ? 0 : word.find_last_of('/') + 1);
  if (word == "srun") return Launcher::kSlurm;
  if (word == "flux") return Launcher::kFlux;
  if (word == "jsrun") return Launcher::kJsrun;
  static constexpr std::array<std::string_view, 6> kMpiStarts = {"mpirun",  "mpiexec", "orterun",
                                                                 "prterun", "aprun",   "ibrun"};
  const bool mpi = std::any_of(kMpiStarts.begin(), kMpiStarts.end(),
                               [&](std::string_view one) { return word.starts_with(one); });
  return mpi ? Launcher::kMpi : Launcher::kNone;
}

using Words = std::vector<std::string_view>;

/// The whole number behind the first of these flags: "-n 4", "--nodes=4", "-N4"; 0 where none is.
double flag_number(const Words& words, std::initializer_list<std::string_view> flags) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view flag : flags) {
      if (!words[i].starts_with(flag)) continue;
      std::string_view value = words[i].substr(flag.size());
      if (value.empty() && i + 1 < words.size()) value = words[i + 1];
      if (value.starts_with('=')) value.remove_prefix(1);
      const auto number = parse_integer(value);
      if (number && *number >= 1 && *number <= kMostRanks) return static_cast<double>(*number);
    }
  }
  return 0;
}

/// "--map-by ppr:8:node": 8.
double mapped_per_node(const Words& words) {
  for (const std::string_view word : words) {
    const std::size_t begin = word.find("ppr:"), end = word.find(":node");
    if (begin == word.npos || end == word.npos || end < begin + 4) continue;
    return static_cast<double>(parse_integer(word.substr(begin + 4, end - begin - 4)).value_or(0));
  }
  return 0;
}

/// "-H a:8,b:8" of Open MPI: so many workers on as many nodes; nothing where a host has no number.
Launch on_hosts(const Words& words) {
  const auto flag = std::find_if(words.begin(), words.end(), [](std::string_view word) {
    return word == "-H" || word == "-host" || word == "--host";
  });
  if (flag == words.end() || flag + 1 == words.end()) return {};
  Launch launch;
  for (const std::string_view host : split(*(flag + 1), ',')) {
    const std::size_t colon = host.find(':');
    const auto slots = parse_integer(host.substr(colon == host.npos ? host.size() : colon + 1));
    if (!slots || *slots < 1 || *slots > kMostRanks) return {};
    launch.ranks += static_cast<double>(*slots);
    launch.nodes += 1;
  }
  return launch;
}

/// Both or one of them; 0 where two contradict each other.
double agreed(double a, double b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return a == b ? a : 0;
}

Launch from_parts(double ranks, double nodes, double per_node) {
  if (ranks == 0) ranks = nodes * per_node;
  if (ranks > 0 && per_node > 0) nodes = agreed(nodes, std::ceil(ranks / per_node));
  return {ranks, nodes};
}

}  // namespace

Launch launch_on(std::string_view line, std::vector<std::string_view>& words, bool& starts) {
  split_blanks(line, words);
  const auto first = std::find_if(words.begin(), words.end(), [](std::string_view word) {
    return launcher_named(word) != Launcher::kNone;
  });
  starts = first != words.end();
  if (!starts) return {};
  // Flags behind the program are its own.
  const auto program = std::find_if(first + 1, words.end(), [](std::string_view word) {
    return word.find("osu_") != word.npos || word.find("_perf") != word.npos ||
           word.find("IMB-") != word.npos;
  });
  const Words flags(first + 1, program);
  if (std::find(flags.begin(), flags.end(), ":") != flags.end()) return {};  // several programs
  const double ranks = flag_number(flags, {"--ntasks", "-np", "--np", "-n"});
  switch (launcher_named(*first)) {
    case Launcher::kSlurm:
    case Launcher::kFlux:
      return from_parts(ranks, flag_number(flags, {"-N", "--nodes"}),
                        flag_number(flags, {"--ntasks-per-node", "--tasks-per-node"}));
    case Launcher::kJsrun: {  // resource sets, and tasks in each
      const double sets = flag_number(flags, {"--nrs", "-n", "--np"});
      return {sets * std::max(1.0, flag_number(flags, {"--tasks_per_rs", "-a"})), 0};
    }
    default: {
      const double per_node = agreed(mapped_per_node(flags),
                                     flag_number(flags, {"--npernode", "-npernode", "-ppn", "-N"}));
      const Launch hosts = on_hosts(flags);
      if (per_node == 0 && (ranks == 0 || ranks == hosts.ranks))
        return hosts.ranks > 0 ? hosts : Launch{ranks, 0};
      return from_parts(ranks, 0, per_node);
    }
  }
}

}  // namespace kstar::comm
