#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The words of which people make names of columns, and what each may mean.
namespace kstar {

enum class Sense {
  kFiller,    ///< says nothing about what is measured: total, run, parallel
  kCounting,  ///< around a name of workers: number of
  kTime,      ///< time, elapsed, Laufzeit
  kTimeUnit,  ///< its number: seconds
  kStepWord,  ///< a part of a run that comes again: step, epoch
  kRate,      ///< throughput, gflops
  kSpeedup,
  kEfficiency,
  kRelative,     ///< of a time or rate: no seconds
  kWorkers,      ///< its number: the rank among names of K
  kWorker,       ///< likewise, one of them: gpu
  kModel,        ///< likewise, where it stands alone: MPI, OpenMP
  kStatistic,    ///< mean, best
  kNotMeasured,  ///< no time, rate or speedup of the job, whatever else the name says
  kPart,         ///< of a run: communication, I/O
  kObserved,     ///< measured beside the time: tells no series apart
  kRemark,
  kDay,
  kSize,       ///< of the whole problem
  kDimension,  ///< of the problem: how the work grows with it is not known
  kAxis,       ///< the same; the product of several is the size: nx and ny
  kBatch,
  kSetting,
  kSteps,  ///< how many steps a run makes
  kBuild,
  kRepeat,    ///< the number of a repeat
  kNumbered,  ///< a number behind it counts repeats
  kCounter,
  kStatus,
  kMetric,
  kLabel,      ///< a setting of the program, as a text: precision
  kTarget,     ///< likewise of what ends a run or slows it down
  kFailed,     ///< of a status: the run went wrong, or has not ended
  kGood,       ///< asks or says whether a run was a good one
  kUnit,       ///< a column of units
  kVersion,    ///< a column in which a point is no decimal sign
  kRowNumber,  ///< where it goes 1, 2, 3
  kAside,      ///< behind a number of workers: it changes nothing
  kSimulated,  ///< a unit of what is simulated
  kSample,     ///< what a training goes through
  kConverge,
  kAverse,   ///< of a rate: no work per second
  kServed,   ///< of a rate: what a service answers, thousands a second
  kRequest,  ///< of a time: that of one request to a service, or of a part of it
  kIndex,    ///< around the name of a worker: which of them
  kSerial,   ///< a program that has no workers
  kSubject   ///< what is computed: another one is another job
};

/// Where the names of workers stand: the smaller the part of the machine, the smaller.
inline constexpr int kRankOfGpus = 2, kRankOfRanks = 3, kRankOfThreads = 4, kRankOfNodes = 6,
                     kRankOfClients = 7;

/// Whether the word may mean that.
bool means(std::string_view word, Sense sense);

/// Whether the two words are a name of that meaning together: exit code, time stamp.
bool is_phrase(const std::vector<std::string>& words, Sense sense);

/// The number of that meaning: seconds of a unit, the rank of a name of workers, 1 of a mean and 2
/// of a median; 0 where it has none.
double number_of(std::string_view word, Sense sense);

using Words = std::vector<std::string>;

bool holds(const Words& words, Sense sense);
bool holds(const Words& words, std::string_view word);

/// Lower-case words; a change from small to capital letters and from letters to digits separates,
/// "%" and "/" are the words percent and per, OpenMP is one, the two signs for micro are a u, and
/// accents are dropped.
Words words_of(std::string_view name);

/// What a unit of time has in seconds, of a word that is one.
std::optional<double> seconds_of(std::string_view word);

/// Whether a column of this name holds a setting of the program or of its problem, and no name of a
/// machine, a day or a person: a precision, a target, checkpointing.
bool names_setting(std::string_view name);

/// The same of what ends a run or slows it down: a column of numbers may say it as well.
bool names_target(std::string_view name);

}  // namespace kstar
