#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kstar/export.h"

namespace kstar {

/// What is held fixed while workers are added.
enum class Regime : std::uint8_t {
  kStrong,      ///< the whole problem: S = T(1)/T(K), E = S/K
  kWeak,        ///< the work of each worker: E = T(1)/T(K), scaled speedup K E
  kThroughput,  ///< nothing ends; work done per second is counted: S = X(K)/X(1), E = S/K
  kMixed        ///< the problem changes in some other way: neither formula applies
};

KSTAR_EXPORT std::string_view name_of(Regime regime);
/// The regime of that name, or nothing.
KSTAR_EXPORT std::optional<Regime> regime_named(std::string_view name);

/// How it is known what stays fixed while K grows.
enum class RegimeSource : std::uint8_t {
  kDeclared,  ///< the study says it
  kTold,      ///< --regime does
  kDerived,   ///< from the work at each K
  kAssumed,   ///< nothing says it
  kUnknown
};
/// "declared", "told", "derived", "assumed", "unknown".
KSTAR_EXPORT std::string_view name_of(RegimeSource source);

}  // namespace kstar
