// The only file that knows CLI11: it takes words apart. What they mean is in the command table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"

namespace kstar {

namespace {

struct ParsedFlag {
  const Flag* flag = nullptr;
  CLI::Option* option = nullptr;
  std::vector<std::string> given;
};

std::string hint_for(const std::string& word, const std::vector<std::string>& known,
                     const std::string& otherwise) {
  const std::string near = did_you_mean(word, known);
  return near.empty() ? otherwise : fmt::format("did you mean '{}'?", near);
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const Flag& flag : command.flags) names.push_back("--" + flag.name);
  for (const Flag& flag : common_flags()) names.push_back("--" + flag.name);
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
  return usage(expected(
      arguments.path, top ? "a command" : "one of its commands", word,
      hint_for(word, names_below(command), fmt::format("'{} --help' lists them", arguments.path))));
}

/// "kstar predict strong takes it": another command that has the flag, or nothing.
std::string who_takes(const std::string& flag) {
  std::string taker;
  for_each_command(program(), [&](const Command& command, const std::string& path) {
    for (const Flag& known : command.flags) {
      if (taker.empty() && "--" + known.name == flag) taker = path;
    }
  });
  return taker.empty() ? "" : fmt::format("'{}' takes it", taker);
}

Error no_such_flag(const Arguments& arguments, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (const std::string taker = who_takes(name); !taker.empty()) {
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
    if (below == nullptr) return fail(no_such_command(arguments, words[0]));
    arguments.command = below;
    arguments.path += " " + below->name;
    words = words.subspan(1);
  }
  rest.insert(rest.end(), words.begin(), words.end());
  return rest;
}

Result<void> check_choice(const ParsedFlag& parsed) {
  const std::vector<std::string>& choices = parsed.flag->choices;
  const std::string where = "--" + parsed.flag->name;
  if (parsed.given.size() > 1 && !parsed.flag->repeats) {
    return fail(usage({.where = where,
                       .message = fmt::format("given {} times", parsed.given.size()),
                       .hint = "give it once"}));
  }
  const std::string& value = parsed.given[0];
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end())
    return {};
  return fail(usage(expected(where, fmt::format("one of {}", fmt::join(choices, ", ")), value,
                             hint_for(value, choices, ""))));
}

Result<void> keep_flags(std::vector<ParsedFlag>& parsed, Arguments& arguments) {
  for (ParsedFlag& flag : parsed) {
    if (flag.option->count() == 0) continue;
    if (flag.flag->value.empty()) flag.given = {"yes"};
    if (Result<void> checked = check_choice(flag); !checked) return checked;
    arguments.values[flag.flag->name] = flag.given[0];
    if (flag.flag->repeats) arguments.lists[flag.flag->name] = flag.given;
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
    const std::string otherwise = fmt::format("they are {}", fmt::join(choices, ", "));
    return fail(usage(expected(arguments.path, fmt::format("a {} it knows", positional.name), word,
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

/// CLI11's own complaints are about a value that is missing or one too many.
Error from_cli11(const CLI::Error& problem, const Arguments& arguments) {
  const std::string message = problem.what();
  const std::size_t colon = message.find(':');
  if (colon == std::string::npos) return usage({arguments.path, message, "", ""});
  const std::string flag = message.substr(0, colon);
  return usage({.where = flag, .message = "expected a value"});
}

Result<void> read_words(Arguments& arguments, std::span<const std::string> all_words) {
  // What stands behind -- is never a flag.
  const auto dashes = std::find(all_words.begin(), all_words.end(), "--");
  const std::vector<std::string> words(all_words.begin(), dashes);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<ParsedFlag> parsed;
  for (const Flag& flag : arguments.command->flags) parsed.push_back({&flag, nullptr, {}});
  for (const Flag& flag : common_flags()) parsed.push_back({&flag, nullptr, {}});
  for (ParsedFlag& one : parsed) {
    std::string names = "--" + one.flag->name;
    if (one.flag->letter != 0) names = fmt::format("-{},{}", one.flag->letter, names);
    one.option = one.flag->value.empty()
                     ? app.add_flag(names)
                     : app.add_option(names, one.given)
                           ->expected(1)
                           ->allow_extra_args(false)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 wants them reversed
  } catch (const CLI::Error& problem) {
    return fail(from_cli11(problem, arguments));
  }
  for (const std::string& extra : app.remaining()) {
    const bool flag = extra.starts_with("-") && extra != "-";
    // Behind a word of the job it is the job's: then the whole command is in the wrong place.
    if (flag && check_dashes(arguments)) return fail(no_such_flag(arguments, extra));
    arguments.positionals.push_back(extra);
  }
  if (Result<void> checked = check_dashes(arguments); !checked) return checked;
  if (dashes != all_words.end()) {
    arguments.positionals.insert(arguments.positionals.end(), dashes + 1, all_words.end());
  }
  return keep_flags(parsed, arguments);
}

}  // namespace

Result<Arguments> parse_arguments(const Command& program, std::span<const std::string> words) {
  Arguments arguments;
  arguments.command = &program;
  arguments.path = program.name;
  const Result<std::vector<std::string>> rest = find_leaf(arguments, words);
  if (!rest) return fail(rest.error());
  if (const Result<void> read = read_words(arguments, *rest); !read) return fail(read.error());
  if (arguments.wants_help) return arguments;
  if (!arguments.command->commands.empty() && !arguments.positionals.empty()) {
    return fail(no_such_command(arguments, arguments.positionals[0]));
  }
  Result<void> checked = check_positionals(arguments);
  if (checked) checked = check_positional_choices(arguments);
  if (!checked) return fail(checked.error());
  return arguments;
}

}  // namespace kstar
