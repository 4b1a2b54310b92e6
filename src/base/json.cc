#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace kstar {

/// The same value as nlohmann has it, and back.
struct JsonLibrary {
  using Theirs = nlohmann::ordered_json;

  static Theirs theirs(const Json& json) {
    return std::visit([](const auto& value) { return converted(value); }, json.value_);
  }

  static Json ours(const Theirs& json) {
    Json::Value value;
    if (json.is_boolean()) value = json.get<bool>();
    if (json.is_number_float()) value = json.get<double>();
    if (json.is_number_integer()) value = json.get<std::int64_t>();
    if (json.is_number_unsigned()) value = json.get<std::uint64_t>();
    if (json.is_string()) value = json.get<std::string>();
    if (json.is_array()) {
      auto& elements = value.emplace<std::vector<Json>>();
      for (const Theirs& element : json) elements.push_back(ours(element));
    }
    if (json.is_object()) {
      auto& members = value.emplace<std::vector<Json::Member>>();
      for (const auto& [name, member] : json.items()) members.push_back({name, ours(member)});
    }
    Json made;
    made.value_ = std::move(value);
    return made;
  }

 private:
  static Theirs converted(const std::vector<Json>& elements) {
    Theirs array = Theirs::array();
    for (const Json& element : elements) array.push_back(theirs(element));
    return array;
  }
  static Theirs converted(const std::vector<Json::Member>& members) {
    Theirs object = Theirs::object();
    for (const auto& [name, value] : members) object[name] = theirs(value);
    return object;
  }
  template <typename T>
  static Theirs converted(const T& value) {
    return value;
  }
};

Json::Json(std::initializer_list<Json> elements) {
  const auto pair_of = [](const Json& element) -> const std::vector<Json>* {
    const auto* pair = std::get_if<std::vector<Json>>(&element.value_);
    return pair != nullptr && pair->size() == 2 && pair->front().text() != nullptr ? pair : nullptr;
  };
  if (!std::all_of(elements.begin(), elements.end(), pair_of)) {
    value_.emplace<std::vector<Json>>(elements);
    return;
  }
  auto& members = value_.emplace<std::vector<Member>>();
  for (const Json& element : elements) {
    const std::vector<Json>& pair = *pair_of(element);
    members.push_back({*pair[0].text(), pair[1]});
  }
}

Json Json::object() {
  Json made;
  made.value_.emplace<std::vector<Member>>();
  return made;
}

std::optional<Json> Json::parse(std::string_view text) {
  const JsonLibrary::Theirs read = JsonLibrary::Theirs::parse(text, nullptr, false);
  if (read.is_discarded()) return std::nullopt;
  return JsonLibrary::ours(read);
}

Json& Json::operator[](std::string_view name) {
  if (members() == nullptr) value_.emplace<std::vector<Member>>();
  auto& all = std::get<std::vector<Member>>(value_);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Member& member) { return member.name == name; });
  if (found != all.end()) return found->value;
  return all.emplace_back(Member{std::string(name), {}}).value;
}

void Json::push_back(Json element) {
  std::get<std::vector<Json>>(value_).push_back(std::move(element));
}

std::string Json::dump(int indent) const {
  return json_escaped(JsonLibrary::theirs(*this).dump(
      indent, ' ', false, JsonLibrary::Theirs::error_handler_t::replace));
}

}  // namespace kstar
