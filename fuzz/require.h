#pragma once

#include <cstdlib>
#include <string>

#include "kstar/result.h"

/// What the fuzz targets hold readers to.
namespace kstar {

inline void require(bool held) {
  if (!held) std::abort();
}

/// It says where and what, and brings nothing to a terminal that moves its cursor.
inline void require_clear(const Error& error) {
  require(!error.message.empty() && !error.where.empty());
  require(error.excerpt.find('\x1b') == std::string::npos);
}

}  // namespace kstar
