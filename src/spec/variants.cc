#include "kstar/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

/// A brace of the value is one of the text.
std::string with_braces_doubled(std::string_view value) {
  std::string text;
  for (const char c : value) text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  return text;
}

/// Puts `value` where {name} stands in `text`; {{name}} is no such place. How often it did.
std::size_t put_value(std::string_view name, std::string_view value, std::string& text) {
  const std::string place = fmt::format("{{{}}}", name);
  std::size_t count = 0;
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const bool brace = text[at] == '{' || text[at] == '}';
    if (brace && at + 1 < text.size() && text[at + 1] == text[at]) {
      filled += text.substr(at, 2);
      at += 2;
    } else if (text.compare(at, place.size(), place) == 0) {
      filled += with_braces_doubled(value);
      at += place.size();
      ++count;
    } else {
      filled += text[at++];
    }
  }
  text = std::move(filled);
  return count;
}

std::size_t put_everywhere(std::string_view name, std::string_view value, MeasureSpec& spec) {
  std::size_t count = 0;
  for (auto* words : {&spec.command, &spec.baseline, &spec.against, &spec.check_command,
                      &spec.setup, &spec.prepare, &spec.cleanup}) {
    for (std::string& word : *words) count += put_value(name, value, word);
  }
  for (auto& [variable, text] : spec.variables) count += put_value(name, value, text);
  return count;
}

/// "study.jsonl" and "n=10" to "study.n=10.jsonl".
std::string file_of(const std::string& output, std::string_view name) {
  constexpr std::string_view kEnd = ".jsonl";
  if (output.empty()) return output;
  const bool usual = output.ends_with(kEnd);
  const std::string stem = usual ? output.substr(0, output.size() - kEnd.size()) : output;
  return fmt::format("{}.{}{}", stem, name, kEnd);
}

void rename(std::string_view part, Variant& variant) {
  variant.name += fmt::format("{}{}", variant.name.empty() ? "" : " ", part);
  variant.spec.output = file_of(variant.spec.output, part);
  MeasureSpec& spec = variant.spec;
  if (!spec.title.empty()) spec.title += fmt::format(", {}", part);
}

Result<std::vector<Variant>> with_parameter(const std::vector<Variant>& all,
                                            const std::string& name, std::string_view values) {
  std::vector<Variant> more;
  for (const Variant& one : all) {
    for (const std::string_view value : split(values, ',')) {
      Variant& variant = more.emplace_back(one);
      if (put_everywhere(name, value, variant.spec) == 0) {
        return fail(expected(
            "--parameter", fmt::format("{{{}}} in the command or in the value of a variable", name),
            fmt::format("{}={}", name, values),
            "put it where the value goes, or omit the parameter"));
      }
      rename(fmt::format("{}={}", name, value), variant);
    }
  }
  return more;
}

}  // namespace

bool has_variants(const MeasureSpec& spec) {
  return !spec.against.empty() || !spec.parameters.empty();
}

Result<std::vector<Variant>> variants_of(const MeasureSpec& spec) {
  constexpr std::size_t kMost = 64;
  std::vector<Variant> all{{.name = "", .spec = spec}};
  all[0].spec.parameters.clear();
  for (const auto& [name, values] : spec.parameters) {
    KSTAR_TRY(all, with_parameter(all, name, values));
    if (all.size() <= kMost) continue;
    return fail(expected("--parameter", fmt::format("at most {} combinations of values", kMost),
                         std::to_string(all.size())));
  }
  if (spec.against.empty()) return all;
  std::vector<Variant> both;
  for (const Variant& one : all) {
    Variant other = one;
    other.spec.command = std::exchange(other.spec.against, {});
    rename("against", other);
    both.push_back(one);
    both.back().spec.against.clear();
    both.push_back(std::move(other));
  }
  return both;
}

}  // namespace kstar
