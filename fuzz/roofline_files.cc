// Any bytes: a profiler's output or a machine file is read, or refused with a reason; what is read
// can be placed, drawn and written.
#include <string_view>

#include "fuzz/require.h"
#include "kstar/roofline.h"
#include "kstar/roofline_report.h"

using kstar::require;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto machine = kstar::parse_ceilings(text, "fuzz"); machine) {
    require(!machine->ceilings.empty());
    require(!kstar::to_json(*machine).empty());
    static_cast<void>(kstar::bandwidth_curve(*machine));
    static_cast<void>(kstar::machine_chart(*machine));
    const auto again = kstar::parse_machine(kstar::to_toml(*machine), "again");
    require(again.has_value());
  } else {
    kstar::require_clear(machine.error());
  }
  const auto profile = kstar::parse_profile(text, "fuzz");
  if (!profile) {
    kstar::require_clear(profile.error());
    return 0;
  }
  const kstar::Roofline roofline = kstar::place_kernels(*profile, std::nullopt);
  require(roofline.places.size() == profile->kernels.size());
  require(!kstar::to_json(roofline).empty());
  static_cast<void>(kstar::roofline_chart(roofline));
  return 0;
}
