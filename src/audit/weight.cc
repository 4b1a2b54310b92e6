#include "audit/weight.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kstar {

namespace {

constexpr std::array<std::string_view, 20> kAgainst = {
    "superlinear",     "best-single-worker",  "optimised-build",
    "memory-pressure", "gustafson-line",      "exact-baseline",
    "same-problem",    "fixed-workload",      "one-regime",
    "regime",          "exact-ratios",        "claims-follow",
    "base-of-one",     "ratios-not-averaged", "claims-in-interval",
    "typical-runs",    "nothing-left-out",    "hidden-spread",
    "bare-line",       "too-straight"};

constexpr std::array<std::string_view, 8> kMissingFirst = {
    "exact-baseline", "fixed-workload",     "repeats",     "regime", "warm-up",
    "efficiency",     "best-single-worker", "typical-runs"};

template <std::size_t N>
std::size_t place_in(const std::array<std::string_view, N>& order, std::string_view name) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), name) - order.begin());
}

}  // namespace

const Finding* heaviest(const std::vector<Finding>& findings, FindingStatus status,
                        const std::function<bool(const Finding&)>& counts) {
  const auto place = [&](const Finding& finding) {
    return status == FindingStatus::kContradicted ? place_in(kAgainst, finding.rule->name)
                                                  : place_in(kMissingFirst, finding.rule->name);
  };
  const Finding* heaviest = nullptr;
  for (const Finding& finding : findings) {
    if (finding.status != status || !counts(finding)) continue;
    if (heaviest == nullptr || place(finding) < place(*heaviest)) heaviest = &finding;
  }
  return heaviest;
}

}  // namespace kstar
