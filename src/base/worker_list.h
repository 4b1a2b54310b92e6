#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// Worker counts as people write them: `1,2,4`, `1..512` (doubling, and the end itself), `1..16:1`
/// (step), and any of these behind one another with commas. Sorted, each once.
Result<std::vector<std::int64_t>> parse_worker_list(std::string_view text,
                                                    std::string_view where = "--workers");

/// The same list as text, with ranges where many counts are evenly spaced: "1,2,4,8..60:1".
std::string worker_list_text(const std::set<int>& workers);

}  // namespace kstar
