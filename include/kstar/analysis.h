#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kstar/bend.h"
#include "kstar/causes.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/machine.h"
#include "kstar/memory_scaling.h"
#include "kstar/models.h"
#include "kstar/phases.h"
#include "kstar/result.h"
#include "kstar/scaling_table.h"
#include "kstar/study.h"
#include "kstar/suspicion.h"
#include "kstar/time_to_train.h"
#include "kstar/verdict.h"

/// From a Study to a defended answer, computed once: every output shows this. No clock, no
/// environment, no files: the same Study and options give the same bytes.
namespace kstar {

struct AnalysisOptions {
  double threshold = kThreshold;
  double confidence = kConfidence;
  std::optional<Regime> regime;            ///< where the study does not say
  Statistic statistic = Statistic::kMean;  ///< of the runs at each K, that T(K) is
  std::optional<double> baseline_time;     ///< seconds: another T(1) than the measured one
  std::vector<double> predict;             ///< K to predict
  /// Mean CPU seconds by K where waiting threads sleep: tells spinning from work.
  CpuByWorkers passive_cpu;
  std::string model;                       ///< one form instead of the average
  std::optional<MachineCeilings> machine;  ///< that it was measured on
  std::optional<double> flops, bytes;      ///< of one step or run, where no marks say it
  std::size_t resamples = 10000;
  std::uint64_t seed = 1;
};

/// The efficiencies and the bend against another T(1).
struct OtherBaseline {
  double time = 0;
  std::vector<Estimate> efficiency;  ///< of each point of the table
  std::optional<Bend> bend;          ///< none where no K is below the threshold
};

/// How steady the steps are inside the runs at one K.
struct StepStability {
  int workers = 1;
  std::size_t runs = 0;  ///< with steps
  double variation = 0;  ///< the coefficient of variation of steps inside a run, mean over runs
  double slowest = 1;    ///< the slowest step over the median, the mean over runs
  /// The last third's mean step over the first third's: over the runs or, of one run, its steps.
  std::optional<Estimate> drift;
};

enum class SuperlinearCause {
  kMemory,      ///< it is short at the base
  kWaiting,     ///< the base waits for a disk or a network
  kNoise,       ///< a few slow runs of the base
  kCaches,      ///< the data of a worker may fit them: a true gain
  kNothingSeen  ///< memory or a slow baseline: nothing in the study says which
};

/// An efficiency above 1 beyond the noise, or of a single value far enough: a question to the
/// baseline.
struct SuperlinearQuestion {
  int workers = 1;
  SuperlinearCause cause = SuperlinearCause::kNothingSeen;
  std::string likely_cause;  ///< one sentence
  std::string measurement;   ///< the one that settles it
};

struct Analysis {
  AnalysisOptions options;  ///< that it was made with
  ScalingTable table;
  std::vector<StepStability> steps;
  std::optional<SuperlinearQuestion> superlinear;
  std::optional<TimeToTrain> time_to_train;  ///< where the runs say what they needed to converge

  /// Of the efficiencies of the table or, where its regime has none, of those of time to train.
  std::optional<Bend> bend;
  std::optional<OtherBaseline> other_baseline;  ///< AnalysisOptions::baseline_time

  /// Against the parallel program's own smallest K, where the base of the table is a program of its
  /// own: what Karp-Flatt and the models are about.
  std::optional<OtherBaseline> own_baseline;

  WorkersAdvice recommendation;    ///< what E alone says; whether it stands is the verdict's
  std::optional<ModelFit> models;  ///< none with fewer than two K
  Diagnosis diagnosis;
  std::optional<MemoryScaling> memory;  ///< AnalysisOptions::machine
  std::optional<MachineReach> reach;    ///< likewise, where operations or bytes are known
  PhaseTable phases;                    ///< empty where no run knows its workers
  std::vector<Suspicion> suspicions;    ///< the gravest first
  std::vector<Note> notes;  ///< all of them: the table's, and the study's own warnings, too
  Verdict verdict;          ///< decided last, from all of the above: what every output says
  std::optional<NetworkVerdict> network;  ///< where a network was given: against_network()
};

/// Fails when no run has a time, or an option makes no sense: then the error names it.
KSTAR_EXPORT Result<Analysis> analyze(const Study& study, const AnalysisOptions& options = {});

}  // namespace kstar
