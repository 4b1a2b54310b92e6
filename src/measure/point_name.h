#pragma once

#include <fmt/format.h>

#include <string>

#include "kstar/study.h"

namespace kstar {

/// How notes call one program at one K.
inline std::string point_name(Role role, int workers, bool inside = false) {
  return role == Role::kBaseline ? "baseline"
                                 : fmt::format("K = {}{}", workers, inside ? ", inside" : "");
}

}  // namespace kstar
