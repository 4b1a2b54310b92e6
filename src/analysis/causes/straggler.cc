#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/causes/registry.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

/// Rank correlation of steps from which on they are slow in the same places of every run: chance
/// makes 0.3 of three runs with ten steps.
constexpr double kAlike = 0.5;

/// Independent factors, on logarithms.
Estimate product(const Estimate& a, const Estimate& b) {
  Estimate both = a;
  both.point = a.point * b.point;
  const auto apart = [&](double x, double y) {
    return std::hypot(std::log(x / a.point), std::log(y / b.point));
  };
  both.low = both.point * std::exp(-apart(a.low, b.low));
  both.high = both.point * std::exp(apart(a.high, b.high));
  both.standard_error =
      both.point * std::hypot(a.standard_error / a.point, b.standard_error / b.point);
  both.n = std::min(a.n, b.n);
  return both;
}

/// Of a slow one, and of those that are late now and then. None where neither takes much.
std::optional<Estimate> straggler_factor(const Findings& found) {
  std::optional<Estimate> whole;
  const auto add = [&whole](const Estimate& one) { whole = whole ? product(*whole, one) : one; };
  if (found.slow) add(slow_factor(*found.slow));
  if (found.late.clear) add(one_less(found.late.share));
  return whole;
}

std::string who(const SlowOne& slow) {
  if (!slow.worker) return fmt::format("the workers on {} take", slow.host);
  return slow.host.empty() ? fmt::format("worker {} takes", *slow.worker)
                           : fmt::format("worker {} on {} takes", *slow.worker, slow.host);
}

/// 15, 5 and 14.
std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
    text += fmt::format("{}", numbers[i]);
  }
  return text;
}

std::string slow_advice(const SlowOne& slow) {
  if (!slow.worker) {
    return fmt::format("exclude {} or replace it: its workers delay all others", slow.host);
  }
  return fmt::format(
      "run worker {} on {}: if the delay stays with the machine, the machine is slow (clock, "
      "neighbours, a bad link); if it moves with the worker, the cause is what only this worker "
      "does",
      *slow.worker, slow.elsewhere ? "another host" : "another core");
}

void describe_slow(const Findings& found, Cause& cause) {
  const SlowOne& slow = *found.slow;
  cause.worker = slow.worker;
  cause.host = slow.host;
  cause.evidence.push_back(fmt::format(
      "{} {} longer than the others{}, at K = {}; it is slower than half of them in {} of {}",
      who(slow), share_words(slow.share), found.work_recorded ? " for the same work" : "",
      found.here.workers, slow.slower, count_text(slow.runs, "run")));
  if (slow.told) {
    cause.evidence.push_back(
        slow.constant ? fmt::format("it is late by about the same time at every K: {} per step",
                                    time_text(slow.seconds))
                      : std::string("it is slower by about the same share at every K"));
  }
  cause.advice = slow_advice(slow);
}

void describe_late(const Findings& found, Cause& cause) {
  const LateSteps& late = found.late;
  const std::string where = late.pooled
                                ? fmt::format("from K = {} on", (found.here.workers + 1) / 2)
                                : fmt::format("at K = {}", found.here.workers);
  cause.evidence.push_back(fmt::format("workers that are occasionally late take {} of the time {}",
                                       share_words(late.share), where));
  if (late.in_steps > 0) {
    cause.evidence.push_back(
        fmt::format("all workers wait {} of the time at K = {}, although no worker has that much "
                    "more work in total: single steps are delayed",
                    percent(late.in_steps, 0), found.here.workers));
  }
  if (late.between > 0) {
    cause.evidence.push_back(fmt::format("load balance is {}; by chance it would be {}",
                                         factor_words(found.rest_balance),
                                         fixed(found.chance_balance, 2)));
  }
  constexpr std::size_t kFew = 8;
  const bool several = std::adjacent_find(late.slowest.begin(), late.slowest.end(),
                                          std::not_equal_to<>()) != late.slowest.end();
  if (several && late.slowest.size() <= kFew) {
    cause.evidence.push_back(
        fmt::format("the slowest of a run is not always the same: {}", listed(late.slowest)));
  }
  if (late.alike && *late.alike > kAlike) {
    cause.evidence.push_back(
        fmt::format("the same steps are slow in every run (rank correlation {}): the cause is the "
                    "program, not the machine",
                    fixed(*late.alike, 2)));
  }
}

void describe_straggler(const Findings& found, Cause& cause) {
  const bool same = found.slow && (!found.late.clear || slow_factor(*found.slow).point <
                                                            one_less(found.late.share).point);
  if (found.slow) describe_slow(found, cause);
  if (found.late.clear) describe_late(found, cause);
  if (!same) {
    cause.worker.reset();
    cause.host.clear();
    cause.advice =
        "find what delays a different worker each time: garbage collection, page faults, other "
        "jobs and daemons, network problems; leave a core free for the system";
  }
  if (!found.work_recorded && (found.slow || found.late.between > 0)) {
    cause.or_else.push_back(CauseKind::kLoadImbalance);
    cause.evidence.push_back(
        "the work of each worker is not recorded: it may also have more work than the others");
  }
  if (found.slow && found.slow->alone) {
    cause.or_else.push_back(CauseKind::kSerial);
    cause.evidence.push_back(
        "the others finish together and wait for it: times per run do not show whether it is slow "
        "or does something alone");
  }
}

}  // namespace

const CauseEntry kStragglerCause = {
    .about = {CauseKind::kStraggler, "straggler", "a straggler", "a straggler"},
    .tested = true,
    .measured = {straggler_factor, describe_straggler},
    .suggested = {.constant = 3,
                  .growing = 3,
                  .share = 2,
                  .waiting = 1,
                  .weak_growing = 3,
                  .weak_filling = 3}};

}  // namespace kstar::causes
