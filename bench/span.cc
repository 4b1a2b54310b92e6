// A program that knows its own span: busy for MILLISECONDS, it appends the monotonic clock at its
// beginning and end to FILE (two 64-bit nanosecond counts).
//   bench_span MILLISECONDS [FILE]
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t span[2] = {now(), 0};
  const auto length = static_cast<std::int64_t>((argc > 1 ? std::atof(argv[1]) : 0) * 1e6);
  const int file = argc > 2 ? ::open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  while (now() < span[0] + length) {
  }
  span[1] = now();
  if (file < 0) return 0;
  return ::write(file, span, sizeof span) == sizeof span ? 0 : 1;
}
