#pragma once

#include <string>

#include "kstar/analysis.h"

/// The answer where there is room for a line: a page, a list of studies.
namespace kstar {

/// "Run on 8 workers; 16 would be 1.55x faster at 55% efficiency."
std::string headline_text(const Analysis& analysis);

/// "K* = 8 to 12; 84% of the evidence for the bend at K = 16."; empty where no K* is advised.
std::string sureness_text(const Analysis& analysis);

/// The efficiency at a K, by time to train where the table has none; null where there is neither.
const Estimate* efficiency_at(const Analysis& analysis, int workers);

}  // namespace kstar
