#pragma once

#include <map>

#include "study/field.h"
#include "study/names.h"

/// Reading by type. Absent and empty are the same, so null is taken for absent before this.
namespace kstar {

template <HasFields T>
bool read_object(ValueReader& in, simdjson::ondemand::object object, T& out);
template <typename Number>
bool read_number(ValueReader& in, JsonValue value, Number& out, Rule rule) {
  if constexpr (std::is_same_v<Number, std::uint64_t>) {
    return in.whole(value, out);
  } else if constexpr (std::is_floating_point_v<Number>) {
    if (value.get_double().get(out) == simdjson::SUCCESS && obeys(out, rule)) return true;
    return in.expected(value, describe<Number>(rule));
  } else {
    std::int64_t wide = 0;
    const bool fits = value.get_int64().get(wide) == simdjson::SUCCESS &&
                      wide >= std::numeric_limits<Number>::min() &&
                      wide <= std::numeric_limits<Number>::max() && obeys(wide, rule);
    out = static_cast<Number>(wide);
    return fits || in.expected(value, describe<Number>(rule));
  }
}

template <typename Enum>
bool read_name(ValueReader& in, JsonValue value, Enum& out) {
  std::string_view name;
  if (value.get_string().get(name) == simdjson::SUCCESS) {
    if (const auto found = value_named<Enum>(name)) {
      out = *found;
      return true;
    }
  }
  return in.expected(value, fmt::format("one of {}", fmt::join(kNames<Enum>, ", ")));
}

inline bool read_texts(ValueReader& in, JsonValue value, std::map<std::string, std::string>& out) {
  simdjson::ondemand::object object;
  if (!in.object(value, object)) return false;
  for (auto item : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(item).get(field)) return in.broken(error);
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return in.broken(error);
    if (!in.text(field.value(), out[std::string(key)])) return false;
  }
  return true;
}

template <typename T>
bool read_value(ValueReader& in, JsonValue value, T& out, Rule rule) {
  if constexpr (IsOptional<T>::value) {
    return read_value(in, value, out.emplace(), rule);
  } else if constexpr (IsBoxed<T>::value) {
    return read_value(in, value, out.emplace(), rule);
  } else if constexpr (IsVector<T>::value) {
    simdjson::ondemand::array array;
    if (!in.array(value, array)) return false;
    for (auto item : array) {
      JsonValue element;
      if (const auto error = std::move(item).get(element)) return in.broken(error);
      if (!read_value(in, element, out.emplace_back(), rule)) return false;
    }
    return true;
  } else if constexpr (HasFields<T>) {
    simdjson::ondemand::object object;
    return in.object(value, object) && read_object(in, object, out);
  } else if constexpr (std::is_enum_v<T>) {
    return read_name(in, value, out);
  } else if constexpr (std::is_same_v<T, bool>) {
    return in.boolean(value, out);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number(in, value, out, rule);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return in.text(value, out);
  } else {
    return read_texts(in, value, out);
  }
}

template <typename T>
bool has_required(ValueReader& in, std::uint64_t seen, const char* at) {
  for (std::size_t i = 0; i < field_count<T>(); ++i) {
    if (Fields<T>::kAll[i].required && (seen >> i & 1U) == 0) {
      return in.refuse(at, fmt::format("expected the key '{}'", Fields<T>::kAll[i].key));
    }
  }
  return true;
}

template <HasFields T>
bool read_object(ValueReader& in, simdjson::ondemand::object object, T& out) {
  static_assert(field_count<T>() <= 64);
  std::uint64_t seen = 0;
  std::size_t next = 0;
  const char* last = in.line().text.data();
  for (auto item : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(item).get(field)) return in.broken(error);
    const char* raw = field.key().raw();
    std::string_view key = in.raw_key(raw);
    last = raw;
    if (key.find('\\') != std::string_view::npos) {
      if (const auto error = field.unescaped_key().get(key)) return in.broken(error);
    }
    JsonValue value = field.value();
    const std::size_t i = find_field<T>(key, next);
    if (i == field_count<T>()) {
      if (!in.keep(raw, value, out.extra)) return false;
      continue;
    }
    const Field<T>& entry = Fields<T>::kAll[i];
    if ((seen >> i & 1U) != 0) {
      return in.refuse(raw, fmt::format("the key '{}' stands twice", entry.key));
    }
    next = i + 1;
    if (!entry.required && in.is_null(value)) continue;
    seen |= std::uint64_t{1} << i;
    if (!entry.read(in, value, out)) return false;
  }
  return has_required<T>(in, seen, last);
}

}  // namespace kstar
