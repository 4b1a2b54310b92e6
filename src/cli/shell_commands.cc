// What an installed program brings for the shell and for man: both come from the command table.
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/help.h"

namespace kstar {

Command completions_command() {
  return {.name = "completions",
          .summary = "a completion script for a shell",
          .positionals = {{.name = "SHELL",
                           .help = "bash, zsh or fish",
                           .choices = {"bash", "zsh", "fish"},
                           .required = true}},
          .examples = {"source <(kstar completions bash)",
                       "kstar completions fish > ~/.config/fish/completions/kstar.fish"},
          .run = [](const Arguments& arguments, Console& console) -> Result<ExitCode> {
            console.print(completion_script(program(), arguments.positionals[0]));
            return ExitCode::kDone;
          }};
}

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
