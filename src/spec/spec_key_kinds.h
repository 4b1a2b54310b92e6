#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/spec_key.h"

/// Kinds of keys: how most of them are set and shown.
namespace kstar {

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
