// Any bytes as a table, as a whole and as the rows of one kind.
#include "fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  kstar::fuzz_import(data, size, {.format = "csv"});
  kstar::fuzz_import(data, size, {.format = "csv", .select = "kind=a"});
  return 0;
}
