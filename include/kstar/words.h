#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/bend.h"
#include "kstar/causes.h"
#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/study.h"
#include "kstar/suspicion.h"

/// How results are said: estimates, bends, causes, notes. In a sentence an interval is "8 to 12",
/// in the cell of a table "8..12".
namespace kstar {

struct Analysis;

/// "10.2 to 12.6", "10.2 or more", "up to 12.6"; "no interval" where neither end is known.
KSTAR_EXPORT std::string range_words(double low, double high, int digits);
KSTAR_EXPORT std::string range_words(const Estimate& estimate, int digits);

/// The same for shares: "60% to 80%".
KSTAR_EXPORT std::string share_range_words(const Estimate& share);

/// "5.94..11.2", "5.94 or more".
KSTAR_EXPORT std::string range_cell(const Estimate& estimate, int digits);

/// "0.69 to 0.74", or "no interval".
KSTAR_EXPORT std::string interval_words(const Estimate& estimate, int decimals);

/// "0.69..0.74", or "no interval".
KSTAR_EXPORT std::string interval_cell(const Estimate& estimate, int decimals);

/// "8.1..8.3", in the unit of the point (time_text()), which may be named once more.
KSTAR_EXPORT std::string time_interval_cell(const Estimate& seconds, bool named_unit = false);

/// Half the interval's width over the point: "1.3%", or "?" where there is none.
KSTAR_EXPORT std::string half_width(const Estimate& estimate);

/// Three behind the point, or as many as leave two digits of a small efficiency.
KSTAR_EXPORT int efficiency_decimals(const Estimate& efficiency);

/// "1.5 s (1.4 to 1.6)", without the interval where there is none.
KSTAR_EXPORT std::string with_interval(const Estimate& estimate, int digits,
                                       std::string_view unit = "");

/// "6.21 (5.90 to 6.55)", all with as many decimals as the point needs for three digits.
KSTAR_EXPORT std::string value_text(const Estimate& estimate);

/// "8.12 s (8.05 to 8.2 s)".
KSTAR_EXPORT std::string time_value_text(const Estimate& seconds);

/// "15% (13% to 17%)".
KSTAR_EXPORT std::string share_value_text(const Estimate& share);

/// "0.83 (0.79 to 0.87)", "12% (9% to 15%)"; without an interval the number alone.
KSTAR_EXPORT std::string factor_words(const Estimate& factor);
KSTAR_EXPORT std::string share_words(const Estimate& share);

/// "0.621 (0.603 to 0.640)". Where nothing scatters, or nobody knows how much, the number alone.
KSTAR_EXPORT std::string efficiency_words(const Estimate& efficiency);

/// "92%", "over 99%": what was drawn some thousand times is never sure.
KSTAR_EXPORT std::string chance_words(double chance);

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
