#pragma once

#include <optional>
#include <vector>

#include "analysis/causes/worker_times.h"
#include "kstar/causes.h"

/// The factors of efficiency as the POP project defines them (Wagner, Mohr, Giménez, Labarta: A
/// Structured Approach to Performance Analysis, 2018), of one run and over runs:
///   load balance              mean useful / longest useful
///   communication efficiency  longest useful / time
///     transfer                (time - communication of the longest) / time
///     serialization           longest useful / (time - communication of the longest)
///   computation scaling       useful time for the same work at the base / here
namespace kstar::causes {

/// Below this share of efficiency nobody would act: what is named takes more, at the confidence
/// asked for.
inline constexpr double kNegligible = 0.03;

/// One run has no interval; what it shows must be plain.
inline constexpr double kPlain = 0.10;

/// Cores are slower when all of them are busy (clock, shared caches, hardware threads), with
/// nothing wrong in the program. Computation scaling is named where it takes more than this.
inline constexpr double kBusyMachine = 0.10;

/// What processor time must show to be named: start and end of the processes, and what looks at
/// them, are in it.
inline constexpr double kCountedLoss = 0.05;

/// Whether the factor takes more than `least`, at its confidence; of one run, whether it is plain.
bool is_relevant_loss(const Estimate& factor, double least = kNegligible);

/// What is left where a share is taken, and the other way round.
Estimate one_less(const Estimate& share);

double load_balance_of(const WorkerTimes& run);
double communication_of(const WorkerTimes& run);
std::optional<double> transfer_of(const WorkerTimes& run);

/// Useful seconds of all workers for one unit of work: of what each recorded as done, or of one
/// step, where weak scaling gives every worker one unit. None where the work of a step changes with
/// K in a way that nobody recorded.
std::optional<double> useful_per_work(const WorkerTimes& run, std::optional<Regime> regime);

/// One factor at one K, the geometric mean over runs.
Estimate factor_over(const std::vector<double>& values, double confidence);

/// None where work cannot be compared.
std::optional<Estimate> computation_scaling(const std::vector<WorkerTimes>& base,
                                            const std::vector<WorkerTimes>& here,
                                            std::optional<Regime> regime, double confidence);

std::vector<FactorPoint> factor_points(const WorkerStudy& study, std::optional<Regime> regime,
                                       double confidence);

/// 1 with nothing to doubt: a base over itself.
Estimate exactly_one(double confidence, std::size_t runs);

}  // namespace kstar::causes
