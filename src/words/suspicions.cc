#include <fmt/format.h>

#include "base/number.h"
#include "kstar/words.h"

namespace kstar {

namespace {

std::string growing_words(const Suspicion& suspicion) {
  const std::string seen = fmt::format("E grows with K, to {} at K = {}",
                                       significant(suspicion.value, 3), suspicion.workers);
  if (suspicion.regime == Regime::kWeak) {
    return seen +
           ": these times fall like those of fixed work. If the problem is the same at every K, "
           "use --regime strong.";
  }
  return seen +
         ": no fixed work does that. Check that every T is of the same work (--regime) and is a "
         "time, not a rate (--rate-column).";
}

std::string rising_words(const Suspicion& suspicion) {
  const bool rates = suspicion.regime == Regime::kThroughput;
  const std::string seen =
      rates ? fmt::format("The rate falls with K, to {}x at K = {}, as a time would",
                          significant(1 / suspicion.value, 3), suspicion.workers)
            : fmt::format("T grows with K, to {}x at K = {}, as a rate would",
                          significant(suspicion.value, 3), suspicion.workers);
  const std::string otherwise = "the workers hinder each other, or work one after the other";
  if (suspicion.own) {
    return fmt::format("T grows with K, to {}x at K = {}: {}.", significant(suspicion.value, 3),
                       suspicion.workers, otherwise);
  }
  return rates ? fmt::format("{}. If these are times, use --time-column; if not, {}.", seen,
                             otherwise)
               : fmt::format(
                     "{}. If these are rates (work per second), use --rate-column; if "
                     "not, {}.",
                     seen, otherwise);
}

std::string flat_words(const Suspicion& suspicion) {
  constexpr double kHardly = 1.1;
  return fmt::format(
      "T {} {}x at K = {}. If the work grows with K, this is weak scaling: use --regime weak. If "
      "not, the job does not use its workers.",
      suspicion.value < kHardly ? "hardly changes:" : "grows only to", fixed(suspicion.value, 2),
      suspicion.workers);
}

std::string unused_words(const Suspicion& suspicion) {
  return fmt::format(
      "S stays near 1 ({} at K = {}): the job does not seem to use its workers. kstar measure "
      "--dry-run shows the command at each K.",
      significant(suspicion.value, 3), suspicion.workers);
}

std::string superlinear_words(const Suspicion& suspicion) {
  std::string text = fmt::format("E({}) = {} is above 1: check the baseline.", suspicion.workers,
                                 significant(suspicion.value, 3));
  if (suspicion.step) {
    text += fmt::format(" The speed per worker rises by {} from K = {} to {}.",
                        percent(suspicion.step->factor - 1, 0), suspicion.step->from,
                        suspicion.step->to);
  }
  return text;
}

}  // namespace

std::string suspicion_words(const Suspicion& suspicion) {
  switch (suspicion.kind) {
    case SuspicionKind::kBusyMachine:
      return fmt::format(
          "Other jobs used {} of {} CPUs while K = {} ran, and its threads waited for one: stop "
          "them, or wait, and measure again.",
          significant(suspicion.value, 2), significant(suspicion.cpus, 3), suspicion.workers);
    case SuspicionKind::kGrowingEfficiency:
      return growing_words(suspicion);
    case SuspicionKind::kRisesLikeRate:
      return rising_words(suspicion);
    case SuspicionKind::kFlatTime:
      return flat_words(suspicion);
    case SuspicionKind::kUnusedWorkers:
      return unused_words(suspicion);
    case SuspicionKind::kSuperlinear:
      return superlinear_words(suspicion);
    case SuspicionKind::kLargeBase:
      return fmt::format(
          "E is relative to K = {}, which may be inefficient itself: measure T(1), or give it as "
          "--baseline-time.",
          suspicion.workers);
    case SuspicionKind::kNoBend:
      return fmt::format(
          "No bend up to K = {} (E = {}) is rare for fixed work: check the problem and T(1) with "
          "kstar audit.",
          suspicion.workers, fixed(suspicion.value, 2));
  }
  return "";
}

}  // namespace kstar
