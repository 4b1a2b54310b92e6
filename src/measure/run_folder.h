#pragma once

#include <string>
#include <utility>

#include "kstar/result.h"

namespace kstar {

/// A folder that one run's workers write into, gone with the object.
class RunFolder {
 public:
  /// None is made where none is wanted; its path is empty then. `parent` is where it is made;
  /// empty: where temporary files go.
  static Result<RunFolder> make(bool wanted, const std::string& parent = "");

  RunFolder(RunFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }

 private:
  RunFolder() = default;
  std::string path_;
};

}  // namespace kstar
