#pragma once

#include "study/read_fields.h"
#include "study/write_fields.h"

/// The entries of the tables.
namespace kstar {

template <auto Member>
struct MemberOf;
template <typename Class, typename Type, Type Class::*Member>
struct MemberOf<Member> {
  using Object = Class;
};

template <auto Member, Rule kRule = Rule::kAny, bool kRequired = false>
constexpr auto field(std::string_view key) {
  using Object = typename MemberOf<Member>::Object;
  return Field<Object>{key, kRequired,
                       [](ValueReader& in, JsonValue value, Object& out) {
                         return read_value(in, value, out.*Member, kRule);
                       },
                       [](JsonText& out, std::string_view name, const Object& object) {
                         if (!kRequired && !is_present(object.*Member)) return;
                         out.key(name);
                         write_value(out, name, object.*Member, kRule);
                       }};
}

template <auto Member, Rule kRule = Rule::kAny>
constexpr auto required(std::string_view key) {
  return field<Member, kRule, true>(key);
}

/// A key that always has the same text: it says what the object is. The caller has read it.
template <typename T, typename Text>
constexpr Field<T> fixed_text(std::string_view key, Text) {
  return {key, true, [](ValueReader&, JsonValue value, T&) { return !value.get_string().error(); },
          [](JsonText& out, std::string_view name, const T&) {
            out.key(name);
            out.string(Text::kText);
          }};
}

}  // namespace kstar
