#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/bend.h"
#include "kstar/causes.h"
#include "kstar/estimate.h"
#include "kstar/study.h"

/// How an Analysis says its numbers in sentences.
namespace kstar {

/// Whether the ends of an interval are so far apart that they leave the value open.
bool is_unknown(double low, double high);

/// "the serial part", "load imbalance": as a part of a sentence.
std::string cause_words(CauseKind kind);

/// The cause and what cannot be told from it: "load imbalance, a straggler or the serial part".
std::string cause_words(const Cause& cause);

/// "load imbalance, a straggler or the serial part".
std::string listed_words(const std::vector<CauseKind>& kinds);

/// Whether nothing says how much of the loss it takes: the shape of T(K) names it, and no more.
bool is_guess(const Cause& cause);

/// "10.2 to 12.6", "10.2 or more", "up to 12.6"; "no interval" where neither end is known.
std::string range_words(double low, double high, int digits);
std::string range_words(const Estimate& estimate, int digits);

/// The same for shares: "60% to 80%".
std::string share_range_words(const Estimate& share);

/// "5.94..11.2", "5.94 or more"; as a cell of a table.
std::string range_cell(const Estimate& estimate, int digits);

/// "K = 16 (16 to 32; 93% of resamples agree)"; "no K measured" where nothing bends.
std::string bend_words(const std::optional<Bend>& bend);

/// "warning: K = 8: the text", without what is not there.
std::string note_text(const Note& note);

}  // namespace kstar
