#include "import/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "import/offers.h"

namespace kstar {

namespace {

/// A hint is read at a glance.
constexpr std::size_t kShownLabels = 3;
constexpr std::size_t kShownValues = 4;
constexpr std::size_t kShownWidth = 40;

struct Wanted {
  std::string name;  ///< "" for any
  std::string value;
};

/// Pieces between commas; one that names no label belongs to the value before it.
std::vector<Wanted> parse(std::string_view select, const std::set<std::string>& names) {
  std::vector<Wanted> wanted;
  if (trim(select).empty()) return wanted;
  for (const std::string_view piece : split(select, ',')) {
    const std::size_t equals = piece.find('=');
    const std::string name(trim(piece.substr(0, equals)));
    if (equals != std::string_view::npos && names.contains(name)) {
      wanted.push_back({name, std::string(trim(piece.substr(equals + 1)))});
    } else if (wanted.empty()) {
      wanted.push_back({"", std::string(trim(piece))});
    } else {
      wanted.back().value.append(",").append(piece);
    }
  }
  return wanted;
}

bool fits(const Sample& sample, const std::vector<Wanted>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Wanted& one) {
    return std::any_of(sample.labels.begin(), sample.labels.end(), [&](const auto& label) {
      return (one.name.empty() || one.name == label.first) && label.second == one.value;
    });
  });
}

/// The values of one label, as they were met.
struct Seen {
  std::vector<std::string> values;  ///< the first ones
  std::set<std::string> all;
  std::map<int, std::string> at;  ///< the first at each K
  bool differs_at_one_k = false;

  void add(int workers, const std::string& value) {
    const auto [place, is_new] = at.emplace(workers, value);
    differs_at_one_k = differs_at_one_k || (!is_new && place->second != value);
    if (all.insert(value).second && values.size() < kShownValues) values.push_back(value);
  }
  std::vector<std::string> shown() const {
    std::vector<std::string> list;
    for (const std::string& value : values) list.push_back(shorten(printable(value), kShownWidth));
    return list;
  }
  /// How many there are, where not all are shown.
  std::optional<int> more() const {
    if (all.size() == values.size()) return {};
    return static_cast<int>(all.size());
  }
  std::string text() const {
    const std::string list = fmt::format("{}", fmt::join(shown(), ", "));
    return more() ? fmt::format("{} ... ({} in total)", list, *more()) : list;
  }
};

using AllSeen = std::vector<std::pair<std::string, Seen>>;

AllSeen look_at(const std::vector<Sample>& samples) {
  AllSeen seen;
  for (const Sample& sample : samples) {
    for (const auto& label : sample.labels) {
      auto place = std::find_if(seen.begin(), seen.end(),
                                [&](const auto& entry) { return entry.first == label.first; });
      if (place == seen.end()) place = seen.insert(seen.end(), {label.first, {}});
      place->second.add(sample.run.workers, label.second);
    }
  }
  return seen;
}

std::string list_of(const AllSeen& seen) {
  std::string text;
  for (std::size_t i = 0; i < std::min(seen.size(), kShownLabels); ++i) {
    const auto& [name, label] = seen[i];
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", printable(name), label.text());
  }
  if (seen.size() <= kShownLabels) return text;
  return text + fmt::format("; other labels: {}", seen.size() - kShownLabels);
}

/// The values of these labels with which most K come.
Offer fullest(const AllSeen& differing, const std::vector<Sample>& samples) {
  std::map<std::string, std::set<int>> series;
  std::vector<std::string> order;
  for (const Sample& sample : samples) {
    std::string select;
    for (const auto& [name, value] : sample.labels) {
      const bool tells = std::any_of(differing.begin(), differing.end(),
                                     [&](const auto& one) { return one.first == name; });
      if (!tells) continue;
      select +=
          fmt::format("{}{}={}", select.empty() ? "" : ",", printable(name), printable(value));
    }
    if (!series.contains(select)) order.push_back(select);
    series[select].insert(sample.run.workers);
  }
  const auto fewer = [&](const auto& a, const auto& b) {
    return series[a].size() < series[b].size();
  };
  return offer("select", *std::max_element(order.begin(), order.end(), fewer), "for one of them");
}

Result<void> check_one_series(const Input& input, const AllSeen& seen,
                              const std::vector<Sample>& samples) {
  AllSeen differing;
  for (const auto& [name, label] : seen) {
    if (label.differs_at_one_k) differing.emplace_back(name, label);
  }
  if (differing.empty()) return {};
  return fail(refusal(input, "the file contains several series", {fullest(differing, samples)},
                      "available: " + list_of(differing)));
}

}  // namespace

double seconds_of_rate(double rate, int workers, bool weak) {
  return (weak ? workers : 1) / rate;
}

void say_work_of_rates(Study& study, bool weak, std::string_view unit) {
  study.header.time = TimeKind::kRate;
  study.header.regime = weak ? Regime::kWeak : Regime::kThroughput;
  study.header.workload.clear();
  if (!weak) {
    study.header.workload.push_back({.size = 1, .unit = std::string(unit)});
    return;
  }
  std::set<int> workers;
  for (const Run& run : study.runs) workers.insert(run.workers);
  for (const int k : workers) {
    study.header.workload.push_back(
        {.workers = k, .size = static_cast<double>(k), .unit = std::string(unit)});
  }
}

Result<void> take_series(const Input& input, std::vector<Sample> samples, std::string_view select,
                         Study& study) {
  if (samples.empty()) {
    return fail(refusal(input, "has no measured values"));
  }
  std::set<std::string> names;
  for (const Sample& sample : samples) {
    for (const auto& label : sample.labels) names.insert(label.first);
  }
  const AllSeen all = look_at(samples);
  const std::vector<Wanted> wanted = parse(select, names);
  samples.erase(std::remove_if(samples.begin(), samples.end(),
                               [&](const Sample& sample) { return !fits(sample, wanted); }),
                samples.end());
  if (samples.empty()) {
    return fail({.where = "--select",
                 .message = fmt::format("nothing in {} matches '{}'", printable(input.name),
                                        printable(select)),
                 .hint = "available: " + list_of(all)});
  }
  const AllSeen chosen = look_at(samples);
  KSTAR_CHECK(check_one_series(input, chosen, samples));
  for (const auto& [name, label] : chosen) {
    if (label.values.size() < 2) continue;
    add_change(study, {.name = printable(name), .values = label.shown(), .count = label.more()});
  }
  for (const Wanted& one : wanted) study.header.title += ": " + printable(one.value);
  for (Sample& sample : samples) study.runs.push_back(std::move(sample.run));
  return {};
}

}  // namespace kstar
