// perf stat, as people keep its output, or with -x for programs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "roofline/readers.h"

namespace kstar::roofline {

namespace {

bool is_perf(const Input& input) {
  return mentions(input, "Performance counter stats for") || mentions(input, ";duration_time;") ||
         mentions(input, ",duration_time,") || mentions(input, "# started on ");
}

struct PerfEvent {
  const char* name;  ///< that the event's own name contains
  double flops;      ///< of one
  const char* precision;
};

/// Of Intel by width (a fused operation counts twice by itself), of AMD all at once.
constexpr std::array<PerfEvent, 10> kFlopEvents = {
    {{"fp_arith_inst_retired.scalar_double", 1, "fp64"},
     {"fp_arith_inst_retired.128b_packed_double", 2, "fp64"},
     {"fp_arith_inst_retired.256b_packed_double", 4, "fp64"},
     {"fp_arith_inst_retired.512b_packed_double", 8, "fp64"},
     {"fp_arith_inst_retired.scalar_single", 1, "fp32"},
     {"fp_arith_inst_retired.128b_packed_single", 4, "fp32"},
     {"fp_arith_inst_retired.256b_packed_single", 8, "fp32"},
     {"fp_arith_inst_retired.512b_packed_single", 16, "fp32"},
     {"fp_ret_sse_avx_ops.all", 1, ""},
     {"retired_sse_avx_operations:all", 1, ""}}};

struct Section {
  std::string command;
  double seconds = 0;
  double task = 0;   ///< CPU seconds
  double spent = 0;  ///< user and system seconds, where the task clock was not counted
  std::map<std::string, double> events;
  std::map<std::string, double> moved;  ///< bytes, by the events of the memory controllers
  bool unsupported = false;
};

/// What perf scales itself, by its unit; nothing for "msec" or a plain count.
std::optional<double> bytes_unit(std::string_view unit) {
  for (const auto& [name, worth] : {std::pair<std::string_view, double>{"B", 1},
                                    {"Bytes", 1},
                                    {"KiB", 1024},
                                    {"MiB", 1048576},
                                    {"GiB", 1073741824}}) {
    if (unit == name) return worth;
  }
  return std::nullopt;
}

/// Transfers of memory controllers are lines of 64 bytes, or bytes where perf knows their scale.
void add_event(std::string name, double value, std::string_view unit, Section& section) {
  constexpr double kLine = 64;
  const bool controller = name.find("cas_count") != name.npos ||
                          (name.find("imc") != name.npos && name.find("data_") != name.npos);
  if (controller) section.moved[name] += value * bytes_unit(unit).value_or(kLine);
  section.events[std::move(name)] += value;
}

/// Of "157.47;MiB;uncore_imc/cas_count_read/;..": as -x was told; 0 where it is no such line.
char separator_of(std::string_view line) {
  if (line.find(';') != line.npos) return ';';
  const auto fields = split(line, ',');
  const bool named = fields.size() > 4 && !fields[2].empty() && !is_digit(fields[2].front());
  return named && line.find(' ') == line.npos ? ',' : '\0';
}

/// "  72,124,912,284      cycles   #  1.197 GHz" or "72124912284;;cycles;...".
void take_line(std::string_view line, Section& section) {
  if (line.find("<not supported>") != line.npos || line.find("<not counted>") != line.npos) {
    section.unsupported = section.unsupported || lower_case(line).find("fp_") != std::string::npos;
    return;
  }
  if (const char separator = separator_of(line); separator != '\0') {
    const auto fields = split(line, separator);
    if (fields.size() < 3) return;
    if (const auto value = loose_number(fields[0])) {
      const std::string name = lower_case(trim(fields[2]));
      add_event(name, *value, trim(fields[1]), section);
      if (name.starts_with("task-clock")) section.task = *value / 1e3;
      if (name == "duration_time") section.seconds = *value * 1e-9;
    }
    return;
  }
  const std::string_view text = trim(line.substr(0, line.find('#')));
  // The name is the first word that is no part of a number; digits may be grouped by blanks.
  std::size_t at = 0, name = text.npos;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!word.empty() && !is_digit(word[0])) {
      const bool wide_blank = word.starts_with("\xC2\xA0") || word.starts_with("\xE2\x80\xAF");
      if (!wide_blank) {
        name = at;
        break;
      }
    }
    at = end + 1;
  }
  if (name == text.npos || name == 0) return;
  const auto value = loose_number(trim(text.substr(0, name)));
  if (!value) return;
  std::string_view rest = text.substr(name);
  if (rest.starts_with("seconds time elapsed") || rest.starts_with("+- ")) {
    section.seconds = *value;
  } else if (rest.starts_with("seconds user") || rest.starts_with("seconds sys")) {
    section.spent += *value;
  } else if (rest.starts_with("msec task-clock") || rest.starts_with("msec cpu-clock")) {
    section.task = *value / 1e3;
  } else {
    const std::string_view unit = rest.substr(0, rest.find_first_of(" \t"));
    if (bytes_unit(unit)) rest = trim(rest.substr(unit.size()));
    add_event(lower_case(rest.substr(0, rest.find_first_of(" \t"))), *value, unit, section);
  }
}

double* memory_of(RooflineKernel& kernel) {
  if (kernel.bytes.empty()) kernel.bytes.push_back({"memory", 0});
  return &kernel.bytes.front().bytes;
}

/// Bytes that memory moved, and whether reads and writes are both among them.
struct Traffic {
  std::optional<double> bytes;
  bool whole = false;
};

Traffic traffic_of(const Section& section) {
  std::optional<double> reads, writes, all;
  for (const auto& [name, bytes] : section.moved) {
    const auto has = [&name = name](std::string_view part) { return name.find(part) != name.npos; };
    auto& kind = has("total") || has("all") ? all : has("write") || has("wr") ? writes : reads;
    kind = kind.value_or(0) + bytes;
  }
  if (all) return {.bytes = all, .whole = true};
  if (!reads && !writes) return {};
  return {.bytes = reads.value_or(0) + writes.value_or(0), .whole = reads && writes};
}

/// Whether operations of some widths of a precision were counted, and those of others not.
bool counts_some_widths(const Section& section) {
  for (const std::string_view precision : {"double", "single"}) {
    int counted = 0;
    for (const std::string_view width : {"scalar", "128b_packed", "256b_packed"}) {
      const std::string wanted = fmt::format("fp_arith_inst_retired.{}_{}", width, precision);
      counted += std::any_of(section.events.begin(), section.events.end(),
                             [&](const auto& e) { return e.first.find(wanted) != e.first.npos; })
                     ? 1
                     : 0;
    }
    if (counted == 1 || counted == 2) return true;
  }
  return false;
}

RooflineKernel kernel_of_section(const Section& section) {
  RooflineKernel kernel{.name = section.command, .seconds = section.seconds};
  double most = 0;
  for (const auto& [name, count] : section.events) {
    for (const PerfEvent& event : kFlopEvents) {
      if (name.find(event.name) == name.npos) continue;
      const double flops = event.flops * count;
      kernel.flops = kernel.flops.value_or(0) + flops;
      if (flops <= most) continue;
      most = flops;
      kernel.precision = event.precision;
    }
  }
  const Traffic traffic = traffic_of(section);
  if (traffic.bytes) *memory_of(kernel) = *traffic.bytes;
  const bool moved = traffic.bytes.has_value();
  if (!moved) {  // lines that missed the last cache: reads alone
    for (const char* wanted : {"cache-misses", "llc-load-misses"}) {
      for (const auto& [name, count] : section.events) {
        constexpr double kLine = 64;
        if (name.find(wanted) != name.npos && name.find("l1-") == name.npos) {
          *memory_of(kernel) += kLine * count;
        }
      }
      if (!kernel.bytes.empty()) break;
    }
  }
  if (const double cpu = section.task > 0 ? section.task : section.spent; cpu > 0) {
    constexpr double kMostThreads = 65536;
    const double busy = std::min(cpu / section.seconds, kMostThreads);
    kernel.threads = std::max(1, static_cast<int>(busy + 0.5));
  }
  kernel.part_of_flops = kernel.flops && (section.unsupported || counts_some_widths(section));
  kernel.part_of_bytes = !kernel.bytes.empty() && !traffic.whole;
  if (!kernel.flops) {
    kernel.missing =
        section.unsupported
            ? "this machine has no such hardware counters (usual in virtual machines): give the "
              "operations with --flops"
            : "operations were not counted: perf stat -e fp_arith_inst_retired.scalar_double,... "
              "(Intel) or fp_ret_sse_avx_ops.all (AMD)";
  } else if (kernel.part_of_flops) {
    kernel.missing = "operations of some widths alone were counted (scalar, 128b, 256b, 512b)";
  } else if (moved && !traffic.whole) {
    kernel.missing = "of what memory moved, reads or writes alone were counted";
  } else if (!moved) {
    kernel.missing =
        "bytes that memory moved were not counted: perf stat -a -e uncore_imc/cas_count_read/,... "
        "(Intel servers)";
  }
  return kernel;
}

Result<RooflineProfile> read_perf(const Input& input) {
  RooflineProfile profile{.source = "perf stat"};
  std::vector<Section> sections;
  for (const std::string_view line : input.lines) {
    constexpr std::string_view kStart = "Performance counter stats for";
    if (const std::size_t at = line.find(kStart); at != line.npos) {
      std::string_view command = trim(line.substr(at + kStart.size()));
      if (command.ends_with(':')) command.remove_suffix(1);
      if (command.ends_with(" runs)")) command = trim(command.substr(0, command.rfind('(')));
      if (command.size() > 1 && command.front() == '\'' && command.back() == '\'') {
        command = command.substr(1, command.size() - 2);
      }
      sections.push_back({.command = printable(command)});
      continue;
    }
    if (sections.empty() && separator_of(line) != '\0') sections.push_back({.command = "program"});
    if (!sections.empty()) take_line(line, sections.back());
  }
  bool misses = false;
  for (const Section& section : sections) {
    if (section.seconds <= 0) continue;
    profile.kernels.push_back(kernel_of_section(section));
    misses = misses || (!profile.kernels.back().bytes.empty() && section.moved.empty());
  }
  if (profile.kernels.empty()) {
    return fail({.where = printable(input.name),
                 .message = "expected 'seconds time elapsed' of perf stat, and found none",
                 .hint = "run it without -I; with -x, add -e duration_time"});
  }
  if (misses) {
    profile.notes.emplace_back(
        "bytes are cache misses x 64: what was prefetched or written is not in them, so the real "
        "traffic is larger");
  }
  return profile;
}

}  // namespace

const ProfileFormat kPerfStatFormat = {"perf stat", is_perf, read_perf};

}  // namespace kstar::roofline
