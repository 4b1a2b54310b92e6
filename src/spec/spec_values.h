#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kstar/spec_key.h"

/// One text into one field, each refusing what does not fit: the set() functions of spec_keys.cc.
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

std::string workers_text(const MeasureSpec& spec);
std::string budget_text(const MeasureSpec& spec);

}  // namespace kstar
