#include "analysis/causes/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/causes/noise_floor.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

std::string runs_text(std::size_t runs) {
  return runs == 1 ? "1 run" : fmt::format("{} runs", runs);
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
    return fmt::format("leave {} out, or exchange it: its workers hold up all others", slow.host);
  }
  return fmt::format(
      "let worker {} run on {}: if the delay stays behind it is the machine (clock, neighbours, a "
      "bad link), if it moves along it is what this worker alone does",
      *slow.worker, slow.elsewhere ? "another host" : "another core");
}

void tell_slow(const Findings& found, Cause& cause) {
  const SlowOne& slow = *found.slow;
  cause.worker = slow.worker;
  cause.host = slow.host;
  cause.evidence.push_back(fmt::format(
      "{} {} longer than the others{}, at K = {}; it is slower than half of them in {} of {}",
      who(slow), share_text(slow.share), found.work_recorded ? " for the same work" : "",
      found.workers, slow.slower, runs_text(slow.runs)));
  if (slow.told) {
    cause.evidence.push_back(
        slow.constant ? fmt::format("it is late by about the same time at every K: {} a step",
                                    seconds_text(slow.seconds))
                      : std::string("it is slower by about the same share at every K"));
  }
  cause.advice = slow_advice(slow);
}

void tell_late(const Findings& found, Cause& cause) {
  const LateSteps& late = found.late;
  const std::string where = late.pooled ? fmt::format("from K = {} on", (found.workers + 1) / 2)
                                        : fmt::format("at K = {}", found.workers);
  cause.evidence.push_back(fmt::format("workers that are late now and then take {} of the time {}",
                                       share_text(late.share), where));
  if (late.in_steps > 0) {
    cause.evidence.push_back(fmt::format(
        "{} of the time at K = {} everybody waits although no worker has that much more to do in "
        "all: single steps are held up",
        percent(late.in_steps, 0), found.workers));
  }
  if (late.between > 0) {
    cause.evidence.push_back(fmt::format("load balance is {}, where chance would leave {}",
                                         factor_text(found.rest_balance),
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
        fmt::format("it is the same steps that are slow in every run (rank correlation {}): the "
                    "program does that, not the machine",
                    fixed(*late.alike, 2)));
  }
}

/// Of a factor near 1 only the loss matters.
std::string loss_text(double factor) {
  return percent(std::max(0.0, 1 - factor), 0);
}

}  // namespace

std::string factor_text(const Estimate& factor) {
  if (!is_bounded(factor)) return fixed(factor.point, 2);
  return fmt::format("{} ({}..{})", fixed(factor.point, 2), fixed(factor.low, 2),
                     fixed(factor.high, 2));
}

std::string share_text(const Estimate& share) {
  if (!is_bounded(share)) return percent(share.point, 0);
  return fmt::format("{} ({}..{})", percent(share.point, 0), percent(std::max(0.0, share.low), 0),
                     percent(share.high, 0));
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return significant(seconds, 3) + " s";
  if (seconds >= 1e-3) return significant(seconds * 1e3, 3) + " ms";
  return significant(seconds * 1e6, 3) + " us";
}

void tell_communication(const Findings& found, Cause& cause) {
  if (!found.transfer) {
    cause.evidence.push_back(fmt::format(
        "the worker with the most to do is busy {} of the time at K = {}, and what the rest goes "
        "to is not recorded",
        share_text(found.here.communication), found.workers));
    cause.or_else = {CauseKind::kSerial, CauseKind::kStraggler};
    cause.advice = "mark what is communication and what is waiting, or measure with --inside";
    return;
  }
  Estimate share = *found.here.transfer;
  share = {.point = 1 - share.point,
           .standard_error = share.standard_error,
           .low = 1 - share.high,
           .high = 1 - share.low,
           .confidence = share.confidence,
           .n = share.n,
           .method = share.method};
  cause.evidence.push_back(fmt::format(
      "communication takes {} of the time at K = {}, {} a step{}", share_text(share), found.workers,
      seconds_text(share.point * found.step),
      found.base.transfer ? fmt::format(", and {} at K = {}", loss_text(found.base.transfer->point),
                                        found.base_workers)
                          : std::string()));
  if (!found.knows_wait) {
    cause.evidence.push_back(
        "waiting is not recorded: this is what the worker with the least communicates, and some "
        "of it may be waiting");
  }
  cause.advice =
      "send less or less often (larger batches, fused or compressed messages), overlap it with "
      "computation, or use a faster network or algorithm for the collective";
}

void tell_serial(const Findings& found, Cause& cause) {
  const SerialPart& serial = *found.serial;
  cause.worker = serial.worker;
  cause.evidence.push_back(fmt::format(
      "in every one of {} from K = {} on there are at least {} a step in which no worker{} "
      "computes or communicates; {} in a prompt step, {} of it at K = {}",
      runs_text(serial.runs), (found.workers + 1) / 2, seconds_text(serial.least),
      serial.worker ? fmt::format(" but {}", *serial.worker) : " but one at most",
      seconds_text(serial.seconds.point), share_text(scaled(serial.seconds, 1 / found.step)),
      found.workers));
  if (serial.unmarked) {
    cause.evidence.push_back(
        fmt::format("worker {} spends that time in no marked phase", *serial.worker));
  }
  if (!serial.steps_known) {
    cause.or_else = {CauseKind::kStraggler};
    cause.evidence.push_back(
        "steps are not recorded: it may be in some of them only, as stragglers make it");
  }
  cause.advice = fmt::format(
      "find what {} does while the others wait (input, output, a central update), and divide it, "
      "overlap it or do it less often: it bounds the speedup, however many workers there are",
      serial.worker ? fmt::format("worker {}", *serial.worker) : "one worker alone");
}

void tell_straggler(const Findings& found, Cause& cause) {
  const bool same = found.slow && (!found.late.clear ||
                                   slow_factor(*found.slow).point < late_factor(found.late).point);
  if (found.slow) tell_slow(found, cause);
  if (found.late.clear) tell_late(found, cause);
  if (!same) {
    cause.worker.reset();
    cause.host.clear();
    cause.advice =
        "look for what makes now one worker late and now another: garbage collection, page "
        "faults, other jobs and daemons, network hiccups; leave a core free for the system";
  }
  if (!found.work_recorded && (found.slow || found.late.between > 0)) {
    cause.or_else.push_back(CauseKind::kLoadImbalance);
    cause.evidence.push_back(
        "the work of each worker is not recorded: it may as well have more work than the others");
  }
  if (found.slow && found.slow->alone) {
    cause.or_else.push_back(CauseKind::kSerial);
    cause.evidence.push_back(
        "the others end together and wait for it: whether it is slow or does something alone "
        "behind them, times a run do not tell");
  }
}

void tell_imbalance(const Findings& found, Cause& cause) {
  cause.worker = found.most_work;
  cause.evidence.push_back(fmt::format(
      "{} {} times the mean work at K = {}, which alone would leave a load balance of {}",
      found.most_work ? fmt::format("worker {} has", *found.most_work) : "the most loaded has",
      fixed(1 / std::max(found.imbalance->point, 1e-9), 2), found.workers,
      factor_text(*found.imbalance)));
  cause.evidence.push_back(fmt::format(
      "time follows work: twice the work takes {} times as long ({}..{}); load balance is {}",
      fixed(std::exp2(found.work.slope.point), 2), fixed(std::exp2(found.work.slope.low), 2),
      fixed(std::exp2(found.work.slope.high), 2), factor_text(found.here.load_balance)));
  cause.advice =
      "divide the work evenly, or by how long it takes; where its cost is not known before, let "
      "workers fetch small pieces";
}

void tell_computation(const Findings& found, Cause& cause) {
  cause.evidence.push_back(fmt::format(
      "the same work takes {} times the useful time at K = {}: computation scaling is {}",
      fixed(1 / found.here.computation->point, 2), found.workers,
      factor_text(*found.here.computation)));
  cause.advice =
      "count instructions, cycles and memory traffic at both K (perf stat): fewer instructions a "
      "cycle mean memory bandwidth or caches, more instructions mean redundant work or thin "
      "batches, fewer cycles a second mean the clock or cores that are shared";
}

void tell_none(const Findings& found, Cause& cause) {
  cause.evidence.push_back(
      fmt::format("nothing takes more than {} of the efficiency at K = {} beyond the noise of {}",
                  percent(kNegligible, 0), found.workers, runs_text(found.runs)));
  if (found.here.load_balance.point < 1 - kNegligible && found.noise.degrees > 0) {
    cause.evidence.push_back(fmt::format(
        "load balance is {}, and no worker is slow in most runs; single runs at K = {} differ by "
        "{}, and {} workers that do may have {} by chance",
        factor_text(found.here.load_balance), found.base_workers, percent(found.noise.deviation, 0),
        found.workers, fixed(found.chance_balance, 2)));
  }
  if (found.here.computation && found.here.computation->point < 1 - kNegligible) {
    cause.evidence.push_back(fmt::format(
        "computation scaling is {}, not clearly below the {} that a machine leaves when "
        "all of its cores are busy; single runs at K = {} differ by {}",
        factor_text(*found.here.computation), fixed(1 - kBusyMachine, 2), found.base_workers,
        percent(found.noise.deviation, 0)));
  }
  if (found.late.unexplained > kNegligible) {
    cause.evidence.push_back(fmt::format(
        "{} of the time all wait in single steps; the hypervisor gave up to {} of a core to "
        "others meanwhile",
        percent(found.late.unexplained, 0), percent(found.late.stolen, 0)));
  }
}

std::vector<std::string> next_measurements(const Findings& found,
                                           const std::vector<Cause>& causes) {
  std::vector<std::string> next;
  const auto seen = [&](CauseKind kind) {
    return std::any_of(causes.begin(), causes.end(),
                       [kind](const Cause& cause) { return cause.kind == kind; });
  };
  if (!found.work_recorded) {
    next.push_back(
        "mark the work of each worker (kstar_mark_work): a worker that is slow and one "
        "that has more to do look the same without it");
  }
  if (!found.transfer || !found.knows_wait) {
    next.push_back(
        "mark waiting apart from communication (a barrier before the collective), or "
        "let kstar measure --inside tell them apart in an MPI program");
  }
  const std::optional<Estimate>& computation = found.here.computation;
  constexpr double kWide = 0.1;
  if (computation && !seen(CauseKind::kComputationScaling) &&
      computation->point < 1 - kNegligible &&
      (!is_bounded(*computation) || computation->high - computation->low > kWide)) {
    next.push_back(
        fmt::format("more runs at K = {}: whether computation slows down hangs on "
                    "them, and they differ by {}",
                    found.base_workers, percent(found.noise.deviation, 0)));
  }
  if (found.runs < 3) {
    next.push_back(
        fmt::format("at least three runs at K = {}: intervals need them", found.workers));
  }
  return next;
}

}  // namespace kstar::causes
