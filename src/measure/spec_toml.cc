// The only file that knows toml++: it is heavy, and is used as headers alone.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/file.h"
#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "kstar/spec_key.h"

namespace kstar {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20U;
constexpr std::size_t kMostDots = 200;

/// The text of one file, and errors at places in it.
class Source {
 public:
  Source(std::string_view text, std::string_view name) : name_(name), lines_(split(text, '\n')) {}

  Error error(const toml::source_position& at, std::string message, std::string hint = {}) const {
    const std::size_t number = std::clamp<std::size_t>(at.line, 1, lines_.size());
    const Line line = this->line(number);
    return line_error(line, offset(line.text, at.column), std::move(message), std::move(hint));
  }

  Line line(std::size_t number) const {
    std::string_view text = lines_[number - 1];
    if (text.ends_with('\r')) text.remove_suffix(1);
    return {name_, number, text};
  }
  std::size_t lines() const { return lines_.size(); }

 private:
  /// toml++ counts characters, we count bytes.
  static std::size_t offset(std::string_view line, std::size_t column) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < column && at < line.size(); ++i) {
      do {
        ++at;
      } while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U);
    }
    return at;
  }

  std::string_view name_;
  std::vector<std::string_view> lines_;
};

/// How many dots stand outside of quotes and comments.
std::size_t dots_in(std::string_view line) {
  std::size_t dots = 0;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '#') {
      return dots;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.') {
      ++dots;
    }
  }
  return dots;
}

/// TOML allows no control character but the tab, and toml++ of Debian 12 aborts on some of them.
std::size_t control_character(std::string_view line) {
  const auto found = std::find_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
  return static_cast<std::size_t>(found - line.begin());
}

/// Every dot of a key makes a table inside a table, and taking down a very deep tree would overflow
/// the stack. No key of ours has more than two.
Result<void> check_lines(const Source& source) {
  for (std::size_t number = 1; number <= source.lines(); ++number) {
    const Line line = source.line(number);
    if (const std::size_t at = control_character(line.text); at < line.text.size()) {
      return fail(line_error(line, at, "expected no control characters"));
    }
    if (dots_in(line.text) > kMostDots) {
      return fail(line_error(line, 0, "expected keys of two parts, got one nested too deeply"));
    }
  }
  return {};
}

std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const SpecKey& key : spec_keys()) {
    if (names.empty() || names.back() != key.group) names.emplace_back(key.group);
  }
  return names;
}

Error unknown_group(const Source& source, const toml::key& key) {
  const std::vector<std::string> groups = group_names();
  std::string hint = fmt::format("the tables are {}", fmt::join(groups, ", "));
  for (const SpecKey& known : spec_keys()) {
    if (known.name == key.str()) hint = fmt::format("'{}' stands in [{}]", key.str(), known.group);
  }
  if (const std::string near = did_you_mean(key.str(), groups); !near.empty()) {
    hint = fmt::format("did you mean [{}]?", near);
  }
  return source.error(key.source().begin,
                      expected("", "a table of a study.toml", key.str()).message, hint);
}

Error unknown_key(const Source& source, std::string_view group, const toml::key& key) {
  std::vector<std::string> names;
  std::string elsewhere;
  for (const SpecKey& known : spec_keys()) {
    if (known.group == group) names.emplace_back(known.name);
    if (known.name == key.str()) elsewhere = known.group;
  }
  const std::string near = did_you_mean(key.str(), names);
  const std::string hint = !elsewhere.empty()
                               ? fmt::format("'{}' stands in [{}]", key.str(), elsewhere)
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
      return "worker counts as [1, 2, 4] or \"1..64\"";
    case SpecType::kWords:
      return "a list of words as [\"./prog\", \"{K}\"], or one text";
    case SpecType::kVariables:
      break;
  }
  return "a table of text, as { NAME = \"value\" }";
}

/// What stands there, as the file writes it, or its kind where that would be long.
std::string shown(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return shortest(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_array()) return node.as_array()->empty() ? "[]" : "[...]";
  return node.is_table() ? "{...}" : "a date or a time";
}

/// Collects what the file says, with the place of each.
class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {}

  Result<SpecFile> read(const toml::table& root) {
    for (const auto& [name, node] : root) {
      const auto groups = group_names();
      if (std::find(groups.begin(), groups.end(), name.str()) == groups.end()) {
        return fail(unknown_group(source_, name));
      }
      if (!node.is_table()) {
        return fail(source_.error(node.source().begin,
                                  fmt::format("expected a table as [{}], got '{}'", name.str(),
                                              shorten(printable(shown(node)), 60))));
      }
      if (Result<void> read = read_group(name.str(), *node.as_table()); !read) {
        return fail(read.error());
      }
    }
    SpecFile file;
    if (const auto problem = apply_said(file.spec, said_)) {
      return fail(error(*said_[problem->index].key, places_[problem->index], message_of(*problem),
                        problem->hint));
    }
    for (std::size_t i = 0; i < said_.size(); ++i) {
      const Error here = source_.error(places_[i], "");
      file.places.insert({said_[i].key, {.where = here.where, .excerpt = here.excerpt}});
    }
    return file;
  }

 private:
  std::string message_of(const SaidProblem& problem) const {
    if (!problem.other) return problem.message;
    const SpecKey& other = *said_[*problem.other].key;
    return fmt::format("contradicts {}.{} = '{}' in line {}", other.group, other.name,
                       shorten(printable(said_[*problem.other].text), 60),
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
    said_.push_back({&key, "", std::move(words)});
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
    said_.push_back({&key, std::move(text), {}});
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

  const Source& source_;
  std::vector<Said> said_;
  std::vector<toml::source_position> places_;  // of each in said_
  const toml::node* wrong_ = nullptr;
};

}  // namespace

Result<SpecFile> read_spec_file(std::string_view toml, std::string_view name) {
  const Source source(toml, name);
  if (toml.size() > kLargestFile) {
    return fail({.where = printable(name), .message = "expected a study.toml of at most 1 MiB"});
  }
  if (const Result<void> checked = check_lines(source); !checked) return fail(checked.error());
  const toml::parse_result parsed = toml::parse(toml, name);
  if (!parsed) {
    const toml::parse_error& problem = parsed.error();
    return fail(source.error(problem.source().begin, printable(problem.description())));
  }
  return Reader(source).read(parsed.table());
}

Result<SpecFile> load_spec_file(const std::string& path) {
  const Result<FileText> text = read_file(path, kLargestFile);
  if (!text) return fail(text.error());
  return read_spec_file(text->view(), path);
}

Result<MeasureSpec> read_spec(std::string_view toml, std::string_view name) {
  Result<SpecFile> file = read_spec_file(toml, name);
  if (!file) return fail(file.error());
  return std::move(file->spec);
}

Result<MeasureSpec> load_spec(const std::string& path) {
  Result<SpecFile> file = load_spec_file(path);
  if (!file) return fail(file.error());
  return std::move(file->spec);
}

}  // namespace kstar
