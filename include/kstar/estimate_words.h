#pragma once

#include <string>
#include <string_view>

#include "kstar/estimate.h"
#include "kstar/export.h"

/// How an estimate is said. In a sentence an interval is "8 to 12", in the cell of a table "8..12".
namespace kstar {

/// "10.2 to 12.6", "10.2 or more", "up to 12.6"; "no interval" where neither end is known.
KSTAR_EXPORT std::string range_words(double low, double high, int digits);
KSTAR_EXPORT std::string range_words(const Estimate& estimate, int digits);

/// The same for shares: "60% to 80%".
KSTAR_EXPORT std::string share_range_words(const Estimate& share);

/// "5.94..11.2", "5.94 or more".
KSTAR_EXPORT std::string range_cell(const Estimate& estimate, int digits);

/// "0.69 to 0.74", or "no interval".
KSTAR_EXPORT std::string interval_words(const Estimate& estimate, int decimals);

/// "0.69..0.74", or "no interval".
KSTAR_EXPORT std::string interval_cell(const Estimate& estimate, int decimals);

/// "8.1..8.3", in the unit of the point (time_text()), which may be named once more.
KSTAR_EXPORT std::string time_interval_cell(const Estimate& seconds, bool named_unit = false);

/// Half the interval's width over the point: "1.3%", or "?" where there is none.
KSTAR_EXPORT std::string half_width(const Estimate& estimate);

/// Three behind the point, or as many as leave two digits of a small efficiency.
KSTAR_EXPORT int efficiency_decimals(const Estimate& efficiency);

/// "1.5 s (1.4 to 1.6)", without the interval where there is none.
KSTAR_EXPORT std::string with_interval(const Estimate& estimate, int digits,
                                       std::string_view unit = "");

/// "6.21 (5.90 to 6.55)", all with as many decimals as the point needs for three digits.
KSTAR_EXPORT std::string value_text(const Estimate& estimate);

/// "8.12 s (8.05 to 8.2 s)".
KSTAR_EXPORT std::string time_value_text(const Estimate& seconds);

/// "15% (13% to 17%)".
KSTAR_EXPORT std::string share_value_text(const Estimate& share);

/// "0.83 (0.79 to 0.87)", "12% (9% to 15%)"; without an interval the number alone.
KSTAR_EXPORT std::string factor_words(const Estimate& factor);
KSTAR_EXPORT std::string share_words(const Estimate& share);

/// "0.621 (0.603 to 0.640)". Where nothing scatters, or nobody knows how much, the number alone.
KSTAR_EXPORT std::string efficiency_words(const Estimate& efficiency);

/// "92%", "over 99%": what was drawn some thousand times is never sure.
KSTAR_EXPORT std::string chance_words(double chance);

}  // namespace kstar
