// Any bytes as lines of runs with the steps of every rank.
#include "fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  kstar::fuzz_import(data, size, {.format = "steps"});
  return 0;
}
