#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "kstar/launcher.h"

namespace kstar {

namespace {

Result<ExitCode> list_launchers(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const std::vector<Launcher> all, all_launchers(arguments.text("launchers", "")));
  std::size_t width = 0;
  for (const Launcher& launcher : all) width = std::max(width, launcher.name.size());
  for (const Launcher& launcher : all) {
    const std::string from =
        launcher.from.empty() ? "" : fmt::format(" (from {})", printable(launcher.from));
    console.print(
        fmt::format("{:<{}}  {}{}\n", launcher.name, width, printable(launcher.summary), from));
  }
  return ExitCode::kDone;
}

}  // namespace

Command launchers_command() {
  return {
      .name = "launchers",
      .summary = "list what can start K workers: kstar measure --launcher NAME",
      .details = {"Custom launchers are defined in a TOML file: --launchers FILE, the variable "
                  "KSTAR_LAUNCHERS, or ~/.config/kstar/launchers.toml. A table [launcher.NAME] has "
                  "summary, command and variables; in the command, {nodes}, {ranks}, {threads}, "
                  "{tasks}, {K} and {hosts} are replaced, and {command} by the job."},
      .flags = {{.name = "launchers",
                 .value = "FILE",
                 .help = "a file with custom launchers",
                 .file = true}},
      .examples = {"kstar launchers"},
      .run = list_launchers};
}

}  // namespace kstar
