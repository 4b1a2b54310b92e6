#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/spec_key.h"
#include "spec/toml_source.h"

namespace kstar {

namespace {

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const SpecKey& key : spec_keys()) {
    if (names.empty() || names.back() != key.group) names.emplace_back(key.group);
  }
  return names;
}

Error unknown_group(const TomlSource& source, const toml::key& key) {
  const std::vector<std::string> groups = group_names();
  std::string hint = fmt::format("the tables are {}", fmt::join(groups, ", "));
  for (const SpecKey& known : spec_keys()) {
    if (known.name == key.str()) hint = fmt::format("'{}' belongs to [{}]", key.str(), known.group);
  }
  if (const std::string near = did_you_mean(key.str(), groups); !near.empty()) {
    hint = fmt::format("did you mean [{}]?", near);
  }
  return source.error(key.source().begin,
                      expected("", "a table of a study.toml", key.str()).message, hint);
}

Error unknown_key(const TomlSource& source, std::string_view group, const toml::key& key) {
  std::vector<std::string> names;
  std::string elsewhere;
  for (const SpecKey& known : spec_keys()) {
    if (known.group == group) names.emplace_back(known.name);
    if (known.name == key.str()) elsewhere = known.group;
  }
  const std::string near = did_you_mean(key.str(), names);
  const std::string hint = !elsewhere.empty()
                               ? fmt::format("'{}' belongs to [{}]", key.str(), elsewhere)
                           : near.empty() ? fmt::format("they are {}", fmt::join(names, ", "))
                                          : fmt::format("did you mean '{}'?", near);
  return source.error(key.source().begin,
                      expected("", fmt::format("a key of [{}]", group), key.str()).message, hint);
}

std::string_view words_for(SpecType type) {
  switch (type) {
    case SpecType::kText:
      return "text in quotes";
    case SpecType::kNumber:
      return "a number, or text in quotes";
    case SpecType::kSwitch:
      return "true or false";
    case SpecType::kCounts:
      return "worker counts such as [1, 2, 4] or \"1..64\"";
    case SpecType::kWords:
      return "a list of arguments such as [\"./prog\", \"{K}\"], or one string";
    case SpecType::kVariables:
      break;
  }
  return "a table of text, such as { NAME = \"value\" }";
}

/// Collects what the file says, with the place of each.
class Reader {
 public:
  explicit Reader(const TomlSource& source) : source_(source) {}

  Result<SpecFile> read(const toml::table& root) {
    for (const auto& [name, node] : root) {
      const auto groups = group_names();
      if (std::find(groups.begin(), groups.end(), name.str()) == groups.end()) {
        return fail(unknown_group(source_, name));
      }
      if (!node.is_table()) {
        return fail(source_.error(node.source().begin,
                                  fmt::format("expected a table [{}], got '{}'", name.str(),
                                              shorten(printable(shown(node)), 60))));
      }
      KSTAR_CHECK(read_group(name.str(), *node.as_table()));
    }
    SpecFile file;
    if (const auto problem = apply_settings(file.spec, settings_)) {
      return fail(error(*settings_[problem->index].key, places_[problem->index],
                        message_of(*problem), problem->hint));
    }
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      const Error here = source_.error(places_[i], "");
      file.places.insert({settings_[i].key, {.where = here.where, .excerpt = here.excerpt}});
    }
    return file;
  }

 private:
  std::string message_of(const SettingProblem& problem) const {
    if (!problem.other) return problem.message;
    const SpecKey& other = *settings_[*problem.other].key;
    return fmt::format("contradicts {}.{} = '{}' in line {}", other.group, other.name,
                       shorten(printable(settings_[*problem.other].text), 60),
                       static_cast<std::size_t>(places_[*problem.other].line));
  }

  Result<void> read_group(std::string_view group, const toml::table& table) {
    for (const auto& [name, node] : table) {
      const SpecKey* key = find_spec_key(group, name.str());
      if (key == nullptr) return fail(unknown_key(source_, group, name));
      if (!read_value(*key, node)) return fail(wrong_type(*key));
    }
    return {};
  }

  /// False when a value is of the wrong type; wrong_ is it.
  bool read_value(const SpecKey& key, const toml::node& node) {
    wrong_ = &node;
    switch (key.type) {
      case SpecType::kText:
        return node.is_string() && keep(key, node, shown(node));
      case SpecType::kNumber:
        return (node.is_number() || node.is_string()) && keep(key, node, shown(node));
      case SpecType::kSwitch:
        return node.is_boolean() && keep(key, node, shown(node));
      case SpecType::kCounts:
        return read_counts(key, node);
      case SpecType::kWords:
        return read_words(key, node);
      case SpecType::kVariables:
        break;
    }
    return read_variables(key, node);
  }

  bool read_counts(const SpecKey& key, const toml::node& node) {
    if (node.is_string() || node.is_integer()) return keep(key, node, shown(node));
    const toml::array* items = node.as_array();
    if (items == nullptr || items->empty()) return false;
    std::string text;
    for (const toml::node& item : *items) {
      wrong_ = &item;
      if (!item.is_integer() && !item.is_string()) return false;
      text += (text.empty() ? "" : ",") + shown(item);
    }
    return keep(key, node, text);
  }

  bool read_words(const SpecKey& key, const toml::node& node) {
    if (node.is_string()) return keep(key, node, shown(node));
    const toml::array* items = node.as_array();
    if (items == nullptr || items->empty()) return false;
    std::vector<std::string> words;
    for (const toml::node& item : *items) {
      wrong_ = &item;
      if (!item.is_string()) return false;
      words.push_back(item.as_string()->get());
    }
    settings_.push_back({&key, "", std::move(words)});
    places_.push_back(node.source().begin);
    return true;
  }

  bool read_variables(const SpecKey& key, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return false;
    for (const auto& [name, value] : *table) {
      wrong_ = &value;
      if (!value.is_string()) return false;
      keep(key, value, fmt::format("{}={}", name.str(), value.as_string()->get()));
    }
    return true;
  }

  bool keep(const SpecKey& key, const toml::node& node, std::string text) {
    settings_.push_back({&key, std::move(text), {}});
    places_.push_back(node.source().begin);
    return true;
  }

  Error wrong_type(const SpecKey& key) const {
    return error(key, wrong_->source().begin,
                 expected("", words_for(key.type), shown(*wrong_)).message, "");
  }

  Error error(const SpecKey& key, const toml::source_position& at, std::string_view message,
              std::string hint) const {
    return source_.error(at, fmt::format("{}.{}: {}", key.group, key.name, message),
                         std::move(hint));
  }

  const TomlSource& source_;
  std::vector<SpecSetting> settings_;
  std::vector<toml::source_position> places_;  // of each in said_
  const toml::node* wrong_ = nullptr;
};

constexpr std::size_t kColumns = 96;

bool has_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  }
  return false;
}

/// Text of TOML: '...' holds everything as it is, but no quote and no control character.
std::string toml_text(std::string_view text) {
  const bool literal = text.find('\\') != text.npos || text.find('"') != text.npos;
  if (literal && text.find('\'') == text.npos && !has_control(text)) {
    return fmt::format("'{}'", text);
  }
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      safe += {'\\', c};
    } else if (has_control({&c, 1})) {
      safe += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      safe += c;
    }
  }
  return safe + "\"";
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + toml_text(word);
  return "[" + list + "]";
}

std::string table_of(const std::map<std::string, std::string>& variables) {
  std::string table;
  for (const auto& [name, value] : variables) {
    table += fmt::format("{}{} = {}", table.empty() ? "" : ", ", name, toml_text(value));
  }
  return fmt::format("{{ {} }}", table);
}

/// Bare where TOML reads it back as the same text.
std::string number_or_text(const std::string& text) {
  const std::optional<double> number = parse_double(text);
  return number && shortest(*number) == text ? text : toml_text(text);
}

/// The value as TOML; empty when the spec does not say it.
std::string value_of(const SpecKey& key, const MeasureSpec& spec) {
  if (key.type == SpecType::kVariables) {
    return (spec.*key.table).empty() ? "" : table_of(spec.*key.table);
  }
  if (key.type == SpecType::kWords) {
    return (spec.*key.words).empty() ? "" : list_of(spec.*key.words);
  }
  std::string text = key.get(spec);
  if (text.empty()) return "";
  if (key.type == SpecType::kSwitch) return text;
  if (key.type == SpecType::kNumber) return number_or_text(text);
  if (key.type != SpecType::kCounts) return toml_text(text);
  std::string list;
  for (const std::string_view count : split(text, ',')) {
    list += (list.empty() ? "" : ", ") + number_or_text(std::string(count));
  }
  return "[" + list + "]";
}

std::string explanation(const SpecKey& key) {
  std::string help(key.help);
  const bool named = key.choices.empty() || help.find(key.choices.back()) != help.npos;
  if (!named) help += fmt::format(" ({})", fmt::join(key.choices, ", "));
  if (!key.flag.empty()) help += fmt::format("; --{}", key.flag);
  std::string text;
  for (const std::string& line : wrap(help, kColumns - 2)) text += "# " + line + "\n";
  return text;
}

}  // namespace

Result<SpecFile> read_spec_file(std::string_view toml, std::string_view name) {
  const TomlSource source(toml, name);
  KSTAR_TRY(const toml::table table, source.parse());
  return Reader(source).read(table);
}

Result<SpecFile> load_spec_file(const std::string& path) {
  KSTAR_TRY(const FileText text, read_file(path, TomlSource::kLargestFile));
  return read_spec_file(text.view(), path);
}

Result<MeasureSpec> read_spec(std::string_view toml, std::string_view name) {
  KSTAR_TRY(SpecFile file, read_spec_file(toml, name));
  return std::move(file.spec);
}

Result<MeasureSpec> load_spec(const std::string& path) {
  KSTAR_TRY(SpecFile file, load_spec_file(path));
  return std::move(file.spec);
}

std::string spec_toml(const MeasureSpec& spec) {
  std::string text =
      "# What is measured and how: kstar measure --spec FILE. A flag overrides a line here, a\n# "
      "missing line keeps its default. Lines that start with #: are not set.\n";
  std::string_view group;
  for (const SpecKey& key : spec_keys()) {
    if (key.group != group) text += fmt::format("\n[{}]\n", key.group);
    group = key.group;
    const std::string value = value_of(key, spec);
    text += explanation(key);
    text += value.empty() ? fmt::format("#: {} = {}\n", key.name, key.example)
                          : fmt::format("{} = {}\n", key.name, value);
  }
  return text;
}

}  // namespace kstar
