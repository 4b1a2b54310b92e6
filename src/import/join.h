#pragma once

#include <vector>

#include "kstar/result.h"
#include "kstar/study.h"

namespace kstar {

/// One study of the runs of several imported files, in their order. They must agree on the regime
/// and on the problem at each K; what a note says of several files is said once.
Result<Study> join(std::vector<Study> studies);

/// The problem at each K; one entry for all where it is the same.
std::vector<Workload> workload_list(std::vector<Workload> by_workers);

}  // namespace kstar
