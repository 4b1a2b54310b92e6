#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/view.h"
#include "kstar/words.h"

/// What tips, captions and summaries of charts have in common.
namespace kstar::view {

/// The ends of an interval for a mark: NaN where there is none at all.
double mark_low(const Estimate& estimate);
double mark_high(const Estimate& estimate);

/// A tip, line by line: what it is, then names with numbers, then notes.
class TipLines {
 public:
  explicit TipLines(std::string head) : text_(std::move(head)) {}
  TipLines& add(std::string_view name, std::string_view value) {
    text_.append("\n").append(name).append("\t").append(value);
    return *this;
  }
  TipLines& note(std::string_view words) {
    text_.append("\n").append(words);
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// What takes time takes none below zero, whatever its interval says.
Estimate not_negative(Estimate seconds);

/// "No times of single workers: a, b."
std::string without_workers(const std::vector<std::string>& names);

/// A sentence begins with a capital; a name that it begins with stays as it is.
std::string sentence(const std::string& name, std::string text);

/// "NAME, " where there are several subjects, else nothing.
std::string owner(const std::string& name);

/// Where the numbers come from: title, machine, day, how many runs, the confidence of the
/// intervals, the program that drew. `more` is what this chart has to add.
/// Intervals are named where the chart has some.
std::string caption_of(std::span<const Subject> subjects, const Chart& chart,
                       const std::string& more = "");

/// What the bar on an axis is: nothing else in a figure says it.
std::string range_words(const Chart& chart);

}  // namespace kstar::view
