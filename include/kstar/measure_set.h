#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/measure.h"
#include "kstar/measure_session.h"
#include "kstar/result.h"

/// Several studies of the same K that one session measures interleaved: a block has a run of every
/// K of all of them, in random order. Their runs share the name of the session and the numbers of
/// blocks, so that a difference between two of them is none between two sessions.
namespace kstar {

/// One of the studies; what it refers to must outlive the measurement.
struct SetMember {
  MeasureSession& session;
  MeasureObserver& observer;
  std::vector<Note> found = {};
};

/// MeasureSession::run() of all of them. A K that one study still needs runs in all that can have
/// one more run; the budget is that of all together. All have the same points.
KSTAR_EXPORT Result<std::vector<MeasureResult>> run_interleaved(std::span<const SetMember> members,
                                                                Executor& executor,
                                                                const std::atomic<bool>& stop);

/// The spec of the session that begins now, of spec.sessions in all: its share of the runs. Of a
/// fixed number that of all sessions so far; else the first one is as precise as its share of runs
/// would be, and each further one makes as many runs as the first. `earlier`: the study that goes
/// on.
KSTAR_EXPORT MeasureSpec session_share(MeasureSpec spec, const Study& earlier);

/// How many sessions its runs are of.
KSTAR_EXPORT int sessions_in(const Study& study);

}  // namespace kstar
