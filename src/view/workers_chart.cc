#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/chart_parts.h"
#include "kstar/worker_table.h"
#include "view/kinds.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// More columns than this nobody sees apart.
constexpr std::size_t kMostColumns = 128;

/// A subject at one K.
struct Row {
  std::string name;
  std::string owner;
  WorkerPoint point;
};

std::vector<Row> rows_of(std::span<const Subject> subjects, Chart& chart) {
  std::vector<Row> rows;
  std::vector<std::string> without;
  for (const Subject& subject : subjects) {
    WorkerTable table = worker_table(subject.study, subject.analysis.table.regime,
                                     subject.analysis.options.confidence);
    const std::string name = subjects.size() > 1 ? subject.name : "";
    if (table.points.empty()) without.push_back(subject.name);
    for (WorkerPoint& point : table.points) {
      if (point.workers < 2) continue;  // nobody to be slower than
      const std::string label = fmt::format("{}{}{}", point.workers, name.empty() ? "" : " ", name);
      rows.push_back({label, owner(name), std::move(point)});
    }
  }
  if (!without.empty()) chart.notes.push_back(without_workers(without));
  return rows;
}

std::string pace_tip(const Row& row, const WorkerPace& pace) {
  return TipLines(fmt::format("{}K = {}, worker {}{}", row.owner, row.point.workers, pace.worker,
                              pace.host.empty() ? "" : " on " + pace.host))
      .add("over the mean", value_text(pace.over_mean))
      .add("per step", time_value_text(not_negative(pace.useful)))
      .note(count_text(row.point.runs, "run"))
      .take();
}

bool is_slower(const WorkerPace& a, const WorkerPace& b) {
  return a.over_mean.point < b.over_mean.point;
}

/// `width` workers a cell, of which the slowest is shown.
void add_cells(const Row& row, double y, std::size_t width, Chart& chart) {
  const std::vector<WorkerPace>& paces = row.point.paces;
  for (std::size_t first = 0; first < paces.size(); first += width) {
    const std::size_t end = std::min(paces.size(), first + width);
    const auto begin = paces.begin() + static_cast<std::ptrdiff_t>(first);
    const WorkerPace& slowest =
        *std::max_element(begin, paces.begin() + static_cast<std::ptrdiff_t>(end), is_slower);
    std::string tip = pace_tip(row, slowest);
    if (end - first > 1) {
      tip += fmt::format("\nthe slowest of workers {} to {}", paces[first].worker,
                         paces[end - 1].worker);
    }
    const std::size_t column = first / width;
    chart.cells.push_back(
        {static_cast<double>(column), y, slowest.over_mean.point, std::move(tip)});
  }
}

void set_columns(std::size_t most, std::size_t width, Chart& chart) {
  const std::size_t columns = (most + width - 1) / width;
  chart.x = {.label = "worker",
             .log = false,
             .whole = true,
             .low = -0.5,
             .high = static_cast<double>(columns) - 0.5};
  if (width == 1) return;
  for (std::size_t i = 0; i < columns; ++i) {
    chart.x.names.push_back(fmt::format("{}-{}", i * width, std::min(most, (i + 1) * width) - 1));
  }
  chart.notes.push_back(
      fmt::format("{} workers share one column: the slowest of them is shown.", width));
}

/// As far below 1 as above it: the mean has no colour.
void set_values(Chart& chart) {
  double away = 0.05;
  for (const ChartCell& cell : chart.cells) away = std::max(away, std::fabs(cell.value - 1));
  chart.values = {.label = "time / mean",
                  .log = false,
                  .whole = false,
                  .low = std::max(0.0, 1 - away),
                  .high = 1 + away,
                  .middle = 1};
}

std::string workers_summary(const std::vector<Row>& rows) {
  const WorkerPace* slowest = nullptr;
  const Row* where = nullptr;
  for (const Row& row : rows) {
    for (const WorkerPace& pace : row.point.paces) {
      if (slowest != nullptr && !is_slower(*slowest, pace)) continue;
      slowest = &pace;
      where = &row;
    }
  }
  return fmt::format("The slowest: {}.", one_line(pace_tip(*where, *slowest)));
}

Result<Chart> workers_chart(std::span<const Subject> subjects) {
  Chart chart;
  const std::vector<Row> rows = rows_of(subjects, chart);
  if (rows.empty()) {
    return fail({.where = subjects[0].name,
                 .message = "no run with two or more workers has per-worker times",
                 .hint = "measure per-worker times: kstar measure --time marks, or --inside"});
  }
  std::size_t most = 0;
  for (const Row& row : rows) most = std::max(most, row.point.paces.size());
  const std::size_t width = (most + kMostColumns - 1) / kMostColumns;
  chart.title = "Which worker is slow: useful time of every worker";
  set_columns(most, width, chart);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    chart.y.names.push_back(rows[i].name);
    chart.y.name_workers.push_back(rows[i].point.workers);
    add_cells(rows[i], static_cast<double>(i), width, chart);
  }
  chart.y.label = "workers K";
  chart.y.workers = true;
  chart.y.low = -0.5;
  chart.y.high = static_cast<double>(rows.size()) - 0.5;
  set_values(chart);
  chart.summary = workers_summary(rows);
  chart.caption =
      caption_of(subjects, chart, "Useful is computing and loading data, the mean over runs.");
  return chart;
}

}  // namespace

const ChartKind kWorkersChart = {.name = "workers",
                                 .help = "which worker is slow: every worker at every K",
                                 .needs = "per-worker times at K = 2 or more",
                                 .one_regime = false,
                                 .place_in_text = 4,
                                 .make = workers_chart};

}  // namespace kstar::view
