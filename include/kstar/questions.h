#pragma once

#include <optional>

#include "kstar/cost_model.h"
#include "kstar/export.h"

/// The questions people ask of a scaling curve. Answers are over all integers K, not over a sweep;
/// K is a double because answers reach far beyond 2^31 and every integer up to 2^53 is exact.
namespace kstar {

/// Answers beyond this K are "never": no machine has so many workers.
inline constexpr double kMostModelWorkers = 0x1p53;

/// Equal up to the rounding of a few operations. Decimal inputs make exact ties (f = 0.20 has
/// E(6) = 0.5, which is not below 0.5); rounding must not decide them.
KSTAR_EXPORT bool clearly_less(double a, double b);

/// What happens as K grows without end; infinity where there is no bound.
struct Limits {
  double time = 0;
  double speedup = 0;
  double efficiency = 0;
};
KSTAR_EXPORT Limits limits_of(const CostModel& model);

/// The largest S that any K gives.
struct Ceiling {
  double speedup = 0;             ///< infinity when S grows without bound
  std::optional<double> workers;  ///< the K that has it; none when it is only approached
  bool bounded() const;
};
KSTAR_EXPORT Ceiling ceiling_of(const CostModel& model);

/// The smallest integer K whose efficiency is strictly below `threshold`.
KSTAR_EXPORT std::optional<double> first_below(const CostModel& model, double threshold);

/// The largest real K whose efficiency is at or above `threshold`: first_below without the steps
/// of the integers, for sensitivities. Infinity when efficiency never falls so far,
/// kMostModelWorkers when it does so only beyond that.
KSTAR_EXPORT double usable_workers(const CostModel& model, double threshold);

/// The same in whole workers: first_below less one.
KSTAR_EXPORT double last_usable(const CostModel& model, double threshold);

/// The smallest integer K from the base on whose speedup is at least `speedup`.
KSTAR_EXPORT std::optional<double> first_reaching(const CostModel& model, double speedup);

struct LeastTime {
  std::optional<double> workers;   ///< the smallest K that has it; none when time falls for ever
  double time = 0;                 ///< the least time, or what it falls towards
  std::optional<double> turns_up;  ///< the first K that is slower than K-1
};
KSTAR_EXPORT LeastTime least_time(const CostModel& model);

/// The smallest integer K from the base on whose communication, hidden or not, takes longer than
/// each worker's share of the parallel part; none when it never does.
KSTAR_EXPORT std::optional<double> communication_overtakes(const CostModel& model);

/// The largest serial part (of serial + parallel, kept in sum) with which K workers still have
/// efficiency `floor`; none when not even 0 does.
KSTAR_EXPORT std::optional<double> largest_serial(const CostModel& model, double workers,
                                                  double floor);

/// Iso-efficiency (Grama, Gupta, Kumar 1993): the parallel work each of K workers must have for
/// the efficiency on K workers to be `floor`, all overheads staying as they are.
/// Fixed problem: E = (s + K w + o(1)) / (K (s + w + o(K))), or with a base K0 > 1
/// (K0 s + K w + K0 o(K0)) / (K (s + w + o(K))).
/// Growing problem: E = (s + w + o(1)) / (s + w + o(K)); Gustafson counts s once, as if fixed.
/// o(K) is what is neither serial nor parallel: exposed communication and waiting.
/// None when no amount of work suffices; 0 when none is needed.
KSTAR_EXPORT std::optional<double> isoefficient_work(const CostModel& model, double workers,
                                                     double floor);

/// The share of the step on K workers that adding workers does not shrink: exposed communication,
/// the serial part and waiting.
KSTAR_EXPORT double serial_share_at(const CostModel& model, double workers);

/// Amdahl's formula fed with the serial share of the step *on K workers*. It is not the speedup of
/// any job: the computation in that share has already been divided by K, and is divided again.
KSTAR_EXPORT double effective_amdahl_at(const CostModel& model, double workers);
/// The integer K where that curve is highest; none when it rises for ever.
KSTAR_EXPORT std::optional<double> effective_amdahl_peak(const CostModel& model);

}  // namespace kstar
