// Any bytes as a table, as a whole, as the rows of one kind and with K of two columns.
#include "fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  kstar::fuzz_import(data, size, {.format = "csv"});
  kstar::fuzz_import(data, size, {.format = "csv", .select = "kind=a"});
  kstar::fuzz_import(data, size, {.format = "csv", .worker_column = "ranks*threads"});
  return 0;
}
