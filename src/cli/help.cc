#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar {

namespace {

std::string flag_words(const Flag& flag) {
  return fmt::format("{}--{}{}", flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : "    ",
                     flag.name, flag.value.empty() ? "" : " " + flag.value);
}

std::string flag_help(const Flag& flag) {
  return flag.choices.empty() ? flag.help
                              : fmt::format("{} ({})", flag.help, fmt::join(flag.choices, ", "));
}

/// "  name   explanation", the explanation wrapped within the width.
std::string entry(const std::string& name, const std::string& explanation, std::size_t name_width,
                  std::size_t width) {
  const std::size_t indent = name_width + 4;
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  std::string text;
  for (const std::string& line : wrap(explanation, room)) {
    text += text.empty() ? fmt::format("  {:<{}}  {}\n", name, name_width, line)
                         : fmt::format("{}{}\n", std::string(indent, ' '), line);
  }
  return text;
}

struct NamedHelp {
  std::string name;
  std::string help;
};

std::string section(const std::string& title, const std::vector<NamedHelp>& entries,
                    std::size_t width) {
  if (entries.empty()) return "";
  std::size_t name_width = 0;
  for (const NamedHelp& one : entries) name_width = std::max(name_width, display_width(one.name));
  name_width = std::min(name_width, width / 2);
  std::string text = "\n" + title + "\n";
  for (const NamedHelp& one : entries) text += entry(one.name, one.help, name_width, width);
  return text;
}

std::string paragraph(const std::string& text, std::size_t width) {
  std::string lines = "\n";
  for (const std::string& line : wrap(text, width)) lines += line + "\n";
  return lines;
}

}  // namespace

std::string usage_line(const Command& command, const std::string& path) {
  std::string line = path;
  if (!command.commands.empty()) line += command.run ? " [COMMAND]" : " COMMAND";
  std::string behind;
  for (const Positional& positional : command.positionals) {
    const std::string name = positional.name + (positional.repeats ? "..." : "");
    const std::string shown = positional.behind_dashes ? "-- " + name : name;
    (positional.behind_dashes ? behind : line) +=
        positional.required ? " " + shown : fmt::format(" [{}]", shown);
  }
  return line + " [flags]" + behind;
}

std::string help_text(const Command& command, const std::string& path, int screen_width) {
  const auto width = static_cast<std::size_t>(std::min(screen_width, 100));
  std::string text =
      fmt::format("{}: {}\n\nusage: {}\n", path, command.summary, usage_line(command, path));
  for (const std::string& detail : command.details) text += paragraph(detail, width);
  std::vector<NamedHelp> commands, positionals, flags;
  for (const Command& below : command.commands) commands.push_back({below.name, below.summary});
  for (const Positional& one : command.positionals) positionals.push_back({one.name, one.help});
  for (const Flag* flag : all_flags(command)) {
    flags.push_back({flag_words(*flag), flag_help(*flag)});
  }
  text += section("commands", commands, width);
  text += section("arguments", positionals, width);
  text += section("flags", flags, width);
  if (!command.examples.empty()) {
    text += "\nexamples\n";
    for (const std::string& example : command.examples) text += "  " + example + "\n";
  }
  return text;
}

}  // namespace kstar
