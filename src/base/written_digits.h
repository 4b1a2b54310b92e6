#pragma once

namespace kstar {

/// In how many digits a list of numbers was written down: the most of any of them. Zeros at the end
/// are lost in a double, so one number does not tell.
class WrittenDigits {
 public:
  /// Beyond these, digits are those of arithmetic with doubles and not of what was written down.
  static constexpr int kMeant = 12;

  /// A number of the list; above 0.
  void see(double value);

  int significant() const { return significant_; }

  /// How far two neighbours of `value` (above 0) are apart: numbers may have been rounded to
  /// decimals or to significant digits, and the wider step counts.
  double step(double value) const;

 private:
  int decimals_ = 0;     ///< behind the point
  int significant_ = 1;  ///< from the first that is not zero
};

}  // namespace kstar
