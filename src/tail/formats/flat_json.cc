#include "tail/formats/flat_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace kstar::tail {

namespace {

constexpr int kDeepest = 8;

/// `several`: it stands in an array, with others of its name.
bool take_value(const JsonValue& value, const std::string& name, Flat& flat, int depth,
                bool several);

bool take_members(const JsonObject& object, const std::string& prefix, Flat& flat, int depth,
                  bool several) {
  bool good = true;
  const JsonFault fault = object.each([&](const JsonMember& member) {
    good = take_value(member.value, prefix + std::string(member.key), flat, depth, several);
    return good;
  });
  return good && !fault;
}

bool take_text(const JsonValue& value, const std::string& name, Flat& flat, bool several) {
  std::string_view text;
  if (value.get(text)) return false;
  if (several) {
    flat.words[name].emplace_back(text);
  } else {
    flat.texts[name] = std::string(text);
  }
  return true;
}

bool take_word(const JsonValue& value, const std::string& name, Flat& flat, bool several) {
  std::string_view text;
  if (value.get_text(text)) return false;
  if (!several && trim(text) == "true") flat.numbers[name] = 1;
  if (!several && trim(text) == "false") flat.numbers[name] = 0;
  return true;
}

bool take_value(const JsonValue& value, const std::string& name, Flat& flat, int depth,
                bool several) {
  if (depth > kDeepest) return false;
  const std::string_view token = value.token();
  const char first = token.empty() ? ' ' : token[0];
  if (first == '{') {
    JsonObject inner;
    return !value.get(inner) && take_members(inner, name + ".", flat, depth + 1, several);
  }
  if (first == '[') {
    JsonArray inner;
    if (value.get(inner)) return false;
    bool good = true;
    const JsonFault fault = inner.each([&](const JsonValue& one) {
      good = take_value(one, name, flat, depth + 1, true);
      return good;
    });
    return good && !fault;
  }
  if (first == '"') return take_text(value, name, flat, several);
  double number = 0;
  if ((first != '-' && !is_digit(first)) || value.get(number)) {
    return take_word(value, name, flat, several);
  }
  if (several) {
    flat.lists[name].push_back(number);
  } else {
    flat.numbers[name] = number;
  }
  return true;
}

/// Python writes NaN and Infinity, which are no JSON: as null.
std::string without_python(std::string_view text) {
  std::string plain;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (quoted && c == '\\' && i + 1 < text.size()) {
      plain += c;
      plain += text[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    std::size_t length = 0;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (!quoted && rest.starts_with(word)) length = word.size();
    }
    if (length == 0) {
      plain += c;
    } else {
      plain += "null";
      i += length - 1;
    }
  }
  return plain;
}

}  // namespace

std::optional<double> Flat::number(std::string_view name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<double>& Flat::list(std::string_view name) const {
  static const std::vector<double> kNone;
  const auto found = lists.find(name);
  return found == lists.end() ? kNone : found->second;
}

const std::vector<std::string>& Flat::words_of(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = words.find(name);
  return found == words.end() ? kNone : found->second;
}

bool take_object(const JsonObject& object, Flat& flat) {
  return take_members(object, "", flat, 0, false);
}

bool flatten(JsonDocument& document, std::string_view text, Flat& flat) {
  FileText padded(text);
  if (document.check(padded.view())) {
    padded = FileText(without_python(text));
    if (document.check(padded.view())) return false;
  }
  JsonObject object;
  if (document.start(padded.view()) || document.get(object)) return false;
  return take_object(object, flat);
}

Error json_error(const std::string& name, std::string_view text) {
  const std::size_t at = json_fault_place(text);
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  return {.where = fmt::format("{}:{}", name, line),
          .message = "is not JSON, or nested too deeply, or cut off"};
}

Result<Flat> read_object(LineStream& stream) {
  KSTAR_TRY(const FileText text, stream.whole());
  JsonDocument document;
  Flat flat;
  if (!flatten(document, text.view(), flat)) return fail(json_error(stream.name(), text.view()));
  return flat;
}

}  // namespace kstar::tail
