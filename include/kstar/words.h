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
#include "kstar/verdict.h"

/// How results are said: verdicts, bends, causes, doubts, notes.
namespace kstar {

/// "the serial part", "load imbalance": as a part of a sentence.
KSTAR_EXPORT std::string cause_words(CauseKind kind);

/// The cause and what cannot be told from it: "load imbalance, a straggler or the serial part".
KSTAR_EXPORT std::string cause_words(const Cause& cause);

/// "load imbalance, a straggler or the serial part".
KSTAR_EXPORT std::string listed_words(const std::vector<CauseKind>& kinds);

/// "K = 16 (16 to 32; 93% of the evidence)"; "no measured K" where nothing bends.
KSTAR_EXPORT std::string bend_words(const std::optional<Bend>& bend);

/// "K = 8 (8 to 16)", "K = 16 or more", "undecided (1 to 16)".
KSTAR_EXPORT std::string verdict_place(const Verdict& verdict);

/// What makes the numbers doubtful, and the flag or measurement that would settle it. Of one above
/// linear, Analysis::superlinear says more.
KSTAR_EXPORT std::string suspicion_words(const Suspicion& suspicion);

/// What is doubtful, and what would settle it, as one or two sentences.
KSTAR_EXPORT std::string doubt_words(const Doubt& doubt);
KSTAR_EXPORT std::vector<std::string> doubts_of(const Verdict& verdict);

/// "Run on 8 workers.", or why there is no K to run on: "Undecided: K* is anywhere from 2 to 16."
KSTAR_EXPORT std::string verdict_words(const Verdict& verdict);

/// "At K = 8 communication takes 3 ms per step. The network should take ...: not the network."
KSTAR_EXPORT std::string network_words(const NetworkVerdict& verdict);

/// What to do next, as the line above its command; empty where there is nothing.
KSTAR_EXPORT std::string next_step_words(const Verdict& verdict);

/// "warning: K = 8: the text", without what is not there.
KSTAR_EXPORT std::string note_text(const Note& note);

}  // namespace kstar
