#include "kstar/audit_report.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

using json_parts::estimate;
using json_parts::Json;
using json_parts::number;
using json_parts::whole;

constexpr int kSchemaVersion = 1;

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
          {"serial_fraction", number(check.serial_fraction)},
          {"status", name_of(check.status)},
          {"measured", check.measured},
          {"data_speedup", estimate(check.speedup)},
          {"base_time_needed", estimate(check.base_time)},
          {"base_time", number(check.base_measured)},
          {"evidence", check.evidence}};
}

Json to_json(const GoodWorkers& good) {
  return {{"efficiency", number(good.efficiency)},
          {"last_good", whole(good.last_good)},
          {"first_bad", whole(good.first_bad)},
          {"models", estimate(good.models)}};
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
  Json notes = Json::array();
  for (const Note& note : audit.notes) notes.push_back(json_parts::note(note));
  const Json json = {{"kstar", "audit"},
                     {"schema", kSchemaVersion},
                     {"counts", std::move(counts)},
                     {"good_workers", audit.good ? to_json(*audit.good) : Json(nullptr)},
                     {"claims", std::move(claims)},
                     {"findings", std::move(findings)},
                     {"notes", std::move(notes)}};
  return json_parts::text(json);
}

}  // namespace kstar
