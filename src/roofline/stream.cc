// STREAM's own output, HPCC's summary, and the ceilings that kstar-gpu-ceilings or a JSON of four
// numbers state.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_document.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/roofline_measure.h"
#include "roofline/readers.h"

namespace kstar {

namespace roofline {

namespace {

struct StreamName {
  std::string_view stream;
  std::string_view kernel;
};
constexpr std::array<StreamName, 4> kStreamNames = {
    {{"Copy", "copy"}, {"Scale", "scale"}, {"Add", "add"}, {"Triad", "triad"}}};

bool is_stream(const Input& input) {
  const bool table = mentions(input, "STREAM") ||
                     (mentions(input, "Rate") && mentions(input, "MB/s"));  // as people post it
  return (table && mentions(input, "Triad:")) || mentions(input, "STREAM_Triad=");
}

/// "Triad:   12345.6   0.01 ..." in MB/s, the best of its runs.
std::optional<double> stream_rate(std::string_view line, std::string_view name) {
  if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') return {};
  const std::string_view rest = trim(line.substr(name.size() + 1));
  return parse_double(rest.substr(0, rest.find_first_of(" \t")));
}

/// Of a line that says it.
std::optional<int> threads_counted(std::string_view line) {
  for (const std::string_view start :
       {"Number of Threads requested =", "Number of Threads counted ="}) {
    if (!line.starts_with(start)) continue;
    constexpr std::int64_t kMostThreads = 65536;
    const std::int64_t count = parse_integer(trim(line.substr(start.size()))).value_or(0);
    return count > 0 && count <= kMostThreads ? static_cast<int>(count) : 0;
  }
  return std::nullopt;
}

/// "Total memory required = 228.9 MiB (= 0.2 GiB).", of older versions "228.9 MB.", which are as
/// large; 0 of any other line.
double memory_required(std::string_view line) {
  constexpr std::string_view kStart = "Total memory required =";
  if (!line.starts_with(kStart)) return 0;
  const std::string_view rest = trim(line.substr(kStart.size()));
  const std::size_t blank = rest.find(' ');
  const std::string_view unit = blank == rest.npos ? "" : rest.substr(blank + 1);
  if (!unit.starts_with("MiB") && !unit.starts_with("MB")) return 0;
  constexpr double kMebi = 1048576;
  return kMebi * parse_double(rest.substr(0, blank)).value_or(0);
}

/// "CommWorldProcs=16" of HPCC's summary; 1 where it is not there.
int hpcc_count(const Input& input, std::string_view name) {
  for (const std::string_view line : input.lines) {
    if (!line.starts_with(name)) continue;
    constexpr std::int64_t kMostThreads = 65536;
    const std::int64_t count = parse_integer(trim(line.substr(name.size()))).value_or(1);
    return static_cast<int>(std::clamp<std::int64_t>(count, 1, kMostThreads));
  }
  return 1;
}

/// "SingleDGEMM_Gflops=12.1" of HPCC's summary.
std::optional<double> hpcc_value(const Input& input, std::string_view name) {
  for (const std::string_view line : input.lines) {
    if (line.starts_with(name)) return parse_double(trim(line.substr(name.size())));
  }
  return std::nullopt;
}

/// Matrix products of one process alone, and of every process at once, per process.
void add_dgemm(const Input& input, int processes, int threads, MachineCeilings& machine) {
  const auto add = [&](std::string_view name, int many) {
    constexpr double kGiga = 1e9;
    const double rate = hpcc_value(input, name).value_or(0);
    if (rate <= 0) return;
    machine.ceilings.push_back(make_ceiling(
        {.level = "compute", .kernel = "dgemm", .precision = "fp64", .threads = many * threads},
        {rate * kGiga * many}));
  };
  add("SingleDGEMM_Gflops=", 1);
  if (processes > 1) add("StarDGEMM_Gflops=", processes);
}

/// What a summary has besides, and that it calls itself failed.
void say_unused(const Input& input, MachineCeilings& machine) {
  if (hpcc_value(input, "Success=") == 0.0) {
    machine.notes.emplace_back("HPCC's own check failed (Success=0): its rates may be wrong");
  }
  const bool star =
      hpcc_value(input, "StarSTREAM_Triad=") || hpcc_value(input, "StarDGEMM_Gflops=");
  if (star && !hpcc_value(input, "CommWorldProcs=")) {
    machine.notes.emplace_back(
        "Star rates, of every process at once, are not used: the file does not say how many there "
        "were (CommWorldProcs)");
  }
  if (hpcc_value(input, "HPL_Tflops=")) {
    machine.notes.emplace_back("HPL is not used: it is a program over all processes, no ceiling");
  }
}

/// HPCC: one process alone (Single), and every process at once, per process (Star), in GB/s.
Result<void> add_hpcc(const Input& input, MachineCeilings& machine) {
  const int processes = hpcc_count(input, "CommWorldProcs=");
  const int threads = hpcc_count(input, "STREAM_Threads=");
  for (const std::string_view line : input.lines) {
    constexpr std::string_view kSize = "STREAM_VectorSize=";
    if (!line.starts_with(kSize)) continue;
    constexpr double kArrays = 24;  // three of doubles
    const double size = kArrays * parse_double(trim(line.substr(kSize.size()))).value_or(0);
    KSTAR_CHECK(check_arrays(input, size * processes));
  }
  const std::size_t before = machine.ceilings.size();
  for (const std::string_view line : input.lines) {
    for (const auto& [stream, kernel] : kStreamNames) {
      const std::string single = fmt::format("SingleSTREAM_{}=", stream);
      const std::string star = fmt::format("StarSTREAM_{}=", stream);
      constexpr double kGiga = 1e9;
      if (line.starts_with(single)) {
        const auto rate = parse_double(trim(line.substr(single.size())));
        if (rate && *rate > 0) add_bandwidth(machine, kernel, threads, *rate * kGiga);
      } else if (line.starts_with(star) && processes > 1) {
        const auto rate = parse_double(trim(line.substr(star.size())));
        if (rate && *rate > 0) {
          add_bandwidth(machine, kernel, processes * threads, *rate * kGiga * processes);
        }
      }
    }
  }
  add_dgemm(input, processes, threads, machine);
  say_unused(input, machine);
  if (processes > 1 && machine.ceilings.size() > before) {
    machine.notes.push_back(
        fmt::format("all {} processes are taken for one machine: HPCC does not say on how many "
                    "nodes they ran",
                    processes));
  }
  return {};
}

/// Tables that do not say their threads are not samples of those that do.
void drop_unknown_threads(MachineCeilings& machine) {
  const auto unknown = [](const MachineCeiling& one) { return one.threads == 0; };
  const bool all = std::all_of(machine.ceilings.begin(), machine.ceilings.end(), unknown);
  if (all || std::erase_if(machine.ceilings, unknown) == 0) return;
  machine.notes.emplace_back("a table that does not say its threads is left out");
}

Error not_validated(const Input& input) {
  return {.where = printable(input.name),
          .message =
              "STREAM says \"Failed Validation\": its loops did not compute what they "
              "should, and their rates are no ceilings",
          .hint = "compile it again, with another optimization, and run it again"};
}

Result<MachineCeilings> read_stream(const Input& input) {
  const bool hpcc = mentions(input, "STREAM_Triad=");
  MachineCeilings machine{.name = hpcc ? "HPCC" : "STREAM", .kind = "cpu"};
  machine.writer = machine.name;
  int threads = 0;  // of the output that follows; 0: not known
  for (const std::string_view whole : input.lines) {
    const std::string_view line = trim(whole);
    if (line.starts_with("Failed Validation")) return fail(not_validated(input));
    threads = threads_counted(line).value_or(threads);
    KSTAR_CHECK(check_arrays(input, memory_required(line)));
    for (const auto& [stream, kernel] : kStreamNames) {
      constexpr double kMega = 1e6;
      const auto rate = stream_rate(line, stream);
      if (rate && *rate > 0) add_bandwidth(machine, kernel, threads, *rate * kMega);
      if (rate && stream == kStreamNames.back().stream) threads = 0;  // its table ends here
    }
  }
  drop_unknown_threads(machine);
  KSTAR_CHECK(add_hpcc(input, machine));
  KSTAR_CHECK(check_agreement(input, machine));
  if (machine.ceilings.empty()) {
    return fail({.where = printable(input.name),
                 .message = "expected lines such as 'Triad: 12345.6 ...' with a rate above 0"});
  }
  return machine;
}

bool is_gpu_json(const Input& input) {
  return trim(input.text.substr(0, 64)).starts_with('{') &&
         (mentions(input, "\"gpu_ceilings\"") || mentions(input, "_tflops\""));
}

Result<MachineCeilings> read_gpu_json(const Input& input) {
  return parse_gpu_ceilings(input.text, input.name);
}

std::string json_text(const JsonObject& object, std::string_view key) {
  JsonValue value;
  std::string_view text;
  if (object.find(key, value) || value.get(text)) return "";
  return printable(text);
}

/// {"matmul_bf16_tflops": 786.7, "copy_TBps": 4.28}
void add_plain(const JsonObject& object, MachineCeilings& machine) {
  constexpr double kTera = 1e12;
  const JsonFault fault = object.each([&](const JsonMember& member) {
    double rate = 0;
    const std::string key(member.key);
    if (member.value.get(rate) || rate <= 0) return true;
    const std::string_view start = "matmul_", end = "_tflops";
    if (key.starts_with(start) && key.ends_with(end) && key.size() > start.size() + end.size()) {
      machine.ceilings.push_back(make_ceiling(
          {.level = "compute",
           .kernel = "gemm",
           .precision =
               printable(key.substr(start.size(), key.size() - start.size() - end.size()))},
          {rate * kTera}));
    } else if (key == "copy_TBps") {
      machine.ceilings.push_back(
          make_ceiling({.level = "memory", .kernel = "copy"}, {rate * kTera}));
    }
    return true;
  });
  static_cast<void>(fault);
}

bool add_listed(const JsonValue& value, MachineCeilings& machine) {
  JsonObject object;
  if (value.get(object)) return false;
  MachineCeiling about{.level = json_text(object, "level"),
                       .kernel = json_text(object, "kernel"),
                       .precision = json_text(object, "precision"),
                       .vector = json_text(object, "vector")};
  JsonValue list;
  JsonArray numbers;
  if (object.find("samples", list) || list.get(numbers)) return false;
  std::vector<double> samples;
  bool good = true;
  const JsonFault fault = numbers.each([&](const JsonValue& one) {
    double rate = 0;
    good = !one.get(rate) && rate > 0;
    if (good) samples.push_back(rate);
    return good;
  });
  const auto& levels = memory_levels();
  const bool known =
      about.is_compute() || std::find(levels.begin(), levels.end(), about.level) != levels.end();
  if (fault || !good || samples.empty() || !known) return false;
  machine.ceilings.push_back(make_ceiling(std::move(about), std::move(samples)));
  return true;
}

}  // namespace

const CeilingFormat kStreamCeilings = {"STREAM", is_stream, read_stream};
const CeilingFormat kGpuCeilings = {"kstar-gpu-ceilings", is_gpu_json, read_gpu_json};

}  // namespace roofline

Result<MachineCeilings> parse_gpu_ceilings(std::string_view text, std::string_view name) {
  const Error wrong = {.where = printable(name),
                       .message =
                           "expected JSON of kstar-gpu-ceilings: ceilings with a level and "
                           "samples above 0"};
  std::string padded(text);
  padded.resize(text.size() + 64, ' ');
  JsonDocument document;
  JsonObject root;
  if (document.check(std::string_view(padded).substr(0, text.size())) ||
      document.start(std::string_view(padded).substr(0, text.size())) || document.get(root)) {
    return fail(wrong);
  }
  MachineCeilings machine{.name = roofline::json_text(root, "name"), .kind = "gpu"};
  machine.processor = machine.name;
  machine.capability = roofline::json_text(root, "capability");
  JsonValue list;
  JsonArray ceilings;
  if (document.get(root)) return fail(wrong);
  if (!root.find("ceilings", list)) {
    bool good = !list.get(ceilings);
    const JsonFault fault = ceilings.each([&](const JsonValue& one) {
      good = good && roofline::add_listed(one, machine);
      return good;
    });
    if (fault || !good) return fail(wrong);
  } else if (!document.start(std::string_view(padded).substr(0, text.size())) &&
             !document.get(root)) {
    roofline::add_plain(root, machine);
  }
  if (machine.ceilings.empty()) return fail(wrong);
  if (machine.name.empty()) machine.name = "GPU";
  return machine;
}

}  // namespace kstar
