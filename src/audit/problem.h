#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/evidence.h"

/// What the file says about the problem at each K, and what workers counted.
namespace kstar {

struct WorkAt {
  int workers = 1;
  double amount = 0;
};

/// One source of how much work there is.
struct WorkSource {
  std::string name;             ///< "batch", "size", "work done by the workers"
  std::vector<WorkAt> amounts;  ///< by K, of those that the source knows
};

/// Whether the file says the problem at this K, by more than the work that an import counts seconds
/// for.
bool says_problem(const Evidence& evidence, int workers);

/// Those that know two K or more.
std::vector<WorkSource> work_sources(const Evidence& evidence);

/// What work does from one K to the next.
enum class WorkStep { kFixed, kInProportion, kOther };
WorkStep step_between(const WorkAt& from, const WorkAt& to);

/// "the same at every K", "the same on each worker" or "another at each K".
std::string way_of(const std::vector<WorkSource>& sources);

/// Runs that count what they do differ in it from K to K; in which way, or none.
std::optional<std::string> uneven_work(const Evidence& evidence);

/// Why the points are no one job, in the regime that they are shown in; none where nothing says so.
std::optional<std::string> changed_problem(const Evidence& evidence);

}  // namespace kstar
