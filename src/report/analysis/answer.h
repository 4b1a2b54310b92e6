#pragma once

#include <string>

#include "kstar/analysis.h"
#include "kstar/document.h"

namespace kstar {

/// One paragraph: how many workers, where it bends, why, and what more could give.
std::string answer_text(const Analysis& analysis);

/// Its first sentence: how many workers, and how sure that is.
std::string advice_text(const Analysis& analysis);

/// What the numbers allow to say of K*.
enum class AnswerState {
  kNone,         ///< there is no K* to speak of: advice_text() says why
  kCachedWork,   ///< the runs behind the first found its work done
  kBusy,         ///< other jobs had much of the machine
  kInQuestion,   ///< the numbers may not be what they are read as
  kStandsApart,  ///< the bend is at a K that the others speak against
  kUndecided,    ///< any measured K might be K*, there is none near the bend, or values jump
  kNoneGood,     ///< every measured K is below the threshold
  kOpen,         ///< no measured K is
  kScheduled,    ///< computed, not measured
  kClear
};
AnswerState answer_state(const Analysis& analysis);

/// Whether the efficiency to speak of is that of time to train.
bool is_by_training(const Analysis& analysis);

/// Whether every measured K might be K*.
bool is_undecided(const Analysis& analysis);

/// " By the interval of E at each K alone, K* is 8 to 16.": what those leave open, where all K
/// together say it more narrowly; the table beside it shows them.
std::string each_alone_text(const Analysis& analysis);

/// Whether single values jump so that no model fits them: nothing rests on where E falls first.
bool has_jumps(const Analysis& analysis);

/// Whether at least half of the runs of a K failed: it works only sometimes.
inline bool is_failing(const ScalingPoint& point) {
  return point.failed > 0 && point.failed >= point.times.n;
}

/// " once they no longer fail (3 of 4 runs did)"; empty of a K that works.
std::string failing_text(const Analysis& analysis, int workers);

/// Nothing where the study does not say what its runs needed to converge.
void add_training(const Analysis& analysis, Document& document);

/// Its factors alone.
void add_training_factors(const Analysis& analysis, Document& document);

/// Whether E above 1 is in question: then nothing is continued beyond it.
bool is_superlinear(const Analysis& analysis);

/// " From K = 8 to 16 S hardly grows. By the models, ...": what more workers than the largest
/// measured K would give. A ceiling without an upper end is a guess about what nobody has seen, and
/// nothing is said of what lies beyond an efficiency above 1.
std::string ceiling_text(const Analysis& analysis);

/// The K that a goal of speed alone would take. A single K has no other beside it.
std::string fastest_text(const Analysis& analysis);

/// "From K = 8 to K = 512 its efficiency falls to 0.41 = 0.62 (algorithm: ...) x 0.66 (...)".
std::string training_text(const TimeToTrain& train);

/// The K, no integer, where efficiency crosses the threshold by the models.
const Estimate* continuous_bend(const Analysis& analysis);

}  // namespace kstar
