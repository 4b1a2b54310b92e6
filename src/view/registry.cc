#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kstar/view.h"
#include "view/kinds.h"

namespace kstar {

namespace {

using Builder = Result<Chart> (*)(std::span<const Subject>);

constexpr std::array<ChartKind, 6> kKinds = {{
    {"speedup", "S against the ideal line, with fixed work", "work that does not grow with K"},
    {"efficiency", "E with the threshold and the bend; with growing work, against the flat line",
     "a base that S and E are relative to"},
    {"samples", "every run in the order they were made: drift and outliers",
     "K that were run more than once"},
    {"breakdown", "where the workers' time goes at each K", "times of single workers"},
    {"workers", "who is slow: every worker at every K", "times of single workers at K = 2 or more"},
    {"models", "the fitted models with bands, hindcast and what they foretell", "two K or more"},
}};

constexpr std::array<Builder, kKinds.size()> kBuilders = {
    view::speedup_chart,   view::efficiency_chart, view::samples_chart,
    view::breakdown_chart, view::workers_chart,    view::models_chart};

/// So many from the front as are of one regime and have something to draw, or have not.
std::size_t alike(std::span<const Subject> subjects) {
  const ScalingTable& first = subjects[0].analysis.table;
  const auto other = std::find_if(subjects.begin(), subjects.end(), [&](const Subject& subject) {
    const ScalingTable& table = subject.analysis.table;
    return table.regime != first.regime || table.points.empty() != first.points.empty();
  });
  return static_cast<std::size_t>(other - subjects.begin());
}

/// What cannot share a chart gets one of its own: first by regime, then each by itself.
void add_charts(std::string_view kind, std::span<const Subject> subjects, std::size_t of,
                std::vector<Chart>& charts) {
  if (Result<Chart> chart = chart_of(kind, subjects)) {
    if (subjects.size() == 1 && of > 1) chart->title += ": " + subjects[0].name;
    charts.push_back(std::move(*chart));
    return;
  }
  if (subjects.size() < 2) return;
  const std::size_t some = alike(subjects);
  const std::size_t piece = some < subjects.size() ? some : 1;
  add_charts(kind, subjects.first(piece), of, charts);
  add_charts(kind, subjects.subspan(piece), of, charts);
}

std::string all_names() {
  std::string names;
  for (const ChartKind& kind : kKinds) {
    names.append(names.empty() ? "" : ", ").append(kind.name);
  }
  return names;
}

}  // namespace

std::span<const ChartKind> chart_kinds() {
  return kKinds;
}

Result<Chart> chart_of(std::string_view kind, std::span<const Subject> subjects) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const ChartKind& one) { return one.name == kind; });
  if (found == kKinds.end()) return fail(expected("kind", all_names(), std::string(kind)));
  if (subjects.empty()) return fail({.where = std::string(kind), .message = "nothing to draw"});
  return kBuilders.at(static_cast<std::size_t>(found - kKinds.begin()))(subjects);
}

std::vector<Chart> charts_of(std::span<const Subject> subjects) {
  std::vector<Chart> charts;
  for (const ChartKind& kind : kKinds) add_charts(kind.name, subjects, subjects.size(), charts);
  return charts;
}

std::vector<double> chart_workers(const ScalingTable& table) {
  double last = 0;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) last = std::max(last, static_cast<double>(point.workers));
  }
  std::vector<double> workers;
  for (const double times : {1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0}) {
    const double k = std::round(times * last);
    if (k > last && (workers.empty() || k > workers.back())) workers.push_back(k);
  }
  return workers;
}

}  // namespace kstar
