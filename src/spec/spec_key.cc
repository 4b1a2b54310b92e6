#include "kstar/spec_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "spec/spec_values.h"

namespace kstar {

namespace {

std::optional<SettingProblem> apply_one(MeasureSpec& spec, const SpecSetting& setting,
                                        std::size_t index) {
  if (!setting.words.empty()) {
    if (!trim(setting.words[0]).empty()) {
      spec.*(setting.key->words) = setting.words;
      return {};
    }
    return SettingProblem{
        .index = index,
        .message = expected("", words_meant(*setting.key), setting.words[0]).message};
  }
  const Refusal refused = setting.key->set(spec, setting.text);
  if (!refused) return {};
  return SettingProblem{.index = index,
                        .message = expected("", refused->what, setting.text).message,
                        .hint = refused->hint};
}

/// The key that an error of check_spec() is about; null when it is about none.
const SpecKey* key_at(std::string_view where) {
  if (where == "command" || where == "kstar measure") return find_spec_key("job", "command");
  for (const std::string_view regime : {"--strong", "--weak", "--throughput"}) {
    if (where == regime) return find_spec_key("job", "regime");
  }
  if (!where.starts_with("--")) return nullptr;
  const std::string_view flag = where.substr(2, where.find(' ') - 2);
  for (const SpecKey& key : spec_keys()) {
    if (!key.flag.empty() && key.flag == flag) return &key;
  }
  return nullptr;
}

bool goes_on(char c) {
  return c == '-' || (c >= 'a' && c <= 'z');
}

/// --max-runs becomes protocol.max_runs, where the file says it.
std::string in_words_of(const SpecFile& file, std::string text) {
  for (const auto& [key, place] : file.places) {
    if (key->flag.empty()) continue;
    const std::string flag = fmt::format("--{}", key->flag);
    const std::string name = fmt::format("{}.{}", key->group, key->name);
    for (std::size_t at = text.find(flag); at != text.npos; at = text.find(flag, at + 1)) {
      const std::size_t end = at + flag.size();
      if (end < text.size() && goes_on(text[end])) continue;
      text.replace(at, flag.size(), name);
    }
  }
  return text;
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

std::optional<SettingProblem> apply_settings(MeasureSpec& spec,
                                             std::span<const SpecSetting> settings) {
  std::vector<std::size_t> order(settings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return settings[a].key < settings[b].key; });
  std::vector<std::string> meant(settings.size());
  const auto same_variable = [&](std::size_t a, std::size_t b) {
    const auto name = [&](std::size_t i) {
      return settings[i].text.substr(0, settings[i].text.find('='));
    };
    return settings[a].key == settings[b].key && settings[a].key->type == SpecType::kVariables &&
           name(a) == name(b);
  };
  for (auto now = order.begin(); now != order.end(); ++now) {
    if (auto problem = apply_one(spec, settings[*now], *now)) return problem;
    meant[*now] = settings[*now].key->get(spec);
    for (auto before = order.begin(); before != now; ++before) {
      const bool kept = settings[*before].key->get(spec) == meant[*before];
      if (kept && !same_variable(*before, *now)) continue;
      return SettingProblem{.index = *now, .other = *before, .hint = "keep one of the two"};
    }
  }
  return {};
}

Error at_its_place(const SpecFile& file, Error error) {
  const SpecKey* key = key_at(error.where);
  const auto place = file.places.find(key);
  error.message = in_words_of(file, std::move(error.message));
  error.hint = in_words_of(file, std::move(error.hint));
  if (place == file.places.end()) return error;
  error.where = place->second.where;
  error.excerpt = place->second.excerpt;
  error.code = ExitCode::kFailed;  // as for any other mistake in a file
  error.message = fmt::format("{}.{}: {}", key->group, key->name, error.message);
  return error;
}

}  // namespace kstar
