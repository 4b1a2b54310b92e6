// Nsight Compute: `ncu --csv`, with --page details or raw, or with single --metrics.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

constexpr const char* kRawPage =
    "run ncu with --set roofline (or full) and --page raw --csv to have them";

bool is_ncu_head(std::string_view line) {
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) &&
         line.find("Kernel Name") != line.npos;
}

bool is_ncu(const Input& input) {
  return std::any_of(input.lines.begin(), input.lines.end(), is_ncu_head);
}

/// Seconds, bytes, hertz, shares: what a unit is worth; nothing where it is none of these.
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

/// Times and bytes come in many units: without one, a number says nothing.
bool needs_unit(std::string_view metric) {
  return metric == "Duration" || metric.find("__time_") != metric.npos ||
         metric.find("__bytes") != metric.npos;
}

/// "27.595.520" and "65,77": the point groups digits, as ncu writes under some locales.
bool shows_decimal_comma(std::string_view number) {
  const std::size_t comma = number.rfind(','), point = number.rfind('.');
  if (number.find_first_not_of("0123456789.,") != number.npos) return false;
  if (comma == number.npos) {
    return point != number.npos && std::count(number.begin(), number.end(), '.') > 1;
  }
  if (std::count(number.begin(), number.end(), ',') > 1) return false;
  constexpr std::size_t kGroup = 4;  // ",344" may group digits
  return point != number.npos ? point < comma : number.size() - comma != kGroup;
}

/// Whole nanoseconds: "117.344 ns" has groups, not a fraction.
bool groups_nanoseconds(std::string_view number, std::string_view unit) {
  const std::size_t point = number.find('.');
  return (unit == "ns" || unit == "nsecond") && point != number.npos && point <= 3 &&
         number.size() - point == 4 && number.find(',') == number.npos;
}

/// All that is known of one launch.
struct Launch {
  std::string kernel;
  std::string capability;
  std::map<std::string, double, std::less<>> values;
  std::string rules;  ///< what Nsight's own rules say, as text

  std::optional<double> value(std::string_view name) const {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  /// The first of them that is there.
  std::optional<double> any(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto found = value(name)) return found;
    }
    return std::nullopt;
  }
};

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

/// Instructions of one kind, over all threads: as a sum, or per cycle with the cycles.
std::optional<double> instructions(const Launch& launch, std::string_view kind) {
  for (const char* unit : {"sm", "smsp"}) {
    const std::string name =
        fmt::format("{}__sass_thread_inst_executed_op_{}_pred_on.sum", unit, kind);
    if (const auto sum = launch.value(name)) return sum;
    const auto per_cycle = launch.value(name + ".per_cycle_elapsed");
    const auto cycles =
        launch.any({"smsp__cycles_elapsed.avg", "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max",
                    "smsp__cycles_elapsed.max", "gpc__cycles_elapsed.max"});
    if (per_cycle && cycles) return *per_cycle * *cycles;
  }
  return std::nullopt;
}

struct Operations {
  std::optional<double> flops;
  std::string precision;
};

/// Additions and multiplications count once, fused ones twice; the precision with the most names
/// it.
Operations scalar_operations(const Launch& launch) {
  struct Kind {
    const char* precision;
    const char* add;
    const char* mul;
    const char* fma;
    double lanes;
  };
  static constexpr std::array<Kind, 3> kKinds = {{{"fp32", "fadd", "fmul", "ffma", 1},
                                                  {"fp64", "dadd", "dmul", "dfma", 1},
                                                  {"fp16", "hadd", "hmul", "hfma", 1}}};
  Operations found;
  double most = 0;
  for (const Kind& kind : kKinds) {
    const auto add = instructions(launch, kind.add), mul = instructions(launch, kind.mul),
               fma = instructions(launch, kind.fma);
    if (!add && !mul && !fma) continue;
    const double flops = kind.lanes * (add.value_or(0) + mul.value_or(0) + 2 * fma.value_or(0));
    found.flops = found.flops.value_or(0) + flops;
    if (flops <= most) continue;
    most = flops;
    found.precision = kind.precision;
  }
  return found;
}

/// Operations on matrix units, which newer versions count by themselves.
Operations matrix_operations(const Launch& launch) {
  Operations found;
  double most = 0;
  for (const auto& [name, value] : launch.values) {
    constexpr std::string_view kStart = "sm__ops_path_tensor_src_";
    if (!std::string_view(name).starts_with(kStart) || value <= 0) continue;
    double count = value;
    if (name.ends_with(".sum.per_cycle_elapsed")) {
      const auto cycles = launch.any(
          {"sm__cycles_elapsed.avg", "smsp__cycles_elapsed.avg", "sm__cycles_elapsed.max"});
      if (!cycles) continue;
      count *= *cycles;
    } else if (!name.ends_with(".sum")) {
      continue;
    }
    found.flops = found.flops.value_or(0) + count;
    if (count <= most) continue;
    most = count;
    const std::string_view rest = std::string_view(name).substr(kStart.size());
    found.precision = std::string(rest.substr(0, rest.find('_')));
  }
  return found;
}

/// By counters where the page has them, else by the names that NVIDIA's libraries give.
bool uses_matrix_units(const Launch& launch) {
  for (const auto& [name, value] : launch.values) {
    if (value > 0 && name.find("pipe_tensor") != name.npos && name.find("sum.peak") == name.npos) {
      return true;
    }
    if (value > 0 && name.starts_with("sm__ops_path_tensor")) return true;
  }
  const std::string name = lower_case(launch.kernel);
  constexpr std::array<std::string_view, 12> kSigns = {"nvjet", "tensorop", "hmma",  "hgmma",
                                                       "wgmma", "s16816",   "s1688", "h16816",
                                                       "s884",  "bf16_s",   "f16_s", "tf32"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return name.find(sign) != name.npos; });
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
  if (const auto rate = launch.value("dram__bytes.sum.per_second")) return *rate * seconds;
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
}

void add_reported(const Launch& launch, RooflineKernel& kernel) {
  const auto put = [&](const char* of, const std::optional<double>& share) {
    if (share) kernel.reported.push_back({of, *share});
  };
  put("memory",
      launch.any({"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                  "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                  "dram__bytes.sum.pct_of_peak_sustained_elapsed"}));
  put("l2", launch.any({"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"}));
  put("l1",
      launch.any({"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active",
                  "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"}));
  put("sm",
      launch.any({"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"}));
  put("fp32", achieved(launch.rules, "FP32"));
  put("fp64", achieved(launch.rules, "FP64"));
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
  const Operations scalar = scalar_operations(launch), matrix = matrix_operations(launch);
  if (matrix.flops) {
    kernel.flops = *matrix.flops + scalar.flops.value_or(0);
    kernel.precision = matrix.precision;
    kernel.matrix = true;
  } else if (!kernel.matrix) {
    kernel.flops = scalar.flops;
    kernel.precision = scalar.precision;
  }
  add_bytes(launch, kernel);
  add_reported(launch, kernel);
  add_derived(launch, kernel);
  add_derived_bytes(launch, kernel);
  say_missing(kernel);
  return kernel;
}

struct NcuColumns {
  std::size_t id = 0, process = 0, kernel = 0, capability = 0, metric = 0, unit = 0, value = 0,
              rule = 0;
  bool has_process = false, has_capability = false, has_rule = false, long_form = false;
};

class NcuReader {
 public:
  explicit NcuReader(const Input& input) : input_(input) {}

  Result<RooflineProfile> read();

 private:
  Result<void> read_head(std::size_t line);
  Result<void> take(std::size_t line);
  void find_locale(std::size_t first);
  void put(Launch& launch, const std::string& metric, const std::string& text,
           std::string_view unit);
  void take_metric(const std::vector<std::string>& fields);
  void take_row(const std::vector<std::string>& fields);
  Launch& launch_of(const std::vector<std::string>& fields);

  const Input& input_;
  std::vector<std::string> head_;
  std::vector<std::string> units_;
  NcuColumns columns_;
  std::vector<Launch> launches_;
  std::map<std::string, std::size_t> places_;
  std::size_t skipped_ = 0;
  bool decimal_comma_ = false;
  bool unit_missing_ = false;  ///< of a time or of bytes, which are then not used
};

Result<void> NcuReader::read_head(std::size_t line) {
  const auto fields = csv_fields(input_.lines[line]);
  if (!fields) {
    return fail(line_error({input_.name, line + 1, input_.lines[line]}, 0,
                           "expected a header of CSV, got a quote that is never closed"));
  }
  head_ = *fields;
  const auto find = [&](std::string_view name, std::size_t& at) {
    const auto found = std::find(head_.begin(), head_.end(), name);
    at = static_cast<std::size_t>(found - head_.begin());
    return found != head_.end();
  };
  if (!find("ID", columns_.id) || !find("Kernel Name", columns_.kernel)) {
    return fail(line_error({input_.name, line + 1, input_.lines[line]}, 0,
                           "expected the columns ID and Kernel Name"));
  }
  columns_.has_process = find("Process ID", columns_.process);
  columns_.has_capability = find("CC", columns_.capability);
  columns_.has_rule = find("Rule Description", columns_.rule);
  columns_.long_form = find("Metric Name", columns_.metric);
  if (columns_.long_form &&
      (!find("Metric Unit", columns_.unit) || !find("Metric Value", columns_.value))) {
    return fail(line_error({input_.name, line + 1, input_.lines[line]}, 0,
                           "expected the columns Metric Unit and Metric Value"));
  }
  return {};
}

Launch& NcuReader::launch_of(const std::vector<std::string>& fields) {
  const std::string key =
      (columns_.has_process ? fields[columns_.process] : "") + " " + fields[columns_.id];
  const auto [place, added] = places_.emplace(key, launches_.size());
  if (added) {
    launches_.emplace_back();
    launches_.back().kernel = fields[columns_.kernel];
    if (columns_.has_capability) launches_.back().capability = fields[columns_.capability];
  }
  return launches_[place->second];
}

/// One number that is written with a decimal comma decides for all: "117.344" alone does not tell.
void NcuReader::find_locale(std::size_t first) {
  for (std::size_t i = first; i < input_.lines.size() && !decimal_comma_; ++i) {
    const auto fields = csv_fields(input_.lines[i]);
    if (!fields) continue;
    if (!columns_.long_form) {
      for (std::size_t at = 0; at < fields->size() && at < head_.size(); ++at) {
        decimal_comma_ = decimal_comma_ || (head_[at].find("__") != std::string::npos &&
                                            shows_decimal_comma((*fields)[at]));
      }
    } else if (fields->size() > std::max(columns_.unit, columns_.value)) {
      const std::string& value = (*fields)[columns_.value];
      decimal_comma_ =
          shows_decimal_comma(value) || groups_nanoseconds(value, (*fields)[columns_.unit]);
    }
  }
}

void NcuReader::put(Launch& launch, const std::string& metric, const std::string& text,
                    std::string_view unit) {
  std::string number = text;
  if (decimal_comma_) {
    std::erase(number, '.');
    std::replace(number.begin(), number.end(), ',', '.');
  }
  const auto value = loose_number(number);
  if (!value || *value < 0 || metric.empty()) return;  // nothing that is counted is negative
  const auto worth = worth_of(unit);
  if (!worth && needs_unit(metric)) {
    unit_missing_ = true;
    return;
  }
  launch.values.emplace(metric, *value * worth.value_or(1));
}

void NcuReader::take_metric(const std::vector<std::string>& fields) {
  Launch& launch = launch_of(fields);
  put(launch, fields[columns_.metric], fields[columns_.value], fields[columns_.unit]);
  if (columns_.has_rule && columns_.rule < fields.size()) launch.rules += fields[columns_.rule];
}

/// One row per launch, one column per metric; the first row has the units.
void NcuReader::take_row(const std::vector<std::string>& fields) {
  if (fields[columns_.id].empty() && fields[columns_.kernel].empty()) {
    units_ = fields;
    return;
  }
  Launch& launch = launch_of(fields);
  for (std::size_t i = 0; i < fields.size() && i < head_.size(); ++i) {
    if (head_[i].find("__") == std::string::npos) continue;
    put(launch, head_[i], fields[i], i < units_.size() ? std::string_view(units_[i]) : "");
  }
}

Result<void> NcuReader::take(std::size_t line) {
  const std::string_view text = input_.lines[line];
  if (text.empty() || text.starts_with("==") || is_ncu_head(text)) return {};
  const auto fields = csv_fields(text);
  // Columns behind those that are read may be left out of rows that have nothing in them.
  std::size_t needed = std::max(columns_.id, columns_.kernel);
  if (columns_.has_process) needed = std::max(needed, columns_.process);
  if (columns_.has_capability) needed = std::max(needed, columns_.capability);
  if (columns_.long_form) {
    needed = std::max({needed, columns_.metric, columns_.unit, columns_.value});
  }
  if (!fields || fields->size() <= needed || fields->size() > head_.size() + 1) {
    ++skipped_;
    return {};
  }
  columns_.long_form ? take_metric(*fields) : take_row(*fields);
  return {};
}

Result<RooflineProfile> NcuReader::read() {
  const auto head = std::find_if(input_.lines.begin(), input_.lines.end(), is_ncu_head);
  const auto first = static_cast<std::size_t>(head - input_.lines.begin());
  KSTAR_CHECK(read_head(first));
  find_locale(first + 1);
  for (std::size_t i = first + 1; i < input_.lines.size(); ++i) KSTAR_CHECK(take(i));
  RooflineProfile profile;
  profile.gpu = true;
  profile.source = !columns_.long_form ? "Nsight Compute, raw page" : "Nsight Compute";
  KernelSums sums;
  std::size_t untimed = 0;
  bool details = false;
  for (const Launch& launch : launches_) {
    details = details || launch.value("Duration").has_value();
    if (auto kernel = kernel_of(launch)) {
      sums.add(std::move(*kernel));
    } else {
      ++untimed;
    }
  }
  if (details) profile.source = "Nsight Compute, details page";
  profile.kernels = sums.take();
  if (untimed > 0) {
    profile.notes.push_back(fmt::format("{} without a duration {} left out",
                                        count_text(untimed, "kernel"),
                                        untimed == 1 ? "is" : "are"));
  }
  if (skipped_ > 0) {
    profile.notes.push_back(fmt::format("{} not of the table {} skipped",
                                        count_text(skipped_, "line"),
                                        skipped_ == 1 ? "was" : "were"));
  }
  if (decimal_comma_) {
    profile.notes.emplace_back("numbers are read as 1.234,5: a point groups digits in this file");
  }
  if (unit_missing_) {
    profile.notes.emplace_back("times or bytes without a unit that is known were left out");
  }
  if (profile.kernels.empty() && unit_missing_) {
    return fail({.where = printable(input_.name),
                 .message = "the times of the kernels have no unit",
                 .hint = "a raw page has a row of units behind its header: keep it"});
  }
  if (profile.kernels.empty()) {
    return fail(
        {.where = printable(input_.name),
         .message = launches_.empty() ? "the table has no kernels" : "no kernel has a duration",
         .hint = "add gpu__time_duration.sum to the metrics"});
  }
  return profile;
}

Result<RooflineProfile> read_ncu(const Input& input) {
  return NcuReader(input).read();
}

}  // namespace

const ProfileFormat kNcuFormat = {"Nsight Compute CSV", is_ncu, read_ncu};

}  // namespace kstar::roofline
