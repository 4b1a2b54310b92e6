#pragma once

#include <cmath>

#include "study/field.h"

/// Writing by type.
namespace kstar {

template <HasFields T>
void write_object(JsonText& out, const T& value);

template <typename Number>
void write_number(JsonText& out, std::string_view key, Number value, Rule rule) {
  bool good = obeys(value, rule);
  if constexpr (std::is_floating_point_v<Number>) {
    good = good && std::isfinite(value);
    if (good) return out.number(value);
  } else {
    if (good) return out.integer(value);
  }
  out.refuse(expected(key, describe<Number>(rule), fmt::format("{}", value)));
}

template <typename T>
void write_value(JsonText& out, std::string_view key, const T& value, Rule rule) {
  if constexpr (IsOptional<T>::value || IsBoxed<T>::value) {
    write_value(out, key, *value, rule);
  } else if constexpr (IsVector<T>::value) {
    out.open('[');
    for (const auto& element : value) {
      out.separate();
      write_value(out, key, element, rule);
    }
    out.close(']');
  } else if constexpr (HasFields<T>) {
    write_object(out, value);
  } else if constexpr (std::is_enum_v<T>) {
    out.string(name_of(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    write_number(out, key, value, rule);
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.string(value);
  } else {
    out.open('{');
    for (const auto& [name, text] : value) {
      out.any_key(name);
      out.string(text);
    }
    out.close('}');
  }
}

template <typename T>
bool is_present(const T& value) {
  if constexpr (IsOptional<T>::value || IsBoxed<T>::value || std::is_same_v<T, bool>) {
    return static_cast<bool>(value);
  } else if constexpr (HasFields<T>) {
    return value != T{};
  } else if constexpr (requires { value.empty(); }) {
    return !value.empty();
  } else {
    return value != T{};  // an enumeration's first value is what is meant when nothing is said
  }
}

template <typename T>
void write_extra(JsonText& out, const std::string& extra) {
  const auto object = one_line_object(extra);
  if (!object) return out.refuse(expected("extra", "the text of a JSON object", extra));
  simdjson::dom::parser parser;
  simdjson::dom::object members;
  if (parser.parse(*object).get(members) != simdjson::SUCCESS) return;
  for (const auto [key, value] : members) {
    if (find_field<T>(key, 0) < field_count<T>()) {
      return out.refuse(expected("extra", "only keys that are unknown", key));
    }
  }
  out.members_of(*object);
}

template <HasFields T>
void write_object(JsonText& out, const T& value) {
  out.open('{');
  for (const Field<T>& entry : Fields<T>::kAll) entry.write(out, entry.key, value);
  if (!value.extra.empty()) write_extra<T>(out, value.extra);
  out.close('}');
}

}  // namespace kstar
