// Any bytes: a file of job classes, of machines or of a proposal is read, or refused with a place
// and a reason; what is read of a proposal can be checked.
#include <string_view>

#include "fuzz/require.h"
#include "kstar/plan_check.h"
#include "kstar/plan_fleet.h"
#include "kstar/plan_machines.h"

using kstar::require;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto classes = kstar::parse_fleet(text, "fuzz"); !classes) {
    kstar::require_clear(classes.error());
  }
  if (const auto machines = kstar::parse_machines(text, "fuzz"); !machines) {
    kstar::require_clear(machines.error());
  }
  const auto proposal = kstar::parse_proposal(text, "fuzz");
  if (!proposal) {
    kstar::require_clear(proposal.error());
    return 0;
  }
  require(kstar::check_proposal(*proposal).questions.size() == 5);
  return 0;
}
