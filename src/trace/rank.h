#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kstar/result.h"
#include "kstar/trace.h"
#include "trace/file.h"

/// One rank, reduced to what the comparison of ranks needs. Whole nanoseconds, so that parts of a
/// large job merge exactly.
namespace kstar::tracing {

struct Interval {
  std::int64_t start = 0, end = 0;
};

/// One step of one rank: compute + exposed + copies + idle = end - start.
struct RankStep {
  std::string label;
  std::int64_t start = 0, end = 0;
  std::int64_t compute = 0;
  std::int64_t communication = 0;  ///< the union of all of it
  std::int64_t exposed = 0;        ///< of communication, what no compute covers
  std::int64_t copies = 0;         ///< what neither covers
  std::int64_t idle = 0;
  std::int64_t active = 0;  ///< in which any rank of the file does something
};

/// A kind of communication: one row of a table.
struct OperationKind {
  std::string collective, group, ranks, library;
  std::int64_t size = 0, bytes = 0;
  auto operator<=>(const OperationKind&) const = default;
};

struct Operation {
  std::int64_t start = 0, end = 0;
  std::int64_t sequence = -1;
  std::int32_t step = -1;
  std::uint32_t kind = 0;
};

/// A piece of a lane in the step that is shown: one operation, or several of a kind close together.
struct Stretch {
  std::int64_t start = 0, end = 0;
  std::int64_t launch = 0;      ///< when the host started the first one; 0: not known
  std::int64_t operation = -1;  ///< in `operations`, where it is communication
  std::uint32_t lane = 0, name = 0, count = 1;
  Kind kind = Kind::kCompute;
};

struct NamedTime {
  std::string name;
  std::int64_t time = 0;
};

struct RankSummary {
  std::string file;
  std::int64_t rank = -1, world = -1;
  std::string skipped;  ///< why the file is left out, and the rest is empty; "": it is not
  std::string title;    ///< of a rank of a timeline: "DP 0, PP 1"
  std::string backend;
  bool device = false;  ///< it has operations of a device; else the host's were taken
  TraceSteps step_source = TraceSteps::kWhole;
  std::string step_name;
  std::vector<RankStep> steps;
  std::vector<Operation> operations;  ///< by start
  std::vector<OperationKind> kinds;
  std::vector<Interval> exposed;  ///< disjoint, by start
  std::int64_t shown = 0;         ///< the step that stretches are of
  std::vector<std::string> lanes, names;
  std::vector<Stretch> stretches;
  std::vector<NamedTime> unclassified;  ///< the longest first
  std::int64_t unclassified_time = 0, busy_time = 0;
  TraceHtaRank hta;
  std::int64_t events = 0, bytes = 0, bad = 0, strange = 0;
  bool torn = false;
  bool cut_step = false;  ///< torn, and its last step was left out
};

struct RankOptions {
  std::string step;              ///< the annotation that marks a step; "": found
  std::size_t stretches = 4096;  ///< at most so many
};

/// The ranks of a file: one, or those of a timeline. The events of the file are used up.
Result<std::vector<RankSummary>> summarize_ranks(TraceFile& file, const RankOptions& options);

/// Steps of a file: marks in time order, and where they come from.
struct StepMarks {
  struct Mark {
    std::int64_t start = 0, end = 0;
    std::string label;
  };
  std::vector<Mark> marks;
  TraceSteps source = TraceSteps::kWhole;
  std::string name;
};
Result<StepMarks> find_steps(const TraceFile& file, const WorkList& work,
                             const std::string& wanted);

/// Whether a file is a Chrome trace of something else: nothing in it is a kernel, an operator or
/// communication.
bool is_foreign(const TraceFile& file, const std::vector<RankSummary>& ranks);

TraceHtaRank hta_of(const TraceFile& file, const WorkList& work);

}  // namespace kstar::tracing
