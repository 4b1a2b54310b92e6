#pragma once

#include <array>
#include <optional>

#include "analysis/causes/cpu_facts.h"
#include "analysis/causes/findings.h"
#include "analysis/causes/reported.h"
#include "kstar/causes.h"

/// The causes, each in a file that describes it. One to copy from: communication.cc.
namespace kstar::causes {

/// What one kind of evidence says of a cause.
template <typename Facts>
struct Witness {
  /// Of efficiency, against the base; none where the evidence does not know it.
  std::optional<Estimate> (*factor)(const Facts&) = nullptr;
  /// Evidence and advice in words; worker, host and what cannot be told from it. The cause has its
  /// factor and its share already.
  void (*tell)(const Facts&, Cause&) = nullptr;
};

/// The place of a cause among those that a mechanism of T(K) suggests (kstar/models.h): 1 is the
/// most likely, 0 is none of them. What is suggested together cannot be told apart by T(K).
struct ShapePlaces {
  int constant = 0, growing = 0, limit = 0, share = 0, waiting = 0;
  int weak_growing = 0, weak_filling = 0;
};

struct CauseEntry {
  CauseAbout about;
  double least = kNegligible;  ///< what it must take of the efficiency to be named
  bool tested = false;         ///< its factor is found by a test of its own: then it is named
  bool of_parallel = true;     ///< its factor is a part of parallel efficiency
  Witness<Findings> measured{};
  Witness<ReportedFactors> reported{};
  Witness<CpuFacts> counted{};
  ShapePlaces suggested{};
};

extern const CauseEntry kCommunicationCause;
extern const CauseEntry kStragglerCause;
extern const CauseEntry kLoadImbalanceCause;
extern const CauseEntry kComputationScalingCause;
extern const CauseEntry kSerialCause;
extern const CauseEntry kContentionCause;
extern const CauseEntry kOneCoreCause;
extern const CauseEntry kCpuWaitCause;
extern const CauseEntry kIdleCause;
extern const CauseEntry kCpuGrowthCause;
extern const CauseEntry kMemoryBandwidthCause;
extern const CauseEntry kNoCause;  ///< where no other is named

inline constexpr std::array kCauses = {
    &kCommunicationCause, &kStragglerCause,  &kLoadImbalanceCause,   &kComputationScalingCause,
    &kSerialCause,        &kContentionCause, &kOneCoreCause,         &kCpuWaitCause,
    &kIdleCause,          &kCpuGrowthCause,  &kMemoryBandwidthCause, &kNoCause};

}  // namespace kstar::causes
