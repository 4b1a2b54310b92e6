// Any bytes: a file of launchers is read or refused with a place and a reason, and what is read can
// be launched. The same bytes as a list of nodes: every name that comes out can stand in a command
// line.
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "launch/launcher_template.h"
#include "spec/hosts.h"

using kstar::require;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto forms = kstar::read_launchers(text, "fuzz");
  if (!forms) {
    kstar::require_clear(forms.error());
  } else {
    for (const kstar::LauncherTemplate& form : *forms) {
      kstar::LaunchRequest request{.command = {"job"}, .shape = {2, 2, 2}};
      request.hosts = {"a", "b"};
      const auto launch = kstar::launch_with_template(form, request);
      require(launch.has_value() && launch->plan.command.size() >= 2);
    }
  }
  const auto hosts = kstar::expand_node_list(text, "fuzz");
  if (!hosts) return 0;
  for (const std::string& host : *hosts) require(kstar::is_host_name(host));
  return 0;
}
