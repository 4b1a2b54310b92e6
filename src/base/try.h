#pragma once

#include "kstar/result.h"

// How an error goes on to the caller. Both return from the function around them, whose result is a
// Result of any type.

#define KSTAR_JOINED_(a, b) a##b
#define KSTAR_JOINED(a, b) KSTAR_JOINED_(a, b)
#define KSTAR_TRY_(result, declaration, ...)                    \
  auto result = (__VA_ARGS__);                                  \
  if (!result) return ::kstar::fail(std::move(result).error()); \
  declaration = *std::move(result)

/// KSTAR_TRY(const Study study, load_study(path)); the value of a Result, or its error returned.
#define KSTAR_TRY(declaration, ...) \
  KSTAR_TRY_(KSTAR_JOINED(result_, __LINE__), declaration, __VA_ARGS__)

/// KSTAR_CHECK(check(options)); nothing, or the error returned.
#define KSTAR_CHECK(...)                                 \
  do {                                                   \
    if (auto checked_ = (__VA_ARGS__); !checked_) {      \
      return ::kstar::fail(std::move(checked_).error()); \
    }                                                    \
  } while (false)
