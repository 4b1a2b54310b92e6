// Any bytes: an output of a benchmark of collectives or a network file is read, or refused with a
// place and a reason; what is read can be fitted, written and predicted from.
#include <cmath>
#include <string_view>

#include "fuzz/require.h"
#include "kstar/comm_fit.h"
#include "kstar/comm_predict.h"
#include "kstar/comm_report.h"
#include "kstar/network_cost.h"

using kstar::require;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto network = kstar::parse_network(text, "fuzz"); !network) {
    kstar::require_clear(network.error());
  } else {
    const auto again = kstar::parse_network(kstar::to_toml(*network), "fuzz");
    require(again.has_value());
    for (const double workers : {1.0, 2.0, 48.0}) {
      const auto cost =
          kstar::collective_cost(*network, kstar::Collective::kAllReduce, 1e6, workers);
      if (cost) require(cost->seconds.point >= 0 && cost->seconds.low <= cost->seconds.high);
    }
  }
  kstar::CommData found;
  if (const auto read = kstar::read_collectives(text, "fuzz", found); !read) {
    kstar::require_clear(read.error());
    return 0;
  }
  kstar::apply_given({.workers = 4.0}, found);
  const auto analysis = kstar::analyze_comm(found);
  if (!analysis) {
    kstar::require_clear(analysis.error());
    return 0;
  }
  for (const kstar::CommFit& fit : analysis->fits) {
    for (const kstar::NetworkPiece& piece : fit.pieces) {
      require(std::isfinite(piece.alpha.point) && piece.alpha.point >= 0);
      require(std::isfinite(piece.beta.point) && piece.beta.point >= 0);
    }
  }
  kstar::CommReport report{.title = "fuzz", .analysis = *analysis};
  require(!kstar::to_json(report).empty());
  require(!kstar::to_markdown(kstar::to_document(report, {.full = true})).empty());
  if (analysis->network.sweeps.empty()) return 0;
  require(kstar::parse_network(kstar::to_toml(analysis->network), "fuzz").has_value());
  static_cast<void>(kstar::predict_comm(analysis->network, {.bytes = 1e6, .workers = {2, 64}}));
  return 0;
}
