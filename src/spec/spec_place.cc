#include <fmt/format.h>

#include "base/text.h"
#include "kstar/spec_key.h"

namespace kstar {

namespace {

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
