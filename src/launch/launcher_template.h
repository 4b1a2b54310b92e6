#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/launcher.h"

namespace kstar {

/// A launcher that a user describes: [launcher.NAME] of a launchers.toml.
struct LauncherTemplate {
  std::string name;
  std::string summary;
  std::vector<std::string> command;  ///< one word is {command}, which becomes the job's words
  std::map<std::string, std::string> variables;  ///< set for the job; with placeholders
};

/// What a template becomes at one shape. Its words may hold {K}, {nodes}, {ranks}, {threads},
/// {tasks}, and {hosts}: the nodes with commas between, for which --hosts or an allocation is
/// asked. The words of --launcher-options stand before {command}.
Result<Launch> launch_with_template(const LauncherTemplate& form, const LaunchRequest& request);

/// The templates of a file. Errors show the line; `name` is the file's.
Result<std::vector<LauncherTemplate>> read_launchers(std::string_view toml, std::string_view name);

}  // namespace kstar
