#include "report/dag/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"

namespace kstar::dag_words {

Amounts::Amounts(const DagAnalysis& analysis) : seconds_(analysis.seconds) {
  if (!seconds_) return;
  constexpr double kMinutes = 2 * 3600, kHours = 2 * 86400;
  const double depth = analysis.depth;
  if (depth > kHours) {
    unit_ = 3600, name_ = "h";
  } else if (depth > kMinutes) {
    unit_ = 60, name_ = "min";
  } else {
    const TimeUnit unit = time_unit_for(depth);
    unit_ = unit.seconds, name_ = unit.name;
  }
}

std::string Amounts::cell(double value) const {
  constexpr double kRounding = 1e-12;  // of what was divided
  return significant(value / unit_ * (1 + kRounding), 4);
}

std::string Amounts::text(double value) const {
  if (!seconds_) return significant(value, 6);
  return cell(value) + " " + name_;
}

std::string Amounts::head(std::string_view name) const {
  return seconds_ ? fmt::format("{} [{}]", name, name_) : std::string(name);
}

std::string Amounts::axis() const {
  return head("time");
}

std::string workers_number(double workers) {
  constexpr double kWritten = 1e6;
  return workers <= kWritten ? fmt::format("{:.0f}", workers) : significant(workers, 3);
}

namespace {

std::string plain_task_name(std::string_view name) {
  std::string text = printable(name);
  // CMake: src/base/CMakeFiles/kstar_base.dir/number.cc.o
  constexpr std::string_view kFolder = "CMakeFiles/", kEnding = ".dir/";
  const std::size_t begin = text.find(kFolder);
  const std::size_t end = begin == text.npos ? begin : text.find(kEnding, begin);
  if (end != text.npos) {
    text.erase(end, kEnding.size() - 1);
    text.erase(begin, kFolder.size());
  }
  return text;
}

/// The first `head` columns and the end; the middle is left out where it is too long.
std::string without_middle(const std::string& text, std::size_t head, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  constexpr std::string_view kDots = "...";
  std::size_t until = std::min(head, text.size());
  while (until > 0 && is_continuation(text[until])) --until;
  std::size_t from = text.size() - std::min(text.size(), columns - kDots.size() - head);
  while (from < text.size() && is_continuation(text[from])) ++from;
  return text.substr(0, until).append(kDots).append(text.substr(from));
}

}  // namespace

std::string task_name(std::string_view name, std::size_t columns) {
  return without_middle(plain_task_name(name), 0, columns);
}

std::vector<std::string> task_names(const std::vector<std::string_view>& names,
                                    std::size_t columns) {
  std::vector<std::string> texts;
  for (const std::string_view name : names) texts.push_back(task_name(name, columns));
  const std::set<std::string_view> different(names.begin(), names.end());
  const std::set<std::string> shown(texts.begin(), texts.end());
  if (shown.size() == different.size()) return texts;
  constexpr std::size_t kHead = 3;  // a part of the columns: src/cli/...ty/unity_0_cxx.cxx.o
  for (std::size_t i = 0; i < names.size(); ++i) {
    texts[i] = without_middle(plain_task_name(names[i]), columns / kHead, columns);
  }
  return texts;
}

}  // namespace kstar::dag_words
