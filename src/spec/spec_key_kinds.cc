#include "spec/spec_key_kinds.h"

#include "base/number.h"
#include "base/text.h"
#include "base/words.h"
#include "spec/spec_values.h"

namespace kstar {

std::string_view words_meant(const SpecKey& key) {
  return key.name == "options" ? "words for the launcher's program" : "a program and its arguments";
}

SpecKey text_key(SpecKey key, std::string MeasureSpec::*field) {
  key.type = SpecType::kText;
  key.set = [field](MeasureSpec& spec, std::string_view text) -> Refusal {
    if (!is_one_line(text)) return refuse("one line of text");
    spec.*field = text;
    return {};
  };
  key.get = [field](const MeasureSpec& spec) { return spec.*field; };
  return key;
}

SpecKey switch_key(SpecKey key, bool MeasureSpec::*field) {
  key.type = SpecType::kSwitch;
  key.set = [field](MeasureSpec& spec, std::string_view text) -> Refusal {
    if (text != "true" && text != "false") return refuse("true or false");
    spec.*field = text == "true";
    return {};
  };
  key.get = [field](const MeasureSpec& spec) { return spec.*field ? "true" : "false"; };
  return key;
}

SpecKey words_key(SpecKey key, std::vector<std::string> MeasureSpec::*field) {
  key.type = SpecType::kWords;
  key.words = field;
  key.set = [field, meant = words_meant(key)](MeasureSpec& spec, std::string_view text) -> Refusal {
    std::vector<std::string> words = {std::string(text)};
    // The shell takes apart what it runs, and nothing else.
    const bool runs = field == &MeasureSpec::command || field == &MeasureSpec::baseline ||
                      field == &MeasureSpec::check_command;
    if (!spec.shell || !runs) {
      Result<std::vector<std::string>> split = split_words(text, "");
      if (!split) return refuse("a command whose quotes are closed");
      words = std::move(*split);
    }
    if (words.empty() || trim(words[0]).empty()) return refuse(meant);
    spec.*field = std::move(words);
    return {};
  };
  key.get = [field](const MeasureSpec& spec) { return join_words(spec.*field); };
  return key;
}

SpecKey positive_key(SpecKey key, std::optional<double> MeasureSpec::*field) {
  key.type = SpecType::kNumber;
  key.set = [field](MeasureSpec& spec, std::string_view text) -> Refusal {
    const std::optional<double> value = parse_double(text);
    if (!value || *value <= 0 || *value > kLargestNumber) {
      return refuse("a number above 0, at most 1e15");
    }
    spec.*field = value;
    return {};
  };
  key.get = [field](const MeasureSpec& spec) {
    return spec.*field ? shortest(*(spec.*field)) : "";
  };
  return key;
}

SpecKey share_key(SpecKey key, double MeasureSpec::*field) {
  key.type = SpecType::kNumber;
  key.set = [field](MeasureSpec& spec, std::string_view text) -> Refusal {
    const std::optional<double> value = parse_share(text);
    if (!value || *value <= 0 || *value >= 1) {
      return refuse("a number above 0 and below 1, or a percentage as 2%");
    }
    spec.*field = *value;
    return {};
  };
  key.get = [field](const MeasureSpec& spec) { return shortest(spec.*field); };
  return key;
}

SpecKey whole_key(SpecKey key, int MeasureSpec::*field) {
  key.type = SpecType::kNumber;
  key.set = [field](MeasureSpec& spec, std::string_view text) {
    return read_whole(text, 1, spec.*field);
  };
  key.get = [field](const MeasureSpec& spec) { return std::to_string(spec.*field); };
  return key;
}

SpecKey optional_whole_key(SpecKey key, const std::string& word, int least,
                           std::optional<int> MeasureSpec::*field) {
  key.type = SpecType::kNumber;
  key.set = [field, word, least](MeasureSpec& spec, std::string_view text) {
    return read_optional_whole(text, word, least, spec.*field);
  };
  key.get = [field, word](const MeasureSpec& spec) {
    return spec.*field ? std::to_string(*(spec.*field)) : word;
  };
  return key;
}

}  // namespace kstar
