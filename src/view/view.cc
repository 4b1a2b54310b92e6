#include "kstar/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "view/kinds.h"

namespace kstar {

namespace {

/// Of the parallel program.
bool has_points(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.role == Role::kParallel; });
}

Result<void> same_regime(std::span<const Subject> subjects, std::string_view kind) {
  for (const Subject& subject : subjects) {
    const std::optional<Regime>& first = subjects[0].analysis.table.regime;
    const std::optional<Regime>& other = subject.analysis.table.regime;
    if (!has_points(subject.analysis.table)) {
      return fail({.where = subject.name, .message = "no run has a usable time", .hint = {}});
    }
    if (first == other) continue;
    const auto name = [](const std::optional<Regime>& regime) {
      return regime ? name_of(*regime) : std::string_view("unknown");
    };
    return fail({.where = subject.name,
                 .message = fmt::format("its scaling is {}, that of {} is {}: one {} chart of both "
                                        "would compare different things",
                                        name(other), subjects[0].name, name(first), kind),
                 .hint = "draw them in separate charts"});
  }
  return {};
}

Result<Chart> make(const ChartKind& kind, std::span<const Subject> subjects) {
  if (kind.one_regime) {
    KSTAR_CHECK(same_regime(subjects, kind.name));
  }
  Result<Chart> chart = kind.make(subjects);
  if (chart) chart->kind = kind.name;
  return chart;
}

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
void add_charts(const ChartKind& kind, std::span<const Subject> subjects, std::size_t of,
                std::vector<Chart>& charts) {
  if (Result<Chart> chart = make(kind, subjects)) {
    if (subjects.size() == 1 && of > 1) {
      chart->study = subjects[0].name;
      chart->title += ": " + chart->study;
    }
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
  for (const ChartKind& kind : chart_kinds()) {
    names.append(names.empty() ? "" : ", ").append(kind.name);
  }
  return names;
}

}  // namespace

std::span<const ChartKind> chart_kinds() {
  static const std::vector<ChartKind> kAll = [] {
    std::vector<ChartKind> all;
    for (const ChartKind* kind : view::kKinds) all.push_back(*kind);
    return all;
  }();
  return kAll;
}

std::vector<ChartKind> text_chart_kinds() {
  std::vector<ChartKind> kinds(chart_kinds().begin(), chart_kinds().end());
  std::erase_if(kinds, [](const ChartKind& kind) { return !kind.place_in_text; });
  std::sort(kinds.begin(), kinds.end(), [](const ChartKind& a, const ChartKind& b) {
    return a.place_in_text < b.place_in_text;
  });
  return kinds;
}

const ChartKind& natural_kind(const ScalingTable& table) {
  return table.regime == Regime::kWeak ? view::kEfficiencyChart : view::kSpeedupChart;
}

Result<Chart> chart_of(std::string_view kind, std::span<const Subject> subjects) {
  const std::span<const ChartKind> kinds = chart_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const ChartKind& one) { return one.name == kind; });
  if (found == kinds.end()) return fail(expected("kind", all_names(), std::string(kind)));
  if (subjects.empty()) return fail({.where = std::string(kind), .message = "nothing to draw"});
  return make(*found, subjects);
}

std::vector<Chart> charts_of(std::span<const Subject> subjects) {
  std::vector<Chart> charts;
  for (const ChartKind& kind : chart_kinds()) add_charts(kind, subjects, subjects.size(), charts);
  return charts;
}

}  // namespace kstar
