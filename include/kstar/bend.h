#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kstar/estimate.h"

/// Where more workers stop being worth it, and how sure that is.
namespace kstar {

/// The first measured K with an efficiency strictly below the threshold. `low` and `high` are the
/// smallest and the largest K that resamples put in its place, at the confidence asked for; no
/// `high` where some put it beyond the largest K measured.
///
/// A resample is a draw of all efficiencies at once. Where models were fitted it is one of the
/// joint posterior of curve and points: docs/models.md. Else it comes from the errors that the
/// intervals rest on, with the correlation that common blocks and the common base give them:
/// docs/statistics.md. Where there is neither, `agreement` is NaN, and `low` and `high` are all
/// that was measured.
struct Bend {
  std::optional<int> last_good;  ///< none where even the smallest K is bad
  int first_bad = 1;
  int low = 1;
  std::optional<int> high;
  double agreement = 1;  ///< the share of resamples with the same first_bad; NaN without resamples

  /// The K, no integer, where the fitted curve crosses the threshold. None without models.
  std::optional<Estimate> continuous;
};

/// The answer in the absence of a goal, K*: the last K measured before the bend, beside the K of
/// least time.
struct WorkersAdvice {
  int workers = 1;                ///< the smallest K measured where none is good
  int low = 1;                    ///< over resamples, as for Bend
  int high = 1;                   ///< the largest K measured where nothing bends
  bool open = false;              ///< no K measured is bad: more workers might be good, too
  std::optional<int> good_again;  ///< the largest K behind the bend that is not below the threshold
  /// With the largest speedup: for fixed work that is least time, for growing work most of it a
  /// second.
  int least_time_workers = 1;
  std::optional<double> none_bad;  ///< the share of resamples in which no measured K is bad
};

}  // namespace kstar
