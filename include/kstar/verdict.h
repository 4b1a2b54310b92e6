#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/bend.h"
#include "kstar/causes.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/regime.h"
#include "kstar/study.h"
#include "kstar/study_note.h"

/// How many workers, how sure, and why not more: decided once, at the end of analyze(), from what
/// it found. Every output says it, and decides nothing.
namespace kstar {

struct Analysis;

enum class VerdictState : std::uint8_t {
  kRun,        ///< run on `workers`
  kOrMore,     ///< no measured K is below the threshold: `workers`, the largest, or more
  kAbout,      ///< `workers`, though other K are together as likely
  kBetween,    ///< from `workers` to `high`: the measured K are too far apart to say more
  kUndecided,  ///< the numbers do not say it: `reason`
  kNone        ///< there is no K to run on: `reason`
};
/// "run", "or_more", "about", "between", "undecided", "none".
KSTAR_EXPORT std::string_view name_of(VerdictState state);

enum class VerdictReason : std::uint8_t {
  kDecided,
  // kBetween
  kGap,  ///< nothing was measured between the last good K and one far beyond it
  // kUndecided
  kJumps,            ///< single values jump, and no model fits them
  kBusyMachine,      ///< other jobs had much of the machine
  kCachedWork,       ///< the runs behind the first found their work done
  kShortRuns,        ///< the runs hardly do more than start
  kDoubtfulReading,  ///< the numbers may not be what they are read as
  kStandsApart,      ///< E falls first at a K that the others speak against
  kAnyWorkers,       ///< every measured K might be the one
  // kNone
  kUnknownRegime,  ///< what stays fixed while K grows is not known
  kMixedRegime,    ///< the problem changes in a way that is neither strong nor weak
  kNoBaseTime,
  kOneK,          ///< only one K has times
  kNoneEfficient  ///< no measured K keeps the threshold
};
/// "decided", "gap", "jumps", "busy_machine" ...
KSTAR_EXPORT std::string_view name_of(VerdictReason reason);

/// What a reader must know before relying on the verdict: a note, whose code and values say what is
/// wrong and where, and whether the verdict itself is in question with it.
struct Doubt {
  Note note;
  bool questions_verdict = false;
};

/// Whether a note puts every answer in doubt that rests on what it is about.
KSTAR_EXPORT bool is_doubt(const Note& note);

/// The next larger measured K: what more workers would give.
struct LargerWorkers {
  int workers = 1;
  std::optional<Estimate> speedup, efficiency;
  double gain = 1;  ///< the work done in the same time, over that at Verdict::workers
  double cost = 1;  ///< the worker time of the same work, likewise
};

/// One reason why more workers give less.
struct LossReason {
  CauseKind cause = CauseKind::kNone;
  bool measured = true;               ///< else guessed from the shape of T(K)
  std::optional<Estimate> share;      ///< of the loss at Verdict::loss_at, where it was measured
  std::optional<double> probability;  ///< of a guess
};

enum class NextStepCode : std::uint8_t {
  kNone,
  kTellWeak,       ///< --regime weak, if the work grows with K
  kTellStrong,     ///< --regime strong, if it does not
  kFreeMachine,    ///< other jobs off, then again
  kLookAtCommand,  ///< the command at each K may not use its workers
  kUndoWork,       ///< of a run before the next
  kSeeFailure,     ///< a K fails
  kMoreWorkers,    ///< one K has times
  kSplitTraining,  ///< see what time to train is made of
  kRepeat,         ///< every K, to see the noise
  kRepeatOne,      ///< the K that stands apart
  kDecide,         ///< measure where it is decided
  kSeeEnd,         ///< measure beyond the largest K
  kNarrow,         ///< measure between
  kWholeMachine,   ///< the largest K measured is all that the machine or allocation has
  kLookInside,     ///< at what the ranks do
  kMarkWork,       ///< what the workers do, in the program
  kChange          ///< what `advice` says, then compare
};
/// "tell_weak", "free_machine" ...
KSTAR_EXPORT std::string_view name_of(NextStepCode code);

struct NextStep {
  NextStepCode code = NextStepCode::kNone;
  std::vector<int> workers;  ///< to be measured; never more than the study's machine has
  std::optional<int> runs;   ///< of each; none: as many as the precision asks for
  std::string command;       ///< a command line, where one does it
  std::string advice;        ///< of kChange: what to change, as a part of a sentence
};

struct Verdict {
  VerdictState state = VerdictState::kNone;
  VerdictReason reason = VerdictReason::kOneK;

  std::optional<int> workers;  ///< none where `state` is kUndecided or kNone
  /// What the measurements leave possible; no `high`: beyond the largest K measured.
  std::optional<int> low, high;
  /// That `workers` is the largest measured K that keeps the threshold; of kOrMore that it does.
  /// None where nothing shows the noise.
  std::optional<double> probability;

  double threshold = 0;
  bool by_training = false;  ///< by the efficiency of time to train
  bool computed = false;     ///< from schedules (kstar dag), not measured
  std::optional<Regime> regime;
  RegimeSource regime_source = RegimeSource::kUnknown;
  std::optional<bool> problem_grows;  ///< with K; none where nothing says it
  int base_workers = 1;               ///< that S and E are relative to
  Role base_role = Role::kParallel;

  int largest_workers = 1;                ///< that were measured
  std::optional<int> machine_workers;     ///< that the study's machine or allocation has
  std::optional<int> bends_at;            ///< the first measured K below the threshold
  std::optional<int> likeliest;           ///< of kStandsApart: what all K together say
  std::optional<int> good_again;          ///< a K behind the bend that keeps the threshold
  std::optional<int> least_time_workers;  ///< of the measured K; for growing work: most work
  std::optional<LargerWorkers> larger;
  int loss_at = 1;               ///< the K that `loss` is about
  std::vector<LossReason> loss;  ///< the largest first
  std::vector<Doubt> doubts;     ///< the gravest first
  /// The numbers may not be what they are read as: no cause and no prediction rests on them.
  bool reading_in_question = false;
  NextStep next;

  /// Whether there is a K to run on.
  bool is_decided() const { return workers.has_value(); }

  /// Whether nothing can rest on the times, whatever is asked of them: else the threshold alone is
  /// what they do not decide.
  bool doubts_times() const {
    return !is_decided() && reason != VerdictReason::kAnyWorkers &&
           reason != VerdictReason::kNoneEfficient;
  }
};

/// What the network has to do with what communication takes.
enum class NetworkRole : std::uint8_t {
  kNotKnown,    ///< what the network should take is not known well enough
  kNotNetwork,  ///< more is spent than it should take
  kLess,        ///< less than that: hidden, or fewer bytes
  kNetwork      ///< as long as it allows
};
/// "not_known", "not_the_network", "less", "the_network".
KSTAR_EXPORT std::string_view name_of(NetworkRole role);

/// What a study spends on communication at its largest K, against what its network should take.
struct NetworkVerdict {
  NetworkRole role = NetworkRole::kNotKnown;
  double workers = 1;
  double spent = 0;    ///< seconds per step
  bool waits = false;  ///< `spent` has waiting in it
  Estimate expected;   ///< no `high`: a lower bound
  std::string collective;
  double bytes = 0;
  std::string from;  ///< what `expected` rests on
};

/// From everything but `analysis.verdict`; without a next step, which needs the study.
KSTAR_EXPORT Verdict decide(const Analysis& analysis);

/// How many workers the machine or allocation of the study has: its hardware threads or, where
/// workers are accelerators, those. None where the study does not say.
KSTAR_EXPORT std::optional<int> machine_workers(const Study& study);

/// What to measure or change next.
KSTAR_EXPORT NextStep next_step(const Study& study, const Analysis& analysis);

}  // namespace kstar
