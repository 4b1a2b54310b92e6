#include "report/analysis/processor_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "kstar/words.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

std::string half_cell(const Estimate& factor) {
  return is_bounded(factor) ? fixed((factor.high - factor.low) / 2 * 100, 1) : "?";
}

Table processor_table(const CpuAccounts& accounts) {
  Table table;
  table.columns = {{.name = "K"}, {.name = "runs"}, {.name = "CPUs in use"}};
  for (const char* name : {"had a CPU", "had work", "CPU time"}) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  }
  for (const CpuPoint& point : accounts.points) {
    std::vector<std::string> row = {fmt::format("{}", point.workers), fmt::format("{}", point.runs),
                                    significant(point.busy(), 3)};
    for (const Estimate* factor : {&point.got, &point.wanted, &point.growth}) {
      row.push_back(percent(factor->point, 1));
      row.push_back(half_cell(*factor));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string legend(const CpuAccounts& accounts) {
  std::string text =
      "From the processor time of the runs: E = had a CPU (what other jobs, a quota and more "
      "threads than CPUs left) x had work (whether K workers had something to do) x CPU time (that "
      "of the same work, base / here), each relative to the smallest K.";
  const bool bound = std::any_of(accounts.points.begin(), accounts.points.end(),
                                 [](const CpuPoint& point) { return !point.waited; });
  if (bound) {
    text +=
        " How long threads were ready without a CPU is not known at every K: the intervals of the "
        "first two include what other jobs could have taken.";
  }
  if (accounts.passive) text += " Time that threads spin while they wait counts as waiting.";
  if (!accounts.points.front().evidence.instructions) {
    text += " Hardware counters were not available.";
  }
  return text;
}

Json evidence_json(const CpuEvidence& evidence) {
  return {{"voluntary_switches", evidence.voluntary_switches},
          {"involuntary_switches", evidence.involuntary_switches},
          {"migrations", evidence.migrations},
          {"faults", evidence.faults},
          {"system_share", evidence.system_share},
          {"instructions", evidence.instructions},
          {"cycles", evidence.cycles},
          {"peak_memory", evidence.peak_memory}};
}

Json point_json(const CpuPoint& point) {
  return {{"workers", point.workers},
          {"runs", point.runs},
          {"cpu", point.cpu},
          {"wall", point.wall},
          {"waited", point.waited},
          {"most_waited", point.most_waited},
          {"others", point.others},
          {"got", to_json(point.got)},
          {"wanted", to_json(point.wanted)},
          {"growth", to_json(point.growth)},
          {"evidence", evidence_json(point.evidence)}};
}

}  // namespace

void add_processor_time(const CpuAccounts& accounts, Document& document) {
  if (!accounts.not_usable.empty()) {
    document.blocks.emplace_back(
        Paragraph{"The processor time does not explain T(K): " + accounts.not_usable + "."});
    return;
  }
  document.blocks.emplace_back(Paragraph{legend(accounts)});
  document.blocks.emplace_back(processor_table(accounts));
}

Json processor_time_json(const CpuAccounts& accounts) {
  return {{"cpus", accounts.cpus > 0 ? Json(accounts.cpus) : Json()},
          {"passive", accounts.passive},
          {"not_usable", accounts.not_usable.empty() ? Json() : Json(accounts.not_usable)},
          {"points", list_of(accounts.points, point_json)}};
}

}  // namespace kstar
