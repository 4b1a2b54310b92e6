#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "kstar/latency.h"

/// Latencies of a text that stands in a test.
namespace kstar::test {

inline LatencySet parsed(std::string_view text, const LatencyOptions& options = {}) {
  Result<LatencySet> set = parse_latencies(text, "file", options);
  EXPECT_TRUE(set.has_value()) << (set ? "" : set.error().where + ": " + set.error().message);
  return set ? *std::move(set) : LatencySet();
}

inline Error refused(std::string_view text, const LatencyOptions& options = {}) {
  const Result<LatencySet> set = parse_latencies(text, "file", options);
  EXPECT_FALSE(set.has_value()) << text.substr(0, 60);
  return set ? Error() : set.error();
}

}  // namespace kstar::test
