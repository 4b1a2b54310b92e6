#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "kstar/roofline_report.h"
#include "kstar/words.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/roofline/words.h"

namespace kstar {

namespace {

constexpr int kMachineJsonSchema = 1;

std::string row_name(const MachineCeiling& ceiling) {
  if (ceiling.is_compute()) {
    return fmt::format("{} {}{}{}", ceiling.precision, ceiling.vector,
                       ceiling.vector.empty() ? "" : " ", ceiling.kernel);
  }
  static const std::map<std::string, std::string> kKernels = {
      {"copy_nt", "copy, streaming stores"}, {"triad_nt", "triad, streaming stores"}};
  const auto words = kKernels.find(ceiling.kernel);
  return fmt::format("{} {}", level_words(ceiling.level),
                     words == kKernels.end() ? ceiling.kernel : words->second);
}

/// GPUs are in TFLOP/s and TB/s.
double unit_of(const MachineCeilings& machine) {
  constexpr double kTera = 1e12;
  return machine.kind == "gpu" ? kTera : placing::kGiga;
}

std::string cell(const MachineCeiling* ceiling, double unit) {
  return ceiling == nullptr ? "" : significant(ceiling->rate.point / unit, 3);
}

std::string range(const MachineCeiling* ceiling, double unit) {
  if (ceiling == nullptr) return "";
  if (!is_bounded(ceiling->rate)) return "stated";
  return range_cell(scaled(ceiling->rate, 1 / unit), 3);
}

/// Ceilings of one name at all thread counts.
struct Row {
  std::string name;
  std::map<int, const MachineCeiling*> by_threads;
};

std::vector<Row> rows_of(const MachineCeilings& machine, bool compute) {
  std::vector<Row> rows;
  for (const MachineCeiling& one : machine.ceilings) {
    if (one.is_compute() != compute) continue;
    const std::string name = row_name(one);
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const Row& other) { return other.name == name; });
    if (row == rows.end()) row = rows.insert(rows.end(), Row{.name = name, .by_threads = {}});
    row->by_threads[one.threads] = &one;
  }
  return rows;
}

/// The least and the most of fewer than six are no interval of 95%.
const char* range_name(const MachineCeilings& machine) {
  constexpr std::size_t kEnough = 6;
  const bool few =
      std::any_of(machine.ceilings.begin(), machine.ceilings.end(), [](const MachineCeiling& one) {
        return one.samples.size() > 1 && one.samples.size() < kEnough;
      });
  return few ? "range" : "95%";
}

Table ceilings_table(const MachineCeilings& machine, bool compute, int most) {
  const bool gpu = machine.kind == "gpu";
  const double unit = unit_of(machine);
  Table table{.columns = {{.name = fmt::format("{}, {}{}", compute ? "operations" : "bandwidth",
                                               gpu ? "T" : "G", compute ? "FLOP/s" : "B/s"),
                           .left = true}},
              .rows = {}};
  const std::vector<int> counts = thread_counts(machine);
  const bool single = most > 1 && !counts.empty() && counts.front() == 1;
  if (single) {
    table.columns.push_back({.name = "1 thread"});
    table.columns.push_back({.name = range_name(machine), .joined = true});
  }
  table.columns.push_back({.name = gpu         ? "whole GPU"
                                   : most == 0 ? "threads not known"
                                   : most == 1 ? "1 thread"
                                               : fmt::format("{} threads", most)});
  table.columns.push_back({.name = range_name(machine), .joined = true});
  for (const Row& row : rows_of(machine, compute)) {
    const auto at = [&](int threads) {
      const auto found = row.by_threads.find(threads);
      return found == row.by_threads.end() ? nullptr : found->second;
    };
    std::vector<std::string> cells = {row.name};
    if (single) {
      cells.push_back(cell(at(1), unit));
      cells.push_back(range(at(1), unit));
    }
    cells.push_back(cell(at(most), unit));
    cells.push_back(range(at(most), unit));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string machine_threads(const MachineCeilings& machine, int most) {
  if (machine.kind == "gpu") return "";
  if (most == 0) return " on a number of threads that is not known";
  return " on " + count_text(static_cast<std::size_t>(most), "thread");
}

/// The answer where operations or the memory's bandwidth were not measured.
std::string part_text(const MachineCeilings& machine, const std::optional<CeilingAt>& peak,
                      const std::optional<CeilingAt>& memory, int most) {
  const std::string threads = machine_threads(machine, most);
  if (memory) {
    return fmt::format(
        "Up to {} from memory{}. It has no ceiling of operations, so it says how near a kernel is "
        "to the bandwidth, and not whether compute binds it.",
        rate_text(memory->rate.point, "B/s"), threads);
  }
  if (peak) {
    return fmt::format(
        "Up to {} ({}){}. It has no ceiling of memory, so it says how near a kernel is to the "
        "peak, and not whether memory binds it.",
        rate_text(peak->rate.point, "FLOP/s"), peak->from->precision, threads);
  }
  return fmt::format("It has ceilings of caches alone{}: neither operations nor memory.", threads);
}

std::string ridge_text(const MachineCeilings& machine, int most) {
  const auto peak = compute_ceiling(machine, most, "fp64");
  const auto any = peak ? peak : compute_ceiling(machine, most);
  const auto memory = bandwidth_ceiling(machine, "memory", most);
  if (!any || !memory) return part_text(machine, any, memory, most);
  return fmt::format(
      "Up to {} ({}) and {} from memory{}: a kernel with less than {} FLOP/B is bound by memory.",
      rate_text(any->rate.point, "FLOP/s"), any->from->precision,
      rate_text(memory->rate.point, "B/s"), machine_threads(machine, most),
      significant(any->rate.point / memory->rate.point, 3));
}

/// What memory-bound code gains from more threads.
std::string curve_text(const BandwidthCurve& curve, int cores) {
  const BandwidthPoint& best = *std::max_element(
      curve.points.begin(), curve.points.end(),
      [](const auto& one, const auto& other) { return one.speedup.point < other.speedup.point; });
  const std::optional<Estimate> predicted = memory_speedup(curve, best.threads);
  if (!predicted) return "";
  constexpr double kImpossible = 1.15;
  if (predicted->point > kImpossible * best.threads) {
    return fmt::format(
        "On {} threads the bandwidth is {} times that of one: one thread was disturbed, and the "
        "curve says nothing of S(K).",
        best.threads, significant(predicted->point, 3));
  }
  if (best.threads < curve.used_up) {  // rates grow, and single rounds say otherwise
    return "Single rounds differ so much that S(K) of memory-bound code is not known: measure "
           "again "
           "when it is quiet.";
  }
  const std::string reached =
      significant(predicted->point, 3) +
      (is_bounded(*predicted) ? fmt::format(" ({})", range_words(*predicted, 2)) : "");
  const int most = curve.points.back().threads;
  if (curve.points.size() == 2 && most > 2) {
    return fmt::format(
        "On {} threads memory-bound code reaches S = {}: how many of them that needs was not "
        "measured.",
        most, reached);
  }
  // Where the file ends is where the machine ends only if it says so, or nothing came for long.
  const bool whole = cores > 0 ? most >= cores : most >= 2 * curve.used_up;
  if (!whole) {
    return fmt::format(
        "Memory-bound code reaches S = {} on {} threads: more of them were not measured.", reached,
        best.threads);
  }
  if (curve.used_up == most) {
    return fmt::format("Bandwidth grows up to {} threads: memory-bound code reaches S = {}.",
                       most == 2 ? "both" : fmt::format("all {}", most), reached);
  }
  const bool sure = curve.used_up_low == curve.used_up_high;
  return fmt::format(
      "Bandwidth is used up ({} of the most) at {}{} of {} threads: memory-bound code cannot "
      "exceed "
      "S = {}.",
      percent(kUsedUpShare, 0), curve.used_up,
      sure ? "" : fmt::format(" ({} to {})", curve.used_up_low, curve.used_up_high), most, reached);
}

Table curve_table(const BandwidthCurve& curve) {
  Table table{.columns = {{.name = "threads"},
                          {.name = "memory, GB/s"},
                          {.name = "95%", .joined = true},
                          {.name = "S(K) of memory-bound code"},
                          {.name = "95%", .joined = true}},
              .rows = {}};
  for (const BandwidthPoint& point : curve.points) {
    table.rows.push_back(
        {std::to_string(point.threads), significant(point.rate.point / placing::kGiga, 3),
         range_cell(scaled(point.rate, 1 / placing::kGiga), 3), significant(point.speedup.point, 3),
         range_cell(memory_speedup(curve, point.threads).value_or(point.speedup), 3)});
  }
  return table;
}

Json ceiling_json(const MachineCeiling& one) {
  return {{"level", one.level},
          {"kernel", one.kernel},
          {"precision", one.precision.empty() ? Json() : Json(one.precision)},
          {"vector", one.vector.empty() ? Json() : Json(one.vector)},
          {"threads", one.threads},
          {"working_set", one.working_set > 0 ? Json(one.working_set) : Json()},
          {"rate", to_json(one.rate)},
          {"samples", one.samples}};
}

Json curve_json(const BandwidthPoint& point) {
  return {{"threads", point.threads},
          {"rate", to_json(point.rate)},
          {"speedup", to_json(point.speedup)}};
}

}  // namespace

Document to_document(const MachineCeilings& machine, const RooflineView& view) {
  Document document;
  std::vector<Block>& blocks = document.blocks;
  const std::vector<int> counts = thread_counts(machine);
  const int most = counts.empty() ? 1 : counts.back();
  std::string title = machine.name;
  if (!machine.processor.empty() && machine.processor != machine.name) {
    title += fmt::format(" ({})", machine.processor);
  }
  if (!machine.measured.empty()) title += fmt::format(", measured {}", machine.measured);
  blocks.emplace_back(Heading{title});
  const std::string disturbed = disturbance_of(machine);
  if (!disturbed.empty()) {
    blocks.emplace_back(
        Paragraph{fmt::format("Not ceilings: {}. Measure again when it is quiet.", disturbed)});
  }
  std::string answer = disturbed.empty() ? ridge_text(machine, most) : "";
  const std::optional<BandwidthCurve> curve = bandwidth_curve(machine);
  if (curve && disturbed.empty())
    answer += (answer.empty() ? "" : " ") + curve_text(*curve, machine.cores);
  if (!answer.empty()) blocks.emplace_back(Paragraph{answer});
  for (const bool compute : {true, false}) {
    Table table = ceilings_table(machine, compute, most);
    if (!table.rows.empty()) blocks.emplace_back(std::move(table));
  }
  if (curve && view.full) blocks.emplace_back(curve_table(*curve));
  if (!machine.notes.empty()) blocks.emplace_back(Items{"Notes", machine.notes});
  if (view.chart) {
    if (Chart chart = machine_chart(machine); !chart.series.empty()) {
      blocks.emplace_back(std::move(chart));
    }
  }
  return document;
}

std::string to_csv(const MachineCeilings& machine) {
  std::string text = "level,kernel,precision,vector,threads,rate,low,high,samples\n";
  for (const MachineCeiling& one : machine.ceilings) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(one.level), csv_cell(one.kernel),
                        csv_cell(one.precision), csv_cell(one.vector), one.threads,
                        csv_number(one.rate.point), csv_number(one.rate.low),
                        csv_number(one.rate.high), one.samples.size());
  }
  return text;
}

std::string to_json(const MachineCeilings& machine) {
  const std::optional<BandwidthCurve> curve = bandwidth_curve(machine);
  return file_text({{"kstar", "machine"},
                    {"schema", kMachineJsonSchema},
                    {"name", machine.name},
                    {"kind", machine.kind},
                    {"processor", machine.processor},
                    {"capability", machine.capability.empty() ? Json() : Json(machine.capability)},
                    {"cores", machine.cores > 0 ? Json(machine.cores) : Json()},
                    {"measured", machine.measured},
                    {"cpu_wait", machine.cpu_wait},
                    {"ceilings", list_of(machine.ceilings, ceiling_json)},
                    {"bandwidth_used_up", curve ? Json(curve->used_up) : Json()},
                    {"bandwidth_curve", curve ? list_of(curve->points, curve_json) : Json::array()},
                    {"notes", machine.notes}});
}

}  // namespace kstar
