#include "report/roofline/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/roofline_report.h"

namespace kstar {

std::string rate_text(double rate, std::string_view unit) {
  struct Prefix {
    double worth;
    const char* name;
  };
  static constexpr std::array<Prefix, 6> kPrefixes = {
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  for (const Prefix& prefix : kPrefixes) {
    if (rate < prefix.worth && prefix.worth > 1) continue;
    return fmt::format("{} {}{}", significant(rate / prefix.worth, 3), prefix.name, unit);
  }
  return "";
}

namespace placing {

std::string share_text(double share) {
  constexpr double kSmall = 0.0095, kLeast = 0.0005;
  if (share > 0 && share < kLeast) return "<0.1%";
  const auto just_below = [&](double threshold) {  // and not said to reach it
    return share < threshold && percent(share, 0) == percent(threshold, 0);
  };
  const bool fine = just_below(kBoundShare) || just_below(kSurelyBoundShare);
  return percent(share, fine || (share < kSmall && share > 0) ? 1 : 0);
}

std::string precision_text(const RooflinePlace& place) {
  if (!place.kernel.precision.empty()) return place.kernel.precision;
  for (const ReportedShare& one : place.kernel.reported) {
    if (one.of.starts_with("fp") && place.compute && one.share == place.compute->point) {
      return one.of;
    }
  }
  return "";
}

std::optional<std::pair<std::string, Estimate>> nearest_ceiling(const RooflinePlace& place) {
  std::optional<std::pair<std::string, Estimate>> found;
  if (place.compute) found = {"the " + precision_text(place) + " peak", *place.compute};
  for (const LevelShare& level : place.levels) {
    if (!level.share || (found && found->second.point >= level.share->point)) continue;
    found = {"the bandwidth of " + level_words(level.level), *level.share};
  }
  return found;
}

std::string lower_text(const RooflinePlace& place) {
  if (!place.lower) return "";
  const std::string share = share_text(place.lower->share);
  if (place.lower->level == "memory") {
    return fmt::format("{} of that of a {} with ordinary stores", share, place.lower->name);
  }
  const bool scalar = place.lower->name == "scalar";
  return fmt::format("{} of the {} peak {}", share, precision_text(place),
                     scalar ? "without vectors" : "of " + place.lower->name + " alone");
}

namespace {

/// Of a program that waited: more than can be done in the time that it was on the CPUs.
bool is_too_much(const RooflinePlace& place) {
  constexpr double kImpossible = 1.05;
  if (!waits(place.kernel) || place.bound != Bound::kLatency) return false;
  const auto best = nearest_ceiling(place);
  return best && *place.kernel.active > 0 &&
         best->second.point > kImpossible * *place.kernel.active;
}

}  // namespace

std::vector<std::string> doubts_of(const Roofline& roofline) {
  std::vector<std::string> doubts = roofline.doubts;
  const RooflinePlace* first = nullptr;
  std::size_t above = 0;
  for (const RooflinePlace& place : roofline.places) {
    if (!place.above && !is_too_much(place)) continue;
    if (first == nullptr) first = &place;
    ++above;
  }
  if (first == nullptr) return doubts;
  const auto best = nearest_ceiling(*first);
  constexpr double kTimes = 10;
  const double active = first->above ? 1 : *first->kernel.active;
  const double share = best->second.point / active;
  std::string said = fmt::format(
      "{}{} is above a ceiling, {} {}{}: its operations, bytes or time, or the ceilings, are not "
      "those of this run.",
      shorten(first->kernel.name, 40), above > 1 ? fmt::format(" (and {} more)", above - 1) : "",
      share >= kTimes ? significant(share, 3) + " times" : share_text(share) + " of", best->first,
      first->above ? "" : " while it was on the CPU");
  doubts.insert(doubts.begin(), std::move(said));  // not possible, whatever else is
  return doubts;
}

std::string bound_text(const RooflinePlace& place) {
  switch (place.bound) {
    case Bound::kCompute: {
      const std::string precision = precision_text(place);
      return precision.empty() ? "compute" : precision + " compute";
    }
    case Bound::kMemory:
      return level_words(place.level);
    case Bound::kLatency:
      return "latency";
    case Bound::kUnknown:
      break;
  }
  return "not known";
}

std::string headroom_text(const RooflinePlace& place) {
  if (!place.headroom) return "?";
  return significant(place.headroom->point, place.headroom->point < 10 ? 2 : 3) + "x";
}

}  // namespace placing

}  // namespace kstar
