#include "measure/launchers.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kstar {

const std::vector<Launcher>& launchers() {
  static const std::vector<Launcher> kLaunchers = {
      {"local", "K threads on this machine: OMP_NUM_THREADS, bound to K cores", launch_locally, ""},
  };
  return kLaunchers;
}

Result<Launcher> find_launcher(std::string_view name) {
  std::vector<std::string> names;
  for (const Launcher& launcher : launchers()) {
    if (launcher.name == name) return launcher;
    names.push_back(launcher.name);
  }
  const std::string near = did_you_mean(name, names);
  return fail(expected("--launcher", fmt::format("one of {}", fmt::join(names, ", ")), name,
                       near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
}

}  // namespace kstar
