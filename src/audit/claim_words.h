#pragma once

#include <optional>
#include <string_view>

#include "kstar/audit.h"

/// What the words around the number of a claim make of it. Texts are in lower case.
namespace kstar {

/// A claim's text in three: before its number, the number, and behind its sign (%, x, times).
struct AroundValue {
  std::string_view before, behind;
  bool percent = false, times = false;
};

/// What a number says once its words are understood.
struct WordedValue {
  double value = 1;  ///< a speedup or an efficiency
  double slope = 1;  ///< of it over the number, for the rounding; below 0 it turns bounds round
  bool of_speedup = true;
  bool exact = false;  ///< of a loss: neither less nor more
};

/// A word that is not understood: where an error points.
struct OddWord {
  std::string_view word;  ///< a part of the text
  const char* expected = "";
};

/// What words of time, of loss and of improvement say: neither is set where there are none and the
/// number is a plain speedup or efficiency. A percentage of time is never an efficiency.
struct Worded {
  std::optional<WordedValue> value;
  std::optional<OddWord> odd;
};
Worded worded_value(const AroundValue& around, double number);

/// "no more than", "only", "never": in which direction the number is meant; none where no word
/// says it.
struct WordedBound {
  std::optional<ClaimBound> bound;
  std::optional<OddWord> odd;
};
WordedBound worded_bound(const AroundValue& around);

/// Of "compared with a CPU": what the claim is relative to, where its data are not of that; or "".
std::string_view other_base(std::string_view text);

}  // namespace kstar
