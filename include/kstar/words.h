#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/bend.h"
#include "kstar/causes.h"
#include "kstar/estimate_words.h"
#include "kstar/export.h"
#include "kstar/study.h"
#include "kstar/suspicion.h"

/// How results are said: bends, causes, suspicions, notes.
namespace kstar {

struct Analysis;

/// "the serial part", "load imbalance": as a part of a sentence.
KSTAR_EXPORT std::string cause_words(CauseKind kind);

/// The cause and what cannot be told from it: "load imbalance, a straggler or the serial part".
KSTAR_EXPORT std::string cause_words(const Cause& cause);

/// "load imbalance, a straggler or the serial part".
KSTAR_EXPORT std::string listed_words(const std::vector<CauseKind>& kinds);

/// Whether nothing says how much of the loss it takes: the shape of T(K) names it, and no more.
KSTAR_EXPORT bool is_guess(const Cause& cause);

/// "K = 16 (16 to 32; 93% of the evidence)"; "no measured K" where nothing bends.
KSTAR_EXPORT std::string bend_words(const std::optional<Bend>& bend);

/// "K = 8 (8 to 16) or more".
KSTAR_EXPORT std::string advice_words(const WorkersAdvice& advice);

/// What makes the numbers doubtful, and the flag or measurement that would settle it. Of one above
/// linear, Analysis::superlinear says more.
KSTAR_EXPORT std::string suspicion_words(const Suspicion& suspicion);

/// Whether the numbers may not be what they are read as: then these doubts come before the answer.
KSTAR_EXPORT bool is_in_question(const Analysis& analysis);

/// What a reader must know before relying on the answer, one or two sentences each: suspicions,
/// what the models do not fit, what predictions rest on, what was assumed or failed.
KSTAR_EXPORT std::vector<std::string> doubts_of(const Analysis& analysis);

struct Doubt {
  Doubt(std::string said, std::string code = "") : text(std::move(said)), what(std::move(code)) {}

  std::string text;
  std::string what;  ///< the code of the suspicion or note; "gap", "step" and so on; "" for others
};
/// The same, for who says some of them in other words.
KSTAR_EXPORT std::vector<Doubt> named_doubts(const Analysis& analysis);

/// Whether the last K before the bend and the first behind it are so far apart that the former says
/// little about K*.
KSTAR_EXPORT bool has_wide_gap(const Analysis& analysis);

/// Whether doubts_of() has said this note.
KSTAR_EXPORT bool is_doubt(const Note& note);

/// "warning: K = 8: the text", without what is not there.
KSTAR_EXPORT std::string note_text(const Note& note);

}  // namespace kstar
