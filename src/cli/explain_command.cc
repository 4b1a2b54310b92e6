#include <fmt/format.h>

#include <algorithm>

#include "base/embedded.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace kstar {

/// The texts of src/cli/topics, in the order of CMakeLists.txt.
std::span<const EmbeddedText> topics();

namespace {

std::string_view summary_of(const EmbeddedText& topic) {
  return topic.text.substr(0, topic.text.find('\n'));
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& topic : topics()) names.emplace_back(topic.name);
  return names;
}

std::string topic_list() {
  std::size_t width = 0;
  for (const EmbeddedText& topic : topics()) width = std::max(width, topic.name.size());
  std::string text;
  for (const EmbeddedText& topic : topics()) {
    text += fmt::format("{:<{}}  {}\n", topic.name, width, summary_of(topic));
  }
  return text;
}

Result<ExitCode> explain(const Arguments& arguments, Console& console) {
  if (arguments.positionals.empty()) {
    console.print(topic_list());
    return ExitCode::kDone;
  }
  for (const EmbeddedText& topic : topics()) {
    if (topic.name == arguments.positionals[0]) console.print(topic.text);
  }
  return ExitCode::kDone;
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .summary = "explain a term of scaling: what it is, its formula, its use, how it misleads",
      .details = {"Without a topic, the topics are listed."},
      .positionals = {{.name = "TOPIC", .help = "the term to explain", .choices = topic_names()}},
      .examples = {"kstar explain efficiency"},
      .run = explain};
}

}  // namespace kstar
