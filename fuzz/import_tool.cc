// Any bytes as a file of another tool: KSTAR_FORMAT names it.
#include "fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  kstar::fuzz_import(data, size, {.format = KSTAR_FORMAT});
  kstar::fuzz_import(
      data, size,
      {.format = KSTAR_FORMAT, .select = "a", .regime = kstar::Regime::kWeak, .workers = 2});
  return 0;
}
