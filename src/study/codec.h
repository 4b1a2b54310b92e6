#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/json_document.h"
#include "base/text.h"
#include "kstar/boxed.h"
#include "kstar/shared_text.h"
#include "kstar/small_optional.h"
#include "study/names.h"
#include "study/object_writer.h"
#include "study/value_reader.h"

/// One table a type says which keys a JSON object has, and both directions are made from it: what
/// is written can be read, and nothing is forgotten on one side. Fields<T>::kAll is that table.
namespace kstar {

template <typename T>
struct Fields;

template <typename T>
concept HasFields = requires {
  Fields<T>::kAll;
};

/// What a number may be, on the way in and on the way out.
enum class Rule : std::uint8_t { kAny, kNotNegative, kPositive };

template <typename T>
struct Field {
  std::string_view key;
  bool required;
  bool (*read)(ValueReader&, JsonValue, T&);
  void (*write)(JsonText&, std::string_view key, const T&);  ///< writes nothing when absent
};

template <typename Number>
constexpr bool obeys(Number value, Rule rule) {
  if constexpr (std::is_unsigned_v<Number>) return true;
  if (rule == Rule::kAny) return true;
  return rule == Rule::kPositive ? value > Number{0} : value >= Number{0};
}

template <typename Number>
std::string describe(Rule rule) {
  if constexpr (std::is_floating_point_v<Number>) {
    return rule == Rule::kPositive      ? "a number above 0"
           : rule == Rule::kNotNegative ? "a number not below 0"
                                        : "a finite number";
  }
  if (rule == Rule::kAny) return "a whole number";
  return fmt::format("a whole number from {} to {}", rule == Rule::kPositive ? 1 : 0,
                     std::numeric_limits<Number>::max());
}

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsOptional<SmallOptional<T>> : std::true_type {};
template <typename T>
struct IsBoxed : std::false_type {};
template <typename T>
struct IsBoxed<Boxed<T>> : std::true_type {};

template <typename T>
constexpr std::size_t field_count() {
  return std::size(Fields<T>::kAll);
}

/// The entry of a key, looked for from `next` on: the writer's order makes that one comparison.
template <typename T>
std::size_t find_field(std::string_view key, std::size_t next) {
  for (std::size_t tried = 0; tried < field_count<T>(); ++tried) {
    const std::size_t i = (next + tried) % field_count<T>();
    const std::string_view known = Fields<T>::kAll[i].key;
    // The first letter tells most keys of one length apart without a call.
    if (known.size() == key.size() && known.front() == key.front() && known == key) return i;
  }
  return field_count<T>();
}

// Reading by type. Absent and empty are the same, so null is taken for absent before this.

template <HasFields T>
bool read_object(ValueReader& in, JsonObject object, T& out);
template <typename Number>
bool read_number(ValueReader& in, JsonValue value, Number& out, Rule rule) {
  if constexpr (std::is_same_v<Number, std::uint64_t>) {
    return in.whole(value, out);
  } else if constexpr (std::is_floating_point_v<Number>) {
    if (!value.get(out) && obeys(out, rule)) return true;
    return in.expected(value, describe<Number>(rule));
  } else {
    std::int64_t wide = 0;
    const bool fits = !value.get(wide) && wide >= std::numeric_limits<Number>::min() &&
                      wide <= std::numeric_limits<Number>::max() && obeys(wide, rule);
    out = static_cast<Number>(wide);
    return fits || in.expected(value, describe<Number>(rule));
  }
}

template <typename Enum>
bool read_name(ValueReader& in, JsonValue value, Enum& out) {
  std::string_view name;
  if (!value.get(name)) {
    if (const auto found = value_named<Enum>(name)) {
      out = *found;
      return true;
    }
  }
  return in.expected(value, fmt::format("one of {}", fmt::join(kNames<Enum>, ", ")));
}

template <typename T>
bool read_value(ValueReader& in, JsonValue value, T& out, Rule rule);

inline bool read_note_value(ValueReader& in, JsonValue value, NoteValue& out) {
  bool is_list = false;
  double number = 0;
  if (!value.get_is_array(is_list) && is_list) {
    return read_value(in, value, out.value.emplace<2>(), Rule::kAny);
  }
  if (!value.get(number)) {
    out.value = number;
    return true;
  }
  return in.text(value, out.value.emplace<1>());
}

template <typename T>
bool read_value(ValueReader& in, JsonValue value, T& out, Rule rule) {
  if constexpr (IsOptional<T>::value) {
    if (!read_value(in, value, out.emplace(), rule)) return false;
    return out || in.expected(value, "a larger number");  // this one stands for absent
  } else if constexpr (IsBoxed<T>::value) {
    return read_value(in, value, out.emplace(), rule);
  } else if constexpr (IsVector<T>::value) {
    JsonArray array;
    return in.array(value, array) && in.each(array, [&](JsonValue element) {
      return read_value(in, element, out.emplace_back(), rule);
    });
  } else if constexpr (HasFields<T>) {
    JsonObject object;
    return in.object(value, object) && read_object(in, object, out);
  } else if constexpr (std::is_enum_v<T>) {
    return read_name(in, value, out);
  } else if constexpr (std::is_same_v<T, bool>) {
    return in.boolean(value, out);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return read_number(in, value, out, rule);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, SharedText>) {
    return in.text(value, out);
  } else if constexpr (std::is_same_v<T, NoteValue>) {
    return read_note_value(in, value, out);
  } else {
    JsonObject object;
    return in.object(value, object) && in.each(object, [&](const JsonMember& member) {
      return read_value(in, member.value, out[std::string(member.key)], rule);
    });
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
bool read_object(ValueReader& in, JsonObject object, T& out) {
  static_assert(field_count<T>() <= 64);
  std::uint64_t seen = 0;
  std::size_t next = 0;
  const char* last = in.line().text.data();
  std::string extra;
  const auto take = [&](const JsonMember& member) {
    last = member.raw_key.data();
    const std::size_t i = find_field<T>(member.key, next);
    if (i == field_count<T>()) return in.keep(member, extra);
    const Field<T>& entry = Fields<T>::kAll[i];
    if ((seen >> i & 1U) != 0) {
      return in.refuse(last, fmt::format("duplicate key '{}'", entry.key));
    }
    next = i + 1;
    if (!entry.required && in.is_null(member.value)) return true;
    seen |= std::uint64_t{1} << i;
    return entry.read(in, member.value, out);
  };
  if (!in.each(object, take)) return false;
  if (!extra.empty()) out.extra = json_escaped(std::move(extra));  // as it will be written
  return has_required<T>(in, seen, last);
}

// Writing by type.

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
  } else if constexpr (std::is_same_v<T, NoteValue>) {
    std::visit([&](const auto& one) { write_value(out, key, one, rule); }, value.value);
  } else if constexpr (std::is_same_v<T, SharedText>) {
    out.string(value.str());
  } else {
    out.open('{');
    for (const auto& [name, one] : value) {
      out.any_key(name);
      write_value(out, name, one, rule);
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
  const auto keys = json_keys(extra);
  if (!keys) return out.refuse(expected("extra", "the text of a JSON object", extra));
  for (const std::string& key : *keys) {
    if (find_field<T>(key, 0) < field_count<T>()) {
      return out.refuse(expected("extra", "only unknown keys", key));
    }
  }
  out.members_of(one_line(extra));
}

template <HasFields T>
void write_object(JsonText& out, const T& value) {
  out.open('{');
  for (const Field<T>& entry : Fields<T>::kAll) entry.write(out, entry.key, value);
  if (!value.extra.empty()) write_extra<T>(out, value.extra);
  out.close('}');
}

// The entries of the tables.

template <auto Member>
struct MemberOf;
template <typename Class, typename Type, Type Class::*Member>
struct MemberOf<Member> {
  using Object = Class;
};

/// A member, or a member of it, and so on inwards.
template <auto Member, auto... Inner, typename Object>
auto& member(Object& object) {
  return ((object.*Member).*....*Inner);
}

/// `Inner`: a member of that member, whose keys stand among those of the object.
template <auto Member, Rule kRule = Rule::kAny, bool kRequired = false, auto... Inner>
constexpr auto field(std::string_view key) {
  using Object = typename MemberOf<Member>::Object;
  return Field<Object>{key, kRequired,
                       [](ValueReader& in, JsonValue value, Object& out) {
                         return read_value(in, value, member<Member, Inner...>(out), kRule);
                       },
                       [](JsonText& out, std::string_view name, const Object& object) {
                         if (!kRequired && !is_present(member<Member, Inner...>(object))) return;
                         out.key(name);
                         write_value(out, name, member<Member, Inner...>(object), kRule);
                       }};
}

template <auto Member, Rule kRule = Rule::kAny>
constexpr auto required(std::string_view key) {
  return field<Member, kRule, true>(key);
}

/// A key that always has the same text: it says what the object is. The caller has read it.
template <typename T, typename Text>
constexpr Field<T> fixed_text(std::string_view key, Text) {
  return {key, true,
          [](ValueReader&, JsonValue value, T&) {
            std::string_view text;
            return !value.get(text);
          },
          [](JsonText& out, std::string_view name, const T&) {
            out.key(name);
            out.string(Text::kText);
          }};
}

}  // namespace kstar
