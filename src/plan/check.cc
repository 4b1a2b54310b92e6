#include "kstar/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/plan.h"
#include "kstar/words.h"

namespace kstar {

namespace {

std::string number_text(double value) {
  return significant(value, 3);
}

/// Amdahl's speedup from `today` to `workers`.
double amdahl_gain(double serial, double today, double workers) {
  return (serial + (1 - serial) / today) / (serial + (1 - serial) / workers);
}

/// As given or, with a serial fraction and a fixed problem, by Amdahl's law.
std::optional<double> gain_of(const Proposal& proposal) {
  if (proposal.speedup) return proposal.speedup;
  const bool fixed = !proposal.grows.value_or(false);
  if (!proposal.serial || !proposal.workers || !proposal.today || !fixed) return std::nullopt;
  return amdahl_gain(*proposal.serial, *proposal.today, *proposal.workers);
}

std::optional<double> efficiency_of(const Proposal& proposal) {
  const std::optional<double> gain = gain_of(proposal);
  if (!gain || !proposal.workers || !proposal.today) return std::nullopt;
  return *gain * *proposal.today / *proposal.workers;
}

/// Karp and Flatt 1990, between two K: the s with which Amdahl's law gives this gain.
std::optional<double> serial_from_gain(const Proposal& proposal) {
  if (!proposal.speedup || !proposal.workers || !proposal.today || *proposal.grows) {
    return std::nullopt;
  }
  const double from = 1 / *proposal.today, to = 1 / *proposal.workers, gain = *proposal.speedup;
  const double serial = (from - gain * to) / (gain * (1 - to) - (1 - from));
  return serial >= 0 && serial < 1 ? std::optional(serial) : std::nullopt;
}

/// "at most 20x on any number of workers (18x to 22x)": the ceiling 1/s, for s in `low` .. `high`.
std::string ceiling_text(double serial, double low, double high) {
  if (!(low > 0)) {
    const std::string most =
        high > 0 ? fmt::format(" (s may be 0, or up to {})", number_text(high)) : "";
    return "no limit found" + most;
  }
  const std::string range =
      low < high ? fmt::format(" ({}x to {}x)", number_text(1 / high), number_text(1 / low)) : "";
  return fmt::format("at most {}x on any number of workers{}", number_text(1 / serial), range);
}

/// From the gain that is given, as if it were known to 1%.
std::string gain_ceiling(const Proposal& proposal, double serial) {
  constexpr double kKnown = 0.01;
  Proposal other = proposal;
  other.speedup = *proposal.speedup * (1 + kKnown);
  const double low = serial_from_gain(other).value_or(0);
  other.speedup = *proposal.speedup * (1 - kKnown);
  const double high = serial_from_gain(other).value_or(1);
  return fmt::format("s = {}, as the measured gain has it (Karp-Flatt), if that is right to 1%: {}",
                     number_text(serial), ceiling_text(serial, low, high));
}

/// Empty where nothing is known.
std::string serial_text(const Proposal& proposal) {
  if (const auto& known = proposal.measured_serial; known && std::isfinite(known->high)) {
    return fmt::format("s = {} (Karp-Flatt): {}", number_text(std::max(0.0, known->point)),
                       ceiling_text(known->point, known->low, known->high));
  }
  if (const auto serial = proposal.serial) {
    return fmt::format("s = {}: {}", number_text(*serial), ceiling_text(*serial, *serial, *serial));
  }
  if (!proposal.grows || *proposal.grows) return "";
  const std::optional<double> serial = serial_from_gain(proposal);
  return serial ? gain_ceiling(proposal, *serial) : "";
}

CheckedQuestion serial_question(const Proposal& proposal) {
  CheckedQuestion asked{.question = "What is the serial fraction, and the ceiling?"};
  asked.answer = serial_text(proposal);
  asked.given = !asked.answer.empty();
  if (proposal.communication && *proposal.communication > 0 && proposal.workers) {
    asked.answer +=
        fmt::format("{}{} of the step on {} workers does not shrink: from there at most {}x more",
                    asked.given ? "; " : "", percent(*proposal.communication, 0),
                    number_text(*proposal.workers), number_text(1 / *proposal.communication));
    asked.given = true;
  }
  if (!asked.given) {
    asked.answer = "times or rates at two K with problem = \"fixed\", or serial = 0.05";
  }
  return asked;
}

CheckedQuestion growth_question(const Proposal& proposal) {
  CheckedQuestion asked{.question = "Does the problem grow with the cluster?"};
  asked.given = proposal.grows.has_value();
  asked.answer = !asked.given      ? "problem = \"fixed\" or \"grows\""
                 : *proposal.grows ? "yes: weak scaling, Gustafson's law applies"
                                   : "no: the same problem is divided, Amdahl's law applies";
  return asked;
}

/// "12.6 to 169" where the precision decides.
std::string ridge_range(const Proposal& proposal) {
  const double most = proposal.ridge_most.value_or(*proposal.ridge);
  return most > *proposal.ridge
             ? fmt::format("{} to {} by precision", number_text(*proposal.ridge), number_text(most))
             : number_text(*proposal.ridge);
}

std::string ridge_text(const Proposal& proposal, double intensity) {
  const double most = proposal.ridge_most.value_or(*proposal.ridge);
  const std::string_view memory = "memory bandwidth, more workers share it only on other nodes";
  const std::string_view by = intensity < *proposal.ridge ? memory
                              : intensity < most ? "compute or memory, as the precision decides"
                                                 : "compute";
  return fmt::format("by {}: {} operations per byte, the machine's ridge is {}", by,
                     number_text(intensity), ridge_range(proposal));
}

CheckedQuestion bound_question(const Proposal& proposal) {
  CheckedQuestion asked{.question = "Is it bound by compute, memory or communication?"};
  constexpr double kMuch = 0.5;
  if (proposal.intensity && proposal.ridge) {
    asked.given = true;
    asked.answer = ridge_text(proposal, *proposal.intensity);
  }
  if (proposal.communication) {
    asked.answer += fmt::format("{}communication is {} of the step, {} computation",
                                asked.given ? "; " : "", percent(*proposal.communication, 0),
                                *proposal.communication > kMuch ? "more than" : "less than");
    asked.given = true;
  }
  if (!proposal.bound.empty()) {
    asked.answer += (asked.given ? "; " : "") + proposal.bound;
    asked.given = true;
  }
  if (asked.given && proposal.ridge && !proposal.intensity) {
    asked.answer += fmt::format(
        "; whether computation is bound by memory needs flops and bytes of a step: the machine's "
        "ridge, in operations per byte, is {}",
        ridge_range(proposal));
  }
  if (!asked.given) {
    asked.answer =
        "flops and bytes of a step with peak_flops and bandwidth of a worker, or "
        "communication = 0.22";
  }
  return asked;
}

CheckedQuestion collective_question(const Proposal& proposal) {
  CheckedQuestion asked{.question = "What will the collectives cost?"};
  asked.given = proposal.communication.has_value() || !proposal.collective.empty();
  if (!proposal.communication) {
    asked.answer = proposal.collective;
    if (asked.given) return asked;
    asked.answer = "communication = the exposed share of the step (a profile, measure --inside)";
    return asked;
  }
  const double share = *proposal.communication;
  asked.answer = fmt::format("{} of every step", percent(share, 0));
  if (proposal.workers) {
    asked.answer +=
        fmt::format(", the time of {} of {} workers", number_text(share * *proposal.workers),
                    number_text(*proposal.workers));
  }
  if (proposal.workers && proposal.price) {
    asked.answer +=
        fmt::format(": {} {} per hour", number_text(share * *proposal.workers * *proposal.price),
                    proposal.currency);
  }
  if (!proposal.collective.empty()) asked.answer += "; " + proposal.collective;
  return asked;
}

/// Why no job can have all these numbers; 1% is left for their rounding.
std::string disagreement(const Proposal& proposal, double efficiency) {
  constexpr double kRounding = 1.01;
  const std::string gain = number_text(*gain_of(proposal));
  if (efficiency > kRounding) {
    return fmt::format(
        "{}x the speed on {}x the workers is an efficiency of {}: the two do not run the same job, "
        "or today's is slowed by something else (memory, cache, its settings)",
        gain, number_text(*proposal.workers / *proposal.today), percent(efficiency, 0));
  }
  if (!proposal.speedup) return "";
  if (proposal.serial && !proposal.grows.value_or(false)) {
    const double most = amdahl_gain(*proposal.serial, *proposal.today, *proposal.workers);
    if (*proposal.speedup > kRounding * most) {
      return fmt::format(
          "with a serial fraction of {} {} workers are at most {}x as fast as {}, "
          "not {}x",
          number_text(*proposal.serial), number_text(*proposal.workers), number_text(most),
          number_text(*proposal.today), gain);
    }
  }
  // One worker does not communicate, so that what communication takes is lost in full.
  if (proposal.communication && *proposal.today == 1 &&
      efficiency > kRounding * (1 - *proposal.communication)) {
    return fmt::format("with {} communication the efficiency is at most {}, not {}",
                       percent(*proposal.communication, 0), percent(1 - *proposal.communication, 0),
                       percent(efficiency, 0));
  }
  return "";
}

bool is_no_change(const Proposal& proposal) {
  return proposal.workers && proposal.today && *proposal.workers <= *proposal.today;
}

CheckedQuestion money_question(const Proposal& proposal, const std::optional<double>& efficiency) {
  CheckedQuestion asked{.question = "Does the efficiency justify the money?"};
  const bool open = leaves_open(proposal.verdict, GoalKind::kEfficiency);
  asked.given = efficiency.has_value() && !is_no_change(proposal) && !open &&
                disagreement(proposal, *efficiency).empty();
  if (!asked.given) {
    asked.answer = open         ? "a study that decides how many workers are efficient"
                   : efficiency ? "numbers of one job, with more workers than today"
                                : "workers and today with rate and rate_today (or time and "
                                  "time_today)";
    return asked;
  }
  const double machines = *proposal.workers / *proposal.today;
  asked.answer = fmt::format(
      "{}: {}x the machines, {}x the speed, {}x the bill per result; E = {}, {} justifies it",
      *efficiency >= proposal.efficiency ? "yes" : "no", number_text(machines),
      number_text(*gain_of(proposal)), number_text(1 / *efficiency), percent(*efficiency, 0),
      percent(proposal.efficiency, 0));
  if (proposal.price) {
    asked.answer += fmt::format(
        "; {} {} per hour", number_text(*proposal.price * *proposal.workers), proposal.currency);
  }
  return asked;
}

std::optional<Reconciled> reconcile(const Proposal& proposal,
                                    const std::optional<double>& efficiency) {
  if (!efficiency || !proposal.communication || !proposal.speedup || *efficiency >= 1) {
    return std::nullopt;
  }
  constexpr double kAgree = 1.15;
  Reconciled both{.missing = 1 / *efficiency, .explained = 1 / (1 - *proposal.communication)};
  const std::string share = percent(*proposal.communication, 0);
  if (both.explained * kAgree >= both.missing) {
    both.text = fmt::format("{} communication explains the {}x that are missing", share,
                            number_text(both.missing));
  } else {
    both.text = fmt::format(
        "{} communication explains {}x of the {}x that are missing; the rest is not exposed "
        "communication: small batches per worker, waiting before the step, input",
        share, significant(both.explained, 2), number_text(both.missing));
  }
  return both;
}

/// What today's step must have lost already, where the efficiency is above what communication
/// leaves.
std::string lost_today(const Proposal& proposal, double efficiency) {
  if (!proposal.communication || efficiency <= 1 - *proposal.communication) return "";
  return fmt::format(
      " if {} workers lose {} of their step already: {} communication leaves no more",
      number_text(*proposal.today), percent(1 - (1 - *proposal.communication) / efficiency, 0),
      percent(*proposal.communication, 0));
}

void decide(ProposalCheck& check) {
  const Proposal& proposal = check.proposal;
  if (leaves_open(proposal.verdict, GoalKind::kEfficiency) &&
      proposal.verdict->reason != VerdictReason::kNoneEfficient) {
    check.by_verdict = true;
    check.why = verdict_words(*proposal.verdict);
    check.why.pop_back();  // the full stop
    return;
  }
  if (is_no_change(proposal)) {
    check.decision = ProposalVerdict::kNoChange;
    check.why = fmt::format("{} workers are not more than the {} of today",
                            number_text(*proposal.workers), number_text(*proposal.today));
    return;
  }
  if (!check.efficiency) {
    check.why = "The efficiency is not known: give workers, today and their rates or times";
    return;
  }
  check.why = capitalized(disagreement(proposal, *check.efficiency));
  if (!check.why.empty()) {
    check.decision = ProposalVerdict::kDisagree;
    return;
  }
  if (proposal.verdict && !proposal.grows) {
    check.why =
        "Whether the problem grows with the cluster is not known: say it with --regime strong or "
        "weak";
    return;
  }
  const bool keeps = *check.efficiency >= proposal.efficiency;
  if (const auto& verdict = proposal.verdict;
      keeps && verdict && verdict->workers && *verdict->workers < proposal.workers) {
    check.why =
        fmt::format("{} Efficiency falls below {} at {} before it is {} at {}",
                    verdict_words(*verdict), percent(verdict->threshold, 0), *verdict->bends_at,
                    percent(*check.efficiency, 0), number_text(*proposal.workers));
    return;
  }
  if (keeps) {
    check.decision = ProposalVerdict::kBuy;
    check.why = fmt::format("An efficiency of {} is kept{}", percent(*check.efficiency, 0),
                            lost_today(proposal, *check.efficiency));
    return;
  }
  const double missing = std::log(1 / *check.efficiency);
  const double explained = proposal.communication ? -std::log1p(-*proposal.communication) : 0;
  constexpr double kMost = 0.5;
  if (explained >= kMost * missing) {
    check.decision = ProposalVerdict::kCutCommunication;
    check.why = "Communication explains most of what is missing";
    return;
  }
  if (proposal.grows.value_or(false)) {
    check.why = proposal.communication
                    ? "The problem grows already, and communication explains little: find what "
                      "else the workers wait for (kstar measure --inside)"
                    : "The problem grows already: give communication, the share of the step";
    return;
  }
  check.decision = ProposalVerdict::kGrowProblem;
  check.why = proposal.communication
                  ? "No cut in communication makes this problem fill so many workers; or stay "
                    "with fewer"
                  : "The same problem does not fill so many workers; or stay with fewer";
}

}  // namespace

std::string_view name_of(ProposalVerdict verdict) {
  switch (verdict) {
    case ProposalVerdict::kBuy:
      return "buy";
    case ProposalVerdict::kCutCommunication:
      return "cut communication";
    case ProposalVerdict::kGrowProblem:
      return "grow the problem";
    case ProposalVerdict::kDisagree:
      return "the numbers disagree";
    case ProposalVerdict::kNoChange:
      return "not a change";
    case ProposalVerdict::kUndecided:
      break;
  }
  return "undecided";
}

ProposalCheck check_proposal(const Proposal& proposal) {
  ProposalCheck check{.proposal = proposal};
  check.efficiency = efficiency_of(proposal);
  check.questions = {serial_question(proposal), growth_question(proposal), bound_question(proposal),
                     collective_question(proposal), money_question(proposal, check.efficiency)};
  decide(check);
  const bool stands =
      check.decision != ProposalVerdict::kDisagree && check.decision != ProposalVerdict::kNoChange;
  if (stands) check.reconciled = reconcile(proposal, check.efficiency);
  return check;
}

Proposal proposal_of(const Study& study, const Analysis& analysis) {
  Proposal proposal;
  proposal.title = study.header.title;
  const ScalingPoint* last = nullptr;
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.role == Role::kParallel) last = &point;
  }
  if (last == nullptr) return proposal;
  proposal.workers = last->workers;
  proposal.today = analysis.table.base_workers;
  if (last->speedup) proposal.speedup = last->speedup->point;
  if (last->workers == analysis.table.base_workers) proposal.speedup.reset();
  proposal.grows = analysis.verdict.problem_grows;
  if (last->karp_flatt && proposal.grows == false) proposal.measured_serial = *last->karp_flatt;
  proposal.efficiency = analysis.table.threshold;
  proposal.verdict = analysis.verdict;
  for (const FactorPoint& point : analysis.diagnosis.factors) {
    if (point.workers == last->workers) {
      proposal.communication = std::clamp(1 - point.communication.point, 0.0, 1.0);
    }
  }
  if (analysis.diagnosis.causes.empty()) return proposal;  // computed, not measured
  const Cause& cause = analysis.diagnosis.causes.front();
  if (cause.kind == CauseKind::kComputationScaling) {
    proposal.bound =
        "every worker computes more slowly when there are more of them: memory "
        "bandwidth, or clocks";
  } else if (cause.kind != CauseKind::kNone && cause.confidence != Confidence::kShape) {
    proposal.bound = fmt::format("most of the loss is {}", about(cause.kind).words);
  }
  return proposal;
}

}  // namespace kstar
