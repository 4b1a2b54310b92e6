#include "audit/claim_check.h"

#include <fmt/format.h>

#include <cmath>

#include "audit/evidence.h"
#include "base/number.h"

namespace kstar {

namespace {

std::string times_text(const Estimate& speedup) {
  return with_interval(speedup, 4, "x");
}

const PredictedWorkers* foretold(const Analysis& analysis, double workers) {
  if (!analysis.models) return nullptr;
  for (const auto* list : {&analysis.models->predictions, &analysis.models->fitted}) {
    for (const PredictedWorkers& at : *list) {
      if (at.workers == workers) return &at;
    }
  }
  return nullptr;
}

/// What the claim says by itself.
void recompute(ClaimCheck& check, double good) {
  const Claim& claim = check.claim;
  check.idle_workers = claim.workers - claim.speedup;
  check.evidence.push_back(fmt::format("{}x on {} is {} efficiency: {} workers' worth {}",
                                       significant(claim.speedup, 4), fixed(claim.workers, 0),
                                       percent(claim.efficiency, 0),
                                       significant(std::fabs(check.idle_workers), 3),
                                       check.idle_workers >= 0 ? "idle" : "more than there are"));
  if (claim.workers < 2) return;
  const double inverse = 1 / claim.workers;
  const double fraction = (1 / claim.speedup - inverse) / (1 - inverse);
  check.serial_fraction = fraction;
  if (fraction <= 0) {
    check.evidence.emplace_back("it leaves nothing for a serial part, nor for communication");
    return;
  }
  const double most = std::floor(1 + (1 / good - 1) / fraction + 1e-9);
  check.evidence.push_back(fmt::format(
      "by Amdahl's law it needs a serial fraction of {}, and efficiency stays at {} or more up to "
      "K = {}",
      percent(fraction, 2), shortest(good), fixed(most, 0)));
}

/// T(1) = S T(K) where the work is fixed, E T(K) where it grows.
void need_of_base(ClaimCheck& check, const Analysis& analysis, const Estimate& time,
                  const ScalingPoint& base) {
  const bool weak = analysis.table.regime == Regime::kWeak;
  const double factor = weak ? check.claim.efficiency : check.claim.speedup;
  check.base_time = scaled(time, factor);
  check.base_measured = base.time.point;
  const double ratio = check.base_time->point / base.time.point;
  check.evidence.push_back(fmt::format(
      "for it to be true with this T({}), T({}) would have to be {}; it is {}, {} of that",
      fixed(check.claim.workers, 0), base.workers, with_interval(*check.base_time, 4, " s"),
      with_interval(base.time, 4, " s"), percent(1 / ratio, 0)));
}

void compare(ClaimCheck& check) {
  const double claimed = check.claim.speedup;
  const double rounding =
      check.claim.of_speedup ? 0 : 0.0005 * check.claim.workers;  // of an efficiency's digits
  const Estimate& data = *check.speedup;
  const bool above = claimed - rounding > data.high, below = claimed + rounding < data.low;
  const std::string what = fmt::format(
      "{} {}", check.measured ? "the runs give" : "the models, fitted to the runs, give",
      times_text(data));
  check.status = above || below ? FindingStatus::kContradicted : FindingStatus::kShown;
  check.evidence.push_back(fmt::format("{}: the claim is {}", what,
                                       above   ? "above the interval"
                                       : below ? "below the interval"
                                               : "inside the interval"));
}

}  // namespace

ClaimCheck check_claim(const Claim& claim, const Analysis* analysis, double good) {
  ClaimCheck check{.claim = claim};
  recompute(check, good);
  if (analysis == nullptr) {
    check.evidence.emplace_back("there is no data to hold it against");
    return check;
  }
  const ScalingTable& table = analysis->table;
  const ScalingPoint* base = point_at(table, table.base_role, table.base_workers);
  const bool whole = claim.workers <= 1e9;
  const ScalingPoint* at =
      whole ? point_at(table, Role::kParallel, static_cast<int>(claim.workers)) : nullptr;
  const PredictedWorkers* guess = foretold(*analysis, claim.workers);
  if (base == nullptr || base->workers != 1) {
    check.evidence.push_back(fmt::format(
        "the data have no T(1): a speedup against one worker cannot be held against them"));
    return check;
  }
  if (at != nullptr && at->speedup && is_bounded(*at->speedup)) {
    check.speedup = at->speedup;
    check.measured = true;
  } else if (guess != nullptr && is_bounded(guess->speedup)) {
    check.speedup = guess->speedup;
  }
  if (check.speedup) {
    compare(check);
  } else {
    check.evidence.emplace_back("the data are too few for an interval at this K");
  }
  if (at != nullptr) {
    need_of_base(check, *analysis, at->time, *base);
  } else if (guess != nullptr) {
    need_of_base(check, *analysis, guess->time, *base);
  }
  return check;
}

}  // namespace kstar
