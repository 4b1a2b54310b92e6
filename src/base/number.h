#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as text. A decimal point is a point in every locale, and what does not fit is refused.
namespace kstar {

/// A finite double, the whole text and nothing else: no blanks, no "nan", no "inf", no overflow.
std::optional<double> parse_double(std::string_view text);

/// A decimal integer, the whole text and nothing else.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The shortest text that reads back as the same double.
std::string shortest(double value);

/// `decimals` digits behind the point, correctly rounded.
std::string fixed(double value, int decimals);

/// About `digits` significant digits, without an exponent between 1e-4 and 1e9.
std::string significant(double value, int digits);

/// 0.629 with 1 decimal is "62.9%".
std::string percent(double fraction, int decimals);

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
