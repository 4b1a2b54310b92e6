#include "roofline/ncu_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "roofline/readers.h"

namespace kstar::roofline {

std::optional<double> worth_of(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double worth;
  };
  static constexpr std::array<Unit, 32> kUnits = {{{"ns", 1e-9},
                                                   {"nsecond", 1e-9},
                                                   {"us", 1e-6},
                                                   {"usecond", 1e-6},
                                                   {"ms", 1e-3},
                                                   {"msecond", 1e-3},
                                                   {"s", 1},
                                                   {"second", 1},
                                                   {"byte", 1},
                                                   {"Kbyte", 1e3},
                                                   {"Mbyte", 1e6},
                                                   {"Gbyte", 1e9},
                                                   {"Tbyte", 1e12},
                                                   {"byte/s", 1},
                                                   {"byte/second", 1},
                                                   {"Kbyte/s", 1e3},
                                                   {"Kbyte/second", 1e3},
                                                   {"Mbyte/s", 1e6},
                                                   {"Mbyte/second", 1e6},
                                                   {"Gbyte/s", 1e9},
                                                   {"Gbyte/second", 1e9},
                                                   {"Tbyte/s", 1e12},
                                                   {"Tbyte/second", 1e12},
                                                   {"%", 0.01},
                                                   {"hz", 1},
                                                   {"Hz", 1},
                                                   {"Khz", 1e3},
                                                   {"Mhz", 1e6},
                                                   {"Ghz", 1e9},
                                                   {"cycle/second", 1},
                                                   {"cycle/nsecond", 1e9},
                                                   {"cycle/usecond", 1e6}}};
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& one) { return one.name == unit; });
  if (found == kUnits.end()) return std::nullopt;
  return found->worth;
}

namespace {

/// "Memory Throughput" in bytes per second is of DRAM; as a share it is of the busiest level.
constexpr const char* kMemoryRate = "Memory Throughput, B/s";

constexpr const char* kRawPage =
    "run ncu with --set roofline (or full) and --page raw --csv to have them";

/// Times and bytes come in many units: without one, a number says nothing. What a GPU could do per
/// cycle is not read.
bool needs_unit(std::string_view metric) {
  if (metric.find(".peak_sustained") != metric.npos) return false;
  return metric == "Duration" || metric.find("__time_") != metric.npos ||
         metric.find("__bytes") != metric.npos;
}

/// "achieved 76% of this device's FP32 peak performance", of the text of a rule.
std::optional<double> achieved(std::string_view rules, std::string_view precision) {
  const std::string behind = fmt::format("% of its {} peak", precision);
  const std::string first = fmt::format("% of this device's {} peak", precision);
  for (const std::string& words : {first, behind}) {
    const std::size_t at = rules.find(words);
    if (at == rules.npos) continue;
    std::size_t start = at;
    while (start > 0 && (is_digit(rules[start - 1]) || rules[start - 1] == '.')) --start;
    if (const auto share = parse_double(rules.substr(start, at - start))) return *share / 100;
  }
  return std::nullopt;
}

/// How many cycles the kernel took.
std::optional<double> cycles_of(const Launch& launch, double seconds) {
  if (const auto rate = launch.any(
          {"smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second"})) {
    return *rate * seconds;
  }
  return launch.any({"smsp__cycles_elapsed.avg", "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max",
                     "smsp__cycles_elapsed.max", "gpc__cycles_elapsed.max"});
}

/// Instructions of one kind, over all threads: as a sum, or per cycle. Of fused ones the pages of
/// the roofline's own sets have twice the number (of half precision, which is packed, four times).
std::optional<double> instructions(const Launch& launch, std::string_view kind, double seconds) {
  const auto cycles = cycles_of(launch, seconds);
  for (const char* unit : {"sm", "smsp"}) {
    const std::string name =
        fmt::format("{}__sass_thread_inst_executed_op_{}_pred_on.sum", unit, kind);
    if (const auto sum = launch.value(name)) return sum;
    const auto per_cycle = launch.value(name + ".per_cycle_elapsed");
    if (per_cycle && cycles) return *per_cycle * *cycles;
  }
  for (const double times : {2.0, 4.0}) {
    const auto derived = launch.value(
        fmt::format("derived__smsp__sass_thread_inst_executed_op_{}_pred_on_x{}", kind, times));
    if (derived && cycles) return *derived / times * *cycles;
  }
  return std::nullopt;
}

struct Operations {
  std::optional<double> flops;
  std::string precision;
  std::string uncounted;  ///< what else may bound it, in words; may be empty
};

/// Additions and multiplications count once, fused ones twice; the precision with the most names
/// it. What was not counted, and fp64 among others, may be what bounds it.
Operations scalar_operations(const Launch& launch, double seconds) {
  struct Kind {
    const char* precision;
    const char* add;
    const char* mul;
    const char* fma;
    double lanes;  // half precision is packed in pairs
  };
  static constexpr std::array<Kind, 3> kKinds = {{{"fp32", "fadd", "fmul", "ffma", 1},
                                                  {"fp64", "dadd", "dmul", "dfma", 1},
                                                  {"fp16", "hadd", "hmul", "hfma", 2}}};
  Operations found;
  double most = 0, doubles = 0;
  for (const Kind& kind : kKinds) {
    const std::string_view precision = kind.precision;
    const auto add = instructions(launch, kind.add, seconds),
               mul = instructions(launch, kind.mul, seconds),
               fma = instructions(launch, kind.fma, seconds);
    const bool some = add || mul || fma, all = add && mul && fma;
    if (some != all || (!some && precision != "fp16")) {
      found.uncounted =
          some ? fmt::format("only some kinds of {} operations were counted", precision)
               : fmt::format("operations in {} were not counted", precision);
    }
    if (!some) continue;
    const double flops = kind.lanes * (add.value_or(0) + mul.value_or(0) + 2 * fma.value_or(0));
    found.flops = found.flops.value_or(0) + flops;
    if (precision == "fp64") doubles = flops;
    if (flops <= most) continue;
    most = flops;
    found.precision = precision;
  }
  if (!found.flops) found.uncounted.clear();  // then none is known, which is said
  constexpr double kFew = 0.01;
  if (found.precision != "fp64" && doubles > kFew * found.flops.value_or(0)) {
    found.uncounted = fmt::format("{} of its operations are in fp64, which may be what bounds it",
                                  percent(doubles / *found.flops, 0));
  }
  return found;
}

/// Operations on matrix units, which newer versions count by themselves: by the type of the source,
/// also by that of the result, and then also without and with sparsity, each a part of the former.
Operations matrix_operations(const Launch& launch, double seconds) {
  constexpr std::string_view kStart = "sm__ops_path_tensor_src_", kSum = ".sum",
                             kPerCycle = ".sum.per_cycle_elapsed";
  std::map<std::string, std::map<std::size_t, double>> found;  // by source, then by detail
  for (const auto& [name, value] : launch.values) {
    if (!std::string_view(name).starts_with(kStart)) continue;
    const std::string_view whole = std::string_view(name).substr(kStart.size());
    const bool per_cycle = whole.ends_with(kPerCycle);
    if (!per_cycle && !whole.ends_with(kSum)) continue;
    const std::string_view kind =
        whole.substr(0, whole.size() - (per_cycle ? kPerCycle : kSum).size());
    const std::string sum = fmt::format("{}{}{}", kStart, kind, kSum);
    const auto cycles = cycles_of(launch, seconds);
    if (per_cycle && (launch.value(sum) || !cycles)) continue;
    const std::size_t detail = kind.find("_sparsity_") != kind.npos ? 2
                               : kind.find("_dst_") != kind.npos    ? 1
                                                                    : 0;
    found[std::string(kind.substr(0, kind.find('_')))][detail] +=
        per_cycle ? value * *cycles : value;
  }
  Operations operations;
  double most = 0;
  for (const auto& [precision, details] : found) {
    const double count = details.begin()->second;  // the whole, not its parts
    if (count <= 0) continue;
    operations.flops = operations.flops.value_or(0) + count;
    if (count <= most) continue;
    most = count;
    operations.precision = precision;
  }
  return operations;
}

/// By counters where the page has them, else by the names that NVIDIA's libraries give. Packed
/// half-precision operations run on the matrix units' pipe, too: little use of it says nothing.
bool uses_matrix_units(const Launch& launch) {
  constexpr double kLittle = 0.05;
  bool counted = false, operates = false, busy = false, used = false;
  for (const auto& [name, value] : launch.values) {
    if (name.find(".peak_sustained") != name.npos) continue;  // what it could do
    const bool share = name.find(".pct_of_peak") != name.npos;
    if (name.starts_with("sm__ops_path_tensor")) {
      counted = true;
      operates = operates || value > 0;
    } else if (name.find("pipe_tensor") != name.npos) {
      (share ? busy : used) |= value > (share ? kLittle : 0);
    }
  }
  if (operates || busy || (used && !counted)) return true;
  const std::string name = lower_case(launch.kernel);
  constexpr std::array<std::string_view, 14> kSigns = {
      "nvjet",  "tensorop", "hmma",   "hgmma", "wgmma", "s16816", "s1688",
      "h16816", "s884",     "bf16_s", "f16_s", "tf32",  "dmma",   "xmma_gemm_f64"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return name.find(sign) != name.npos; });
}

/// Whether reads or writes of the memory alone were counted.
bool counts_one_way(const Launch& launch) {
  if (launch.any({"dram__bytes.sum", "dram__bytes_op.sum"})) return false;
  const bool read = launch.any({"dram__bytes_read.sum", "dram__bytes_op_read.sum"}).has_value();
  const bool write = launch.any({"dram__bytes_write.sum", "dram__bytes_op_write.sum"}).has_value();
  if (read || write) return read != write;
  if (launch.value("dram__sectors.sum")) return false;
  return launch.value("dram__sectors_read.sum").has_value() !=
         launch.value("dram__sectors_write.sum").has_value();
}

std::optional<double> memory_bytes(const Launch& launch, double seconds) {
  if (const auto sum = launch.any({"dram__bytes.sum", "dram__bytes_op.sum"})) return sum;
  const auto read = launch.any({"dram__bytes_read.sum", "dram__bytes_op_read.sum"});
  const auto write = launch.any({"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
  if (read || write) return read.value_or(0) + write.value_or(0);
  if (const auto sectors = launch.value("dram__sectors.sum")) return 32 * *sectors;
  const auto reads = launch.value("dram__sectors_read.sum"),
             writes = launch.value("dram__sectors_write.sum");
  if (reads || writes) return 32 * (reads.value_or(0) + writes.value_or(0));
  if (const auto rate = launch.any({"dram__bytes.sum.per_second", kMemoryRate})) {
    return *rate * seconds;
  }
  return std::nullopt;
}

void add_bytes(const Launch& launch, RooflineKernel& kernel) {
  const auto put = [&](const char* level, const std::optional<double>& bytes) {
    if (bytes) kernel.bytes.push_back({level, *bytes});
  };
  std::optional<double> l1 = launch.value("l1tex__t_bytes.sum");
  std::optional<double> l2 = launch.value("lts__t_bytes.sum");
  if (!l2) {
    if (const auto sectors = launch.value("lts__t_sectors.sum")) l2 = 32 * *sectors;
  }
  put("l1", l1);
  put("l2", l2);
  put("memory", memory_bytes(launch, kernel.seconds));
  kernel.part_of_bytes = counts_one_way(launch);
}

/// Of the peak that a raw page has: fused operations per cycle of the whole GPU, at its clock.
std::optional<double> counted_share(const Launch& launch, const RooflineKernel& kernel,
                                    std::string_view fma) {
  const auto twice =
      launch.value(fmt::format("derived__sm__sass_thread_inst_executed_op_{}_pred_on_x2", fma));
  const auto once = launch.value(
      fmt::format("sm__sass_thread_inst_executed_op_{}_pred_on.sum.peak_sustained", fma));
  const auto clock = launch.value("sm__cycles_elapsed.avg.per_second");
  const double per_cycle = twice ? *twice : 2 * once.value_or(0);
  if (!kernel.flops || kernel.matrix || !clock || per_cycle <= 0 || *clock <= 0)
    return std::nullopt;
  return *kernel.flops / kernel.seconds / (per_cycle * *clock);
}

/// Nsight's share of the L1 cache is of the cycles in which a multiprocessor had work, all others
/// are of the whole time.
std::optional<double> l1_share(const Launch& launch) {
  if (const auto whole = launch.value("l1tex__throughput.avg.pct_of_peak_sustained_elapsed")) {
    return whole;
  }
  const auto share = launch.any({"L1/TEX Cache Throughput", "SOL L1/TEX Cache", "SOL TEX",
                                 "l1tex__throughput.avg.pct_of_peak_sustained_active"});
  const auto active = launch.any({"SM Active Cycles", "sm__cycles_active.avg"});
  const auto elapsed = launch.any({"Elapsed Cycles", "sm__cycles_elapsed.avg",
                                   "sm__cycles_elapsed.max", "gpc__cycles_elapsed.max"});
  if (!share || !active || !elapsed || *elapsed <= 0) return share;
  return *share * std::min(1.0, *active / *elapsed);
}

void add_reported(const Launch& launch, RooflineKernel& kernel) {
  const auto put = [&](const char* of, const std::optional<double>& share) {
    if (share) kernel.reported.push_back({of, *share});
  };
  put("memory", launch.any({"DRAM Throughput", "SOL DRAM", "SOL FB",
                            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                            "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                            "dram__bytes.sum.pct_of_peak_sustained_elapsed"}));
  put("l2", launch.any({"L2 Cache Throughput", "SOL L2 Cache", "SOL L2",
                        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"}));
  put("l1", l1_share(launch));
  put("sm", launch.any({"Compute (SM) Throughput", "Compute (SM) [%]", "SM [%]", "SOL SM",
                        "sm__throughput.avg.pct_of_peak_sustained_elapsed"}));
  const auto said_or_counted = [&](const char* precision, const char* fma, const char* rule) {
    const auto said = achieved(launch.rules, rule);
    return said || kernel.precision != precision ? said : counted_share(launch, kernel, fma);
  };
  put("fp32", said_or_counted("fp32", "ffma", "FP32"));
  put("fp64", said_or_counted("fp64", "dfma", "FP64"));
}

/// The page has no counts of operations, but the share of the peak: SMs x lanes x 2 x clock. The
/// number of SMs follows from the cycles of all of them.
void add_derived(const Launch& launch, RooflineKernel& kernel) {
  if (kernel.flops || kernel.matrix) return;
  struct Lanes {
    std::string_view capability;
    double fp32;
  };
  static constexpr std::array<Lanes, 12> kLanes = {{{"6.0", 64},
                                                    {"6.1", 128},
                                                    {"7.0", 64},
                                                    {"7.5", 64},
                                                    {"8.0", 64},
                                                    {"8.6", 128},
                                                    {"8.7", 128},
                                                    {"8.9", 128},
                                                    {"9.0", 128},
                                                    {"10.0", 128},
                                                    {"10.3", 128},
                                                    {"12.0", 128}}};
  const auto share = achieved(launch.rules, "FP32");
  const auto all = launch.value("Total SM Elapsed Cycles"), one = launch.value("Elapsed Cycles"),
             clock = launch.value("SM Frequency");
  const auto* const lanes = std::find_if(kLanes.begin(), kLanes.end(), [&](const Lanes& known) {
    return known.capability == launch.capability;
  });
  if (!share || *share <= 0 || !all || !one || !clock || *one <= 0 || lanes == kLanes.end()) return;
  const double processors = std::round(*all / *one);
  kernel.flops = *share * processors * lanes->fp32 * 2 * *clock * kernel.seconds;
  kernel.precision = "fp32";
}

/// HBM moves 32 bytes per channel and cycle; how many channels there are follows from their cycles.
void add_derived_bytes(const Launch& launch, RooflineKernel& kernel) {
  const bool hbm = launch.capability == "8.0" || launch.capability == "9.0";
  const auto share = launch.value("DRAM Throughput"),
             all = launch.value("Total DRAM Elapsed Cycles"),
             clock = launch.value("DRAM Frequency");
  if (!hbm || !kernel.bytes.empty() || !share || !all || !clock || kernel.seconds <= 0) return;
  const double channels = std::round(*all / (*clock * kernel.seconds));
  kernel.bytes.push_back({"memory", *share * channels * 32 * *clock * kernel.seconds});
}

void say_missing(RooflineKernel& kernel) {
  if (kernel.matrix && !kernel.flops) {
    kernel.missing =
        fmt::format("operations of the matrix units are not in this page: {}", kRawPage);
  } else if (!kernel.flops && std::none_of(kernel.reported.begin(), kernel.reported.end(),
                                           [](const ReportedShare& one) {
                                             return one.of == "fp32" || one.of == "fp64";
                                           })) {
    kernel.missing = fmt::format("operations are not in this page: {}", kRawPage);
  } else if (kernel.bytes.empty() && kernel.reported.empty()) {
    kernel.missing = fmt::format("bytes are not in this page: {}", kRawPage);
  }
}

void say_part(const Launch& launch, RooflineKernel& kernel) {
  const auto also = [&](std::string text) {
    kernel.missing += (kernel.missing.empty() ? "" : "; ") + std::move(text);
  };
  if (kernel.part_of_bytes) also("of what memory moved, reads or writes alone were counted");
  const bool levels =
      std::any_of(kernel.reported.begin(), kernel.reported.end(),
                  [](const ReportedShare& one) { return one.of == "memory" || one.of[0] == 'l'; });
  const auto share =
      launch.any({"Memory Throughput", "Memory [%]", "SOL Memory",
                  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"});
  const auto l1 = std::find_if(kernel.reported.begin(), kernel.reported.end(),
                               [](const ReportedShare& one) { return one.of == "l1"; });
  constexpr double kApart = 1.1;
  if (share && *share < kBoundShare && l1 != kernel.reported.end() && l1->share >= kBoundShare &&
      l1->share > kApart * *share) {
    kernel.l1_contested = true;
    also(
        fmt::format("its L1 is busy to {}, and all of its memory to {} by the same page: what L1 "
                    "is busy with is not known",
                    percent(l1->share, 0), percent(*share, 0)));
  }
  if (!levels && share) {
    also(fmt::format("some level of its memory is used to {}, which is not in this page",
                     percent(*share, 0)));
  }
}

std::string short_name(std::string_view name) {
  std::string text = printable(name);
  if (text.starts_with("void ")) text.erase(0, 5);
  const std::size_t parameters = text.find('(');
  if (parameters != text.npos && parameters > 0 && !text.starts_with("(")) {
    const std::size_t open = text.find('<');
    if (open == text.npos || open > parameters) text.erase(parameters);
  }
  return text;
}

std::optional<RooflineKernel> kernel_of(const Launch& launch) {
  RooflineKernel kernel;
  kernel.name = short_name(launch.kernel);
  const auto seconds =
      launch.any({"gpu__time_duration.sum", "gpu__time_duration.avg", "gpu__time_duration.max",
                  "gpu__time_active.avg", "gpu__time_active.sum", "Duration"});
  if (seconds && *seconds > 0) {
    kernel.seconds = *seconds;
  } else {
    const auto cycles = launch.any({"sm__cycles_elapsed.max", "sm__cycles_elapsed.avg",
                                    "Elapsed Cycles", "gpc__cycles_elapsed.max"});
    const auto clock = launch.any({"SM Frequency", "sm__cycles_elapsed.avg.per_second",
                                   "gpc__cycles_elapsed.avg.per_second"});
    if (!cycles || !clock || *clock <= 0) return std::nullopt;
    kernel.seconds = *cycles / *clock;
  }
  kernel.matrix = uses_matrix_units(launch);
  const Operations scalar = scalar_operations(launch, kernel.seconds),
                   matrix = matrix_operations(launch, kernel.seconds);
  if (matrix.flops) {
    kernel.flops = *matrix.flops + scalar.flops.value_or(0);
    kernel.precision =
        *matrix.flops >= scalar.flops.value_or(0) ? matrix.precision : scalar.precision;
    kernel.matrix = true;
  } else if (!kernel.matrix) {
    kernel.flops = scalar.flops;
    kernel.precision = scalar.precision;
    kernel.missing = scalar.uncounted;
  }
  add_bytes(launch, kernel);
  add_reported(launch, kernel);
  add_derived(launch, kernel);
  add_derived_bytes(launch, kernel);
  say_missing(kernel);
  say_part(launch, kernel);
  return kernel;
}

}  // namespace

bool shows_decimal_comma(std::string_view number, std::string_view unit) {
  if (number.find_first_not_of("0123456789.,") != number.npos) return false;
  constexpr std::size_t kGroup = 3;
  const auto commas = std::count(number.begin(), number.end(), ',');
  const auto parts = split(number, '.');
  const bool groups = parts.size() > 1 && !parts[0].empty() && parts[0].size() <= kGroup &&
                      std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
                        return part.substr(0, part.find(',')).size() == kGroup;
                      });
  if (commas == 0) return groups && (parts.size() > 2 || unit == "ns" || unit == "nsecond");
  if (commas > 1) return false;
  const std::size_t comma = number.find(',');
  if (parts.size() > 1) return groups && number.rfind('.') < comma;
  return number.size() - comma - 1 != kGroup;  // ",344" may group digits
}

std::optional<double> ncu_number(std::string text, bool decimal_comma) {
  if (decimal_comma) {
    std::erase(text, '.');
    std::replace(text.begin(), text.end(), ',', '.');
  }
  return loose_number(text);
}

namespace {

/// Of a raw page of versions whose tables have no column for it, by the device's attributes.
std::string capability_of(const Launch& launch) {
  const auto major = launch.value("device__attribute_compute_capability_major"),
             minor = launch.value("device__attribute_compute_capability_minor");
  if (!launch.capability.empty() || !major || !minor) return printable(launch.capability);
  return fmt::format("{:.0f}.{:.0f}", *major, *minor);
}

/// Of several GPUs none is named.
void set_device(const std::vector<Launch>& launches, RooflineProfile& profile) {
  std::set<std::string> devices, capabilities;
  for (const Launch& launch : launches) {
    if (!launch.device.empty()) devices.insert(printable(launch.device));
    if (std::string known = capability_of(launch); !known.empty()) capabilities.insert(known);
  }
  if (devices.size() == 1) profile.device = *devices.begin();
  if (capabilities.size() == 1) profile.capability = *capabilities.begin();
  if (devices.size() < 2 && capabilities.size() < 2) return;
  profile.notes.push_back(
      fmt::format("its kernels ran on GPUs of different kinds ({}): which were on that of the "
                  "machine file is not checked",
                  fmt::join(devices.size() > 1 ? devices : capabilities, ", ")));
}

}  // namespace

bool put_metric(Launch& launch, const std::string& metric, double value, std::string_view unit) {
  const auto worth = worth_of(unit);
  if (!worth && needs_unit(metric)) return false;
  if (metric == "Memory Throughput" && worth && unit.find("byte/s") != unit.npos) {
    launch.values.emplace(kMemoryRate, value * *worth);
    return true;
  }
  launch.values.emplace(metric, value * worth.value_or(1));
  return true;
}

Result<RooflineProfile> profile_of_launches(const std::vector<Launch>& launches,
                                            std::string_view source, std::string_view file,
                                            bool unit_missing) {
  RooflineProfile profile{.source = std::string(source), .gpu = true};
  KernelSums sums;
  std::size_t untimed = 0;
  set_device(launches, profile);
  for (const Launch& launch : launches) {
    if (auto kernel = kernel_of(launch)) {
      sums.add(std::move(*kernel));
    } else {
      ++untimed;
    }
  }
  profile.kernels = sums.take();
  if (profile.kernels.empty() && unit_missing) {
    return fail({.where = printable(file),
                 .message = "the times of the kernels have no unit",
                 .hint = "a raw page has a row of units behind its header: keep it"});
  }
  if (profile.kernels.empty()) {
    return fail(
        {.where = printable(file),
         .message = launches.empty() ? "the table has no kernels" : "no kernel has a duration",
         .hint = "run ncu with --section SpeedOfLight, too, or with gpu__time_duration.sum among "
                 "its --metrics"});
  }
  if (untimed > 0) {
    profile.notes.push_back(fmt::format("{} without a duration {} left out",
                                        count_text(untimed, "kernel"),
                                        untimed == 1 ? "is" : "are"));
  }
  if (unit_missing) {
    profile.notes.emplace_back("times or bytes without a unit that is known were left out");
  }
  return profile;
}

}  // namespace kstar::roofline
