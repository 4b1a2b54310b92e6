// Any bytes as a log: a pattern in the first line, the log behind it.
#include "fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  if (end > 200) return 0;
  const std::string pattern(text.substr(0, end));
  kstar::fuzz_import(data, size, {.format = "log", .workers = 2, .time_regex = pattern});
  kstar::fuzz_import(data, size, {.format = "log", .worker_regex = "K=(.)", .rate_regex = pattern});
  return 0;
}
