// Numbers that a file states beside its times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "audit/recomputed.h"
#include "audit/rules.h"
#include "base/number.h"

namespace kstar {

namespace {

constexpr const char* kNoClaims = "the file claims no speedup or efficiency";

std::string claim_words(const FileClaim& claim) {
  return claim.speedup ? fmt::format("{}x", significant(*claim.speedup, 4))
                       : fmt::format("an efficiency of {}", significant(*claim.efficiency, 4));
}

std::string recomputed_words(const FileClaim& claim, const Recomputed& again) {
  const double speedup = again.of_row.empty() ? again.means : again.of_row.front();
  const double value = claim.speedup ? speedup : speedup * again.base_workers / claim.run->workers;
  const double claimed = claim.speedup ? *claim.speedup : *claim.efficiency;
  const double off = claimed / value - 1;
  return fmt::format("{}{} ({}{} off)", significant(value, 4), claim.speedup ? "x" : "",
                     off > 0 ? "+" : "", percent(off, std::fabs(off) < 0.1 ? 2 : 1));
}

RuleVerdict follow(const Evidence& evidence) {
  if (const Note* note = find_note(evidence.study, "rates-disagree")) {
    return contradicted(note_sentence(*note));
  }
  if (evidence.claims.empty()) return not_applicable(kNoClaims);
  std::vector<std::string> wrong;
  std::size_t checked = 0;
  for (const FileClaim& claim : evidence.claims) {
    FileClaim one = claim;
    for (const bool speedup : {true, false}) {
      if (!(speedup ? claim.speedup : claim.efficiency)) continue;
      one.speedup = speedup ? claim.speedup : std::nullopt;
      one.efficiency = speedup ? std::nullopt : claim.efficiency;
      const auto again = recompute(evidence, one);
      if (!again) continue;
      ++checked;
      if (follows(one, *again)) continue;
      wrong.push_back(fmt::format("{}: {} is claimed, its values give {}", place_of(one),
                                  claim_words(one), recomputed_words(one, *again)));
    }
  }
  if (checked == 0) return missing("the claims have no times to compute them from");
  const std::string all = fmt::format(
      "{} of {} claims differ from their own values by more than 2%", wrong.size(), checked);
  if (wrong.empty() && evidence.claimed_base && evidence.base->workers > 1) {
    return missing(
        fmt::format("all claims agree on a base of {} s, which is not in the table; it starts at "
                    "K = {}",
                    significant(*evidence.claimed_base, 4), evidence.base->workers));
  }
  if (wrong.empty() && evidence.claimed_base) {
    return shown(
        fmt::format("{}; all are relative to a single-worker program that takes {} s, "
                    "less than T(1)",
                    all, significant(*evidence.claimed_base, 4)));
  }
  if (wrong.empty()) return shown(all);
  RuleVerdict verdict = contradicted(all);
  verdict.evidence.insert(verdict.evidence.end(), wrong.begin(), wrong.end());
  return verdict;
}

/// With a base of K0, S = T(K0)/T(K): a claim of K0 times that assumes that the first
/// K0 workers scale ideally.
RuleVerdict base_of_one(const Evidence& evidence) {
  std::set<int> bases;
  for (const FileClaim& claim : evidence.claims) {
    if (claim.base) bases.insert(claim.base->workers);
  }
  if (bases.empty()) {
    if (evidence.analysis == nullptr || evidence.base == nullptr)
      return missing("there is no base");
    bases.insert(evidence.base->workers);
  }
  if (*bases.rbegin() == 1) return shown("speedups are relative to K = 1");
  const int base = *bases.rbegin();
  for (const FileClaim& claim : evidence.claims) {
    const auto again = recompute(evidence, claim);
    if (!again || !claim.speedup || again->base_workers == 1) continue;
    if (follows(claim, *again)) continue;
    if (!follows(claim, again->means * again->base_workers, 1)) continue;
    return contradicted(
        fmt::format("{}: {}x assumes that the first {} workers scale ideally; the measured value "
                    "is {}x relative to K = {}",
                    place_of(claim), significant(*claim.speedup, 4), again->base_workers,
                    significant(again->means, 4), again->base_workers));
  }
  return missing(fmt::format("the base is K = {}: the loss up to there is unknown", base));
}

RuleVerdict averaged(const Evidence& evidence) {
  constexpr double kSame = 0.003;
  if (evidence.claims.empty()) return not_applicable(kNoClaims);
  bool looked = false;
  for (const FileClaim& claim : evidence.claims) {
    const auto again = recompute(evidence, claim);
    if (!again || !again->mean_ratios) continue;
    looked = true;
    const double claimed = claimed_speedup(claim, again->base_workers);
    const bool ratios = std::fabs(claimed / *again->mean_ratios - 1) <= kSame;
    if (follows(claim, *again) || !ratios) continue;
    return contradicted(fmt::format("{}: {}x is the arithmetic mean of ratios; the times give {}x",
                                    place_of(claim), significant(claimed, 4),
                                    significant(again->means, 4)));
  }
  if (!looked) return not_applicable("no claim has repeats of both its base and its K");
  return shown("claims follow from mean times, not from a mean of ratios");
}

RuleVerdict inside_interval(const Evidence& evidence) {
  if (evidence.claims.empty()) return not_applicable(kNoClaims);
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (evidence.claimed_base) {
    return not_applicable("the claims are relative to a single-worker program that has no runs");
  }
  if (evidence.row_by_row)
    return not_applicable("each claim is that of one run, not of the mean at its K");
  bool looked = false;
  for (const FileClaim& claim : evidence.claims) {
    const ScalingPoint* at = point_at(strict_table(evidence), claim.run->role, claim.run->workers);
    if (at == nullptr || !at->speedup || !is_bounded(*at->speedup)) continue;
    if (at->speedup->low == at->speedup->high) continue;  // the base itself
    looked = true;
    const double claimed = claimed_speedup(claim, strict_table(evidence).base_workers);
    const double off = rounding_of(claimed);
    // Declared growth is in the table already.
    const double grown = evidence.claims_weak ? growth_of_work(evidence, claim.run->workers) : 1;
    const Estimate data = scaled(*at->speedup, grown);
    if (claimed + off >= data.low && claimed - off <= data.high) continue;
    return contradicted(fmt::format("{}: {}x is claimed, and S is {}", place_of(claim),
                                    significant(claimed, 4), with_interval(data, 4)));
  }
  if (!looked) return missing("without repeats there is no interval to compare a claim with");
  return shown("every claim is inside the interval of its data");
}

constexpr CheckedRule kClaimRules[] = {
    {{"claims-follow", RuleGroup::kClaims, "Speedups and percentages follow from their values",
      "A ratio that its own times do not give is a mistake, or has another base.",
      "From which times was this number computed?"},
     &follow,
     {9, 0}},
    {{"claims-in-interval", RuleGroup::kClaims, "Claims lie inside the interval of their data",
      "Outside of it, other runs would hardly reproduce the number.",
      "Which runs give this number?"},
     &inside_interval,
     {6, 0}},
    {{"base-of-one", RuleGroup::kClaims, "Speedups are relative to K = 1",
      "A larger base hides what the first workers lost.",
      "What is T(1), and what is the efficiency at the base?"},
     &base_of_one,
     {8, 0}},
    {{"ratios-not-averaged", RuleGroup::kClaims, "No arithmetic mean of ratios",
      "It depends on which side is called the base, and is always too large.",
      "What is the ratio of the mean times?"},
     &averaged,
     {7, 0}},
};

}  // namespace

std::span<const CheckedRule> claim_rules() {
  return kClaimRules;
}

}  // namespace kstar
