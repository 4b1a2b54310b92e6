#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// Processes that come to this one, a subreaper, because their parents died. A job and all that it
/// starts live in the session of the process that started it, or in their own, and can never be in
/// the caller's: that tells them from the caller's own children, together with a list of those that
/// were there before.
class Orphans {
 public:
  Orphans();
  /// Kills them, and theirs, until there are none.
  void end() const;

 private:
  std::vector<pid_t> present() const;

  std::vector<pid_t> known_;
};

/// "kstar: <what>: <reason of errno value `number`>".
Error system_error(std::string_view what, int number);

}  // namespace kstar
