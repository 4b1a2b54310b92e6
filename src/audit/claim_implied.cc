#include "audit/claim_implied.h"

#include <fmt/format.h>

#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

constexpr double kClaimRounding = 0.02;

std::string count_of(double workers) {
  return fixed(workers, 0);
}

std::string efficiency_text(const Claim& claim, double idle_workers) {
  const std::string idle = significant(idle_workers, 3);
  const std::string of_base =
      claim.base_workers > 1 ? fmt::format(" relative to {}", count_of(claim.base_workers)) : "";
  return fmt::format("{}x on {}{} is {} efficiency: {}", significant(claim.speedup, 4),
                     count_of(claim.workers), of_base, percent(claim.efficiency, 0),
                     idle_workers < 0 ? "more than linear"
                                      : fmt::format("as if {} {} idle", idle,
                                                    idle == "1" ? "worker was" : "workers were"));
}

/// Karp and Flatt's serial fraction, and how far it carries.
void add_serial_part(const Claim& claim, double good, Implied& implied) {
  if (claim.regime == Regime::kWeak || claim.base_workers > 1) return;
  const double inverse = 1 / claim.workers;
  const double fraction = (1 / claim.speedup - inverse) / (1 - inverse);
  implied.serial_fraction = fraction;
  if (fraction <= 0) {
    implied.sentences.emplace_back("it leaves no room for a serial part or for communication");
    return;
  }
  const double most = std::floor(1 + (1 / good - 1) / fraction + 1e-9);
  implied.sentences.push_back(
      fmt::format("by Amdahl's law it needs a serial fraction of {}%; then efficiency stays at {} "
                  "or more up to K = {}",
                  significant(100 * fraction, 2), shortest(good), fixed(most, 0)));
}

/// A speedup and an efficiency that are not the same.
void compare_both(const Claim& claim, Implied& implied) {
  if (!claim.stated_efficiency) return;
  const double open = claim.rounding / claim.speedup + kClaimRounding;
  if (std::fabs(claim.efficiency / *claim.stated_efficiency - 1) <= open) return;
  implied.verdict = ClaimVerdict::kContradicted;
  implied.reason = fmt::format("{}x on {} is an efficiency of {}, not of {}",
                               significant(claim.speedup, 4), count_of(claim.workers),
                               percent(claim.efficiency, 0), percent(*claim.stated_efficiency, 0));
  implied.question = "Which of the two numbers is meant, and relative to what?";
}

/// The base against itself.
void judge_base(const Claim& claim, Implied& implied) {
  const bool is_one = std::fabs(claim.speedup - 1) <= std::max(claim.rounding, kClaimRounding) ||
                      (claim.bound == ClaimBound::kAtMost && claim.speedup > 1);
  implied.verdict = is_one ? ClaimVerdict::kShown : ClaimVerdict::kContradicted;
  implied.reason =
      fmt::format("K = {} is the base itself: its speedup is 1{}", count_of(claim.workers),
                  is_one ? "" : ", not " + significant(claim.speedup, 4));
  if (!is_one) implied.question = "What is this number relative to?";
}

}  // namespace

Implied implied_by(const Claim& claim, double good) {
  Implied implied;
  if (claim.workers <= claim.base_workers) {
    judge_base(claim, implied);
    return implied;
  }
  implied.idle_workers = claim.workers * (1 - claim.efficiency);
  implied.sentences.push_back(efficiency_text(claim, implied.idle_workers));
  add_serial_part(claim, good, implied);
  compare_both(claim, implied);
  return implied;
}

}  // namespace kstar
