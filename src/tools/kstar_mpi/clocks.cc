#include "tools/kstar_mpi/clocks.h"

#include <fcntl.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace kstar::inside {

namespace {

std::uint64_t hash_text(const char* text, std::size_t length, std::uint64_t hash) {
  for (std::size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3U;  // FNV-1a
  }
  return hash;
}

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The kernel's own bound on the error of CLOCK_REALTIME, as its time daemon maintains it.
std::uint64_t real_time_error() {
  timex state{};
  const int sync = ::adjtimex(&state);
  if (sync == -1 || sync == TIME_ERROR || (state.status & STA_UNSYNC) != 0) return kUnknownError;
  return static_cast<std::uint64_t>(state.maxerror) * 1000;
}

}  // namespace

void name_clocks(Head& head) {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325U;
  char text[256];
  const int boot = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t got = boot >= 0 ? ::read(boot, text, sizeof text) : -1;
  if (boot >= 0) ::close(boot);
  head.kernel = got > 0 ? hash_text(text, static_cast<std::size_t>(got), kStart)
                        : hash_text(head.host, std::strlen(head.host), kStart);
  const ssize_t link = ::readlink("/proc/self/ns/time", text, sizeof text);
  head.clock =
      link > 0 ? hash_text(text, static_cast<std::size_t>(link), head.kernel) : head.kernel;
}

RealTime read_real_time() {
  // The narrowest of a few readings: a process may be put aside between two clocks.
  RealTime best{};
  std::int64_t narrowest = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = nanoseconds(CLOCK_MONOTONIC);
    const std::int64_t real = nanoseconds(CLOCK_REALTIME);
    const std::int64_t after = nanoseconds(CLOCK_MONOTONIC);
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best.offset = real - before - narrowest / 2;
  }
  best.error = real_time_error();
  return best;
}

}  // namespace kstar::inside
