#include "spec/spec_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/words.h"
#include "base/worker_list.h"
#include "kstar/limits.h"
#include "spec/hosts.h"
#include "spec/template_text.h"
#include "spec/workload.h"

namespace kstar {

namespace {

constexpr int kMostRuns = 1'000'000;

bool is_variable_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && (name[0] < '0' || name[0] > '9') &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

Refusal refuse(std::string_view what, std::string_view hint) {
  return SpecRefusal{std::string(what), std::string(hint)};
}

bool is_one_line(std::string_view text) {
  return text.find_first_of(std::string_view("\n\r\0", 3)) == std::string_view::npos;
}

std::optional<double> parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const std::optional<double> value = parse_double(text);
  if (!value) return std::nullopt;
  return percent ? *value / 100 : *value;
}

Refusal read_whole(std::string_view text, int least, int& out) {
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < least || *value > kMostRuns) {
    return refuse(fmt::format("a whole number from {} to {}", least, kMostRuns));
  }
  out = static_cast<int>(*value);
  return {};
}

Refusal read_optional_whole(std::string_view text, std::string_view word, int least,
                            std::optional<int>& out) {
  if (text == word) {
    out.reset();
    return {};
  }
  int value = 0;
  if (read_whole(text, least, value)) {
    return refuse(fmt::format("{}, or a whole number from {} to {}", word, least, kMostRuns));
  }
  out = value;
  return {};
}

Refusal read_budget(MeasureSpec& spec, std::string_view text) {
  std::optional<double> seconds, worker_hours;
  for (const std::string_view raw : split(text, ',')) {
    const std::string_view item = trim(raw);
    if (parse_double(item)) {
      return refuse("a time with its unit, or worker-hours such as 4wh",
                    fmt::format("write {0}s, {0}min, {0}h or {0}wh", item));
    }
    const bool hours = item.ends_with("wh");
    const std::optional<double> value =
        hours ? parse_double(item.substr(0, item.size() - 2)) : parse_duration(item);
    if (!value || *value <= 0 || *value > kLargestNumber) {
      return refuse("a time above 0 such as 90s, 30m or 2h, or worker-hours such as 4wh",
                    "give both as 30m,4wh");
    }
    std::optional<double>& limit = hours ? worker_hours : seconds;
    if (limit) {
      return refuse("at most one time and one number of worker-hours", "give both as 30m,4wh");
    }
    limit = *value;
  }
  spec.budget_seconds = seconds;
  spec.budget_worker_hours = worker_hours;
  return {};
}

std::string budget_text(const MeasureSpec& spec) {
  std::string text;
  if (spec.budget_seconds) text = duration_text(*spec.budget_seconds);
  if (spec.budget_worker_hours) {
    text += fmt::format("{}{}wh", text.empty() ? "" : ",", shortest(*spec.budget_worker_hours));
  }
  return text;
}

/// nodes x ranks x threads, ascending by K. Two with the same K cannot be two points of one curve.
Refusal read_shapes(MeasureSpec& spec, std::string_view text) {
  std::vector<Shape> shapes;
  for (const std::string_view item : split(text, ',')) {
    const std::optional<Shape> shape = parse_shape(trim(item));
    if (!shape) {
      return refuse("layouts as nodes x ranks x threads, each at least 1 and K at most 1e9",
                    "write 1x4x2,2x4x2: a study has layouts or worker counts, not both");
    }
    shapes.push_back(*shape);
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.workers() < b.workers(); });
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    if (shapes[i].workers() != shapes[i - 1].workers()) continue;
    return refuse(fmt::format("one layout for K = {}, not {} and {}", shapes[i].workers(),
                              shape_text(shapes[i - 1]), shape_text(shapes[i])),
                  "T(K) of two layouts are two curves: make two studies");
  }
  spec.workers.clear();
  for (const Shape& shape : shapes) spec.workers.push_back(shape.workers());
  spec.shapes = std::move(shapes);
  return {};
}

Refusal read_workers(MeasureSpec& spec, std::string_view text) {
  constexpr std::string_view kForms =
      "write 1,2,4 or 1..512 (doubling) or 1..16:1 (steps of 1), or layouts such as 1x4x2,2x4x2";
  if (text.find('x') != text.npos) return read_shapes(spec, text);
  Result<std::vector<std::int64_t>> counts = parse_worker_list(text);
  if (!counts || counts->back() > kMostWorkers) {
    return refuse("worker counts, each a whole number from 1 to 1e9", kForms);
  }
  spec.workers = std::move(*counts);
  spec.shapes.clear();
  return {};
}

Refusal read_hosts(MeasureSpec& spec, std::string_view text) {
  std::vector<std::string> hosts;
  for (const std::string_view raw : split(text, ',')) {
    const std::string_view host = trim(raw);
    const bool file = host.find('/') != host.npos;
    if (!is_host_name(host) && !(file && host == trim(text) && is_one_line(host))) {
      return refuse("names or addresses of hosts separated by commas, or the path of a hostfile",
                    "write n1,n2,n3 or ./hostfile");
    }
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
      return refuse(fmt::format("each host once, not {} again", host));
    }
    hosts.emplace_back(host);
  }
  spec.hosts = std::move(hosts);
  return {};
}

std::string workers_text(const MeasureSpec& spec) {
  if (spec.shapes.empty()) return fmt::format("{}", fmt::join(spec.workers, ","));
  std::string text;
  for (const Shape& shape : spec.shapes) text += (text.empty() ? "" : ",") + shape_text(shape);
  return text;
}

Refusal read_seed(MeasureSpec& spec, std::string_view text) {
  if (text == "auto") {
    spec.seed = 0;
    return {};
  }
  std::uint64_t seed = 0;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  for (const char c : digits ? text : "") {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (seed > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
      return refuse("auto, or a whole number from 0 to 18446744073709551615");
    }
    seed = seed * 10 + digit;
  }
  if (!digits) return refuse("auto, or a whole number from 0 to 18446744073709551615");
  spec.seed = seed;
  return {};
}

Refusal read_variable(MeasureSpec& spec, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (equals == std::string_view::npos || !is_variable_name(name) ||
      text.find('\0') != std::string_view::npos) {
    return refuse("NAME=VALUE, the name of letters, digits and _");
  }
  spec.variables[std::string(name)] = text.substr(equals + 1);
  return {};
}

Refusal read_parameter(MeasureSpec& spec, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (equals == std::string_view::npos || !is_variable_name(name) || is_placeholder(name)) {
    return refuse("NAME=A,B,C, the name of letters, digits and _, and none of kstar's own");
  }
  std::set<std::string_view> values;
  for (const std::string_view value : split(text.substr(equals + 1), ',')) {
    const bool fit =
        !value.empty() && value.find_first_of(std::string_view("/\0", 2)) == value.npos;
    if (!fit || !values.insert(value).second) {
      return refuse("NAME=A,B,C, each value once, and fit for the name of a file");
    }
  }
  spec.parameters[std::string(name)] = text.substr(equals + 1);
  return {};
}

Refusal read_regime(MeasureSpec& spec, std::string_view text) {
  const std::optional<Regime> regime = regime_named(text);
  if (!regime) return refuse("strong, weak, throughput or mixed");
  spec.regime = regime;
  return {};
}

Refusal read_time_from(MeasureSpec& spec, std::string_view text) {
  for (const TimeFrom from :
       {TimeFrom::kProcess, TimeFrom::kMarks, TimeFrom::kPattern, TimeFrom::kJson}) {
    if (name_of(from) != text) continue;
    spec.time_from = from;
    if (from != TimeFrom::kPattern) spec.time_pattern.clear();
    if (from != TimeFrom::kJson) spec.time_key.clear();
    return {};
  }
  return refuse("process, marks, pattern or json");
}

Refusal read_pattern(std::string& out, std::string_view text) {
  if (const Result<Pattern> compiled = Pattern::compile(text, ""); !compiled) {
    const std::string& message = compiled.error().message;
    // "expected <what>, got ...": the caller says the value.
    const std::string what = message.substr(9, message.find(", got '") - 9);
    return refuse(what, compiled.error().hint);
  }
  out = text;
  return {};
}

Refusal read_time_pattern(MeasureSpec& spec, std::string_view text) {
  if (Refusal refused = read_pattern(spec.time_pattern, text)) return refused;
  return read_time_from(spec, name_of(TimeFrom::kPattern));
}

Refusal read_time_key(MeasureSpec& spec, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '.');
  if (std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); })) {
    return refuse("a key of the JSON lines, or a path such as step.seconds");
  }
  if (Refusal refused = read_time_from(spec, name_of(TimeFrom::kJson))) return refused;
  spec.time_key = text;
  return {};
}

Refusal read_growth(MeasureSpec& spec, std::string_view text) {
  if (!growth_factor(text, 2)) {
    return refuse(kGrowthRules, "a worker's share of a grid of n x n x n: cbrt(K)");
  }
  spec.size_growth = text;
  return {};
}

Refusal read_batch(MeasureSpec& spec, std::string_view text) {
  constexpr auto kMost = static_cast<std::int64_t>(kLargestNumber);
  const std::optional<std::int64_t> batch = parse_integer(text);
  if (!batch || *batch < 1 || *batch > kMost) return refuse("a whole number from 1 to 1e15");
  spec.batch = batch;
  return {};
}

Refusal read_time_unit(MeasureSpec& spec, std::string_view text) {
  if (!seconds_in_unit(text)) return refuse("one of s, ms, us, ns, min, h");
  spec.time_unit = text;
  return {};
}

Refusal read_tolerance(MeasureSpec& spec, std::string_view text) {
  if (text == "auto") {
    spec.check_tolerance.reset();
    return {};
  }
  const std::optional<double> value = parse_share(text);
  if (!value || *value < 0 || *value >= 1) {
    return refuse("auto, a number of 0 or more and below 1, or a percentage such as 1%");
  }
  spec.check_tolerance = value;
  return {};
}

Refusal read_patience(MeasureSpec& spec, std::string_view text) {
  const std::optional<double> value = parse_duration(text);
  if (!value || *value <= 0 || *value > kLargestNumber) {
    return refuse("a time above 0 such as 90s, 10m or 1h");
  }
  spec.patience = *value;
  return {};
}

Refusal read_time_limit(MeasureSpec& spec, std::string_view text) {
  const std::optional<double> seconds = text == "none" ? 0.0 : parse_duration(text);
  if (!seconds || *seconds > kLargestNumber || (*seconds == 0 && text != "none")) {
    return refuse("none, or a time above 0 such as 90s, 5m or 2h");
  }
  spec.time_limit = *seconds;
  return {};
}

std::string_view words_meant(const SpecKey& key) {
  return key.name == "options" ? "arguments for the launcher's program"
                               : "a program and its arguments";
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
    const bool passed_on =
        field == &MeasureSpec::launcher_options || field == &MeasureSpec::submit_options;
    if (!spec.shell || passed_on) {
      Result<std::vector<std::string>> split = split_words(text, "");
      if (!split) return refuse("a command with closed quotes");
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
      return refuse("a number above 0 and below 1, or a percentage such as 2%");
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
