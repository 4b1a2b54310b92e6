#include "measure/first_runs.h"

#include <algorithm>

#include "measure/point.h"

namespace kstar {

namespace {

/// Starting a process takes about one millisecond, and varies by as much.
constexpr double kShort = 0.005;

bool is_cached(const MeasurePoint& point) {
  return point.times.size() > 1 && point.times[0] > kCachedWork * point.times[1];
}

bool is_short(const MeasurePoint& point) {
  return !point.times.empty() && point.times.back() < kShort;
}

/// Steps are marked, and what the workers do in them is not.
bool has_no_phases(const Run& run) {
  if (failed(run) || run.steps.empty() || !run.per_worker) return false;
  const PerWorker& all = *run.per_worker;
  const auto none = [](const std::vector<double>& times) {
    return std::all_of(times.begin(), times.end(), [](double time) { return time == 0; });
  };
  return none(all.compute) && none(all.communicate) && none(all.wait) && none(all.load);
}

/// Whether this run is the first in the study of which it holds.
template <typename Holds>
bool is_first(const std::vector<MeasurePoint>& points, std::size_t at, std::size_t runs,
              Holds holds) {
  if (points[at].inside || points[at].times.size() != runs || !holds(points[at])) return false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i != at && !points[i].inside && holds(points[i])) return false;
  }
  return true;
}

Note doubt(std::string what, const MeasurePoint& point, NoteValues values) {
  return {.severity = Severity::kWarning,
          .what = std::move(what),
          .where = point_name(point.role, point.workers),
          .values = std::move(values)};
}

}  // namespace

std::vector<Note> first_run_doubts(const MeasureSpec& spec, const std::vector<MeasurePoint>& points,
                                   std::size_t at, const Run& run, const Study& earlier) {
  std::vector<Note> doubts;
  const MeasurePoint& point = points[at];
  const auto known = [&](std::string_view what) {
    return std::any_of(earlier.notes.begin(), earlier.notes.end(),
                       [&](const Note& note) { return note.what == what; });
  };
  if (spec.prepare.empty() && is_first(points, at, 2, is_cached) && !known("cached-work")) {
    doubts.push_back(doubt("cached-work", point, {{"factor", point.times[0] / point.times[1]}}));
  }
  const bool whole = spec.time_from == TimeFrom::kProcess;
  if (whole && is_first(points, at, 1, is_short) && !known("short-runs")) {
    doubts.push_back(doubt("short-runs", point, {{"ms", point.times[0] * 1000}}));
  }
  if (spec.time_from == TimeFrom::kMarks && run.order == 0 && has_no_phases(run)) {
    doubts.push_back({.severity = Severity::kInfo, .what = "no-phases", .where = "marks"});
  }
  return doubts;
}

}  // namespace kstar
