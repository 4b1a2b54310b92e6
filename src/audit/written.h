#pragma once

#include <map>
#include <vector>

#include "audit/evidence.h"
#include "base/number.h"

/// The numbers of a study as they were written down: times, rates or ratios.
namespace kstar {

/// Those of one K.
struct Written {
  int workers = 0;
  std::vector<double> values;
  double mean = 0;
  double variance = 0;  ///< of one run; 0: all are equal
};

/// Of every K of the curve.
std::vector<Written> written_values(const Evidence& evidence);

/// Half a step of the digits at each K of the curve.
std::map<int, OpenTime> open_times(const Evidence& evidence);

/// The step in which they were written down.
class WrittenSteps {
 public:
  explicit WrittenSteps(const std::vector<Written>& all);

  double at(double value) const { return std::max(digits_.step(value), common_); }

 private:
  void find_common(const std::vector<Written>& all);

  WrittenDigits digits_;
  double common_ = 0;
};

}  // namespace kstar
