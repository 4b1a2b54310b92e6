#pragma once

#include <string>

#include "inside/file.h"
#include "kstar/inside.h"

namespace kstar {

/// What one file says about its rank, waiting left out. A rank that was killed inside a call was in
/// it until `end`.
InsideRank rank_of(const InsideFile& file, std::uint64_t end);

/// A communicator, for people.
std::string name_of(const inside::Communicator& communicator, std::size_t index);

/// The end of the rank's span.
std::uint64_t end_of(const InsideFile& file, std::uint64_t end);

}  // namespace kstar
