#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/help.h"

namespace kstar {

namespace {

/// Text for roff: no line may start with a command, no backslash or dash may be taken for one.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string flag_entry(const Flag& flag) {
  std::string names = fmt::format("\\fB{}\\fR", roff("--" + flag.name));
  if (flag.letter != 0)
    names = fmt::format("\\fB{}\\fR, ", roff(std::string{'-', flag.letter})) + names;
  if (!flag.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(flag.value));
  std::string help = flag.help;
  if (!flag.choices.empty()) help += fmt::format(" ({})", fmt::join(flag.choices, ", "));
  return fmt::format(".TP\n{}\n{}\n", names, roff(help));
}

std::string command_section(const Command& command, const std::string& path) {
  std::string text = fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR\n", roff(path),
                                 roff(command.summary), roff(usage_line(command, path)));
  for (const std::string& detail : command.details) text += fmt::format(".PP\n{}\n", roff(detail));
  for (const Positional& positional : command.positionals) {
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(positional.name), roff(positional.help));
  }
  for (const Flag& flag : command.flags) text += flag_entry(flag);
  for (const std::string& example : command.examples) {
    text += fmt::format(".PP\n.EX\n{}\n.EE\n", roff(example));
  }
  return text;
}

std::string manual_page(const Command& program, const std::string& version) {
  std::string text = fmt::format(".TH KSTAR 1 \"\" \"kstar {}\" \"User Commands\"\n", version);
  text += fmt::format(".SH NAME\nkstar \\- {}\n", roff(program.summary));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n.SH DESCRIPTION\n",
                      roff(usage_line(program, "kstar")));
  for (const std::string& detail : program.details) text += roff(detail) + "\n";
  text += ".SH COMMANDS\n";
  for_each_command(program, [&](const Command& command, const std::string& path) {
    if (&command != &program) text += command_section(command, path);
  });
  text += ".SH OPTIONS OF EVERY COMMAND\n";
  for (const Flag& flag : common_flags()) text += flag_entry(flag);
  text +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nfailed\n.TP\n2\nwrong usage\n.TP\n130\ninterrupted; "
      "finished runs are kept\n.SH ENVIRONMENT\n.TP\nNO_COLOR\nno colours, whatever the "
      "terminal\n.TP\nCOLUMNS\nthe width of the output if it does not go to a "
      "terminal\n.TP\nLC_ALL, LC_CTYPE, LANG\nwhether plots may use Unicode; numbers always have a "
      "decimal point\n";
  return text;
}

}  // namespace

Command manual_command() {
  return {.name = "manual",
          .summary = "the manual page, in roff",
          .examples = {"kstar manual | man -l -"},
          .run = [](const Arguments&, Console& console) -> Result<ExitCode> {
            console.print(manual_page(program(), KSTAR_VERSION));
            return ExitCode::kDone;
          }};
}

}  // namespace kstar
