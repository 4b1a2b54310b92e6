#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/comm.h"

namespace kstar {

namespace {

/// The value behind a flag in the command of a study; empty where it is not there.
std::string flag_value(const std::vector<std::string>& command, std::string_view flag) {
  const auto at = std::find(command.begin(), command.end(), flag);
  return at == command.end() || at + 1 == command.end() ? std::string() : *(at + 1);
}

/// What a study of `kstar comm measure` was asked for.
struct Asked {
  std::string tool;
  std::vector<Collective> collectives;
  std::vector<double> sizes;
};

/// -b 1024 -e 4194304 -f 4 of nccl-tests.
std::vector<double> range_sizes(const std::vector<std::string>& command) {
  const auto first = parse_double(flag_value(command, "-b"));
  const auto last = parse_double(flag_value(command, "-e"));
  const auto factor = parse_double(flag_value(command, "-f"));
  std::vector<double> sizes;
  if (!first || !last || !factor || !(*factor > 1) || !(*first >= 1)) return sizes;
  for (double bytes = *first; bytes <= *last; bytes *= *factor) sizes.push_back(bytes);
  return sizes;
}

std::optional<Asked> asked_of(const std::vector<std::string>& command) {
  Asked asked;
  for (const std::string& word : command) {
    if (word.ends_with("kstar-comm-mpi")) asked.tool = "kstar";
    if (!word.ends_with("_perf")) continue;
    std::string_view name = word;
    name.remove_prefix(word.find_last_of('/') + 1);  // npos + 1 is 0
    const auto one = collective_named(name.substr(0, name.size() - 5));
    if (!one || range_sizes(command).empty()) continue;
    asked.tool = "nccl-tests";
    asked.collectives = {*one};
    asked.sizes = range_sizes(command);
  }
  if (asked.tool.empty()) return std::nullopt;
  if (asked.tool != "kstar") return asked;
  const std::string names = flag_value(command, "--collectives");
  for (const std::string_view name : split(names, ',')) {
    if (const auto one = collective_named(name)) asked.collectives.push_back(*one);
  }
  const std::string sizes = flag_value(command, "--sizes");
  for (const std::string_view size : split(sizes, ',')) {
    if (const auto bytes = parse_double(size)) asked.sizes.push_back(*bytes);
  }
  return asked;
}

}  // namespace

bool is_collective_study(const StudyHeader& header) {
  return asked_of(header.command).has_value();
}

bool add_measured(const Study& study, CommData& data) {
  const std::optional<Asked> asked = asked_of(study.header.command);
  if (!asked) return false;
  const auto& [tool, collectives, sizes] = *asked;
  std::size_t damaged = 0, each = 0;
  for (const Run& run : study.runs) {
    if (!counts(run) || run.workers < 2) continue;
    const std::size_t times = collectives.size() * sizes.size();
    if (run.steps.size() != times) {
      ++damaged;
      each += run.steps.size() == times * static_cast<std::size_t>(run.workers) ? 1U : 0U;
      continue;
    }
    for (std::size_t c = 0; c < collectives.size(); ++c) {
      CommSweep sweep{.collective = collectives[c], .tool = tool, .source = study.name};
      const bool message = collectives[c] == Collective::kPointToPoint;
      sweep.workers = message && tool == "kstar" ? 2 : run.workers;
      const auto nodes = run.hosts.size();
      sweep.nodes = nodes == 0 ? 1 : static_cast<double>(nodes);
      if (run.nodes) sweep.nodes = *run.nodes;
      sweep.nodes = std::min(sweep.nodes, sweep.workers);
      for (std::size_t s = 0; s < sizes.size(); ++s) {
        const double seconds = run.steps[c * sizes.size() + s];
        if (seconds > 0) sweep.samples.push_back({sizes[s], seconds});
      }
      sweep.label = " ";
      data.sweeps.push_back(std::move(sweep));
    }
  }
  if (damaged > 0) {
    data.notes.push_back(
        printable(study.name) + ": " + count_text(damaged, "run") +
        " without a time for every size left out" +
        (each > 0 ? ": every worker printed a table of its own, as nccl-tests without MPI does; "
                    "build it with MPI=1, or measure with --launcher local"
                  : ""));
  }
  return true;
}

}  // namespace kstar
