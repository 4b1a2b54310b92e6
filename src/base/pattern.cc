#include "base/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace kstar {

namespace {

/// The pattern is taken as it is; what is wrong with it is a value, not a line in the log.
re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{64} << 20U);
  return options;
}

constexpr std::string_view kGroupHint =
    "put ( ) around the number, as in 'step took ([0-9.]+) s'; (?: ) is a non-capturing group";

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text, std::string_view where) {
  Pattern pattern;
  pattern.text_ = text;
  // The pattern alone first: an error must show what the user wrote.
  const re2::RE2 alone(pattern.text_, options());
  if (!alone.ok()) {
    return fail(expected(where, "an RE2 regular expression", text, printable(alone.error())));
  }
  if (alone.NumberOfCapturingGroups() != 1) {
    return fail(expected(
        where, fmt::format("a pattern with one group, not {}", alone.NumberOfCapturingGroups()),
        text, kGroupHint));
  }
  pattern.compiled_ = std::make_shared<const re2::RE2>("(?m:" + pattern.text_ + ")", options());
  if (!pattern.compiled_->ok()) {
    return fail(
        expected(where, "an RE2 regular expression", text, printable(pattern.compiled_->error())));
  }
  return pattern;
}

Result<Pattern> Pattern::compile_name(std::string_view text, std::string_view where) {
  Pattern pattern;
  pattern.text_ = text;
  pattern.compiled_ = std::make_shared<const re2::RE2>(pattern.text_, options());
  if (pattern.compiled_->ok()) return pattern;
  return fail(
      expected(where, "an RE2 regular expression", text, printable(pattern.compiled_->error())));
}

bool Pattern::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

std::vector<std::string_view> Pattern::matches(std::string_view text, std::size_t most) const {
  std::vector<std::string_view> found;
  std::size_t from = 0;
  re2::StringPiece parts[2];
  const re2::StringPiece whole(text.data(), text.size());
  while (found.size() < most && from <= text.size() &&
         compiled_->Match(whole, from, text.size(), re2::RE2::UNANCHORED, parts, 2)) {
    if (parts[1].data() != nullptr) found.emplace_back(parts[1].data(), parts[1].size());
    const auto end = static_cast<std::size_t>(parts[0].data() - text.data()) + parts[0].size();
    from = parts[0].empty() ? end + 1 : end;
  }
  return found;
}

}  // namespace kstar
