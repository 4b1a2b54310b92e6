#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kstar/document.h"

/// One line that says how far measuring is, laid out for the width there is. Nothing is drawn here.
namespace kstar {

struct ProgressState {
  std::string point;               ///< "K=4", "baseline"
  std::size_t run = 1;             ///< the which run of it
  std::optional<double> time;      ///< T(K) so far, seconds
  std::optional<double> interval;  ///< half its interval over T(K)
  double share = 0;                ///< of the expected work, 0 to 1
  std::optional<double> left;      ///< seconds; absent before anything is known
};

/// At most `style.width` columns: the bar takes what the words leave; where that is little, the
/// words get shorter, then the bar goes, then the time left.
std::string progress_line(const ProgressState& state, const TerminalStyle& style);

/// "1.23 s +-2.1%", with a sign of its own where the screen can show it; empty without a time.
std::string time_and_interval(const ProgressState& state, bool unicode);

/// A time that was measured: three digits in the unit that suits it.
std::string measured_text(double seconds);

}  // namespace kstar
