#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "kstar/spec_key.h"

namespace kstar {

namespace {

constexpr std::size_t kColumns = 96;

bool has_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  }
  return false;
}

/// Text of TOML: '...' holds everything as it is, but no quote and no control character.
std::string quoted(std::string_view text) {
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
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + quoted(word);
  return "[" + list + "]";
}

std::string table_of(const std::map<std::string, std::string>& variables) {
  std::string table;
  for (const auto& [name, value] : variables) {
    table += fmt::format("{}{} = {}", table.empty() ? "" : ", ", name, quoted(value));
  }
  return fmt::format("{{ {} }}", table);
}

/// Bare where TOML reads it back as the same text.
std::string number_or_text(const std::string& text) {
  const std::optional<double> number = parse_double(text);
  return number && shortest(*number) == text ? text : quoted(text);
}

/// The value as TOML; empty when the spec does not say it.
std::string value_of(const SpecKey& key, const MeasureSpec& spec) {
  if (key.type == SpecType::kVariables) {
    return spec.variables.empty() ? "" : table_of(spec.variables);
  }
  if (key.type == SpecType::kWords) {
    return (spec.*key.words).empty() ? "" : list_of(spec.*key.words);
  }
  std::string text = key.get(spec);
  if (text.empty()) return "";
  if (key.type == SpecType::kSwitch) return text;
  if (key.type == SpecType::kNumber) return number_or_text(text);
  if (key.type != SpecType::kCounts) return quoted(text);
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

std::string spec_toml(const MeasureSpec& spec) {
  std::string text =
      "# What is measured and how: kstar measure --spec FILE. A flag overrides a line here, a "
      "line\n"
      "# that is missing keeps its default. Lines that start with #: are not said.\n";
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
