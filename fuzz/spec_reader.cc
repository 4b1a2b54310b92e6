// Any bytes: the reader gives a spec or an error. What it takes can be written and comes back the
// same, and checking or planning it never fails in another way than with an error.
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "kstar/measure_plan.h"
#include "kstar/measure_spec.h"

using kstar::require;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = kstar::read_spec(text, "fuzz");
  if (!spec) {
    kstar::require_clear(spec.error());
    return 0;
  }
  const auto again = kstar::read_spec(kstar::spec_toml(*spec), "again");
  require(again.has_value() && *again == *spec);
  // Any other launcher would ask a program that the input names for its version.
  kstar::MeasureSpec local = *spec;
  local.launcher = "local";
  const auto plan = kstar::plan_measurement(local);
  require(plan.has_value() || !plan.error().message.empty());
  return 0;
}
