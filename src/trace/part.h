#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/rank.h"

/// Ranks as a file, for jobs that are read in parts. Numbers are whole: nothing is rounded.
namespace kstar::tracing {

Result<std::string> part_text(const std::vector<RankSummary>& ranks, const TraceOptions& options,
                              std::size_t files);

/// All ranks of all parts. A part that is missing or there twice, or is of another job, is an
/// error.
Result<std::vector<RankSummary>> read_parts(std::span<const std::string> paths);

/// The same for one part, from memory; `name` stands for the file.
Result<std::vector<RankSummary>> parse_part(std::string_view text, std::string_view name);

}  // namespace kstar::tracing
