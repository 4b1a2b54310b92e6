#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/roofline_report.h"
#include "kstar/words.h"
#include "report/roofline/words.h"

namespace kstar {

namespace {

using placing::bound_text;
using placing::headroom_text;
using placing::share_text;

/// "; on 4 threads, as many as it used"; nothing for a GPU.
std::string threads_text(const Roofline& roofline) {
  const bool cpu =
      roofline.machine->kind != "gpu" && roofline.threads > 0 && roofline.threads_measured;
  std::string text =
      cpu ? "; on " + count_text(static_cast<std::size_t>(roofline.threads), "thread") : "";
  if (!roofline.threads_from.empty()) text += (cpu ? ", " : "; ") + roofline.threads_from;
  return text;
}

/// Of a machine that has only operations or only bandwidth.
std::string part_of_ceilings(const Roofline& roofline) {
  const MachineCeilings& machine = *roofline.machine;
  std::string text;
  for (const std::string& precision : precisions_of(machine)) {
    const auto peak = compute_ceiling(machine, roofline.threads, precision);
    if (!peak) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", precision,
                        rate_text(peak->rate.point, "FLOP/s"));
  }
  if (!text.empty()) {
    return fmt::format("{}{}. It has no ceiling of memory: bytes are not compared.", text,
                       threads_text(roofline));
  }
  const auto memory = bandwidth_ceiling(machine, "memory", roofline.threads);
  if (!memory) return "it has ceilings of caches alone.";
  return fmt::format("memory {}{}. It has no ceiling of operations: they are not compared.",
                     rate_text(memory->rate.point, "B/s"), threads_text(roofline));
}

/// Whether no share is of the machine file's ceilings.
bool is_by_profiler(const Roofline& roofline) {
  bool reported = false;
  for (const RooflinePlace& place : roofline.places) {
    reported = reported || !place.kernel.reported.empty();
    if (place.rate && place.compute) return false;
    for (const LevelShare& one : place.levels) {
      if (one.rate && one.share) return false;
    }
  }
  return reported;
}

/// "H200: bf16 787 TFLOP/s, fp32 50.9 TFLOP/s; memory 4.28 TB/s; ridge 11.9 FLOP/B (fp32)".
std::string ceilings_text(const Roofline& roofline) {
  if (!roofline.machine) {
    const bool reported =
        std::any_of(roofline.places.begin(), roofline.places.end(),
                    [](const RooflinePlace& place) { return !place.kernel.reported.empty(); });
    if (reported && !roofline.doubts.empty()) return "Shares are those that the profiler reports.";
    return reported ? "Shares are those that the profiler reports: no machine file."
                    : "No ceilings to compare with: give --machine machine.toml ('kstar roofline "
                      "measure' writes one).";
  }
  const MachineCeilings& machine = *roofline.machine;
  std::string text = (is_by_profiler(roofline) ? "Shares are those that the profiler reports, not "
                                                 "of the machine file. "
                                               : "") +
                     machine.name + ": ";
  for (const Ridge& ridge : roofline.ridges) {
    text += fmt::format("{} {}, ", ridge.precision, rate_text(ridge.compute, "FLOP/s"));
  }
  if (roofline.ridges.empty()) return text + part_of_ceilings(roofline);
  text += fmt::format("memory {}", rate_text(roofline.ridges[0].bandwidth, "B/s"));
  std::string ridges;
  for (const Ridge& ridge : roofline.ridges) {
    ridges += fmt::format("{}{} {}", ridges.empty() ? "" : ", ", significant(ridge.intensity, 3),
                          ridge.precision);
  }
  return text + fmt::format("; ridge at {} FLOP/B{}.", ridges, threads_text(roofline));
}

std::string short_kernel(const std::string& name) {
  constexpr std::size_t kColumns = 20;
  return shorten(name, kColumns);
}

/// "91% (88% to 93%)", without the interval where there is none.
std::string reach_words(const Estimate& share) {
  if (!is_bounded(share)) return share_text(share.point);
  if (percent(share.low, 0) != percent(share.high, 0)) return share_value_text(share);
  if (percent(share.low, 1) == percent(share.high, 1)) return share_text(share.point);
  return fmt::format("{} ({} to {})", percent(share.point, 1), percent(share.low, 1),
                     percent(share.high, 1));
}

std::string share_cell(const std::optional<Estimate>& share) {
  return share ? share_text(share->point) : "?";
}

std::string rate_cell(const std::optional<double>& rate, std::string_view unit) {
  return rate ? rate_text(*rate, unit) : "?";
}

/// Without a machine file, and with a profiler that reports no shares, nothing is compared.
bool is_compared(const Roofline& roofline) {
  return roofline.machine ||
         std::any_of(roofline.places.begin(), roofline.places.end(),
                     [](const RooflinePlace& place) { return !place.kernel.reported.empty(); });
}

const LevelShare* level_of(const RooflinePlace& place, std::string_view level) {
  for (const LevelShare& one : place.levels) {
    if (one.level == level) return &one;
  }
  return nullptr;
}

/// What is known where nothing is compared: rates.
Table rates_table(const Roofline& roofline, std::size_t rows, bool full) {
  Table table{.columns = {{.name = "time"},
                          {.name = "kernel", .left = true},
                          {.name = "FLOP/B"},
                          {.name = "memory"},
                          {.name = "operations"}},
              .rows = {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const RooflinePlace& place = roofline.places[i];
    const LevelShare* memory = level_of(place, "memory");
    table.rows.push_back({time_text(place.kernel.seconds),
                          shorten(place.kernel.name, full ? 60 : 30),
                          place.intensity ? significant(*place.intensity, 3) : "?",
                          memory != nullptr ? rate_cell(memory->rate, "B/s") : "?",
                          rate_cell(place.rate, "FLOP/s")});
  }
  return table;
}

Table placed_table(const Roofline& roofline, std::size_t rows, bool full) {
  Table table{.columns = {{.name = "time"},
                          {.name = "kernel", .left = true},
                          {.name = "FLOP/B"},
                          {.name = "memory"},
                          {.name = "compute"},
                          {.name = "bound by", .left = true},
                          {.name = "headroom"}},
              .rows = {}};
  std::vector<std::string> caches;  // those that anything is known of
  for (const std::string& level : memory_levels()) {
    const bool known =
        std::any_of(roofline.places.begin(), roofline.places.end(),
                    [&](const RooflinePlace& place) { return level_of(place, level) != nullptr; });
    if (full && known && level != "memory") caches.push_back(level);
  }
  for (std::size_t i = 0; i < caches.size(); ++i) {
    table.columns.insert(table.columns.begin() + 3 + static_cast<std::ptrdiff_t>(i),
                         {.name = level_words(caches[i])});
  }
  if (full) table.columns.push_back({.name = "FLOP/s"});
  for (std::size_t i = 0; i < rows; ++i) {
    const RooflinePlace& place = roofline.places[i];
    const LevelShare* memory = level_of(place, "memory");
    const auto cell = [&](std::string_view level) {
      const LevelShare* one = level_of(place, level);
      return one != nullptr ? share_cell(one->share) : "";
    };
    std::vector<std::string> row = {
        time_text(place.kernel.seconds),
        full ? shorten(place.kernel.name, 60) : short_kernel(place.kernel.name),
        place.intensity ? significant(*place.intensity, 3) : "?",
        memory != nullptr ? share_cell(memory->share) : "?",
        share_cell(place.compute),
        bound_text(place),
        headroom_text(place)};
    for (std::size_t at = 0; at < caches.size(); ++at) {
      row.insert(row.begin() + 3 + static_cast<std::ptrdiff_t>(at), cell(caches[at]));
    }
    if (full) row.push_back(rate_cell(place.rate, "FLOP/s"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "by level: L1 0.5 FLOP/B, 12%; L2 2 FLOP/B, 40%; memory 8 FLOP/B, 61%"; "" where one level alone
/// is known.
std::string by_level_text(const RooflinePlace& place) {
  std::string text;
  std::size_t known = 0;
  for (const LevelShare& one : place.levels) {
    if (!one.share && !one.intensity) continue;
    ++known;
    text += fmt::format("{}{}", text.empty() ? "" : "; ", level_words(one.level));
    if (one.intensity) text += fmt::format(" {} FLOP/B", significant(*one.intensity, 3));
    if (one.share)
      text += fmt::format("{} {}", one.intensity ? "," : "", share_text(one.share->point));
  }
  return known > 1 ? text : "";
}

/// Of the kernel to fix first, or else of the longest with more than one level.
std::string by_level_line(const Roofline& roofline) {
  const auto line = [](const RooflinePlace& place) {
    const std::string text = by_level_text(place);
    return text.empty() ? text
                        : fmt::format("{} by level: {}.", shorten(place.kernel.name, 40), text);
  };
  if (roofline.first) return line(roofline.places[*roofline.first]);
  for (const RooflinePlace& place : roofline.places) {
    if (std::string text = line(place); !text.empty()) return text;
  }
  return "";
}

double unknown_share(const Roofline& roofline) {
  double unknown = 0;
  for (const RooflinePlace& place : roofline.places) {
    if (place.bound == Bound::kUnknown) unknown += place.kernel.seconds;
  }
  return roofline.seconds > 0 ? unknown / roofline.seconds : 0;
}

/// "Fix first: NAME, 12 of 40 ms to gain".
std::string first_text(const Roofline& roofline) {
  if (!roofline.first) return "";
  const RooflinePlace& place = roofline.places[*roofline.first];
  constexpr double kLittle = 0.05;
  const double share = roofline.seconds > 0 ? place.saved / roofline.seconds : 0;
  if (share < kLittle) {
    const double unknown = unknown_share(roofline);
    if (unknown > 0) {
      return fmt::format(
          "Of kernels with {} of the time it is not known what bounds them; of the others the "
          "most that one could gain is {} of the time.",
          share_text(unknown), share_text(share));
    }
    return fmt::format(
        "Every kernel is near its ceiling: with the same bytes and operations none could save more "
        "than {} of the time.",
        share_text(share));
  }
  std::string how;
  switch (place.bound) {
    case Bound::kMemory:
      how =
          "it is bound by moving bytes: move fewer of them (fuse, block for the caches, smaller "
          "types)";
      break;
    case Bound::kCompute:
      how = "it is bound by operations: do fewer, or use a faster unit or a smaller type";
      break;
    default:
      how = "no ceiling is near: give it more independent work at once, fewer waits, larger pieces";
  }
  return fmt::format("Fix first: {} could save {} of the time ({} of {}); {}.",
                     shorten(place.kernel.name, 40), share_text(share), time_text(place.saved),
                     time_text(roofline.seconds), how);
}

/// With instructions that are not among the operations that were counted.
bool is_busy(const RooflinePlace& place) {
  return place.bound == Bound::kUnknown && !place.above && place.pipes.value_or(0) >= kBoundShare;
}

bool is_of_gpu(const Roofline& roofline) {
  return (roofline.machine && roofline.machine->kind == "gpu") || is_by_profiler(roofline);
}

/// One kernel in words: a program.
std::string answer_text(const RooflinePlace& place, bool gpu) {
  const std::string& name = place.kernel.name;
  if (place.bound == Bound::kLatency && waits(place.kernel)) {
    return fmt::format(
        "Bound by neither compute nor memory: it waited. Its {} on the CPU for {} of the time.",
        place.kernel.threads == 1 ? "thread was"
                                  : fmt::format("{} threads were", place.kernel.threads),
        share_text(*place.kernel.active));
  }
  const auto best = placing::nearest_ceiling(place);
  if (!best && place.pipes) {
    return fmt::format(
        "What bounds it is not known: the SMs are busy for {} of the time, with what is not known.",
        share_text(*place.pipes));
  }
  if (!best)
    return fmt::format("{}: {} per run; nothing to place it by.", shorten(name, 40),
                       time_text(place.kernel.seconds));
  const bool part = place.kernel.part_of_flops || place.kernel.part_of_bytes;
  const std::string reach = (part ? "at least " : "") + reach_words(best->second);
  switch (place.bound) {
    case Bound::kCompute:
    case Bound::kMemory:
      return fmt::format("Bound by {}: it reaches {} of {}{}.", bound_text(place), reach,
                         best->first, place.lower ? ", " + placing::lower_text(place) : "");
    case Bound::kLatency:
      return fmt::format(
          "Bound by neither {} nor memory: it reaches {} of {}, and less of the other. Latency{} "
          "takes its time.",
          gpu ? "compute" : "floating-point operations", reach, best->first,
          gpu ? "" : ", or other instructions (integers, branches),");
    case Bound::kUnknown:
      break;
  }
  if (place.above) return "What bounds it is not known.";
  if (is_busy(place)) {
    return fmt::format(
        "What bounds it is not known: it reaches {} of {}, and the SMs are busy for {} of the "
        "time, with what is not known.",
        reach, best->first, share_text(*place.pipes));
  }
  return fmt::format("What bounds it is not known: it reaches {} of {}{}.", reach, best->first,
                     place.lower ? ", and " + placing::lower_text(place) : "");
}

/// By which shares a bound is named; nothing where none could be.
std::string thresholds_text(const Roofline& roofline) {
  const bool placed =
      std::any_of(roofline.places.begin(), roofline.places.end(), [](const RooflinePlace& place) {
        return place.bound != Bound::kUnknown && !waits(place.kernel);
      });
  if (!placed) return "";
  const bool lower = std::any_of(roofline.places.begin(), roofline.places.end(),
                                 [](const RooflinePlace& place) { return place.lower; });
  return fmt::format(
      "Bound by: {} or more of that ceiling ({} where not all is counted{}); latency: less than "
      "that of all.",
      percent(kBoundShare, 0), percent(kSurelyBoundShare, 0),
      lower ? ", and of a slower way to move memory" : "");
}

void add_missing(const Roofline& roofline, std::vector<Block>& blocks) {
  Items items{"Not known", {}};
  std::set<std::string> said;
  for (const RooflinePlace& place : roofline.places) {
    if (is_busy(place) && place.kernel.missing.empty() && roofline.places.size() > 1) {
      items.items.push_back(fmt::format(
          "{}: the SMs are busy for {} of the time, with other instructions than those counted",
          shorten(place.kernel.name, 30), share_text(*place.pipes)));
    }
    if (place.lower && place.bound == Bound::kUnknown && roofline.places.size() > 1) {
      items.items.push_back(fmt::format("{}: it reaches {}, which may be what bounds it",
                                        shorten(place.kernel.name, 30),
                                        placing::lower_text(place)));
    }
    if (place.kernel.missing.empty() || !said.insert(place.kernel.missing).second) continue;
    items.items.push_back(
        fmt::format("{}: {}", shorten(place.kernel.name, 30), place.kernel.missing));
  }
  constexpr std::size_t kMost = 4;
  if (items.items.size() > kMost) items.items.resize(kMost);
  if (!items.items.empty()) blocks.emplace_back(std::move(items));
}

std::string more_rows_text(const Roofline& roofline, std::size_t shown) {
  double rest = 0;
  for (std::size_t i = shown; i < roofline.places.size(); ++i) {
    rest += roofline.places[i].kernel.seconds;
  }
  return fmt::format("{} more with {} of the time: --full.", roofline.places.size() - shown,
                     share_text(roofline.seconds > 0 ? rest / roofline.seconds : 0));
}

void add_program(const RooflinePlace& place, std::vector<Block>& blocks) {
  Items facts;
  if (place.kernel.time) facts.add("time", time_value_text(*place.kernel.time));
  const auto least = [](bool part) { return std::string(part ? "at least " : ""); };
  const bool operates = place.rate.value_or(0) > 0;
  if (operates) {
    facts.add("rate", least(place.kernel.part_of_flops) + rate_text(*place.rate, "FLOP/s"));
  }
  const LevelShare* memory = level_of(place, "memory");
  if (memory != nullptr && memory->rate) {
    facts.add("memory", least(place.kernel.part_of_bytes) + rate_text(*memory->rate, "B/s"));
  }
  const bool part = place.kernel.part_of_flops || place.kernel.part_of_bytes;
  if (place.intensity && operates && !part) {
    facts.add("intensity", significant(*place.intensity, 3) + " FLOP/B");
  }
  if (place.compute && place.compute->point > 0) {
    facts.add(fmt::format("of the {} peak{}", placing::precision_text(place),
                          place.precision_assumed ? " (assumed: --precision)" : ""),
              least(place.kernel.part_of_flops) + reach_words(*place.compute));
  }
  const bool counted = memory != nullptr && memory->rate;
  if (memory != nullptr && memory->share) {
    facts.add("of the bandwidth",
              least(counted && place.kernel.part_of_bytes) + reach_words(*memory->share));
  }
  if (const std::string levels = by_level_text(place); !levels.empty()) {
    facts.add("by level", levels);
  }
  if (place.pipes) facts.add("the SMs are busy", share_text(*place.pipes));
  if (place.attainable && operates && !part) {
    facts.add("attainable at this intensity", rate_text(*place.attainable, "FLOP/s"));
  }
  if (place.headroom) {
    const bool spread = is_bounded(*place.headroom) &&
                        significant(place.headroom->low, 2) != significant(place.headroom->high, 2);
    facts.add("headroom",
              headroom_text(place) +
                  (spread ? fmt::format(" ({})", range_words(*place.headroom, 2)) : ""));
  }
  if (!facts.items.empty()) blocks.emplace_back(std::move(facts));
}

}  // namespace

Document to_document(const Roofline& roofline, const RooflineView& view) {
  Document document;
  std::vector<Block>& blocks = document.blocks;
  if (!roofline.title.empty()) blocks.emplace_back(Heading{roofline.title});
  const bool one = roofline.places.size() == 1;
  for (std::string& doubt : placing::doubts_of(roofline)) {
    blocks.emplace_back(Paragraph{std::move(doubt)});
  }
  if (one) blocks.emplace_back(Paragraph{answer_text(roofline.places[0], is_of_gpu(roofline))});
  if (!one) {
    if (const std::string first = first_text(roofline); !first.empty()) {
      blocks.emplace_back(Paragraph{first});
    }
  }
  blocks.emplace_back(Paragraph{ceilings_text(roofline)});
  constexpr std::size_t kRows = 14;
  const std::size_t rows =
      view.full ? roofline.places.size() : std::min(kRows, roofline.places.size());
  if (one && !view.full) {
    add_program(roofline.places[0], blocks);
  } else if (rows > 0) {
    blocks.emplace_back(is_compared(roofline) ? placed_table(roofline, rows, view.full)
                                              : rates_table(roofline, rows, view.full));
    if (rows < roofline.places.size()) {
      blocks.emplace_back(Paragraph{more_rows_text(roofline, rows)});
    }
    if (std::string levels = by_level_line(roofline); !view.full && !levels.empty()) {
      blocks.emplace_back(Paragraph{std::move(levels)});
    }
  }
  if (std::string thresholds = thresholds_text(roofline); !thresholds.empty()) {
    blocks.emplace_back(Paragraph{std::move(thresholds)});
  }
  add_missing(roofline, blocks);
  if (!roofline.notes.empty()) blocks.emplace_back(Items{"Notes", roofline.notes});
  if (view.chart) {
    if (Chart chart = roofline_chart(roofline); !chart.series.empty()) {
      blocks.emplace_back(std::move(chart));
    }
  }
  return document;
}

}  // namespace kstar
