#pragma once

#include <set>
#include <string>

#include "compare/rounding.h"
#include "compare/time_kind.h"
#include "compare/times.h"
#include "kstar/compare.h"

namespace kstar::comparing {

/// One study, as far as the other has the same K.
struct Side {
  Study study;
  Times times;
  TimeKind kind = TimeKind::kRun;
  std::map<int, Hidden> hidden;  ///< by rounding, at each K of `times`
  Hidden hidden_of_base;         ///< of the times that S and E are relative to
  Analysis analysis;
};

/// The study at these K alone, and its analysis.
Result<Side> side_of(const Study& study, const std::set<int>& workers,
                     const CompareOptions& options);

/// Of the parallel program, at one of the K compared.
const ScalingPoint& point_at(const Side& side, int workers);

/// Whether T of both is in seconds of the same thing. A share of one base's time is none of
/// another's: S and E are left.
bool same_seconds(const Side& before, const Side& after);

/// Whether S and E of both are relative to the same. Those of strong scaling and of throughput are
/// made by one formula: T(base) over T(K) for the same work.
bool same_base(const Side& before, const Side& after);

/// Over what the runs of a side were spread.
Scope scope_of(const Side& side);

std::set<int> workers_in(const Times& times);

/// "1, 2, 4", or "none".
std::string list_text(const std::set<int>& workers);

}  // namespace kstar::comparing
