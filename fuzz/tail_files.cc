// Any bytes as a file of latencies, in the format that they look like and in each by name: read, or
// refused with a place and a reason; what is read can be analysed.
#include <cmath>
#include <string_view>

#include "fuzz/require.h"
#include "kstar/tail.h"

using kstar::require;

namespace {

void try_format(std::string_view text, std::string_view format) {
  kstar::LatencyOptions options;
  options.format = format;
  options.most_exact = 1000;
  kstar::Result<kstar::LatencySet> set = kstar::parse_latencies(text, "fuzz", options);
  if (!set) {
    kstar::require_clear(set.error());
    return;
  }
  for (const double latency : set->samples) require(std::isfinite(latency) && latency >= 0);
  std::vector<kstar::LatencySet> sets;
  sets.push_back(*std::move(set));
  const kstar::Result<kstar::Tail> tail = kstar::analyze_tail(std::move(sets), {});
  require(tail.has_value() && tail->levels.size() == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_format(text, "");
  static const std::vector<kstar::LatencyFormatInfo> kFormats = kstar::latency_formats();
  if (size > 0) try_format(text, kFormats[data[size - 1] % kFormats.size()].name);
  return 0;
}
