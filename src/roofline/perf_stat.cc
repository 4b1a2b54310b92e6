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
         mentions(input, "# started on ");
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
  bool unsupported = false;
};

/// "  72,124,912,284      cycles   #  1.197 GHz" or "72124912284;;cycles;...".
void take_line(std::string_view line, Section& section) {
  if (line.find("<not supported>") != line.npos || line.find("<not counted>") != line.npos) {
    section.unsupported = section.unsupported || lower_case(line).find("fp_") != std::string::npos;
    return;
  }
  if (line.find(';') != line.npos) {
    const auto fields = split(line, ';');
    if (fields.size() < 3) return;
    if (const auto value = loose_number(fields[0])) {
      const std::string name = lower_case(trim(fields[2]));
      section.events[name] += *value;
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
  const std::string_view rest = text.substr(name);
  if (rest.starts_with("seconds time elapsed") || rest.starts_with("+- ")) {
    section.seconds = *value;
  } else if (rest.starts_with("seconds user") || rest.starts_with("seconds sys")) {
    section.spent += *value;
  } else if (rest.starts_with("msec task-clock") || rest.starts_with("msec cpu-clock")) {
    section.task = *value / 1e3;
  } else {
    section.events[lower_case(rest.substr(0, rest.find_first_of(" \t")))] += *value;
  }
}

double* memory_of(RooflineKernel& kernel) {
  if (kernel.bytes.empty()) kernel.bytes.push_back({"memory", 0});
  return &kernel.bytes.front().bytes;
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
    constexpr double kLine = 64;
    if (name.find("cas_count") != name.npos) *memory_of(kernel) += kLine * count;
  }
  const bool moved = !kernel.bytes.empty();
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
  if (!kernel.flops) {
    kernel.missing =
        section.unsupported
            ? "this machine has no such hardware counters (usual in virtual machines): give the "
              "operations with --flops"
            : "operations were not counted: perf stat -e fp_arith_inst_retired.scalar_double,... "
              "(Intel) or fp_ret_sse_avx_ops.all (AMD)";
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
      if (command.size() > 1 && command.front() == '\'' && command.back() == '\'') {
        command = command.substr(1, command.size() - 2);
      }
      sections.push_back({.command = printable(command)});
      continue;
    }
    if (sections.empty() && (line.find(';') != line.npos))
      sections.push_back({.command = "program"});
    if (!sections.empty()) take_line(line, sections.back());
  }
  bool misses = false;
  for (const Section& section : sections) {
    if (section.seconds <= 0) continue;
    profile.kernels.push_back(kernel_of_section(section));
    const auto& events = section.events;
    misses = misses || (!profile.kernels.back().bytes.empty() &&
                        std::none_of(events.begin(), events.end(), [](const auto& event) {
                          return event.first.find("cas_count") != std::string::npos;
                        }));
  }
  if (profile.kernels.empty()) {
    return fail({.where = printable(input.name),
                 .message = "expected 'seconds time elapsed' of perf stat, and found none"});
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
