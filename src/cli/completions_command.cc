#include <fmt/format.h>

#include <algorithm>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace kstar {

namespace {

/// Text inside single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

/// What may follow the command itself, apart from flags.
std::vector<std::string> words_after(const Command& command) {
  std::vector<std::string> words;
  for (const Command& below : command.commands) words.push_back(below.name);
  for (const Positional& positional : command.positionals) {
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  }
  return words;
}

bool takes_files(const Command& command) {
  return std::any_of(command.positionals.begin(), command.positionals.end(),
                     [](const Positional& positional) { return positional.file; });
}

std::string bash_case(const Command& command, const std::string& path) {
  std::string flags, values;
  for (const Flag* flag : all_flags(command)) {
    flags += fmt::format("{}--{}", flags.empty() ? "" : " ", flag->name);
    if (!flag->choices.empty()) {
      values += fmt::format("        --{}) words={} ;;\n", flag->name,
                            shell_quoted(fmt::format("{}", fmt::join(flag->choices, " "))));
    } else if (!flag->value.empty()) {
      values +=
          fmt::format("        --{}) words= files={} ;;\n", flag->name, flag->file ? "yes" : "");
    }
    if (flag->letter != 0 && flag->file)
      values += fmt::format("        -{}) words= files=yes ;;\n", flag->letter);
  }
  return fmt::format(
      "    {})\n      words={}\n      flags={}\n      files={}\n      case \"$prev\" in\n{}"
      "      esac ;;\n",
      shell_quoted(path), shell_quoted(fmt::format("{}", fmt::join(words_after(command), " "))),
      shell_quoted(flags), takes_files(command) ? "yes" : "", values);
}

std::string bash_script(const Command& program) {
  std::string cases, paths;
  for_each_command(program, [&](const Command& command, const std::string& path) {
    cases += bash_case(command, path);
    paths += (paths.empty() ? "" : "|") + shell_quoted(path);
  });
  return "# bash completion for kstar; made by 'kstar completions bash'\n"
         "_kstar() {\n"
         "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local path=kstar words= flags= files= i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$path ${COMP_WORDS[i]}\" in\n"
         "      " +
         paths +
         ") path=\"$path ${COMP_WORDS[i]}\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$path\" in\n" +
         cases +
         "  esac\n"
         "  if [[ $cur == -* ]]; then words=$flags files=; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- \"$cur\")); fi\n"
         "}\n"
         "complete -o filenames -F _kstar kstar\n";
}

/// Text inside [...] of a zsh _arguments specification.
std::string zsh_help(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_flag(const Flag& flag) {
  const std::string action = !flag.choices.empty()
                                 ? fmt::format("({})", fmt::join(flag.choices, " "))
                             : flag.file ? "_files"
                                         : " ";
  const std::string value = flag.value.empty() ? "" : fmt::format(":{}:{}", flag.value, action);
  std::string text;
  if (flag.letter != 0) {
    text += " " + shell_quoted(fmt::format("-{}[{}]{}", flag.letter, zsh_help(flag.help), value));
  }
  return text + " " +
         shell_quoted(fmt::format("--{}[{}]{}", flag.name, zsh_help(flag.help), value));
}

std::string zsh_case(const Command& command, const std::string& path) {
  std::string line = fmt::format("    {})\n      _arguments", shell_quoted(path));
  for (const Flag* flag : all_flags(command)) line += zsh_flag(*flag);
  const std::vector<std::string> words = words_after(command);
  if (!words.empty()) {
    line += " " + shell_quoted(fmt::format("*:word:({})", fmt::join(words, " ")));
  } else if (takes_files(command)) {
    line += " '*:file:_files'";
  }
  return line + " ;;\n";
}

std::string zsh_script(const Command& program) {
  std::string cases, paths;
  for_each_command(program, [&](const Command& command, const std::string& path) {
    cases += zsh_case(command, path);
    paths += (paths.empty() ? "" : "|") + shell_quoted(path);
  });
  return "#compdef kstar\n"
         "# zsh completion for kstar; made by 'kstar completions zsh'\n"
         "_kstar() {\n"
         "  local path_so_far=kstar i\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    case \"$path_so_far ${words[i]}\" in\n"
         "      (" +
         paths +
         ") path_so_far=\"$path_so_far ${words[i]}\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$path_so_far\" in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _kstar ]]; then _kstar \"$@\"; else compdef _kstar kstar; fi\n";
}

std::string fish_script(const Command& program) {
  std::string text =
      "# fish completion for kstar; made by 'kstar completions fish'\n"
      "function __kstar_path\n"
      "    set -l path kstar\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        if contains -- \"$path $word\" $__kstar_paths\n"
      "            set path \"$path $word\"\n"
      "        end\n"
      "    end\n"
      "    test \"$path\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c kstar -f\n"
      "set -g __kstar_paths";
  for_each_command(
      program, [&](const Command&, const std::string& path) { text += " " + shell_quoted(path); });
  text += "\n";
  for_each_command(program, [&](const Command& command, const std::string& path) {
    const std::string start = fmt::format("complete -c kstar -n \"__kstar_path '{}'\"", path);
    for (const Command& below : command.commands) {
      text += fmt::format("{} -a {} -d {}\n", start, below.name, shell_quoted(below.summary));
    }
    for (const Positional& positional : command.positionals) {
      if (!positional.choices.empty()) {
        text += fmt::format("{} -a {}\n", start,
                            shell_quoted(fmt::format("{}", fmt::join(positional.choices, " "))));
      }
      if (positional.file) text += start + " -F\n";
    }
    for (const Flag* flag : all_flags(command)) {
      text +=
          fmt::format("{} -l {}{}{}{} -d {}\n", start, flag->name,
                      flag->letter != 0 ? fmt::format(" -s {}", flag->letter) : "",
                      flag->value.empty() ? "" : (flag->file ? " -r -F" : " -x"),
                      flag->choices.empty()
                          ? ""
                          : " -a " + shell_quoted(fmt::format("{}", fmt::join(flag->choices, " "))),
                      shell_quoted(flag->help));
    }
  });
  return text;
}

std::string completion_script(const Command& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  return shell == "zsh" ? zsh_script(program) : fish_script(program);
}

}  // namespace

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

}  // namespace kstar
