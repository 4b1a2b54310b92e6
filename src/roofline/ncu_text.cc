// Nsight Compute as it prints to a terminal, without --csv: what people post.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "roofline/ncu_launch.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

/// Without the signs of a comment or a quotation that it was posted in.
std::string_view posted(std::string_view line) {
  const std::size_t start = line.find_first_not_of("/#> \t");
  return start == line.npos ? std::string_view() : trim(line.substr(start));
}

/// "  add(int, float *) (1, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6", and without
/// sizes, device or capability of older versions, or with sizes alone.
std::optional<Launch> launch_line(std::string_view line) {
  line = posted(line);
  const std::size_t context = line.find(", Context ");
  const bool whole = context != line.npos && line.find(", Stream ", context) != line.npos;
  const bool sizes = line.ends_with(')') && line.find(")x(") != line.npos;
  if (!whole && !sizes) return std::nullopt;
  std::string_view name = trim(line.substr(0, context));
  if (const std::size_t grid = name.rfind(")x("); grid != name.npos) {
    name = trim(name.substr(0, name.rfind('(', grid)));
  } else if (const std::size_t date = name.rfind(", 20"); date != name.npos) {
    name = name.substr(0, date);  // "add, 2021-Mar-10 12:00:00"
  }
  Launch launch{.kernel = std::string(name)};
  constexpr std::string_view kCapability = ", CC ";
  if (const std::size_t at = line.find(kCapability, context); at != line.npos) {
    launch.capability = std::string(trim(line.substr(at + kCapability.size())));
  }
  return launch;
}

/// The tables of older versions have no header: a line of dashes begins them.
bool is_ncu_text(const Input& input) {
  const bool header = mentions(input, "Metric Name") && mentions(input, "Metric Value");
  return (header || (mentions(input, "Section: ") && mentions(input, "---- ----"))) &&
         std::any_of(input.lines.begin(), input.lines.end(),
                     [](std::string_view line) { return launch_line(line).has_value(); });
}

struct TextMetric {
  std::string name;
  std::string_view unit;  ///< may be empty
  std::string_view value;
};

/// "DRAM Throughput      %      1.42": the value is the last word; the one before it is the unit
/// where it is a known one, and otherwise belongs to the name.
std::optional<TextMetric> metric_line(std::string_view line) {
  const auto last_word = [&line = line] {
    const std::size_t at = line.find_last_of(" \t");
    const std::string_view word = at == line.npos ? line : line.substr(at + 1);
    line = trim(line.substr(0, at == line.npos ? 0 : at));
    return word;
  };
  line = posted(line);
  TextMetric metric{.name = "", .unit = "", .value = last_word()};
  if (!loose_number(metric.value) || line.empty()) return std::nullopt;
  const std::size_t at = line.find_last_of(" \t");
  const std::string_view word = at == line.npos ? "" : line.substr(at + 1);
  if (worth_of(word) || word == "cycle" || word == "inst") {
    metric.unit = last_word();
  }
  metric.name = std::string(line);
  return metric;
}

Result<RooflineProfile> read_ncu_text(const Input& input) {
  std::vector<Launch> launches;
  bool rule = false, unit_missing = false;
  const bool decimal_comma =
      std::any_of(input.lines.begin(), input.lines.end(), [](std::string_view line) {
        const auto metric = metric_line(line);
        return metric && worth_of(metric->unit) && shows_decimal_comma(metric->value, metric->unit);
      });
  for (const std::string_view whole : input.lines) {
    if (auto launch = launch_line(whole)) {
      launches.push_back(std::move(*launch));
      continue;
    }
    if (launches.empty()) continue;
    const std::string_view line = posted(whole);
    for (const std::string_view start : {"OPT ", "INF ", "WRN "}) rule |= line.starts_with(start);
    if (line.empty() || line.starts_with("Section:") || line.starts_with("--")) rule = false;
    if (rule) {  // goes on over several lines
      launches.back().rules += std::string(line) + " ";
    } else if (const auto metric = metric_line(line)) {
      const auto value = ncu_number(std::string(metric->value), decimal_comma);
      if (!value || *value < 0) continue;
      unit_missing |= !put_metric(launches.back(), metric->name, *value, metric->unit);
    }
  }
  return profile_of_launches(launches, "Nsight Compute, printed", input.name, unit_missing);
}

}  // namespace

const ProfileFormat kNcuTextFormat = {"Nsight Compute as printed", is_ncu_text, read_ncu_text};

}  // namespace kstar::roofline
