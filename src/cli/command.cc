#include "cli/command.h"

namespace kstar {

namespace {

void walk(const Command& command, const std::string& path,
          const std::function<void(const Command&, const std::string&)>& visit) {
  visit(command, path);
  for (const Command& below : command.commands) walk(below, path + " " + below.name, visit);
}

}  // namespace

const std::vector<Flag>& common_flags() {
  static const std::vector<Flag> kFlags = {
      {.name = "help", .help = "show this help", .letter = 'h'},
      {.name = "color",
       .value = "WHEN",
       .help = "colours: auto follows the terminal and NO_COLOR",
       .choices = {"auto", "always", "never"}},
      {.name = "ascii", .help = "draw with ASCII characters only"},
  };
  return kFlags;
}

const Command* find_command(const Command& command, std::string_view name) {
  for (const Command& below : command.commands) {
    if (below.name == name) return &below;
  }
  return nullptr;
}

void for_each_command(const Command& command,
                      const std::function<void(const Command&, const std::string&)>& visit) {
  walk(command, command.name, visit);
}

}  // namespace kstar
