#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kstar/export.h"
#include "kstar/regime.h"

/// What should make a reader doubt that the numbers are what they are read as, before any answer is
/// believed.
namespace kstar {

enum class SuspicionKind : std::uint8_t {
  kBusyMachine,        ///< other jobs had much of the machine, and the job waited for CPUs
  kGrowingEfficiency,  ///< E is far above 1 and grows with K: the work is not what it is read as
  kRisesLikeRate,      ///< T grows with K as a rate does: rates read as times, or workers in turns
  kFlatTime,           ///< T stays the same, and that the work does was only assumed
  kUnusedWorkers,      ///< S stays near 1 at every K, and the work is known to be fixed
  kSuperlinear,        ///< an E above 1 beyond its error
  kLargeBase,          ///< K0 > 1: what is lost up to it is not seen
  kNoBend              ///< fixed work without a bend up to a large K
};
KSTAR_EXPORT std::string_view name_of(SuspicionKind kind);

/// The two neighbouring K between which the speed of a worker grows most.
struct SpeedStep {
  int from = 1;
  int to = 1;
  double factor = 1;
};

struct Suspicion {
  SuspicionKind kind = SuspicionKind::kNoBend;
  Regime regime = Regime::kStrong;  ///< as which the numbers are read
  int workers = 1;                  ///< the K that shows it
  /// E there; S of kUnusedWorkers; T(K)/T(K0) where T is meant; of kBusyMachine the CPUs of others.
  double value = 0;
  double cpus = 0;                ///< of kBusyMachine: that the job may use
  bool own = false;               ///< kstar made the numbers: rates are not read as times
  std::optional<SpeedStep> step;  ///< of kSuperlinear, where the data show one
};

/// Whether the numbers may be something else than what they are read as: then no answer stands.
KSTAR_EXPORT bool questions_the_reading(const Suspicion& suspicion);

}  // namespace kstar
