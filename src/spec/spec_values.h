#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/spec_key.h"

/// One text into one field, each refusing what does not fit; and the kinds of keys that most of
/// spec_keys.cc are.
namespace kstar {

using Refusal = std::optional<SpecRefusal>;

Refusal refuse(std::string_view what, std::string_view hint = "");

inline constexpr double kLargestNumber = 1e15;

bool is_one_line(std::string_view text);

/// 0.02 or 2%.
std::optional<double> parse_share(std::string_view text);

Refusal read_whole(std::string_view text, int least, int& out);
/// A whole number, or the word that leaves the choice to the program.
Refusal read_optional_whole(std::string_view text, std::string_view word, int least,
                            std::optional<int>& out);
/// A pattern that compiles and has one group.
Refusal read_pattern(std::string& out, std::string_view text);

Refusal read_workers(MeasureSpec& spec, std::string_view text);
Refusal read_hosts(MeasureSpec& spec, std::string_view text);
Refusal read_regime(MeasureSpec& spec, std::string_view text);
Refusal read_growth(MeasureSpec& spec, std::string_view text);
Refusal read_batch(MeasureSpec& spec, std::string_view text);
Refusal read_time_from(MeasureSpec& spec, std::string_view text);
Refusal read_time_pattern(MeasureSpec& spec, std::string_view text);
Refusal read_time_key(MeasureSpec& spec, std::string_view text);
Refusal read_time_unit(MeasureSpec& spec, std::string_view text);
Refusal read_tolerance(MeasureSpec& spec, std::string_view text);
Refusal read_budget(MeasureSpec& spec, std::string_view text);
Refusal read_patience(MeasureSpec& spec, std::string_view text);
Refusal read_time_limit(MeasureSpec& spec, std::string_view text);
Refusal read_seed(MeasureSpec& spec, std::string_view text);
Refusal read_variable(MeasureSpec& spec, std::string_view text);
Refusal read_parameter(MeasureSpec& spec, std::string_view text);

std::string workers_text(const MeasureSpec& spec);
std::string budget_text(const MeasureSpec& spec);

/// What the words of a key are, for messages.
std::string_view words_meant(const SpecKey& key);

SpecKey text_key(SpecKey key, std::string MeasureSpec::*field);
SpecKey switch_key(SpecKey key, bool MeasureSpec::*field);
SpecKey words_key(SpecKey key, std::vector<std::string> MeasureSpec::*field);
/// A number above 0 that may be left out.
SpecKey positive_key(SpecKey key, std::optional<double> MeasureSpec::*field);
/// A share above 0 and below 1, also in percent.
SpecKey share_key(SpecKey key, double MeasureSpec::*field);
SpecKey whole_key(SpecKey key, int MeasureSpec::*field);
/// A whole number, or `word`, which leaves the choice to the program.
SpecKey optional_whole_key(SpecKey key, const std::string& word, int least,
                           std::optional<int> MeasureSpec::*field);

}  // namespace kstar
