#include "kstar/spec_key.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "spec/spec_key_kinds.h"
#include "spec/spec_values.h"

namespace kstar {

namespace {

std::optional<SaidProblem> apply_one(MeasureSpec& spec, const Said& said, std::size_t index) {
  if (!said.words.empty()) {
    if (!trim(said.words[0]).empty()) {
      spec.*(said.key->words) = said.words;
      return {};
    }
    return SaidProblem{.index = index,
                       .message = expected("", words_meant(*said.key), said.words[0]).message};
  }
  const Refusal refused = said.key->set(spec, said.text);
  if (!refused) return {};
  return SaidProblem{.index = index,
                     .message = expected("", refused->what, said.text).message,
                     .hint = refused->hint};
}

}  // namespace

std::string_view name_of(TimeFrom from) {
  switch (from) {
    case TimeFrom::kProcess:
      return "process";
    case TimeFrom::kMarks:
      return "marks";
    case TimeFrom::kPattern:
      return "pattern";
    case TimeFrom::kJson:
      break;
  }
  return "json";
}

const SpecKey* find_spec_key(std::string_view group, std::string_view name) {
  for (const SpecKey& key : spec_keys()) {
    if (key.group == group && key.name == name) return &key;
  }
  return nullptr;
}

std::optional<SaidProblem> apply_said(MeasureSpec& spec, std::span<const Said> said) {
  std::vector<std::size_t> order(said.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return said[a].key < said[b].key; });
  std::vector<std::string> meant(said.size());
  const auto same_variable = [&](std::size_t a, std::size_t b) {
    const auto name = [&](std::size_t i) { return said[i].text.substr(0, said[i].text.find('=')); };
    return said[a].key == said[b].key && said[a].key->type == SpecType::kVariables &&
           name(a) == name(b);
  };
  for (auto now = order.begin(); now != order.end(); ++now) {
    if (auto problem = apply_one(spec, said[*now], *now)) return problem;
    meant[*now] = said[*now].key->get(spec);
    for (auto before = order.begin(); before != now; ++before) {
      const bool kept = said[*before].key->get(spec) == meant[*before];
      if (kept && !same_variable(*before, *now)) continue;
      return SaidProblem{.index = *now, .other = *before, .hint = "keep one of the two"};
    }
  }
  return {};
}

}  // namespace kstar
