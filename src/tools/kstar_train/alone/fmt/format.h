#pragma once

// What kstar-train uses of fmt, from <format> (g++ 13): see build-alone.

#include <cstdio>
#include <format>
#include <string>
#include <string_view>
#include <utility>

namespace fmt {

using std::format;

template <typename Range>
struct Joined {
  const Range& range;
  std::string_view separator;
};

template <typename Range>
Joined<Range> join(const Range& range, std::string_view separator) {
  return {range, separator};
}

template <typename... Values>
void print(std::FILE* file, std::format_string<Values...> text, Values&&... values) {
  std::fputs(std::format(text, std::forward<Values>(values)...).c_str(), file);
}

}  // namespace fmt

template <typename Range>
struct std::formatter<fmt::Joined<Range>> {
  constexpr auto parse(std::format_parse_context& context) { return context.begin(); }

  template <typename Context>
  auto format(const fmt::Joined<Range>& joined, Context& context) const {
    auto out = context.out();
    bool first = true;
    for (const auto& value : joined.range) {
      out = first ? std::format_to(out, "{}", value)
                  : std::format_to(out, "{}{}", joined.separator, value);
      first = false;
    }
    return out;
  }
};
