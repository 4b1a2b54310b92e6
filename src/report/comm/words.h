#pragma once

#include <string>

#include "kstar/comm_fit.h"
#include "kstar/comm_predict.h"
#include "kstar/document.h"

/// How collectives, times and bandwidths are said.
namespace kstar::comm_words {

/// "all-reduce, 16 workers on 2 nodes".
std::string subject(const CommFit& fit);
/// "nccl-tests, 31 sizes 8 B to 8 GiB".
std::string evidence(const CommFit& fit);
/// Bytes per second in GB/s, three or four digits.
std::string gigabytes(double per_second);
/// Seconds in the unit that is fit for them.
std::string time(double seconds);
/// "(130..135 ms)", "(at least)", "" where there is none.
std::string range(const Bounded& value);
std::string workers(double count);

/// The blocks of a prediction, for both documents.
void add_prediction(const CommPrediction& prediction, bool full, Document& document);
/// Its answer in one sentence.
std::string prediction_answer(const CommPrediction& prediction);

}  // namespace kstar::comm_words
