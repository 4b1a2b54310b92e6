#pragma once

#include <string>

#include "kstar/tail.h"

/// How latencies, rates and shares are said.
namespace kstar::tail_words {

/// "12.5 ms", "3.35 min"; a bare number where the file has no unit.
std::string latency_text(double value, bool seconds);
/// Of a percentile: "below 1 ms" where a file that has whole milliseconds states 0.
std::string value_text(const TailPercentile& percentile, bool seconds);
/// The same in the unit of `like`: "71".
std::string latency_number(double value, double like, bool seconds);
/// "p99", "p99.9".
std::string percentile_name(double share);
/// "199.6/s".
std::string rate_text(double rate);
/// "99.2%", with as many digits as tell it from 100%.
std::string share_text(double share);
/// "71..94 ms"; or why there is none.
std::string interval_text(const TailPercentile& percentile, bool seconds);
/// "95%".
std::string confidence_text(const Tail& tail);
/// "95% interval".
std::string interval_name(const Tail& tail);
/// "too few samples for p99.9", "too short for p99"; "" without a doubt.
std::string doubt_text(const TailPercentile& percentile);
/// "12", "1.05 million".
std::string number_text(double number);
/// The file's own name, without its folders, and without its middle where it is wider.
std::string short_name(const std::string& path, std::size_t widest = 56);
/// "p99 of ttft".
std::string metric_suffix(const LatencySet& set);

}  // namespace kstar::tail_words
