#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "kstar/scaling_report.h"

namespace kstar {

namespace {

std::string share_text(const std::optional<Estimate>& share) {
  return share ? percent(share->point, 1) : "?";
}

/// In points of a hundredth.
std::string half_width(const Estimate& share) {
  return is_bounded(share) ? fixed((share.high - share.low) / 2 * 100, 1) : "?";
}

std::string cost_interval(const Estimate& cost) {
  if (!is_bounded(cost)) return "no interval";
  return fmt::format("{}..{}", fixed(cost.low, 3), fixed(cost.high, 3));
}

std::vector<std::string> row_of(const InsidePoint& point, bool files) {
  std::vector<std::string> row = {fmt::format("{}", point.workers), fmt::format("{}", point.runs)};
  if (point.runs == 0) {
    row.resize(files ? 10 : 9);
    return row;
  }
  row.push_back(share_text(point.useful));
  row.push_back(half_width(point.useful));
  row.push_back(share_text(point.mpi));
  row.push_back(share_text(point.wait));
  row.push_back(share_text(point.transfer));
  if (files) row.push_back(point.file ? share_text(point.file) : "0%");
  row.push_back(point.cost ? fixed(point.cost->point, 3) : "?");
  row.push_back(point.cost ? cost_interval(*point.cost) : "?");
  return row;
}

/// Who is waited for, and what is missing. The costs are in the table.
Items remarks(const InsideTable& table) {
  Items items{"Inside", {}};
  for (const InsidePoint& point : table.points) {
    if (point.waited_for) {
      items.items.push_back(fmt::format(
          "K = {}: the others wait for rank {}, which itself waits {} of its time; the one that "
          "waits most, {}",
          point.workers, *point.waited_for, percent(point.least_wait, 1),
          percent(point.most_wait, 1)));
    }
    if (point.failed > 0) {
      items.items.push_back(fmt::format("K = {}: {} failed; what was counted is in the study",
                                        point.workers, point.failed));
    }
  }
  for (const Note& note : table.notes) {
    if (note.what == "inside-cost" && note.severity == Severity::kInfo) continue;
    items.items.push_back(fmt::format("{}: {}", note.where, note.text));
  }
  return items;
}

}  // namespace

Document to_document(const InsideTable& table) {
  Document document;
  if (table.points.empty()) return document;
  const bool files = std::any_of(table.points.begin(), table.points.end(),
                                 [](const InsidePoint& point) { return point.file.has_value(); });
  Table rows;
  for (const char* name : {"K", "runs", "useful", "+-", "MPI", "waiting", "transfer"}) {
    rows.columns.push_back({.name = name});
  }
  if (files) rows.columns.push_back({.name = "files"});
  rows.columns.push_back({.name = "cost", .new_group = true});
  rows.columns.push_back({.name = "interval"});
  for (const InsidePoint& point : table.points) rows.rows.push_back(row_of(point, files));
  document.blocks.emplace_back(Paragraph{
      "Inside, from runs of their own: shares of the ranks' time from MPI_Init to MPI_Finalize; "
      "cost is T of these runs over T of the plain ones."});
  document.blocks.emplace_back(std::move(rows));
  if (const Items items = remarks(table); !items.items.empty()) {
    document.blocks.emplace_back(items);
  }
  return document;
}

}  // namespace kstar
