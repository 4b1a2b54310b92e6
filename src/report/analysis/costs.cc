#include "report/analysis/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

std::string cpu_cell(const ScalingPoint& point) {
  return point.cpu_use ? percent(*point.cpu_use, 0) : "";
}

bool has_cpu_use(const ScalingTable& table) {
  return any_point(table, [](const ScalingPoint& p) { return p.cpu_use.has_value(); });
}

std::string memory_cell(const ScalingPoint& point) {
  constexpr double kMebi = 1024.0 * 1024;
  return point.peak_memory ? significant(*point.peak_memory / kMebi, 3) + " MiB" : "";
}

/// K T(K) over the work: what one result costs, in three digits.
std::string worker_time_cell(const ScalingPoint& point) {
  const double seconds = point.workers * point.time.point / point.work;
  const TimeUnit unit = time_unit_for(seconds);
  return fmt::format("{} {}", significant(seconds / unit.seconds, 3), unit.name);
}

/// Where the work grows with K, that of one result is the base's.
const char* worker_time_name(const ScalingTable& table) {
  return table.regime == Regime::kWeak ? "K T/work" : "K T(K)";
}

/// The longest word: names are broken at blanks where room is short.
std::size_t longest_word(const std::string& name) {
  std::size_t longest = 0;
  for (const std::string_view word : split(name, ' ')) longest = std::max(longest, word.size());
  return longest;
}

/// As a terminal would draw it: two blanks between columns, a rule before a group.
std::size_t width_of(const Table& table) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = longest_word(table.columns[i].name);
    for (const std::vector<std::string>& row : table.rows) widest = std::max(widest, row[i].size());
    width += widest + (i == 0 ? 0 : table.columns[i].new_group ? 4 : 2);
  }
  return width;
}

/// The columns with one more before the verdict, where that fits the screen.
void take_column(const ScalingTable& table, const PointColumn& column,
                 std::vector<PointColumn>& columns, Table& rows) {
  constexpr std::size_t kScreen = 80;
  std::vector<PointColumn> wider = columns;
  wider.insert(wider.end() - 1, column);
  for (const char* runs : {"runs", "n"}) {  // the name is wider than the numbers
    wider[1].name = runs;
    Table drawn = table_of(table, wider);
    add_shapes(table, drawn);
    if (width_of(drawn) > kScreen) continue;
    columns = wider;
    rows = std::move(drawn);
    return;
  }
}

/// "2 workers" and "3 workers" are "2, 3 workers", "K = 1" and "K = 2" are "K = 1, 2".
std::string joined_places(const std::string& places, const std::string& more) {
  constexpr std::string_view kAfter = " workers", kBefore = "K = ";
  if (places.ends_with(kAfter) && more.ends_with(kAfter)) {
    return places.substr(0, places.size() - kAfter.size()) + ", " + more;
  }
  if (places.starts_with(kBefore) && more.starts_with(kBefore)) {
    return places + ", " + more.substr(kBefore.size());
  }
  return places + ", " + more;
}

}  // namespace

Table usage_table(const ScalingTable& table) {
  std::vector<PointColumn> columns = {{"K", point_name}};
  if (has_cpu_use(table)) columns.push_back({"CPU use", cpu_cell});
  if (any_point(table, [](const ScalingPoint& p) { return p.peak_memory.has_value(); })) {
    columns.push_back({"peak memory", memory_cell});
  }
  if (columns.size() == 1) return {};
  columns[1].new_group = true;
  if (!table.relative_times) columns.push_back({worker_time_name(table), worker_time_cell});
  return table_of(table, columns);
}

void add_costs(const ScalingTable& table, std::vector<PointColumn>& columns, Table& rows) {
  if (has_cpu_use(table)) take_column(table, {"CPU", cpu_cell}, columns, rows);
  if (!table.relative_times)
    take_column(table, {worker_time_name(table), worker_time_cell}, columns, rows);
}

std::vector<std::string> said_once(const std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, std::string>> all;  // where, and what
  for (const std::string& note : notes) {
    const std::size_t colon = std::min(note.find(": "), note.size());
    const std::string where = note.substr(0, colon), what = note.substr(colon);
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.second == what; });
    if (same == all.end() || what.empty()) {
      all.emplace_back(where, what);
    } else if (same->first != where) {
      same->first = joined_places(same->first, where);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [where, what] : all) texts.push_back(where + what);
  return texts;
}

}  // namespace kstar
