// likwid-perfctr, as a table or with -O as CSV, with marked regions or without; likwid-bench.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

bool is_likwid(const Input& input) {
  return mentions(input, "Runtime (RDTSC) [s]") && !mentions(input, "import sys");
}

constexpr std::string_view kRuntime = "Runtime (RDTSC) [s]";

/// A row of a metric: its name and the value of each core, or their sum where that stands there.
struct Metric {
  std::string name;
  std::vector<double> cores;
};

/// "| Runtime (RDTSC) [s] STAT | sum | min | max | avg |", as if each core had its own value: the
/// sum stays the sum, and the largest the largest.
std::optional<Metric> core_values(const Metric& metric) {
  constexpr std::string_view kEnd = " STAT";
  constexpr std::size_t kColumns = 4;
  if (!metric.name.ends_with(kEnd) || metric.cores.size() < kColumns) return std::nullopt;
  const double sum = metric.cores[0], largest = metric.cores[2], mean = metric.cores[3];
  Metric values{.name = metric.name.substr(0, metric.name.size() - kEnd.size()), .cores = {sum}};
  constexpr double kMostCores = 65536;
  if (values.name == kRuntime && mean > 0 && sum >= mean && sum / mean < kMostCores) {
    values.cores.assign(static_cast<std::size_t>(std::lround(sum / mean)), largest);
  }
  return values;
}

/// "| DP [MFLOP/s] | 12 | 13 |" or "DP MFLOP/s,12,13,".
std::optional<Metric> metric_of(std::string_view line) {
  const bool table = line.starts_with('|');
  Metric metric;
  for (const std::string_view raw : split(line, table ? '|' : ',')) {
    const std::string_view cell = trim(raw);
    if (cell.empty()) continue;
    if (metric.name.empty()) {
      metric.name = std::string(cell);
    } else if (const auto value = parse_double(cell)) {
      metric.cores.push_back(*value);
    } else if (cell != "nan" && cell != "-" && cell != "inf") {
      return std::nullopt;
    }
  }
  if (metric.name.empty() || metric.cores.empty()) return std::nullopt;
  return metric;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double one : values) sum += one;
  return sum;
}

/// The region that a line announces; "" where it announces none.
std::string region_of(std::string_view line) {
  if (line.starts_with("TABLE,Region ")) {
    const std::string_view rest = line.substr(13);
    return printable(rest.substr(0, rest.find(',')));
  }
  if (line.starts_with("Region ") && line.find(", Group ") != line.npos) {
    return printable(line.substr(7, line.find(", Group ") - 7));
  }
  return "";
}

struct Region {
  std::string name;
  double seconds = 0;
  std::size_t cores = 1;
  bool statistics = false;              ///< from sums over cores, not from each
  std::set<std::string> metrics;        ///< names of all that it has
  std::map<std::string, double> rates;  ///< flops ("fp64", "fp32"), bytes by level; per second
};

void take_metric(const Metric& metric, Region& region) {
  constexpr double kMega = 1e6;
  region.metrics.insert(metric.name);
  if (metric.name == kRuntime) {
    region.seconds = *std::max_element(metric.cores.begin(), metric.cores.end());
    region.cores = metric.cores.size();
    return;
  }
  struct Known {
    const char* name;
    const char* what;
  };
  static constexpr std::array<Known, 13> kKnown = {{{"DP MFLOP/s", "fp64"},
                                                    {"MFLOP/s", "operations"},
                                                    {"Memory BW [MBytes/s]", "memory"},
                                                    {"DP MFLOP/s (AVX assumed)", "fp64"},
                                                    {"SP MFLOP/s (AVX assumed)", "fp32"},
                                                    {"DP [MFLOP/s]", "fp64"},
                                                    {"SP MFLOP/s", "fp32"},
                                                    {"SP [MFLOP/s]", "fp32"},
                                                    {"Memory bandwidth [MBytes/s]", "memory"},
                                                    {"L3 bandwidth [MBytes/s]", "l3"},
                                                    {"L2 bandwidth [MBytes/s]", "l2"},
                                                    {"L1 bandwidth [MBytes/s]", "l1"},
                                                    {"L2D bandwidth [MBytes/s]", "l2"}}};
  for (const Known& known : kKnown) {
    if (metric.name == known.name) region.rates[known.what] = kMega * total(metric.cores);
  }
}

RooflineKernel kernel_of_region(const Region& region) {
  RooflineKernel kernel{.name = region.name, .seconds = region.seconds};
  kernel.threads = static_cast<int>(region.cores);
  double most = 0;
  for (const std::string_view precision : {"fp64", "fp32", "operations"}) {
    const auto found = region.rates.find(std::string(precision));
    if (found == region.rates.end()) continue;
    const double flops = found->second * region.seconds;
    kernel.flops = kernel.flops.value_or(0) + flops;
    if (flops < most) continue;
    most = flops;
    kernel.precision = precision == "operations" ? "" : precision;  // older groups have one name
  }
  for (const std::string& level : memory_levels()) {
    const auto found = region.rates.find(level);
    if (found != region.rates.end()) {
      kernel.bytes.push_back({level, found->second * region.seconds});
    }
  }
  const bool memory = !kernel.bytes.empty() && kernel.bytes.back().level == "memory";
  if (!kernel.flops) {
    kernel.missing = "operations are not in this group: likwid-perfctr -g FLOPS_DP";
  } else if (!memory) {
    kernel.missing = "bytes of memory are not in this group: likwid-perfctr -g MEM";
  } else if (*kernel.flops <= 0) {
    kernel.missing = "it has no operations of this precision: what it computes with is not counted";
  }
  return kernel;
}

/// The program that "$ likwid-perfctr -g FLOPS_DP -C S0:1 ./prog 1" runs; "" of any other line.
std::string command_of(std::string_view line) {
  constexpr std::string_view kTool = "likwid-perfctr ";
  const std::size_t at = line.find(kTool);
  if (at == line.npos || line.starts_with('|')) return "";
  std::string_view rest = trim(line.substr(at + kTool.size()));
  while (rest.starts_with('-')) {
    constexpr std::string_view kWithValue = "gCcotTsdSVMRE";
    const bool value = rest.size() > 2 && rest[2] == ' ' && kWithValue.find(rest[1]) != rest.npos;
    for (int words = value ? 2 : 1; words > 0; --words) {
      rest = trim(rest.substr(std::min(rest.find(' '), rest.size())));
    }
  }
  return printable(rest);
}

/// Tables of one file become regions: groups of events of one region follow each other and are put
/// together; the same group again is another run.
class Tables {
 public:
  void command(std::string name) { program_ = std::move(name); }
  void region(std::string name) {
    name_ = std::move(name);
    open_ = false;
  }
  void take(const Metric& metric, bool statistics) {
    if (metric.name == kRuntime) {
      std::string name = name_.empty() ? program_ : name_;
      if (name.empty()) name = "the whole program";
      tables_.push_back({.name = std::move(name), .statistics = statistics});
      open_ = true;
    }
    if (open_ && tables_.back().statistics == statistics) take_metric(metric, tables_.back());
  }

  std::vector<Region> regions() const {
    std::vector<Region> found;
    std::map<std::string, std::size_t> latest;
    std::map<std::string, int> runs;
    for (const Region& table : tables_) {
      const std::string& name = table.name;
      if (table.statistics && each_core(name)) continue;
      const auto before = latest.find(name);
      if (before != latest.end() && !repeats(found[before->second], table)) {
        join(table, found[before->second]);
        continue;
      }
      latest[name] = found.size();
      found.push_back(table);  // its name in tables_ is still asked for
      if (const int run = ++runs[name]; run > 1) {
        found.back().name = fmt::format("run {} of {}", run, name);
      }
    }
    return found;
  }

 private:
  bool each_core(const std::string& name) const {
    return std::any_of(tables_.begin(), tables_.end(),
                       [&](const Region& one) { return one.name == name && !one.statistics; });
  }
  static bool repeats(const Region& region, const Region& table) {
    return std::includes(region.metrics.begin(), region.metrics.end(), table.metrics.begin(),
                         table.metrics.end());
  }
  static void join(const Region& table, Region& region) {
    region.seconds = table.seconds;
    region.cores = table.cores;
    region.metrics.insert(table.metrics.begin(), table.metrics.end());
    for (const auto& [what, rate] : table.rates) region.rates[what] = rate;
  }

  std::vector<Region> tables_;
  std::string name_, program_;
  bool open_ = false;
};

Result<RooflineProfile> read_likwid(const Input& input) {
  RooflineProfile profile{.source = "likwid-perfctr"};
  Tables tables;
  bool statistics = false;
  for (const std::string_view line : input.lines) {
    if (line.starts_with("CPU name:")) {
      for (const std::string_view piece : split(line.substr(9), ',')) {
        if (!trim(piece).empty()) profile.device = printable(trim(piece));
      }
    }
    if (std::string command = command_of(line); !command.empty()) {
      tables.command(std::move(command));
      continue;
    }
    if (line.find(" STAT") != line.npos) {
      statistics = true;
      const auto metric = metric_of(line);
      if (const auto values = metric ? core_values(*metric) : std::nullopt) {
        tables.take(*values, true);
      }
      continue;
    }
    const std::string region = region_of(line);
    if (!region.empty() || line.starts_with("TABLE,") || line.starts_with("Group ")) {
      statistics = statistics && region.empty() && !line.starts_with("TABLE,");
      if (!region.empty()) {
        tables.region(region);
        statistics = false;
      }
      continue;
    }
    if (line.find("| HWThread ") != line.npos || line.find("| Core ") != line.npos) {
      statistics = false;  // the head of a table of each core: of another run
      continue;
    }
    if (statistics) continue;
    if (const auto metric = metric_of(line)) tables.take(*metric, false);
  }
  const std::vector<Region> regions = tables.regions();
  for (const Region& region : regions) {
    if (region.seconds > 0) profile.kernels.push_back(kernel_of_region(region));
  }
  if (mentions(input, "(AVX assumed)")) {
    profile.notes.emplace_back("likwid counted instructions, and assumed that all were AVX");
  }
  if (profile.kernels.empty()) {
    return fail({.where = printable(input.name), .message = "no region has a runtime above 0"});
  }
  return profile;
}

bool is_likwid_bench(const Input& input) {
  return mentions(input, "MByte/s:") && mentions(input, "Number of Flops:");
}

/// "Time:  0.5 sec": what stands behind the name.
std::optional<double> named_value(const Input& input, std::string_view name) {
  for (const std::string_view line : input.lines) {
    if (!line.starts_with(name)) continue;
    const std::string_view rest = trim(line.substr(name.size()));
    return parse_double(rest.substr(0, rest.find_first_of(" \t")));
  }
  return std::nullopt;
}

std::string test_name(const Input& input) {
  for (const std::string_view line : input.lines) {
    if (line.starts_with("Test:")) return printable(trim(line.substr(5)));
  }
  return "likwid-bench";
}

/// "Using 2 threads": of all work groups; 1 where it does not say.
int bench_threads(const Input& input) {
  for (const std::string_view line : input.lines) {
    constexpr std::string_view kStart = "Using ", kEnd = " threads";
    if (!line.starts_with(kStart) || !line.ends_with(kEnd)) continue;
    constexpr std::int64_t kMostThreads = 65536;
    const std::string_view count =
        line.substr(kStart.size(), line.size() - kStart.size() - kEnd.size());
    return static_cast<int>(
        std::clamp<std::int64_t>(parse_integer(count).value_or(1), 1, kMostThreads));
  }
  return 1;
}

std::string bench_precision(std::string_view test) {
  return test.find("_sp") == test.npos ? "fp64" : "fp32";
}

/// Whether its data are too large for caches, as far as it says their size.
bool moves_memory(const Input& input) {
  return check_arrays(input, named_value(input, "Size (Byte):").value_or(0)).has_value();
}

/// One for every test of the file.
std::vector<Input> bench_outputs(const Input& input) {
  std::vector<Input> outputs;
  for (const std::string_view line : input.lines) {
    if (outputs.empty() || line.starts_with("Test:")) {
      const bool banner = outputs.size() == 1 && !named_value(outputs[0], "Time:");
      if (!banner) outputs.push_back({.text = input.text, .name = input.name, .lines = {}});
    }
    outputs.back().lines.push_back(line);
  }
  return outputs;
}

Result<RooflineKernel> bench_kernel(const Input& input) {
  RooflineKernel kernel{.name = test_name(input)};
  const auto seconds = named_value(input, "Time:");
  const auto flops = named_value(input, "Number of Flops:");
  const auto bytes = named_value(input, "Data volume (Byte):");
  if (!seconds || *seconds <= 0 || !flops) {
    return fail({.where = printable(input.name),
                 .message = "expected the lines Time and Number of Flops of likwid-bench"});
  }
  kernel.seconds = *seconds;
  kernel.flops = *flops;
  kernel.precision = bench_precision(kernel.name);
  kernel.threads = bench_threads(input);
  if (bytes && moves_memory(input)) {
    kernel.bytes.push_back({"memory", *bytes});
  } else {
    kernel.missing = "its data fit into a cache: what it moves to and from memory is not known";
  }
  return kernel;
}

Result<RooflineProfile> read_likwid_bench(const Input& input) {
  RooflineProfile profile{.source = "likwid-bench"};
  std::optional<Error> wrong;
  for (const Input& one : bench_outputs(input)) {
    Result<RooflineKernel> kernel = bench_kernel(one);
    if (!kernel) {
      wrong = kernel.error();
      profile.notes.push_back(fmt::format("{} is left out: it has no time", test_name(one)));
      continue;
    }
    profile.kernels.push_back(std::move(*kernel));
  }
  if (profile.kernels.empty() && wrong) return fail(*wrong);
  return profile;
}

/// Whether its name has no instructions: those of likwid are then on one number at a time.
bool is_scalar(std::string_view test) {
  return test == "peakflops" || test == "peakflops_sp" || test == "peakflops_fma" ||
         test == "peakflops_sp_fma";
}

/// Bandwidth of memory where its data are large; operations where the test is one of the peak.
Result<void> add_bench(const Input& input, MachineCeilings& machine) {
  constexpr double kMega = 1e6;
  const std::string test = test_name(input);
  const double size = named_value(input, "Size (Byte):").value_or(0);
  const MachineCeiling about{
      .kernel = test, .threads = bench_threads(input), .working_set = std::max(0.0, size)};
  const auto add = [&](const char* level, const char* name, const std::string& precision) {
    const auto rate = named_value(input, name);
    if (!rate || *rate <= 0) return;
    MachineCeiling one = about;
    one.level = level;
    one.precision = precision;
    machine.ceilings.push_back(make_ceiling(std::move(one), {*rate * kMega}));
  };
  if (is_scalar(test)) {
    return fail({.where = printable(input.name),
                 .message = fmt::format("{} computes with one number at a time: it is no peak of a "
                                        "processor with vectors",
                                        test),
                 .hint = "run the widest that 'likwid-bench -a' lists, such as likwid-bench -t "
                         "peakflops_avx_fma or peakflops_avx512_fma"});
  }
  if (test.starts_with("peakflops")) {
    add("compute", "MFlops/s:", bench_precision(test));
  } else {
    KSTAR_CHECK(check_arrays(input, size));
    add("memory", "MByte/s:", "");
  }
  return {};
}

Result<MachineCeilings> read_likwid_bench_ceilings(const Input& input) {
  MachineCeilings machine{.name = "likwid-bench", .kind = "cpu", .writer = "likwid-bench"};
  std::optional<Error> small;
  for (const Input& one : bench_outputs(input)) {
    const Result<void> added = add_bench(one, machine);
    if (added) continue;
    small = added.error();
    machine.notes.push_back(fmt::format("{} is left out: {}", test_name(one),
                                        is_scalar(test_name(one))
                                            ? "it computes with one number at a time"
                                            : "its data fit into a cache"));
  }
  if (machine.ceilings.empty() && small) return fail(*small);
  if (machine.ceilings.empty()) {
    return fail({.where = printable(input.name), .message = "has no rate above 0"});
  }
  return machine;
}

}  // namespace

const ProfileFormat kLikwidFormat = {"likwid-perfctr", is_likwid, read_likwid};
const ProfileFormat kLikwidBenchFormat = {"likwid-bench", is_likwid_bench, read_likwid_bench};
const CeilingFormat kLikwidBenchCeilings = {"likwid-bench", is_likwid_bench,
                                            read_likwid_bench_ceilings};

}  // namespace kstar::roofline
