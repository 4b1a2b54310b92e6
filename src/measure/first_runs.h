#pragma once

#include <cstddef>
#include <vector>

#include "kstar/measure.h"

/// What the first runs of a point already show to be wrong with the measurement: said at once, not
/// after an hour.
namespace kstar {

/// After `run` of points[at]: that the first run did work which the later ones found done
/// ("cached-work"), that runs are too short to be timed ("short-runs"), and the advice to mark
/// phases ("no-phases"). Each once in a study; `earlier` is the study that goes on.
std::vector<Note> first_run_doubts(const MeasureSpec& spec, const std::vector<MeasurePoint>& points,
                                   std::size_t at, const Run& run, const Study& earlier);

}  // namespace kstar
