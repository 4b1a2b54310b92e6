#include "base/worker_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::int64_t kMostInAList = 100'000;
constexpr std::int64_t kLargestCount = 1'000'000'000'000;
constexpr std::string_view kForms = "write 1,2,4 or 1..512 (doubling) or 1..16:1 (steps of 1)";

Result<std::int64_t> read_count(std::string_view text, std::string_view where) {
  const std::optional<std::int64_t> count = parse_integer(text);
  if (!count || *count < 1 || *count > kLargestCount) {
    return fail(expected(where, "a whole number of workers from 1 to 1000000000000", text, kForms));
  }
  return *count;
}

/// Appends the counts of `first..last` or `first..last:step`.
Result<void> read_range(std::string_view text, std::string_view where,
                        std::vector<std::int64_t>& counts) {
  const std::size_t dots = text.find("..");
  const std::size_t colon = text.find(':', dots);
  const std::string_view ends = text.substr(0, colon);
  KSTAR_TRY(const std::int64_t first, read_count(ends.substr(0, dots), where));
  KSTAR_TRY(const std::int64_t last, read_count(ends.substr(dots + 2), where));
  std::optional<std::int64_t> step;
  if (colon != std::string_view::npos) {
    KSTAR_TRY(const std::int64_t read, read_count(text.substr(colon + 1), where));
    step = read;
  }
  if (last < first) return fail(expected(where, "an ascending range", text, kForms));
  const auto listed = static_cast<std::int64_t>(counts.size());
  if (step && (last - first) / *step + listed >= kMostInAList) {
    return fail(expected(where, "at most 100000 worker counts", text));
  }
  for (std::int64_t k = first; k <= last; k = step ? k + *step : k * 2) counts.push_back(k);
  if (!step && counts.back() < last) counts.push_back(last);
  return {};
}

}  // namespace

Result<std::vector<std::int64_t>> parse_worker_list(std::string_view text, std::string_view where) {
  std::vector<std::int64_t> counts;
  for (const std::string_view raw : split(text, ',')) {
    const std::string_view item = trim(raw);
    if (item.find("..") != std::string_view::npos) {
      KSTAR_CHECK(read_range(item, where, counts));
      continue;
    }
    KSTAR_TRY(const std::int64_t count, read_count(item, where));
    counts.push_back(count);
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::string worker_list_text(const std::set<int>& workers) {
  constexpr std::size_t kFewest = 5;  // fewer are as short with commas, and easier to read
  const std::vector<int> counts(workers.begin(), workers.end());
  std::string text;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t end = i + 1;  // of the evenly spaced counts from i on
    while (end + 1 < counts.size() && counts[end + 1] - counts[end] == counts[i + 1] - counts[i]) {
      ++end;
    }
    if (end >= counts.size() || end + 1 - i < kFewest) end = i;
    text += text.empty() ? "" : ",";
    text += end == i ? fmt::format("{}", counts[i])
                     : fmt::format("{}..{}:{}", counts[i], counts[end], counts[i + 1] - counts[i]);
    i = end + 1;
  }
  return text;
}

}  // namespace kstar
