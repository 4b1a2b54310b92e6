#pragma once

#include <string>

/// What the jobs of a kstar left behind that was killed with all its processes, so that nobody
/// could end them. Every job carries in its environment whose it is; the next kstar looks for those
/// whose owner is gone.
namespace kstar {

inline constexpr const char* kOwnerVariable = "KSTAR_OWNER";

/// Which process runs the jobs: its number, when it started, in which namespace that number counts,
/// and on which boot of which machine. A number that was given away again is another process.
std::string owner_mark();

}  // namespace kstar
