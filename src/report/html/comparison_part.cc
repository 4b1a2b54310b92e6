#include <fmt/format.h>

#include <set>

#include "base/number.h"
#include "kstar/words.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

std::string range(const Estimate& estimate) {
  return is_bounded(estimate) ? range_cell(estimate, 3) : "";
}

void add_columns(const Subject& subject, Table& table) {
  const std::string name = name_of(subject);
  table.columns.push_back({.name = fmt::format("{}: T (s)", name), .new_group = true});
  table.columns.push_back({.name = "interval", .joined = true});
  table.columns.push_back({.name = "E"});
  table.columns.push_back({.name = "interval", .joined = true});
}

void add_cells(const ScalingPoint* point, std::vector<std::string>& row) {
  row.push_back(point == nullptr ? "" : significant(point->time.point, 4));
  row.push_back(point == nullptr ? "" : range(point->time));
  const bool known = point != nullptr && point->efficiency;
  row.push_back(known ? fixed(point->efficiency->point, 3) : "");
  row.push_back(known ? range(*point->efficiency) : "");
}

Table table_of(std::span<const Subject> subjects) {
  Table table;
  table.columns.push_back({.name = "K"});
  std::set<int> workers;
  for (const Subject& subject : subjects) {
    add_columns(subject, table);
    for (const ScalingPoint& point : subject.analysis.table.points) {
      if (point.role == Role::kParallel) workers.insert(point.workers);
    }
  }
  for (const int k : workers) {
    std::vector<std::string> row = {fmt::format("{}", k)};
    for (const Subject& subject : subjects)
      add_cells(point_at(subject.analysis.table, Role::kParallel, k), row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string comparison_part(std::span<const Subject> subjects) {
  if (subjects.size() < 2) return "";
  return "<section id=\"comparison\" aria-labelledby=\"comparison-title\">\n" +
         heading(2, "comparison-title", "Side by side") +
         to_html(table_of(subjects), "T(K) and E(K) of each study") +
         "<p>Each study is relative to its own base. <code>kstar compare</code> shows what changed "
         "between two of them, and how certain that is.</p>\n</section>\n";
}

}  // namespace kstar
