#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/roofline.h"

/// What Nsight Compute says of the launches of kernels, whatever the page and its layout.
namespace kstar::roofline {

/// Seconds, bytes, hertz, shares: what a unit is worth; nothing where it is none of these.
std::optional<double> worth_of(std::string_view unit);

/// Whether a number is written under a locale with a decimal comma: "27.595.520", "65,77", and
/// whole nanoseconds as "117.344".
bool shows_decimal_comma(std::string_view number, std::string_view unit);

/// Where the point groups digits if `decimal_comma`; nothing for "n/a".
std::optional<double> ncu_number(std::string text, bool decimal_comma);

/// All that is known of one launch.
struct Launch {
  std::string kernel;
  std::string capability;
  std::string device;  ///< the GPU's name; may be empty
  std::map<std::string, double, std::less<>> values;
  std::string rules;  ///< what Nsight's own rules say, as text

  std::optional<double> value(std::string_view name) const {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  /// Under the first of these names that is there.
  std::optional<double> any(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto found = value(name)) return found;
    }
    return std::nullopt;
  }
};

/// Keeps a number of a launch in seconds, bytes, hertz or parts of one; false where its unit is not
/// known and matters.
bool put_metric(Launch& launch, const std::string& metric, double value, std::string_view unit);

/// Launches of one name together, and notes of what was left out; an error where none is timed.
/// `unit_missing`: of some time or bytes.
Result<RooflineProfile> profile_of_launches(const std::vector<Launch>& launches,
                                            std::string_view source, std::string_view file,
                                            bool unit_missing);

}  // namespace kstar::roofline
