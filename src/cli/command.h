#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kstar/result.h"

/// One table describes every command: parsing, help, "did you mean", completions and the manual
/// are all made from it.
namespace kstar {

class Arguments;
class Console;

struct Flag {
  std::string name;   ///< without dashes
  std::string value;  ///< what stands for its value in help; empty for a switch
  std::string help;
  std::vector<std::string> choices;  ///< the only values it takes, when there are any
  char letter = 0;                   ///< its short form
  bool file = false;                 ///< completes to file names
  bool repeats = false;              ///< may be given more than once
};

struct Positional {
  std::string name;
  std::string help;
  std::vector<std::string> choices;
  bool required = false;
  bool repeats = false;
  bool file = false;
  bool behind_dashes = false;  ///< stands behind --, flags of its own included: a command
};

struct Command {
  std::string name;
  std::string summary;               ///< one line
  std::vector<std::string> details;  ///< paragraphs of help
  std::vector<Flag> flags;
  std::vector<Positional> positionals;
  std::vector<Command> commands;      ///< commands below this one; with positionals, a file
  std::vector<std::string> examples;  ///< full command lines
  std::function<Result<ExitCode>(const Arguments&, Console&)> run;
};

/// The program itself, with every command below it.
const Command& program();

/// Flags that every command takes.
const std::vector<Flag>& common_flags();

/// The command's own flags, then those.
std::vector<const Flag*> all_flags(const Command& command);

/// The command below `command` with this name, or null.
const Command* find_command(const Command& command, std::string_view name);

/// Calls `visit` for the command and all below it, with the words that lead to each.
void for_each_command(const Command& command,
                      const std::function<void(const Command&, const std::string& path)>& visit);

}  // namespace kstar
