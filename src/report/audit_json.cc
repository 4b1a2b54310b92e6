#include <cmath>
#include <nlohmann/json.hpp>

#include "kstar/audit_report.h"

namespace kstar {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

/// What is not there, and what has no bound, is null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json optional(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json optional(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json optional(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"point", number(estimate->point)},
          {"low", number(estimate->low)},
          {"high", number(estimate->high)}};
}

Json to_json(const Finding& finding) {
  const bool asked =
      finding.status == FindingStatus::kMissing || finding.status == FindingStatus::kContradicted;
  return {{"rule", finding.rule->name},
          {"group", name_of(finding.rule->group)},
          {"title", finding.rule->title},
          {"status", name_of(finding.status)},
          {"evidence", finding.evidence},
          {"reason", finding.rule->reason},
          {"question", asked ? Json(finding.rule->question) : Json(nullptr)}};
}

Json to_json(const ClaimCheck& check) {
  return {{"claim", check.claim.text},
          {"workers", number(check.claim.workers)},
          {"speedup", number(check.claim.speedup)},
          {"efficiency", number(check.claim.efficiency)},
          {"idle_workers", number(check.idle_workers)},
          {"serial_fraction", optional(check.serial_fraction)},
          {"status", name_of(check.status)},
          {"measured", check.measured},
          {"data_speedup", optional(check.speedup)},
          {"base_time_needed", optional(check.base_time)},
          {"base_time", optional(check.base_measured)},
          {"evidence", check.evidence}};
}

Json to_json(const GoodWorkers& good) {
  return {{"efficiency", number(good.efficiency)},
          {"last_good", optional(good.last_good)},
          {"first_bad", optional(good.first_bad)},
          {"models", optional(good.models)}};
}

}  // namespace

std::string to_json(const Audit& audit) {
  Json counts;
  for (const FindingStatus status : {FindingStatus::kShown, FindingStatus::kMissing,
                                     FindingStatus::kContradicted, FindingStatus::kNotApplicable}) {
    counts[std::string(name_of(status))] = audit.count(status);
  }
  Json findings = Json::array(), claims = Json::array();
  for (const Finding& finding : audit.findings) findings.push_back(to_json(finding));
  for (const ClaimCheck& check : audit.claims) claims.push_back(to_json(check));
  const Json json = {{"kstar", "audit"},
                     {"schema", kSchemaVersion},
                     {"counts", std::move(counts)},
                     {"good_workers", audit.good ? to_json(*audit.good) : Json(nullptr)},
                     {"claims", std::move(claims)},
                     {"findings", std::move(findings)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kstar
