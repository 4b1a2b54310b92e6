#pragma once

#include <cstdint>
#include <string_view>

#include "kstar/study.h"

namespace kstar::comparing {

/// What T is the time of. Seconds of one kind say nothing about seconds of another.
enum class TimeKind : std::uint8_t {
  kRun,    ///< a whole run
  kStep,   ///< one step: the mean of those recorded, or as a table says
  kUnit,   ///< one unit of work: rates were read, 1/X
  kShare,  ///< in parts of the base's own time: speedups were read, 1/S
};

TimeKind time_kind(const Study& study);

/// "a whole run", "one step" ...
std::string_view words_of(TimeKind kind);

}  // namespace kstar::comparing
