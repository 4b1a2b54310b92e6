#pragma once

#include <vector>

#include "kstar/analysis.h"

namespace kstar {

/// What a reader must know before relying on the verdict, the gravest first: suspicions, what the
/// models do not fit, what predictions rest on, what was assumed or failed.
std::vector<Doubt> find_doubts(const Analysis& analysis);

/// Null where the study was measured, not computed by kstar dag.
const Note* scheduled_note(const Analysis& analysis);

/// Whether the last K before the bend and the first behind it are so far apart that the former says
/// little about K*.
bool has_wide_gap(const Analysis& analysis);

/// Whether single values jump so that no model fits them: nothing rests on where E falls first.
bool has_jumps(const Analysis& analysis);

/// Whether already the base takes hardly longer than starting a process: T(K) is that of the start.
bool has_short_runs(const Analysis& analysis);

bool has_note(const Analysis& analysis, std::string_view code);

}  // namespace kstar
