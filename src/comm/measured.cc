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

}  // namespace

bool add_measured(const Study& study, CommData& data) {
  const auto& command = study.header.command;
  const bool own = std::any_of(command.begin(), command.end(), [](const std::string& word) {
    return word.ends_with("kstar-comm-mpi");
  });
  if (!own) return false;
  std::vector<Collective> collectives;
  const std::string names = flag_value(command, "--collectives");
  for (const std::string_view name : split(names, ',')) {
    if (const auto one = collective_named(name)) collectives.push_back(*one);
  }
  std::vector<double> sizes;
  const std::string given = flag_value(command, "--sizes");
  for (const std::string_view size : split(given, ',')) {
    if (const auto bytes = parse_double(size)) sizes.push_back(*bytes);
  }
  std::size_t damaged = 0;
  for (const Run& run : study.runs) {
    if (!counts(run) || run.workers < 2) continue;
    if (run.steps.size() != collectives.size() * sizes.size()) {
      ++damaged;
      continue;
    }
    for (std::size_t c = 0; c < collectives.size(); ++c) {
      CommSweep sweep{.collective = collectives[c], .tool = "kstar", .source = study.name};
      const bool message = collectives[c] == Collective::kPointToPoint;
      sweep.workers = message ? 2 : run.workers;
      const auto nodes = run.hosts.size();
      sweep.nodes = nodes == 0 ? 1 : static_cast<double>(nodes);
      if (run.nodes) sweep.nodes = *run.nodes;
      if (message) sweep.nodes = std::min(2.0, sweep.nodes);
      for (std::size_t s = 0; s < sizes.size(); ++s) {
        const double seconds = run.steps[c * sizes.size() + s];
        if (seconds > 0) sweep.samples.push_back({sizes[s], seconds});
      }
      sweep.label = " ";
      data.sweeps.push_back(std::move(sweep));
    }
  }
  if (damaged > 0) {
    data.notes.push_back(printable(study.name) + ": " + count_text(damaged, "run") +
                         " without a time for every size left out");
  }
  return true;
}

}  // namespace kstar
