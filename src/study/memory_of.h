#pragma once

#include <cstddef>

#include "kstar/study.h"

namespace kstar {

/// About how many bytes of memory a record takes that was read from a line of so many bytes, rather
/// more than less: a few bytes of a file (an empty text in a list, the shortest run) may become
/// twelve times as many.
std::size_t memory_of(const Run& run, std::size_t line);
std::size_t memory_of(const Note& note, std::size_t line);

}  // namespace kstar
