#include "audit/claim_words.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "base/text.h"

namespace kstar {

namespace {

using Words = std::vector<std::string_view>;

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' || c == '<' || c == '>' ||
         c == '=';
}

Words words_of(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_part(text[end])) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

/// A few words, or starts of words.
class Starts {
 public:
  constexpr Starts(std::initializer_list<std::string_view> words) : size_(words.size()) {
    std::copy(words.begin(), words.end(), words_.begin());
  }
  constexpr const std::string_view* begin() const { return words_.data(); }
  constexpr const std::string_view* end() const { return words_.data() + size_; }
  constexpr std::size_t size() const { return size_; }

 private:
  std::array<std::string_view, 16> words_{};
  std::size_t size_;
};

/// The first word that starts with one of these.
const std::string_view* starting(const Words& words, const Starts& starts) {
  const auto found = std::find_if(words.begin(), words.end(), [&](std::string_view word) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return word.starts_with(start); });
  });
  return found == words.end() ? nullptr : &*found;
}

/// The word that speaks of time: runtime, training times, latency.
const std::string_view* time_word(const Words& words) {
  const auto found = std::find_if(words.begin(), words.end(), [](std::string_view word) {
    return word.ends_with("time") || word.ends_with("times") || word == "duration" ||
           word == "latency" || word == "timing";
  });
  return found == words.end() ? nullptr : &*found;
}

bool ends_in(const Words& words, const Starts& phrase) {
  return words.size() >= phrase.size() &&
         std::equal(phrase.begin(), phrase.end(),
                    words.end() - static_cast<std::ptrdiff_t>(phrase.size()));
}

constexpr Starts kLess = {"less",   "lower", "short", "reduc", "cut",     "drop",  "decreas", "sav",
                          "shrink", "fall",  "slash", "trim",  "smaller", "fewer", "shav"};
constexpr Starts kLoss = {"los", "idl", "wast"};
constexpr Starts kMore = {"longer", "more", "extra", "increas", "grow", "ris", "additional"};
constexpr Starts kBetter = {"improv", "increas", "gain", "higher", "boost", "better", "uplift"};
constexpr Starts kFaster = {"fast", "quick", "speed"};
constexpr Starts kIdeal = {"ideal", "linear", "perfect"};

constexpr std::array<Starts, 14> kMostBehind = {{{"less", "than"},
                                                 {"lower", "than"},
                                                 {"worse", "than"},
                                                 {"fewer", "than"},
                                                 {"below"},
                                                 {"under"},
                                                 {"at", "most"},
                                                 {"maximum", "of"},
                                                 {"limited", "to"},
                                                 {"capped", "at"},
                                                 {"saturates", "at"},
                                                 {"short", "of"},
                                                 {"<"},
                                                 {"<="}}};
constexpr std::array<Starts, 13> kLeastBehind = {{{"at", "least"},
                                                  {"minimum", "of"},
                                                  {">"},
                                                  {">="},
                                                  {"more", "than"},
                                                  {"better", "than"},
                                                  {"higher", "than"},
                                                  {"greater", "than"},
                                                  {"above"},
                                                  {"over"},
                                                  {"exceed"},
                                                  {"exceeds"},
                                                  {"exceeding"}}};

template <std::size_t N>
const Starts* ending(const Words& words, const std::array<Starts, N>& phrases) {
  const auto found = std::find_if(phrases.begin(), phrases.end(),
                                  [&](const Starts& phrase) { return ends_in(words, phrase); });
  return found == phrases.end() ? nullptr : &*found;
}

/// Without the words of a bound at their end.
Words without_bound(Words words) {
  const Starts* phrase = ending(words, kMostBehind);
  if (phrase == nullptr) phrase = ending(words, kLeastBehind);
  if (phrase != nullptr) words.resize(words.size() - phrase->size());
  return words;
}

/// Reads what stands around one number.
class WordReader {
 public:
  WordReader(const AroundValue& around, double number)
      : around_(around),
        number_(number),
        before_(without_bound(words_of(around.before))),
        behind_(words_of(around.behind)),
        near_(behind_) {
    constexpr std::size_t kNear = 3;
    if (near_.size() > kNear) near_.resize(kNear);
  }

  Worded read() const {
    const std::string_view* time = time_word(before_);
    if (time == nullptr) time = time_word(behind_);
    if (time != nullptr) return of_time(*time);
    return around_.percent ? of_percent() : of_times();
  }

 private:
  static Worded speedup(double value, double slope) {
    return {WordedValue{value, slope, true, false}, {}};
  }
  static Worded odd(std::string_view word, const char* expected) {
    return {{}, OddWord{word, expected}};
  }

  double unit() const { return around_.percent ? 0.01 : 1; }
  double share() const { return number_ * unit(); }
  const std::string_view* anywhere(const Starts& starts) const {
    const std::string_view* found = starting(before_, starts);
    return found != nullptr ? found : starting(behind_, starts);
  }
  /// Beside the number: before it, or in the words right behind it.
  const std::string_view* beside(const Starts& starts) const {
    const std::string_view* found = starting(near_, starts);
    return found != nullptr ? found : starting(before_, starts);
  }

  Worded part_of_time() const { return speedup(1 / share(), -unit() / (share() * share())); }
  Worded less_time(std::string_view time) const {
    const double left = 1 - share();
    if (!(left > 0)) return odd(time, "less than 100% of a time");
    return speedup(1 / left, unit() / (left * left));
  }
  Worded more_time() const {
    const double all = 1 + share();
    return speedup(1 / all, -unit() / (all * all));
  }

  Worded of_time(std::string_view time) const {
    constexpr const char* kExpected =
        "a speedup, or how much less time it takes, as in '80% less time at 8'";
    if (!around_.percent && !around_.times) return {};
    const bool to = ends_in(before_, {"to"}) || ends_in(before_, {"is"});
    if (around_.times) {
      if (anywhere(kFaster) != nullptr) return {};
      if (number_ < 1 && (to || beside(kLess) == nullptr)) return part_of_time();
      if (beside(kLess) != nullptr || anywhere({"improv", "better"}) != nullptr) {
        return number_ > 1 ? speedup(number_, 1) : odd(time, kExpected);
      }
      const bool longer =
          starting(near_, {"longer", "more"}) != nullptr || (!near_.empty() && near_[0] == "the");
      return longer ? part_of_time() : odd(time, kExpected);
    }
    if (anywhere({"eff"}) != nullptr || anywhere(kFaster) != nullptr) return odd(time, kExpected);
    if (to) return part_of_time();
    if (beside(kLess) != nullptr) return less_time(time);
    if (starting(near_, kMore) != nullptr || ends_in(before_, {"by"})) {
      return beside(kMore) != nullptr ? more_time() : odd(time, kExpected);
    }
    return !near_.empty() && near_[0] == "of" ? part_of_time() : odd(time, kExpected);
  }

  Worded of_times() const {
    const bool longer = around_.times && starting(near_, {"longer"}) != nullptr;
    return longer ? part_of_time() : Worded{};
  }

  bool from_ideal() const {
    return starting(near_, kIdeal) != nullptr &&
           starting(near_, {"of", "below", "from", "off", "short", "under"}) != nullptr;
  }

  Worded of_percent() const {
    constexpr const char* kExpected = "an efficiency, or how much faster or less time it is";
    const bool away = !near_.empty() && near_[0] != "of" && from_ideal();
    if ((ends_in(before_, {"within"}) && from_ideal()) || away) return kept(kExpected);
    const bool faster = anywhere(kFaster) != nullptr;
    if (const auto* word = beside({"overhead", "penalty", "cost"})) return odd(*word, kExpected);
    if (starting(near_, {"longer"}) != nullptr) return more_time();
    if (beside(kLoss) != nullptr && !faster) return kept(kExpected);
    if (const auto* word = percent_of_less(); word != nullptr) {
      const bool of_efficiency = anywhere({"eff"}) != nullptr;
      if (of_efficiency && ends_in(before_, {"to"})) return {};
      return of_efficiency && !faster ? kept(kExpected) : odd(*word, kExpected);
    }
    return better(kExpected);
  }

  /// "drops by 20%", "20% lower".
  const std::string_view* percent_of_less() const {
    const std::string_view* behind = starting(near_, kLess);
    const bool changed = ends_in(before_, {"by"}) || ends_in(before_, {"to"});
    return behind != nullptr || !changed ? behind : starting(before_, kLess);
  }

  Worded kept(const char* expected) const {
    if (!(share() < 1)) return odd(around_.behind.substr(0, 1), expected);
    const bool exact = !ends_in(before_, {"within"});
    return {WordedValue{1 - share(), -unit(), false, exact}, {}};
  }

  Worded better(const char* expected) const {
    const std::string_view* word = starting(near_, kBetter);
    if (word == nullptr && ends_in(before_, {"by"})) word = starting(before_, kBetter);
    if (word == nullptr) return {};
    if (anywhere({"eff"}) != nullptr) return odd(*word, expected);
    return speedup(1 + share(), unit());
  }

  AroundValue around_;
  double number_;
  Words before_, behind_, near_;
};

bool is_negation(std::string_view word) {
  return word == "no" || word == "not" || word == "never" || word == "cannot" ||
         word == "neither" || word == "hardly" || word == "scarcely" || word == "barely" ||
         word.ends_with("n't") || word.starts_with("fail");
}

/// What a base may be called that the data have: one worker.
constexpr Starts kOneWorker = {"one",  "1",      "single",   "serial", "sequential",
                               "base", "itself", "unscaled", "k",      "t"};

/// From a base word to where the workers of the claim stand.
std::string_view base_part(std::string_view text, std::string_view word) {
  std::size_t start = text.find(word);
  if (start == std::string_view::npos) return {};
  text = text.substr(start + word.size());
  for (const std::string_view end : {" on ", " at ", " with ", " using ", " across ", ",", ";"}) {
    text = text.substr(0, text.find(end));
  }
  return trim(text);
}

/// Names of hardware such as h100, and the kinds of it.
Words hardware_of(std::string_view text) {
  Words found;
  for (const std::string_view word : words_of(text)) {
    const bool letter = word[0] >= 'a' && word[0] <= 'z';
    const bool model = letter && word.size() > 1 && word.size() < 7 &&
                       word.find_first_of("0123456789") != std::string_view::npos &&
                       word.find('=') == std::string_view::npos;
    if (model) found.push_back(word);
  }
  return found;
}

bool is_other_hardware(std::string_view base, std::string_view rest) {
  const Words of_base = hardware_of(base), of_rest = hardware_of(rest);
  if (!of_base.empty() && !of_rest.empty()) {
    return std::none_of(of_base.begin(), of_base.end(), [&](std::string_view word) {
      return std::find(of_rest.begin(), of_rest.end(), word) != of_rest.end();
    });
  }
  const auto has = [](std::string_view text, std::string_view kind) {
    return starting(words_of(text), {kind}) != nullptr;
  };
  if (has(base, "cpu") && !has(rest, "cpu")) return true;
  return has(base, "gpu") && !has(rest, "gpu") && (has(rest, "cpu") || has(rest, "core"));
}

}  // namespace

Worded worded_value(const AroundValue& around, double number) {
  return WordReader(around, number).read();
}

WordedBound worded_bound(const AroundValue& around) {
  Words before = words_of(around.before);
  std::string_view negation;
  for (const std::string_view word : before) {
    if (is_negation(word)) negation = word;
  }
  const bool most = ending(before, kMostBehind) != nullptr;
  const bool more = ending(before, kLeastBehind) != nullptr;
  if (!negation.empty()) {
    const bool reach = ends_in(before, {"reach"}) || ends_in(before, {"reaches"});
    if (most) return {ClaimBound::kAtLeast, {}};
    if (more || reach) return {ClaimBound::kAtMost, {}};
    return {{}, OddWord{negation, "'no more than', 'less than' or 'at least' in a claim"}};
  }
  const std::string_view behind = around.behind;
  const bool or_less = behind.starts_with(" or less") || behind.starts_with(" or lower") ||
                       behind.starts_with(" at most") || behind.starts_with(" at best");
  if (most || or_less) return {ClaimBound::kAtMost, {}};
  const bool only = ends_in(before, {"only"}) || ends_in(before, {"just"}) ||
                    ends_in(before, {"merely"}) || ends_in(before, {"exactly"}) ||
                    ends_in(before, {"only", "a"}) || ends_in(before, {"just", "a"});
  if (only) return {ClaimBound::kExactly, {}};
  return {more ? std::optional(ClaimBound::kAtLeast) : std::nullopt, {}};
}

std::string_view other_base(std::string_view text) {
  for (const std::string_view word :
       {" compared with ", " compared to ", " relative to ", " versus ", " vs. ", " vs ",
        " against ", " than on ", " than with ", " than ", " over "}) {
    const std::string_view base = base_part(text, word);
    const Words words = words_of(base);
    if (words.empty()) continue;
    std::string rest(text);
    rest.erase(static_cast<std::size_t>(base.data() - text.data()), base.size());
    if (is_other_hardware(base, rest)) return base;
    const bool number = words[0][0] >= '0' && words[0][0] <= '9';
    const bool loose = word == " than " || word == " over " || word.starts_with(" than");
    if (number || loose || starting(words, kOneWorker) != nullptr) continue;
    if (starting(words, kIdeal) == nullptr) return base;
  }
  return {};
}

}  // namespace kstar
