#include <fmt/format.h>

#include <set>

#include "base/number.h"
#include "report/report_blocks.h"

namespace kstar {

namespace {

/// What is not known is left out.
void add(std::string_view name, const std::string& value, Items& items) {
  if (!value.empty()) items.items.push_back(fmt::format("{}: {}", name, value));
}

template <typename Number>
void add(std::string_view name, const std::optional<Number>& value, Items& items) {
  if (value) items.items.push_back(fmt::format("{}: {}", name, *value));
}

std::string joined(std::string text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : ", ") + more;
  return text;
}

std::string workload_text(const Workload& workload) {
  std::string text;
  if (workload.size) {
    text = shortest(*workload.size) + (workload.unit.empty() ? "" : " " + workload.unit);
  }
  if (workload.batch) text = joined(text, "batch " + shortest(*workload.batch));
  if (workload.steps) text = joined(text, fmt::format("{} steps", *workload.steps));
  return joined(text, workload.stopping.empty() ? "" : "until " + workload.stopping);
}

std::string host_text(const Host& host) {
  std::string text = host.cpu;
  if (host.cores) text = joined(text, fmt::format("{} cores", *host.cores));
  if (host.memory) {
    constexpr double kGibibyte = 1 << 30;
    text = joined(text, significant(static_cast<double>(*host.memory) / kGibibyte, 3) + " GiB");
  }
  for (const std::string& device : host.accelerators) text = joined(text, device);
  return joined(text, host.kernel);
}

std::string baseline_text(const Baseline& baseline) {
  std::string text;
  if (baseline.kind) {
    text = *baseline.kind == BaselineKind::kFastestSingle
               ? "the fastest correct single-worker program"
               : "the parallel program with one worker";
  }
  text = joined(text, fmt::format("{}", fmt::join(baseline.command, " ")));
  return joined(text, baseline.text);
}

/// One line where every K has the same.
void add_workload(const std::vector<Workload>& all, Items& items) {
  std::set<std::string> texts;
  for (const Workload& workload : all) texts.insert(workload_text(workload));
  if (texts.size() == 1) {
    add("workload", *texts.begin(), items);
    return;
  }
  for (const Workload& workload : all) {
    add(workload.workers ? fmt::format("workload at K = {}", *workload.workers)
                         : std::string("workload"),
        workload_text(workload), items);
  }
}

void add_environment(const Environment& environment, Items& items) {
  for (const Host& host : environment.hosts) {
    add(host.name.empty() ? "host" : host.name, host_text(host), items);
  }
  add("binding", environment.binding, items);
  for (const auto& [name, version] : environment.versions) add(name, version, items);
  for (const auto& [name, value] : environment.variables) {
    items.items.push_back(fmt::format("{}={}", name, value));
  }
}

}  // namespace

void add_provenance(const Study& study, Document& document) {
  const StudyHeader& header = study.header;
  Items items{"What was run, where and how", {}};
  add("command", fmt::format("{}", fmt::join(header.command, " ")), items);
  add("launcher", header.launcher, items);
  if (header.regime) add("regime", std::string(name_of(*header.regime)), items);
  add_workload(header.workload, items);
  add("T(1) is", baseline_text(header.baseline), items);
  const Protocol& protocol = header.protocol;
  add("warm-up runs", protocol.warm_up_runs, items);
  add("warm-up steps", protocol.warm_up_steps, items);
  add("setup left out", joined(protocol.setup, protocol.setup_method), items);
  add("order", protocol.order, items);
  add("seed", protocol.seed, items);
  add("stopping", protocol.stopping, items);
  add_environment(header.environment, items);
  add("written by", header.writer, items);
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

}  // namespace kstar
