#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/measure.h"
#include "kstar/spec_key.h"

/// `kstar measure --against`, `--parameter` and `--sessions`: several studies in one session, and
/// one study in several.
namespace kstar {

/// What the command has for one study, and several need as well.
struct VariantTools {
  std::atomic<bool>& stop;
  std::atomic<bool>& insist;
  std::function<void()> catch_signals;
  std::function<std::vector<Note>()> machine_notes;
  std::function<void(Study&)> judge;  ///< adds to a finished study what it shows
};

/// Measures all variants of the spec, or shows with --dry-run what would run.
Result<ExitCode> measure_variants(const SpecFile& file, const Arguments& arguments,
                                  Console& console, const VariantTools& tools);

/// The spec of the session that begins now (session_share() of kstar/measure_set.h), with --resume
/// by the study that is there.
Result<MeasureSpec> spec_of_session(const MeasureSpec& spec, const Arguments& arguments);

/// Says how many sessions there are, and how to make the next one.
void tell_sessions(const MeasureSpec& spec, const Console& console);

}  // namespace kstar
