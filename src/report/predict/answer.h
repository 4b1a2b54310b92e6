#pragma once

#include <span>
#include <string>
#include <vector>

#include "kstar/document.h"
#include "kstar/prediction.h"

/// The short answer to a prediction: what to run, how sure that is, why not more, what would help.
namespace kstar {

/// How many workers, and how far that depends on the law's own parameter.
std::string run_on(const Prediction& prediction);

/// What the time goes into beyond K*, where communication overtakes computation, what the next
/// doubling buys, and the most that any number of workers gives.
std::string why_not_more(const Prediction& prediction);

/// Single changes, all relative to the base of the job as it is. Empty where none changes anything.
Items what_would_help(const Prediction& prediction);

/// The measurement that would confirm the answer, as a command.
Paragraph how_to_confirm(const Prediction& prediction);

/// "from K* = 3 (s=0.2) to K* = 43 (s=0.01)": the least and the largest of several curves.
std::string run_on_each(std::span<const Prediction> predictions);

/// One row per curve: K*, what a doubling buys there, the ceiling and where it is.
Table curve_answers(std::span<const Prediction> predictions);

}  // namespace kstar
