// BabelStream: its table, with --csv, with --triad-only, and as people post them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

struct BabelKernel {
  std::string_view name;
  std::string_view kernel;  ///< as STREAM's
};
constexpr std::array<BabelKernel, 6> kBabelKernels = {{{"Copy", "copy"},
                                                       {"Mul", "scale"},
                                                       {"Add", "add"},
                                                       {"Triad", "triad"},
                                                       {"Dot", "dot"},
                                                       {"Nstream", "nstream"}}};

struct RateUnit {
  std::string_view name;  ///< of a column
  double worth;
};
constexpr std::array<RateUnit, 6> kRateUnits = {{{"MBytes/sec", 1e6},
                                                 {"MiBytes/sec", 1048576},
                                                 {"max_mbytes_per_sec", 1e6},
                                                 {"max_mibytes_per_sec", 1048576},
                                                 {"gbytes_per_sec", 1e9},
                                                 {"gibytes_per_sec", 1073741824}}};

std::optional<double> rate_worth(std::string_view column) {
  for (const RateUnit& unit : kRateUnits) {
    if (unit.name == column) return unit.worth;
  }
  return std::nullopt;
}

/// The words of a row: of a table, or of CSV.
std::vector<std::string_view> row_words(std::string_view line) {
  std::vector<std::string_view> words;
  const char separator = line.find(',') != line.npos ? ',' : ' ';
  for (const std::string_view word : split(line, separator)) {
    if (separator == ',' || !trim(word).empty()) words.push_back(trim(word));
  }
  return words;
}

/// "Function    MBytes/sec  Min (sec) ..." or "function,num_times,n_elements,sizeof,...".
struct BabelHead {
  std::size_t rate = 0;  ///< its column
  double worth = 0;      ///< of the rate, in bytes per second
  std::optional<std::size_t> elements, size;
};

std::optional<BabelHead> head_of(std::string_view line) {
  const std::vector<std::string_view> words = row_words(line);
  if (words.empty() || (words[0] != "Function" && words[0] != "function")) return std::nullopt;
  BabelHead head;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (const auto worth = rate_worth(words[i]); worth && head.worth == 0) {
      head.rate = i;
      head.worth = *worth;
    }
    if (words[i] == "n_elements") head.elements = i;
    if (words[i] == "sizeof") head.size = i;
  }
  if (head.worth == 0) return std::nullopt;
  return head;
}

/// "Bandwidth (GB/s):  345.6", of --triad-only.
std::optional<double> triad_only(std::string_view line) {
  for (const auto& [start, worth] : {std::pair<std::string_view, double>{"Bandwidth (GB/s):", 1e9},
                                     {"Bandwidth (GiB/s):", 1073741824}}) {
    if (!line.starts_with(start)) continue;
    const auto rate = parse_double(trim(line.substr(start.size())));
    if (rate) return *rate * worth;
  }
  return std::nullopt;
}

bool is_babelstream(const Input& input) {
  return std::any_of(input.lines.begin(), input.lines.end(), [&](std::string_view line) {
    return head_of(trim(line)) || (line.find("Bandwidth (G") != line.npos &&
                                   triad_only(trim(line)) && mentions(input, "Running triad"));
  });
}

/// What the lines above a table say of it.
struct BabelRun {
  std::string implementation;
  std::string device;
  double arrays = 0;  ///< bytes of all three; 0: not known

  /// What ran it: rates of two of these are not samples of one ceiling.
  std::string where() const {
    if (device.empty()) return implementation;
    return implementation.empty() ? device : fmt::format("{} on {}", implementation, device);
  }
};

/// "Array size: 268.4 MB (=0.3 GB)", times three.
std::optional<double> arrays_of(std::string_view line) {
  constexpr std::string_view kStart = "Array size:";
  if (!line.starts_with(kStart)) return std::nullopt;
  const std::vector<std::string_view> words = row_words(line.substr(kStart.size()));
  if (words.size() < 2) return std::nullopt;
  const auto number = parse_double(words[0]);
  for (const auto& [unit, worth] : {std::pair<std::string_view, double>{"KB", 1e3},
                                    {"MB", 1e6},
                                    {"GB", 1e9},
                                    {"KiB", 1024},
                                    {"MiB", 1048576},
                                    {"GiB", 1073741824}}) {
    if (number && words[1] == unit) return 3 * *number * worth;
  }
  return std::nullopt;
}

/// "Using CUDA device NVIDIA A100-SXM4-40GB".
std::string device_of(std::string_view line) {
  constexpr std::string_view kStart = "Using ", kMiddle = " device ";
  const std::size_t at = line.find(kMiddle);
  if (!line.starts_with(kStart) || at == line.npos) return "";
  return printable(trim(line.substr(at + kMiddle.size())));
}

bool is_processor(std::string_view device) {
  for (const std::string_view sign : {"CPU", "Xeon", "EPYC", "Ryzen", "Core(TM)", "pthread"}) {
    if (device.find(sign) != device.npos) return true;
  }
  return false;
}

class BabelReader {
 public:
  explicit BabelReader(const Input& input) : input_(input) {}

  Result<MachineCeilings> read() {
    for (const std::string_view line : input_.lines) take(trim(line));
    if (rates_.empty()) {
      return fail({.where = printable(input_.name),
                   .message = "expected rows such as 'Triad 12345.6 ...' with a rate above 0 below "
                              "the head of BabelStream"});
    }
    const std::string first = rates_.front().run.where();
    const auto other = std::find_if(rates_.begin(), rates_.end(),
                                    [&](const BabelRate& one) { return one.run.where() != first; });
    if (other != rates_.end()) {
      return fail({.where = printable(input_.name),
                   .message = fmt::format("has runs of {} and of {}: ceilings are of one",
                                          named(first), named(other->run.where())),
                   .hint = "keep the lines of one of them"});
    }
    return machine();
  }

 private:
  struct BabelRate {
    BabelRun run;
    std::string_view kernel;
    double rate = 0;
  };

  static std::string named(const std::string& where) {
    return where.empty() ? "an unnamed one" : where;
  }

  void take(std::string_view line) {
    constexpr std::string_view kImplementation = "Implementation:";
    if (line.starts_with(kImplementation)) {
      run_ = {.implementation = printable(trim(line.substr(kImplementation.size())))};
      head_.reset();
    }
    if (const auto arrays = arrays_of(line)) run_.arrays = *arrays;
    if (std::string device = device_of(line); !device.empty()) run_.device = std::move(device);
    if (line.starts_with("Validation failed")) invalid_ = true;
    if (const auto rate = triad_only(line)) add(run_, "triad", *rate);
    if (const auto head = head_of(line)) {
      head_ = head;
    } else if (head_) {
      take_row(line);
    }
  }

  void take_row(std::string_view line) {
    const std::vector<std::string_view> words = row_words(line);
    if (words.size() <= head_->rate) return;
    const auto* const known =
        std::find_if(kBabelKernels.begin(), kBabelKernels.end(),
                     [&](const BabelKernel& one) { return one.name == words[0]; });
    const auto rate = parse_double(words[head_->rate]);
    if (known == kBabelKernels.end() || !rate) return;
    BabelRun run = run_;
    if (head_->elements && head_->size && words.size() > std::max(*head_->elements, *head_->size)) {
      const auto elements = parse_double(words[*head_->elements]),
                 size = parse_double(words[*head_->size]);
      if (elements && size) run.arrays = 3 * *elements * *size;
    }
    add(run, known->kernel, *rate * head_->worth);
  }

  void add(const BabelRun& run, std::string_view kernel, double rate) {
    if (rate > 0) rates_.push_back({run, kernel, rate});
  }

  /// The largest arrays alone: smaller ones may lie in a cache.
  Result<MachineCeilings> machine() const {
    double largest = 0;
    for (const BabelRate& one : rates_) largest = std::max(largest, one.run.arrays);
    KSTAR_CHECK(check_arrays(input_, largest));
    const BabelRun& run = rates_.front().run;
    MachineCeilings machine{.name = run.device.empty() ? "BabelStream" : run.device};
    machine.kind = is_gpu(run) ? "gpu" : "cpu";
    machine.processor = run.device;
    machine.writer = "BabelStream";
    bool smaller = false;
    for (const BabelRate& one : rates_) {
      if (one.run.arrays < largest) {
        smaller = true;
        continue;
      }
      add_bandwidth(machine, one.kernel, machine.kind == "gpu" ? 1 : 0, one.rate);
    }
    KSTAR_CHECK(check_agreement(input_, machine));
    for (MachineCeiling& one : machine.ceilings) one.working_set = largest;
    if (smaller) {
      machine.notes.push_back(fmt::format("runs with arrays of less than {} MB are left out",
                                          significant(largest / 1e6, 3)));
    }
    if (run.device.empty() && machine.kind == "cpu") {
      machine.notes.emplace_back(
          "the output does not say whether a GPU ran it, or how many threads");
    }
    if (invalid_) machine.notes.emplace_back("BabelStream's own check of the results failed");
    return machine;
  }

  static bool is_gpu(const BabelRun& run) {
    for (const std::string_view name : {"CUDA", "HIP", "Thrust", "HC"}) {
      if (run.implementation.starts_with(name)) return true;
    }
    return !run.device.empty() && !is_processor(run.device);
  }

  const Input& input_;
  BabelRun run_;
  std::optional<BabelHead> head_;
  std::vector<BabelRate> rates_;
  bool invalid_ = false;
};

Result<MachineCeilings> read_babelstream(const Input& input) {
  return BabelReader(input).read();
}

}  // namespace

const CeilingFormat kBabelStreamCeilings = {"BabelStream", is_babelstream, read_babelstream};

}  // namespace kstar::roofline
