// rocprof-compute (Omniperf): pmc_perf.csv with counters by dispatch, and roofline.csv with the
// ceilings that its own benchmark found.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

bool is_rocprof(const Input& input) {
  const std::string_view head = input.lines.front();
  const bool kernels =
      head.find("Kernel_Name") != head.npos || head.find("KernelName") != head.npos;
  return kernels &&
         (head.find("Counter_Value") != head.npos || head.find("SQ_INSTS") != head.npos ||
          head.find("TCC_") != head.npos || head.find("Start_Timestamp") != head.npos ||
          head.find("BeginNs") != head.npos);
}

/// A table of dispatches: one row of each, one column of each counter.
struct Dispatches {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// rocprofv3's counter_collection.csv has one row of each counter instead.
Dispatches by_dispatch(const Dispatches& table) {
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(table.head.begin(), table.head.end(), name) -
                                    table.head.begin());
  };
  const std::size_t counter = at("Counter_Name"), value = at("Counter_Value");
  if (counter == table.head.size() || value == table.head.size()) return table;
  Dispatches wide{.head = table.head, .rows = {}};
  std::map<std::string, std::size_t> columns, places;
  for (const std::vector<std::string>& row : table.rows) {
    std::string key;
    for (const char* name : {"Process_Id", "Agent_Id", "Dispatch_Id", "Kernel_Name"}) {
      if (at(name) < row.size()) key += row[at(name)] + " ";
    }
    const auto [place, added] = places.emplace(std::move(key), wide.rows.size());
    if (added) wide.rows.push_back(row);
    const auto [column, unseen] = columns.emplace(row[counter], wide.head.size());
    if (unseen) wide.head.push_back(row[counter]);
    std::vector<std::string>& fields = wide.rows[place->second];
    fields.resize(std::max(fields.size(), column->second + 1));
    fields[column->second] = row[value];
  }
  return wide;
}

/// The counters of one dispatch, by name.
class Dispatch {
 public:
  Dispatch(const std::vector<std::string>& head, const std::vector<std::string>& fields)
      : head_(head), fields_(fields) {}

  std::optional<double> value(std::string_view name) const {
    for (std::size_t i = 0; i < head_.size() && i < fields_.size(); ++i) {
      if (head_[i] == name) return loose_number(fields_[i]);
    }
    return std::nullopt;
  }
  /// Under the first of these names that is there.
  std::optional<double> any(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto found = value(name)) return found;
    }
    return std::nullopt;
  }
  /// "NAME_sum", or NAME[0] + NAME[1] + ...
  std::optional<double> sum(const std::string& name) const {
    if (const auto whole = value(name + "_sum")) return whole;
    std::optional<double> total;
    for (std::size_t i = 0; i < head_.size() && i < fields_.size(); ++i) {
      if (!head_[i].starts_with(name + "[")) continue;
      if (const auto one = loose_number(fields_[i])) total = total.value_or(0) + *one;
    }
    return total;
  }
  const std::string& text(std::string_view name) const {
    static const std::string kNone;
    for (std::size_t i = 0; i < head_.size() && i < fields_.size(); ++i) {
      if (head_[i] == name) return fields_[i];
    }
    return kNone;
  }

 private:
  const std::vector<std::string>& head_;
  const std::vector<std::string>& fields_;
};

struct Counted {
  std::optional<double> flops;
  std::string precision;
  bool matrix = false;
};

/// A wave has 64 lanes; a matrix instruction counts units of 512 operations.
Counted operations_of(const Dispatch& dispatch) {
  constexpr double kLanes = 64, kUnit = 512;
  Counted found;
  double most = 0;
  const auto add = [&](const char* precision, double flops, bool matrix) {
    found.flops = found.flops.value_or(0) + flops;
    if (flops <= most) return;
    most = flops;
    found.precision = precision;
    found.matrix = matrix;
  };
  for (const auto& [suffix, precision] :
       {std::pair{"F16", "fp16"}, std::pair{"F32", "fp32"}, std::pair{"F64", "fp64"}}) {
    const auto count = [&](const char* kind) {
      return dispatch.value(fmt::format("SQ_INSTS_VALU_{}_{}", kind, suffix));
    };
    const auto plus = count("ADD"), times = count("MUL"), fused = count("FMA"),
               other = count("TRANS");
    if (!plus && !times && !fused) continue;
    add(precision,
        kLanes * (plus.value_or(0) + times.value_or(0) + other.value_or(0) + 2 * fused.value_or(0)),
        false);
  }
  for (const auto& [suffix, precision] : {std::pair{"F16", "fp16"}, std::pair{"BF16", "bf16"},
                                          std::pair{"F32", "fp32"}, std::pair{"F64", "fp64"}}) {
    if (const auto count = dispatch.value(fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", suffix))) {
      add(precision, kUnit * *count, true);
    }
  }
  return found;
}

/// Of rocprof's own sums, in KiB.
std::optional<double> derived_bytes(const Dispatch& dispatch) {
  const auto read = dispatch.value("FETCH_SIZE"), written = dispatch.value("WRITE_SIZE");
  constexpr double kKibi = 1024;
  if (!read || !written) return std::nullopt;
  return kKibi * (*read + *written);
}

/// Requests of 64 bytes, some of 32; on newer parts some of 128.
std::optional<double> hbm_bytes(const Dispatch& dispatch) {
  const auto either = [&](const char* name, const char* newer) {
    const auto old = dispatch.sum(name);
    return old ? old : dispatch.sum(newer);
  };
  const auto reads = either("TCC_EA_RDREQ", "TCC_EA0_RDREQ");
  const auto small = either("TCC_EA_RDREQ_32B", "TCC_EA0_RDREQ_32B");
  const auto writes = either("TCC_EA_WRREQ", "TCC_EA0_WRREQ");
  const auto wide = either("TCC_EA_WRREQ_64B", "TCC_EA0_WRREQ_64B");
  if (!reads || !writes) return derived_bytes(dispatch);
  const double large = dispatch.sum("TCC_BUBBLE").value_or(0);
  const double r32 = small.value_or(0), w64 = wide.value_or(*writes);
  return 128 * large + 64 * (*reads - r32 - large) + 32 * r32 + 64 * w64 + 32 * (*writes - w64);
}

std::optional<double> l2_bytes(const Dispatch& dispatch) {
  const auto reads = dispatch.sum("TCP_TCC_READ_REQ"), writes = dispatch.sum("TCP_TCC_WRITE_REQ");
  if (!reads || !writes) return std::nullopt;
  const bool newer = dispatch.sum("TCC_EA0_RDREQ").has_value();
  const double atomics = dispatch.sum("TCP_TCC_ATOMIC_WITH_RET_REQ").value_or(0) +
                         dispatch.sum("TCP_TCC_ATOMIC_WITHOUT_RET_REQ").value_or(0);
  return (newer ? 128 : 64) * *reads + 64 * (*writes + atomics);
}

std::optional<RooflineKernel> dispatch_kernel(const Dispatch& dispatch) {
  const auto start = dispatch.any({"Start_Timestamp", "BeginNs"});
  const auto end = dispatch.any({"End_Timestamp", "EndNs"});
  if (!start || !end || *end <= *start) return std::nullopt;
  RooflineKernel kernel;
  const std::string& name = dispatch.text("Kernel_Name");
  kernel.name = printable(name.empty() ? dispatch.text("KernelName") : name);
  if (kernel.name.ends_with(" [clone .kd]")) kernel.name.resize(kernel.name.size() - 12);
  kernel.seconds = (*end - *start) * 1e-9;
  const Counted counted = operations_of(dispatch);
  kernel.flops = counted.flops;
  kernel.precision = counted.precision;
  kernel.matrix = counted.matrix;
  if (const auto accesses = dispatch.sum("TCP_TOTAL_CACHE_ACCESSES")) {
    kernel.bytes.push_back({"l1", 64 * *accesses});
  }
  if (const auto bytes = l2_bytes(dispatch)) kernel.bytes.push_back({"l2", *bytes});
  // Some parts have no such counter, and give 0.
  if (const auto bytes = hbm_bytes(dispatch); bytes.value_or(0) > 0) {
    kernel.bytes.push_back({"memory", *bytes});
  }
  if (!kernel.flops) {
    kernel.missing = "operations were not counted: profile with the roofline set";
  } else if (kernel.bytes.empty()) {
    kernel.missing = "bytes were not counted: profile with the roofline set";
  }
  return kernel;
}

Result<RooflineProfile> read_rocprof(const Input& input) {
  const auto head = csv_fields(input.lines.front());
  if (!head) {
    return fail(line_error({input.name, 1, input.lines.front()}, 0,
                           "expected a header of CSV, got a quote that is never closed"));
  }
  Dispatches table{.head = *head, .rows = {}};
  for (std::size_t i = 1; i < input.lines.size(); ++i) {
    if (trim(input.lines[i]).empty()) continue;
    const auto fields = csv_fields(input.lines[i]);
    if (!fields || fields->size() != head->size()) {
      return fail(line_error(
          {input.name, i + 1, input.lines[i]}, 0,
          fmt::format("expected {} fields, got {}", head->size(), fields ? fields->size() : 0)));
    }
    table.rows.push_back(*fields);
  }
  table = by_dispatch(table);
  RooflineProfile profile{.source = "rocprof-compute", .gpu = true};
  KernelSums sums;
  std::size_t untimed = 0;
  for (const std::vector<std::string>& row : table.rows) {
    if (auto kernel = dispatch_kernel(Dispatch(table.head, row))) {
      sums.add(std::move(*kernel));
    } else {
      ++untimed;
    }
  }
  profile.kernels = sums.take();
  if (profile.kernels.empty()) {
    return fail(
        {.where = printable(input.name),
         .message = table.rows.empty() ? "the table has no kernels" : "no kernel has timestamps"});
  }
  if (untimed > 0) {
    profile.notes.push_back(
        fmt::format("{} without timestamps left out", count_text(untimed, "dispatch line")));
  }
  return profile;
}

bool is_rocprof_ceilings(const Input& input) {
  const std::string_view head = input.lines.front();
  return head.find("HBMBw") != head.npos && head.find("FP32Flops") != head.npos;
}

/// "HBMBw" has its upper end in "hbmBwHigh".
std::optional<double> high_of(const Dispatch& row, std::string_view name) {
  const auto high = row.value(fmt::format("{}High", name));
  return high || name != "HBMBw" ? high : row.value("hbmBwHigh");
}

/// GB/s and GFLOP/s, with the ends of its own interval.
Result<MachineCeilings> read_rocprof_ceilings(const Input& input) {
  const auto head = csv_fields(input.lines.front());
  const auto fields = input.lines.size() > 1 ? csv_fields(input.lines[1]) : std::nullopt;
  if (!head || !fields || fields->size() != head->size()) {
    return fail({.where = printable(input.name),
                 .message = "expected a header and one row per device, of as many fields"});
  }
  struct Column {
    const char* name;
    const char* level;
    const char* precision;
    const char* vector;
  };
  static constexpr std::array<Column, 9> kColumns = {
      {{"HBMBw", "memory", "", ""},
       {"L2Bw", "l2", "", ""},
       {"L1Bw", "l1", "", ""},
       {"FP32Flops", "compute", "fp32", ""},
       {"FP64Flops", "compute", "fp64", ""},
       {"MFMABF16Flops", "compute", "bf16", "matrix"},
       {"MFMAF16Flops", "compute", "fp16", "matrix"},
       {"MFMAF32Flops", "compute", "fp32", "matrix"},
       {"MFMAF64Flops", "compute", "fp64", "matrix"}}};
  const std::string_view file = input.name.substr(input.name.find_last_of('/') + 1);
  MachineCeilings machine{.name = printable(file), .kind = "gpu"};
  machine.writer = "rocprof-compute";
  const Dispatch row(*head, *fields);
  for (const Column& column : kColumns) {
    constexpr double kGiga = 1e9;
    const auto value = row.value(column.name);
    if (!value || *value <= 0) continue;
    const auto low = row.value(fmt::format("{}Low", column.name)), high = high_of(row, column.name);
    MachineCeiling ceiling = make_ceiling({.level = column.level,
                                           .kernel = "",
                                           .precision = column.precision,
                                           .vector = column.vector},
                                          {*value * kGiga});
    if (low && high && *low > 0) {
      ceiling.rate.low = *low * kGiga;
      ceiling.rate.high = *high * kGiga;
    }
    machine.ceilings.push_back(std::move(ceiling));
  }
  if (machine.ceilings.empty()) {
    return fail({.where = printable(input.name), .message = "has no ceilings above 0"});
  }
  return machine;
}

}  // namespace

const ProfileFormat kRocprofFormat = {"rocprof-compute pmc_perf.csv", is_rocprof, read_rocprof};
const CeilingFormat kRocprofCeilings = {"rocprof-compute roofline.csv", is_rocprof_ceilings,
                                        read_rocprof_ceilings};

}  // namespace kstar::roofline
