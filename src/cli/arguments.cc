#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

/// A flag that the command takes, and what was given for it: "yes" for a switch.
struct GivenFlag {
  const Flag* flag;
  std::vector<std::string> values;
};

std::string hint_for(const std::string& word, const std::vector<std::string>& known,
                     const std::string& otherwise) {
  const std::string near = did_you_mean(word, known);
  return near.empty() ? otherwise : fmt::format("did you mean '{}'?", near);
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const Flag* flag : all_flags(command)) names.push_back("--" + flag->name);
  return names;
}

std::vector<std::string> names_below(const Command& command) {
  std::vector<std::string> names;
  for (const Command& below : command.commands) names.push_back(below.name);
  return names;
}

Error no_such_command(const Arguments& arguments, const std::string& word) {
  const Command& command = *arguments.command;
  const bool top = arguments.path == command.name;
  if (!command.positionals.empty() && command.positionals[0].file) {
    const std::string help = fmt::format("'{} --help' lists the commands", arguments.path);
    return usage(expected(arguments.path, "a file or one of its commands", word,
                          "no such file; " + hint_for(word, names_below(command), help)));
  }
  return usage(expected(
      arguments.path, top ? "a command" : "one of its commands", word,
      hint_for(word, names_below(command), fmt::format("'{} --help' lists them", arguments.path))));
}

/// "kstar predict strong takes it": another command that has the flag, or nothing.
std::string command_with_flag(const std::string& flag) {
  std::string taker;
  for_each_command(program(), [&](const Command& command, const std::string& path) {
    for (const Flag& known : command.flags) {
      if (taker.empty() && "--" + known.name == flag) taker = path;
    }
  });
  return taker.empty() ? "" : fmt::format("'{}' has this option", taker);
}

Error no_such_flag(const Arguments& arguments, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (const std::string taker = command_with_flag(name); !taker.empty()) {
    return usage(expected(arguments.path, "one of its flags", word, taker));
  }
  return usage(expected(arguments.path, "one of its flags", word,
                        hint_for(name, flag_names(*arguments.command),
                                 fmt::format("'{} --help' lists them", arguments.path))));
}

/// How many words a common flag at the front takes: itself, and its value if that stands apart.
std::size_t common_flag_words(const std::string& word) {
  for (const Flag& flag : common_flags()) {
    if (word == "--" + flag.name) return flag.value.empty() ? 1 : 2;
    if (word.starts_with("--" + flag.name + "=")) return 1;
    if (flag.letter != 0 && word == std::string{'-', flag.letter}) return 1;
  }
  return 0;
}

/// Where a command takes files as well as commands below it, a file has a dot or a slash, or
/// exists.
bool takes_file(const Command& command, const std::string& word) {
  if (command.positionals.empty()) return false;
  std::error_code ignored;
  return word == "-" || word.find_first_of("./") != word.npos ||
         (command.positionals[0].file && std::filesystem::is_regular_file(word, ignored));
}

/// Walks down the table as far as the words name commands, and returns the words that remain.
/// Common flags may stand before a command: kstar --color never predict ...
Result<std::vector<std::string>> find_leaf(Arguments& arguments,
                                           std::span<const std::string> words) {
  std::vector<std::string> rest;
  while (!words.empty() && !arguments.command->commands.empty()) {
    const std::size_t taken = std::min(common_flag_words(words[0]), words.size());
    rest.insert(rest.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken));
    words = words.subspan(taken);
    if (taken > 0) continue;
    if (words[0].starts_with("-")) break;
    const Command* below = find_command(*arguments.command, words[0]);
    if (below == nullptr && takes_file(*arguments.command, words[0])) break;
    if (below == nullptr) return fail(no_such_command(arguments, words[0]));
    arguments.command = below;
    arguments.path += " " + below->name;
    words = words.subspan(1);
  }
  rest.insert(rest.end(), words.begin(), words.end());
  return rest;
}

Result<void> check_choice(const GivenFlag& given) {
  const std::vector<std::string>& choices = given.flag->choices;
  const std::string where = "--" + given.flag->name;
  if (given.values.size() > 1 && !given.flag->repeats) {
    return fail(usage({.where = where,
                       .message = fmt::format("given {} times", given.values.size()),
                       .hint = "give it once"}));
  }
  const std::string& value = given.values[0];
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end())
    return {};
  return fail(usage(expected(where, fmt::format("one of {}", fmt::join(choices, ", ")), value,
                             hint_for(value, choices, ""))));
}

Result<void> keep_flags(const std::vector<GivenFlag>& flags, Arguments& arguments) {
  for (const GivenFlag& given : flags) {
    if (given.values.empty()) continue;
    if (Result<void> checked = check_choice(given); !checked) return checked;
    arguments.values[given.flag->name] = given.values[0];
    if (given.flag->repeats) arguments.lists[given.flag->name] = given.values;
  }
  arguments.wants_help = arguments.has("help");
  return {};
}

Result<void> check_positionals(const Arguments& arguments) {
  const Command& command = *arguments.command;
  std::size_t most = 0, least = 0;
  for (const Positional& positional : command.positionals) {
    if (positional.required) ++least;
    most = positional.repeats ? arguments.positionals.size() + 1 : most + 1;
  }
  if (arguments.positionals.size() < least) {
    const Positional& missing = command.positionals[arguments.positionals.size()];
    return fail(usage({.where = arguments.path,
                       .message = fmt::format("expected {}: {}", missing.name, missing.help),
                       .hint = fmt::format("'{} --help' shows how it is used", arguments.path)}));
  }
  if (arguments.positionals.size() > most) {
    return fail(
        usage(expected(arguments.path, most == 0 ? "no further arguments" : "fewer arguments",
                       arguments.positionals[most])));
  }
  return {};
}

Result<void> check_positional_choices(const Arguments& arguments) {
  const std::vector<Positional>& known = arguments.command->positionals;
  for (std::size_t i = 0; i < arguments.positionals.size(); ++i) {
    const Positional& positional = known[std::min(i, known.size() - 1)];
    const std::vector<std::string>& choices = positional.choices;
    const std::string& word = arguments.positionals[i];
    if (choices.empty() || std::find(choices.begin(), choices.end(), word) != choices.end())
      continue;
    const std::string otherwise = fmt::format("available: {}", fmt::join(choices, ", "));
    return fail(usage(expected(arguments.path, fmt::format("a known {}", positional.name), word,
                               hint_for(word, choices, otherwise))));
  }
  return {};
}

/// Words of a job's command: behind --, so that its flags are never taken for ours.
Result<void> check_dashes(const Arguments& arguments) {
  const std::vector<Positional>& known = arguments.command->positionals;
  if (known.empty() || !known[0].behind_dashes || arguments.positionals.empty()) return {};
  return fail(usage(expected(arguments.path, "-- before the command", arguments.positionals[0],
                             fmt::format("write '{} ... -- {} ...'", arguments.path,
                                         printable(arguments.positionals[0])))));
}

/// The flag that a word names, as --name, --name=rest, -l or -lrest; null where it names none.
GivenFlag* named_flag(std::string_view word, std::vector<GivenFlag>& flags,
                      std::string_view& rest) {
  for (GivenFlag& given : flags) {
    const std::string name = "--" + given.flag->name;
    const bool letter =
        given.flag->letter != 0 && word.starts_with(std::string{'-', given.flag->letter});
    if (!letter && word != name && !word.starts_with(name + "=")) continue;
    rest = word.substr(letter ? 2 : std::min(name.size() + 1, word.size()));
    return &given;
  }
  return nullptr;
}

/// Gives flags their values, and returns the words that are none of them. A value is the rest of
/// the flag's word or else the next word, whatever it looks like.
Result<std::vector<std::string>> give_flags(std::vector<std::string> words,
                                            std::vector<GivenFlag>& flags) {
  std::vector<std::string> others;
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::string_view rest;
    GivenFlag* given = named_flag(words[at], flags, rest);
    if (given == nullptr) {
      others.push_back(words[at]);
    } else if (!given->flag->value.empty()) {
      if (rest.empty() && ++at == words.size()) {
        return fail(usage({.where = "--" + given->flag->name, .message = "expected a value"}));
      }
      given->values.emplace_back(rest.empty() ? words[at] : std::string(rest));
    } else {
      given->values = {"yes"};
      if (words[at][1] == '-' || rest.empty()) continue;
      words[at] = "-" + std::string(rest);  // -hv is -h -v
      --at;
    }
  }
  return others;
}

Result<void> read_words(Arguments& arguments, std::span<const std::string> words) {
  // What stands behind -- is never a flag.
  const auto dashes = std::find(words.begin(), words.end(), "--");
  std::vector<GivenFlag> flags;
  for (const Flag* flag : all_flags(*arguments.command)) flags.push_back({flag, {}});
  KSTAR_TRY(const std::vector<std::string> others, give_flags({words.begin(), dashes}, flags));
  for (const std::string& word : others) {
    const bool flag = word.starts_with("-") && word != "-";
    // Behind a word of the job it is the job's: then the whole command is in the wrong place.
    if (flag && check_dashes(arguments)) return fail(no_such_flag(arguments, word));
    arguments.positionals.push_back(word);
  }
  if (Result<void> checked = check_dashes(arguments); !checked) return checked;
  if (dashes != words.end()) {
    arguments.positionals.insert(arguments.positionals.end(), dashes + 1, words.end());
  }
  return keep_flags(flags, arguments);
}

}  // namespace

std::string Arguments::text(std::string_view flag, std::string_view otherwise) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::string(otherwise) : found->second;
}

std::vector<std::string> Arguments::list(std::string_view flag) const {
  const auto found = lists.find(flag);
  return found == lists.end() ? std::vector<std::string>() : found->second;
}

Result<double> Arguments::share(std::string_view flag, double otherwise) const {
  if (!has(flag)) return otherwise;
  const std::string given = text(flag);
  const std::optional<double> value = parse_double(given);
  if (!value || *value <= 0 || *value > 1) {
    return fail(usage(expected(fmt::format("--{}", flag), "a number above 0, at most 1", given)));
  }
  return *value;
}

Error usage(Error error) {
  error.code = ExitCode::kUsage;
  return error;
}

Result<Arguments> parse_arguments(const Command& program, std::span<const std::string> words) {
  Arguments arguments;
  arguments.command = &program;
  arguments.path = program.name;
  arguments.words.assign(words.begin(), words.end());
  KSTAR_TRY(const std::vector<std::string> rest, find_leaf(arguments, words));
  KSTAR_CHECK(read_words(arguments, rest));
  if (arguments.wants_help) return arguments;
  const bool job = std::find(words.begin(), words.end(), "--") != words.end();
  if (!arguments.command->commands.empty() && !arguments.positionals.empty() && !job &&
      !takes_file(*arguments.command, arguments.positionals[0])) {
    return fail(no_such_command(arguments, arguments.positionals[0]));
  }
  Result<void> checked = check_positionals(arguments);
  if (checked) checked = check_positional_choices(arguments);
  if (!checked) return fail(checked.error());
  return arguments;
}

}  // namespace kstar
