// Any bytes as a result log of MLPerf, as a system description and as a scaling.json.
#include "base/file.h"
#include "fuzz/import.h"
#include "import/mlperf/system.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  kstar::fuzz_import(data, size, {.format = "mlperf", .workers = 2});
  const kstar::FileText text(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto system = kstar::read_mlperf_system(text.view(), "fuzz");
  if (!system) kstar::require_clear(system.error());
  if (system && system->workers()) kstar::require(*system->workers() >= 1);
  const auto factor = kstar::read_mlperf_scaling(text.view());
  kstar::require(!factor || *factor > 0);
  return 0;
}
