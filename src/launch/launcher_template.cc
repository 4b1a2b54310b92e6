#include "launch/launcher_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "base/try.h"
#include "base/words.h"
#include "launch/launchers.h"
#include "spec/hosts.h"
#include "spec/spec_values.h"
#include "spec/template_text.h"
#include "spec/toml_source.h"

namespace kstar {

namespace {

/// What can stand in the words of a launcher of the user's own; in the order of kTemplateNames.
enum class TemplateName : std::uint8_t { kWorkers, kNodes, kRanks, kThreads, kTasks, kHosts };
inline constexpr std::string_view kTemplateNames[] = {"K",       "nodes", "ranks",
                                                      "threads", "tasks", "hosts"};

/// The word that all words of the job take the place of.
inline constexpr std::string_view kCommandWord = "{command}";

/// Replaces the placeholders of one launch.
class Expander {
 public:
  explicit Expander(const LaunchRequest& request) : request_(request) {}

  Result<std::string> expand(std::string_view text) {
    KSTAR_TRY(const std::vector<BracePiece> pieces, parse_braces(text, "launcher", kTemplateNames));
    std::string expanded;
    for (const BracePiece& piece : pieces) {
      expanded += piece.text;
      if (!piece.name) continue;
      KSTAR_TRY(const std::string value, value_of(static_cast<TemplateName>(*piece.name)));
      expanded += value;
    }
    return expanded;
  }

 private:
  Result<std::string> value_of(TemplateName name) {
    const Shape& shape = request_.shape;
    switch (name) {
      case TemplateName::kWorkers:
        return std::to_string(shape.workers());
      case TemplateName::kNodes:
        return std::to_string(shape.nodes);
      case TemplateName::kRanks:
        return std::to_string(shape.ranks);
      case TemplateName::kThreads:
        return std::to_string(shape.threads);
      case TemplateName::kTasks:
        return std::to_string(shape.tasks());
      case TemplateName::kHosts:
        break;
    }
    KSTAR_TRY(const std::vector<std::string> hosts, nodes_for(request_));
    return fmt::format("{}", fmt::join(hosts, ","));
  }

  const LaunchRequest& request_;
};

class LaunchersReader {
 public:
  explicit LaunchersReader(const TomlSource& source) : source_(source) {}

  Result<std::vector<LauncherTemplate>> read(const toml::table& root) {
    std::vector<LauncherTemplate> all;
    for (const auto& [group, node] : root) {
      if (group.str() != "launcher" || !node.is_table()) {
        return fail(wrong(group.source().begin, "tables such as [launcher.NAME]", group.str()));
      }
      for (const auto& [name, table] : *node.as_table()) {
        KSTAR_TRY(LauncherTemplate form, read_one(name, table));
        all.push_back(std::move(form));
      }
    }
    return all;
  }

 private:
  Error wrong(const toml::source_position& at, std::string_view what, std::string_view got,
              std::string hint = {}) const {
    return source_.error(at, expected("", what, got).message, std::move(hint));
  }

  Result<LauncherTemplate> read_one(const toml::key& name, const toml::node& node) {
    LauncherTemplate form;
    form.name = name.str();
    if (!is_host_name(form.name)) {
      return fail(wrong(name.source().begin, "a name of letters, digits, - and _", form.name));
    }
    for (const Launcher& own : launchers()) {
      if (own.name != form.name) continue;
      return fail(wrong(name.source().begin, "a name that is not a built-in launcher", form.name,
                        fmt::format("for example my-{}", form.name)));
    }
    if (!node.is_table()) {
      return fail(wrong(node.source().begin, "a table such as [launcher.NAME]", shown(node)));
    }
    for (const auto& [key, value] : *node.as_table()) {
      KSTAR_CHECK(read_key(key, value, form));
    }
    if (form.command.empty()) {
      return fail(source_.error(
          name.source().begin, fmt::format("expected command = [...] in [launcher.{}]", form.name),
          "for example command = [\"flux\", \"run\", \"-n\", \"{tasks}\", \"{command}\"]"));
    }
    return form;
  }

  Result<void> read_key(const toml::key& key, const toml::node& value, LauncherTemplate& form) {
    if (key.str() == "command") return read_command(value, form);
    if (key.str() == "variables") return read_variables(value, form);
    if (key.str() != "summary") {
      static const std::vector<std::string> kKeys = {"summary", "command", "variables"};
      const std::string near = did_you_mean(key.str(), kKeys);
      return fail(wrong(key.source().begin, "summary, command or variables", key.str(),
                        near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
    }
    if (!value.is_string() || !is_one_line(value.as_string()->get())) {
      return fail(wrong(value.source().begin, "one line of text in quotes", shown(value)));
    }
    form.summary = value.as_string()->get();
    return {};
  }

  Result<void> read_command(const toml::node& node, LauncherTemplate& form) {
    const toml::array* words = node.as_array();
    if (words == nullptr || words->empty()) {
      return fail(wrong(node.source().begin,
                        "a list of arguments such as [\"flux\", \"{command}\"]", shown(node)));
    }
    for (const toml::node& word : *words) {
      if (!word.is_string()) {
        return fail(wrong(word.source().begin, "a quoted argument", shown(word)));
      }
      form.command.push_back(word.as_string()->get());
      if (form.command.back() == kCommandWord) continue;
      if (Result<void> good = check_braces(word); !good) return good;
    }
    const auto places = std::count(form.command.begin(), form.command.end(), kCommandWord);
    if (places == 1 && form.command[0] != kCommandWord) return {};
    return fail(source_.error(
        node.source().begin,
        form.command[0] == kCommandWord
            ? "expected a program before {command}"
            : fmt::format("expected {{command}} once, as a separate argument, got it {} times",
                          places),
        "it is replaced by the command line of the job"));
  }

  Result<void> read_variables(const toml::node& node, LauncherTemplate& form) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      return fail(
          wrong(node.source().begin, "a table of text, such as { NAME = \"value\" }", shown(node)));
    }
    for (const auto& [name, value] : *table) {
      MeasureSpec names;  // the same rule as for --env
      if (!value.is_string() || read_variable(names, fmt::format("{}=", name.str()))) {
        return fail(wrong(name.source().begin,
                          "NAME = \"value\", the name of letters, digits and _", name.str()));
      }
      if (Result<void> good = check_braces(value); !good) return good;
      form.variables[std::string(name.str())] = value.as_string()->get();
    }
    return {};
  }

  Result<void> check_braces(const toml::node& word) const {
    const auto pieces = parse_braces(word.as_string()->get(), "", kTemplateNames);
    if (pieces) return {};
    std::string hint = pieces.error().hint;
    if (word.as_string()->get().find(kCommandWord) != std::string::npos) {
      hint = "{command} must be a separate argument, and only in command";
    }
    return fail(source_.error(word.source().begin, pieces.error().message, std::move(hint)));
  }

  const TomlSource& source_;
};

}  // namespace

Result<Launch> launch_with_template(const LauncherTemplate& form, const LaunchRequest& request) {
  Expander expander(request);
  Launch launch;
  std::vector<std::string>& words = launch.plan.command;
  for (const std::string& word : form.command) {
    if (word == kCommandWord) {
      words.insert(words.end(), request.options.begin(), request.options.end());
      launch.binding = fmt::format("as {} does: {}", form.name, join_words(words));
      words.insert(words.end(), request.command.begin(), request.command.end());
      continue;
    }
    KSTAR_TRY(std::string expanded, expander.expand(word));
    words.push_back(std::move(expanded));
  }
  launch.plan.variables = {{"OMP_NUM_THREADS", std::to_string(request.shape.threads)}};
  for (const auto& [name, value] : form.variables) {
    KSTAR_TRY(std::string expanded, expander.expand(value));
    launch.plan.variables.emplace_back(name, std::move(expanded));
  }
  if (const Result<std::vector<std::string>> hosts = nodes_for(request); hosts) {
    const bool here = request.hosts.empty() && !slurm_allocation().value_or(std::nullopt);
    if (!here) launch.hosts = *hosts;  // else nobody but the launcher knows where it runs
  }
  launch.plan.grace = kRemoteGrace;
  launch.versions["launcher"] = join_words(form.command);
  return launch;
}

Result<std::vector<LauncherTemplate>> read_launchers(std::string_view toml, std::string_view name) {
  const TomlSource source(toml, name);
  KSTAR_TRY(const toml::table table, source.parse());
  return LaunchersReader(source).read(table);
}

}  // namespace kstar
