#include "exec/orphans.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <string>
#include <system_error>

#include "exec/children.h"

namespace kstar {

namespace {

/// A millisecond each: how long SIGKILL may take.
constexpr int kPasses = 10'000;

}  // namespace

Orphans::Orphans() : known_(children_of_this_process()) {}

std::vector<pid_t> Orphans::present() const {
  std::vector<pid_t> found;
  for (const pid_t child : children_of_this_process()) {
    const bool known = std::count(known_.begin(), known_.end(), child) > 0;
    if (!known && ::getsid(child) != ::getsid(0)) found.push_back(child);
  }
  return found;
}

void Orphans::end() const {
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<pid_t> found = present();
    if (found.empty()) return;
    signal_children(found, SIGKILL);
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
    for (const pid_t orphan : found) ::waitpid(orphan, nullptr, WNOHANG);
  }
}

Error system_error(std::string_view what, int number) {
  return {.where = "kstar",
          .message = std::string(what) + ": " +
                     std::error_code(number, std::generic_category()).message()};
}

}  // namespace kstar
