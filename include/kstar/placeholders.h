#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/shape.h"
#include "kstar/study.h"

/// What a spec's command becomes at one K. In the command, the baseline, the check command, what
/// prepares and cleans up, and the values of variables
///   {K}        the number of workers
///   {nodes}    how many nodes they are on
///   {ranks}    ranks a node
///   {threads}  threads a rank
///   {tasks}    ranks over all nodes
///   {size}     the size of the problem at this K
///   {batch}    the batch over all workers at this K
///   {batch/K}  one worker's share of it
/// in the check command {output}, the file that holds the run's standard output,
/// and {{ and }} are braces. check_spec() has tried them at every K before anything runs; these
/// functions fail on the same mistakes.
namespace kstar {

/// The command at K, ready to be started: with `shell`, /bin/sh -c and the text.
KSTAR_EXPORT Result<std::vector<std::string>> expand(const MeasureSpec& spec, std::int64_t workers);

/// The baseline, at K = 1; empty when there is none.
KSTAR_EXPORT Result<std::vector<std::string>> expand_baseline(const MeasureSpec& spec);

/// The check command for a run at K, with `output` for {output}; empty when there is none.
KSTAR_EXPORT Result<std::vector<std::string>> expand_check(const MeasureSpec& spec,
                                                           std::int64_t workers,
                                                           std::string_view output = "");

/// Another command that runs beside the job at K (`words` is a field of `spec`, `where` its flag);
/// empty when there is none.
KSTAR_EXPORT Result<std::vector<std::string>> expand_beside(const MeasureSpec& spec,
                                                            const std::vector<std::string>& words,
                                                            std::int64_t workers,
                                                            std::string_view where);

/// The variables at K, by name.
KSTAR_EXPORT Result<std::vector<std::pair<std::string, std::string>>> expand_variables(
    const MeasureSpec& spec, std::int64_t workers);

/// How K workers are laid out: as `shapes` says; else on nodes of `per_node` workers, or on one
/// node where that is not said. A worker is a thread of one process with the local launcher, and
/// a rank of one thread with any other. check_spec() has seen that K divides by `per_node`.
KSTAR_EXPORT Shape shape_at(const MeasureSpec& spec, std::int64_t workers);

/// The problem at K, as the study's header records it. Weak: the size grows by the stated rule and
/// the batch in proportion to K; else both stay. A size that is whole on one worker stays whole.
KSTAR_EXPORT Workload workload_at(const MeasureSpec& spec, std::int64_t workers);

}  // namespace kstar
