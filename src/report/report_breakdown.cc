#include <fmt/format.h>

#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/worker_table.h"
#include "report/analysis/blocks.h"
#include "report/report_blocks.h"

namespace kstar {

namespace {

struct PartColumn {
  const char* name;
  std::optional<Estimate> (*part)(const WorkerPoint&);
};

constexpr PartColumn kColumns[] = {
    {"compute", [](const WorkerPoint& point) { return std::optional(point.compute); }},
    {"load", [](const WorkerPoint& point) { return point.load; }},
    {"transfer", [](const WorkerPoint& point) { return point.transfer; }},
    {"wait", [](const WorkerPoint& point) { return point.wait; }},
    {"serial", [](const WorkerPoint& point) { return point.serial; }},
    {"not accounted for", [](const WorkerPoint& point) { return std::optional(point.rest); }}};

bool is_anywhere(const WorkerTable& table, const PartColumn& column) {
  for (const WorkerPoint& point : table.points) {
    if (column.part(point)) return true;
  }
  return false;
}

/// The share, and half its interval in points of a hundredth.
void add_share(const std::optional<Estimate>& part, double time, std::vector<std::string>& row) {
  row.push_back(part ? percent(part->point / time, 1) : "");
  row.push_back(!part               ? ""
                : is_bounded(*part) ? fixed((part->high - part->low) / 2 / time * 100, 1)
                                    : "?");
}

}  // namespace

void add_breakdown(const Subject& subject, Document& document) {
  const WorkerTable workers =
      worker_table(subject.study, subject.analysis.table.regime, confidence_of(subject.analysis));
  if (workers.points.empty()) return;
  Table table{.columns = {{.name = "K"}, {.name = "runs"}, {.name = "time", .new_group = true}},
              .rows = {}};
  for (const WorkerPoint& point : workers.points) {
    table.rows.push_back({fmt::format("{}", point.workers), fmt::format("{}", point.runs),
                          time_text(point.time.point)});
  }
  for (const PartColumn& column : kColumns) {
    if (!is_anywhere(workers, column)) continue;
    table.columns.push_back({.name = column.name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const WorkerPoint& point = workers.points[i];
      add_share(column.part(point), point.time.point, table.rows[i]);
    }
  }
  document.blocks.emplace_back(Heading{"Where the workers' time goes"});
  document.blocks.emplace_back(std::move(table));
}

}  // namespace kstar
