#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "trace/event.h"
#include "trace/rank.h"

// Where steps begin and end: ProfilerStep, an annotation by name, one that repeats, or the device's
// operations repeating.
namespace kstar::tracing {

namespace {

using Marks = std::vector<StepMarks::Mark>;

/// In time order, without those inside of another.
void tidy(Marks& marks) {
  std::sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  Marks kept;
  for (StepMarks::Mark& mark : marks) {
    if (!kept.empty() && mark.start < kept.back().end) continue;
    kept.push_back(std::move(mark));
  }
  marks = std::move(kept);
}

/// "ProfilerStep#12" with its number taken off.
std::string_view without_number(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  while (!name.empty() && (name.back() == '#' || name.back() == ' ' || name.back() == '_')) {
    name.remove_suffix(1);
  }
  return name;
}

Marks marks_named(const TraceFile& file, std::string_view wanted) {
  Marks marks;
  for (const HostEvent& mark : file.annotations) {
    const std::string name = unescaped(file.names.text(mark.name));
    if (name != wanted && without_number(name) != wanted) continue;
    std::string label = name.substr(without_number(name).size());
    while (!label.empty() && !is_digit(label.front())) label.erase(0, 1);
    marks.push_back({mark.start, mark.start + mark.duration, std::move(label)});
  }
  tidy(marks);
  return marks;
}

/// Labels that are missing or not different are replaced by their order.
void number_if_unlabelled(Marks& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool same = i > 0 && marks[i].label == marks[i - 1].label;
    if (!marks[i].label.empty() && !same) continue;
    for (std::size_t k = 0; k < marks.size(); ++k) marks[k].label = fmt::format("{}", k + 1);
    return;
  }
}

/// The annotation that covers most of the time in the fewest repetitions: of those that cover half
/// of it, at least twice.
std::optional<std::string> repeated_annotation(const TraceFile& file) {
  std::map<std::string, Marks> by_name;
  std::int64_t first = 0, last = 0;
  for (const HostEvent& mark : file.annotations) {
    if (first == 0 || mark.start < first) first = mark.start;
    last = std::max(last, mark.start + mark.duration);
    const std::string name = unescaped(file.names.text(mark.name));
    by_name[std::string(without_number(name))].push_back(
        {mark.start, mark.start + mark.duration, ""});
  }
  std::optional<std::string> best;
  std::size_t fewest = 0;
  for (auto& [name, marks] : by_name) {
    tidy(marks);
    std::int64_t covered = 0;
    for (const StepMarks::Mark& mark : marks) covered += mark.end - mark.start;
    if (name.empty() || marks.size() < 2 || 2 * covered < last - first) continue;
    if (best && marks.size() >= fewest) continue;
    best = name;
    fewest = marks.size();
  }
  return best;
}

/// Calls take(operation) for the operations of the lane that has most of them, in time order.
template <typename Take>
void each_of_busiest_lane(const WorkList& work, const Take& take) {
  std::map<std::uint32_t, std::size_t> counts;
  work.each([&](const Work& one) { counts[one.lane] += one.on_device ? 1 : 0; });
  std::uint32_t lane = 0;
  std::size_t most = 0;
  for (const auto& [id, count] : counts) {
    if (count > most) lane = id, most = count;
  }
  work.each([&](const Work& one) {
    if (one.on_device && one.lane == lane) take(one);
  });
}

/// Hashes of stretches of a sequence, from those of its beginnings: polynomials modulo 2^64.
class StretchHash {
 public:
  void add(std::uint32_t name) { hash_ = hash_ * kBase + name + 1; }
  std::uint64_t so_far() const { return hash_; }
  /// Of what came since `before`; `power` is the base to the power of how much that is.
  std::uint64_t since(std::uint64_t before, std::uint64_t power) const {
    return hash_ - before * power;
  }
  static std::uint64_t power(std::size_t length) {
    std::uint64_t result = 1, base = kBase;
    for (; length > 0; length /= 2, base *= base) result *= length % 2 == 1 ? base : 1;
    return result;
  }

 private:
  static constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15;
  std::uint64_t hash_ = 0;
};

/// Where a name occurs in a sequence, as far as it occurs with a period.
struct Occurrences {
  std::size_t count = 0, first = 0, last = 0, period = 0;
  std::uint64_t power = 0;   ///< the base to the power of the period
  std::uint64_t before = 0;  ///< the hash before the last one
  std::uint64_t names = 0;   ///< the hash of the names from the first to the second
  bool regular = true;

  void add(std::size_t at, const StretchHash& hash) {
    if (count == 0) first = at;
    if (count == 1) {
      period = at - first;
      power = StretchHash::power(period);
      names = hash.since(before, power);
    } else if (count > 1 && regular) {
      regular = at - last == period && hash.since(before, power) == names;
    }
    ++count;
    last = at;
    before = hash.so_far();
  }
};

/// The operations repeat with a period: the rarest name that occurs at least three times, equally
/// far apart, with the same names in between. Starts of the periods; empty: they do not.
Marks repetition(const WorkList& work) {
  std::map<std::uint32_t, Occurrences> names;
  StretchHash hash;
  std::size_t n = 0;
  each_of_busiest_lane(work, [&](const Work& one) {
    names[one.name].add(n++, hash);
    hash.add(one.name);
  });
  const Occurrences* best = nullptr;
  std::uint32_t best_name = 0;
  for (const auto& [name, at] : names) {
    constexpr std::size_t kFewest = 3;
    if (at.count < kFewest || at.count > n / kFewest || at.period < 2 || !at.regular) continue;
    if (best == nullptr || at.count < best->count ||
        (at.count == best->count && at.first < best->first)) {
      best = &at;
      best_name = name;
    }
  }
  Marks marks;
  if (best == nullptr) return marks;
  each_of_busiest_lane(work, [&](const Work& one) {
    if (one.name != best_name) return;
    if (!marks.empty()) marks.back().end = one.start;
    marks.push_back({one.start, one.start, ""});
  });
  marks.pop_back();
  return marks;
}

}  // namespace

Result<StepMarks> find_steps(const TraceFile& file, const WorkList& work,
                             const std::string& wanted) {
  StepMarks steps;
  if (!wanted.empty()) {
    steps.marks = marks_named(file, wanted);
    steps.source = TraceSteps::kNamed;
    steps.name = wanted;
    if (steps.marks.empty()) {
      std::vector<std::string> known;
      for (const HostEvent& mark : file.annotations) {
        known.emplace_back(without_number(unescaped(file.names.text(mark.name))));
      }
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      std::string list;
      for (std::size_t i = 0; i < known.size() && i < 6; ++i) {
        list += fmt::format("{}{}", i == 0 ? "" : ", ", printable(known[i]));
      }
      return fail(expected("--step", fmt::format("an annotation of {}", printable(file.path)),
                           wanted, list.empty() ? "" : "it has " + list));
    }
    number_if_unlabelled(steps.marks);
    return steps;
  }
  steps.marks = marks_named(file, "ProfilerStep");
  steps.source = TraceSteps::kProfiler;
  steps.name = "ProfilerStep";
  if (steps.marks.empty()) {
    if (const auto name = repeated_annotation(file)) {
      steps.marks = marks_named(file, *name);
      steps.source = TraceSteps::kAnnotation;
      steps.name = *name;
    }
  }
  if (steps.marks.empty()) {
    steps.marks = repetition(work);
    steps.source = TraceSteps::kRepetition;
    steps.name.clear();
  }
  if (steps.marks.empty()) steps.source = TraceSteps::kWhole;
  number_if_unlabelled(steps.marks);
  return steps;
}

}  // namespace kstar::tracing
