#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Whether a run computed what it should: a fast wrong answer is no speedup.
///
/// `check_pattern` finds the answer, the last match in standard output (or, where that has none, in
/// standard error). It must agree across K and the baseline with the reference: `check_value`, else
/// the answer of the first run that ended well. Two numbers a (here) and r (reference) agree when
///   |a - r| <= tolerance max(|a|, |r|),   and for r = 0 when |a| <= tolerance;
/// without a stated tolerance it is 1e-6, and two whole numbers must be equal: counts and checksums
/// have no rounding. Other texts must be equal. What is not finite never agrees.
///
/// `check_command` runs after the job, with the job's standard output in the file {output} (also in
/// the variable KSTAR_OUTPUT), K as {K} (also in KSTAR_K); exit 0 says that the answer is right. Of
/// a very long output $KSTAR_OUTPUT_LEFT_OUT bytes are missing from the middle, where a line says
/// so.
namespace kstar {

class KSTAR_EXPORT AnswerCheck {
 public:
  virtual ~AnswerCheck() = default;

  /// For a run that ended well. An error says in words, with both values, why it counts as failed;
  /// with ExitCode::kInterrupted, that it was not decided because the user stopped kstar.
  virtual Result<void> check(const Outcome& outcome, const Run& run) = 0;

  /// The same for an answer that was found elsewhere, on another machine.
  virtual Result<void> compare(std::string_view answer, const Run& run) = 0;

  /// The answer that all others are compared with, and whose it is ("K = 1, run 0"); empty before
  /// there is one. A resumed study starts with the reference it had.
  virtual const std::string& reference() const = 0;
  virtual const std::string& reference_of() const = 0;
  virtual void set_reference(std::string value, std::string whose) = 0;
};

/// Why `answer` does not agree with `reference`, in a few words; nothing when it does.
KSTAR_EXPORT std::optional<std::string> disagreement(std::string_view answer,
                                                     std::string_view reference,
                                                     std::optional<double> tolerance);

/// The spec's check, its pattern compiled; null when there is nothing to check. The executor must
/// outlive it.
KSTAR_EXPORT Result<std::unique_ptr<AnswerCheck>> make_answer_check(const MeasureSpec& spec,
                                                                    Executor& executor);

}  // namespace kstar
