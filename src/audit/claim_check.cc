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
  const std::string idle = significant(std::fabs(check.idle_workers), 3);
  check.evidence.push_back(fmt::format("{}x on {} is {} efficiency: {} {} worth {}",
                                       significant(claim.speedup, 4), fixed(claim.workers, 0),
                                       percent(claim.efficiency, 0), idle,
                                       idle == "1" ? "worker's" : "workers'",
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
      "by Amdahl's law it needs a serial fraction of {}%, and efficiency stays at {} or more up to "
      "K = {}",
      significant(100 * fraction, 2), shortest(good), fixed(most, 0)));
}

/// What the claim asks of a T(1) that nobody has shown.
void need_of_any_base(ClaimCheck& check) {
  constexpr double kFaster = 0.9;
  const Claim& claim = check.claim;
  check.evidence.push_back(fmt::format(
      "if the problem is the same at both, T(1) is {} times T({}); a best single-worker run that "
      "takes 10% less leaves {}x",
      significant(claim.speedup, 4), fixed(claim.workers, 0),
      significant(kFaster * claim.speedup, 4)));
}

/// T(1) = S T(K) where the work is fixed, E T(K) where it grows.
void need_of_base(ClaimCheck& check, const Evidence& evidence, std::string_view whose,
                  const Estimate& time, const ScalingPoint& base) {
  const bool weak = evidence.analysis->table.regime == Regime::kWeak;
  const double factor = weak ? check.claim.efficiency : check.claim.speedup;
  const Estimate needed = scaled(time, factor);
  const double share = base.time.point / needed.point;
  const std::string start =
      fmt::format("for it to be true with {} T({}), ", whose, fixed(check.claim.workers, 0));
  if (is_relative(evidence.study)) {  // seconds are not known
    check.evidence.push_back(fmt::format("{}T(1) would have to be {} times as long as it is", start,
                                         significant(1 / share, 3)));
    return;
  }
  check.base_time = needed;
  check.base_measured = base.time.point;
  check.evidence.push_back(fmt::format("{}T(1) would have to be {}; it is {}, {} of that", start,
                                       seconds_text(evidence.study, needed),
                                       with_interval(base.time, 4, " s"),
                                       percent(share, share < 0.1 ? 2 : 0)));
}

int largest_measured(const Evidence& evidence) {
  return evidence.curve.empty() ? 1 : evidence.curve.back()->workers;
}

/// The most that more workers than were measured give, unless efficiency rises there: that of the
/// best point in the upper half of the K, as one that does not divide the work may be a bad one.
struct Continued {
  int workers = 1;  ///< of that point
  double speedup = 0;
};
std::optional<Continued> continued(const Evidence& evidence, double workers) {
  constexpr double kWithoutNoise = 1.05;
  std::optional<Continued> most;
  const int largest = largest_measured(evidence);
  for (const ScalingPoint& point : evidence.analysis->table.points) {
    const bool upper = point.role == Role::kParallel && 2.0 * point.workers > largest;
    if (!upper || point.workers < 2 || !point.speedup) continue;
    const Estimate& s = *point.speedup;
    const double high = is_bounded(s) ? s.high : kWithoutNoise * s.point;
    const double speedup = high * workers / point.workers;
    if (!most || speedup > most->speedup) most = {point.workers, speedup};
  }
  return most;
}

/// Behind the last K that was measured a model rests on its form, which nothing has tested there:
/// it speaks neither for nor against a claim. What efficiency allows does.
void compare_beyond(ClaimCheck& check, const Evidence& evidence) {
  const double least = check.claim.speedup - check.claim.rounding;
  check.evidence.push_back(
      fmt::format("not measured: the largest K is {}", largest_measured(evidence)));
  if (const auto most = continued(evidence, check.claim.workers); most && least > most->speedup) {
    check.status = FindingStatus::kContradicted;
    check.evidence.push_back(
        fmt::format("{} workers as efficient as those at K = {}, at the high end of its interval, "
                    "give {}x: for the claim efficiency would have to rise",
                    fixed(check.claim.workers, 0), most->workers, significant(most->speedup, 4)));
  }
  if (!check.speedup) return;
  const bool above = least > check.speedup->high;
  const bool below = check.claim.speedup + check.claim.rounding < check.speedup->low;
  check.evidence.push_back(fmt::format(
      "the models, if their form holds so far out, give {}: the claim is {} the interval",
      times_text(*check.speedup),
      above   ? "above"
      : below ? "below"
              : "inside"));
}

void compare(ClaimCheck& check) {
  const double claimed = check.claim.speedup, rounding = check.claim.rounding;
  const Estimate& data = *check.speedup;
  const bool above = claimed - rounding > data.high, below = claimed + rounding < data.low;
  check.status = above || below ? FindingStatus::kContradicted : FindingStatus::kShown;
  check.evidence.push_back(fmt::format(
      "{} {}: the claim is {} the interval",
      check.measured ? "the runs give" : "the models, fitted to the runs, give", times_text(data),
      above   ? "above"
      : below ? "below"
              : "inside"));
}

}  // namespace

ClaimCheck check_claim(const Claim& claim, const Evidence* evidence, double good) {
  ClaimCheck check{.claim = claim};
  recompute(check, good);
  if (evidence == nullptr || evidence->analysis == nullptr) {
    if (claim.workers > 1) need_of_any_base(check);
    check.evidence.emplace_back(evidence == nullptr ? "there is no data to hold it against"
                                                    : kSeveralSeries);
    return check;
  }
  const Analysis* analysis = evidence->analysis;
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
  if (claim.workers > largest_measured(*evidence)) {
    compare_beyond(check, *evidence);
  } else if (check.speedup) {
    compare(check);
  } else {
    check.evidence.emplace_back("the data are too few for an interval at this K");
  }
  if (at != nullptr) {
    need_of_base(check, *evidence, "this", at->time, *base);
  } else if (guess != nullptr) {
    need_of_base(check, *evidence, "the models'", guess->time, *base);
  }
  return check;
}

}  // namespace kstar
