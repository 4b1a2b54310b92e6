#pragma once

#include <chrono>
#include <string>

#include "base/file.h"

namespace kstar {

enum class Lock {
  kHeld,
  kUnavailable  ///< the file system has no locks (some parallel ones): nobody is kept out
};

/// Takes the exclusive lock of an open study, or fails when another writer still has it after
/// `patience`.
Result<Lock> lock_study(const FileHandle& file, const std::string& path,
                        std::chrono::milliseconds patience = {});

/// True when `path` still names the open file: it may have been replaced before the lock was taken.
bool still_named(const FileHandle& file, const std::string& path);

}  // namespace kstar
