#include "roofline/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace roofline {

Input make_input(std::string_view text, std::string_view name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Input input{.text = text, .name = name, .lines = split(text, '\n')};
  for (std::string_view& line : input.lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return input;
}

std::optional<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

namespace {

/// Whether groups of three digits follow each of these separators.
bool is_grouped(std::string_view text, char separator) {
  const auto parts = split(text, separator);
  if (parts.size() < 2 || parts[0].empty() || parts[0].size() > 4) return false;
  return std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
    constexpr std::size_t kGroup = 3;
    const std::string_view digits = part.substr(0, std::min(part.find('.'), part.find(',')));
    return digits.size() == kGroup && std::all_of(digits.begin(), digits.end(), is_digit);
  });
}

}  // namespace

std::optional<double> loose_number(std::string_view text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i) {  // blanks that group digits, of any width
    if (text[i] == ' ' || text[i] == '\'') continue;
    if (text.substr(i).starts_with("\xC2\xA0")) {
      ++i;
    } else if (text.substr(i).starts_with("\xE2\x80\xAF") ||
               text.substr(i).starts_with("\xE2\x80\x99")) {  // a narrow blank; an apostrophe
      i += 2;
    } else {
      kept += text[i];
    }
  }
  const std::size_t commas = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), ','));
  const std::size_t points = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '.'));
  const bool comma_last = kept.rfind(',') != kept.npos &&
                          (kept.rfind('.') == kept.npos || kept.rfind(',') > kept.rfind('.'));
  if (commas > 0 && comma_last && (points > 0 || (commas == 1 && !is_grouped(kept, ',')))) {
    std::erase(kept, '.');  // 1.234,5
    std::replace(kept.begin(), kept.end(), ',', '.');
  } else {
    if (points > 1 && is_grouped(kept, '.')) std::erase(kept, '.');  // 1.234.567
    std::erase(kept, ',');
  }
  return parse_double(kept);
}

bool mentions(const Input& input, std::string_view what) {
  constexpr std::size_t kLooked = std::size_t{1} << 20U;
  return input.text.substr(0, kLooked).find(what) != std::string_view::npos;
}

void add_bandwidth(MachineCeilings& machine, std::string_view kernel, int threads, double rate) {
  const auto same = std::find_if(
      machine.ceilings.begin(), machine.ceilings.end(),
      [&](const MachineCeiling& one) { return one.kernel == kernel && one.threads == threads; });
  if (same == machine.ceilings.end()) {
    machine.ceilings.push_back(make_ceiling(
        {.level = "memory", .kernel = std::string(kernel), .threads = threads}, {rate}));
    return;
  }
  std::vector<double> samples = same->samples;
  samples.push_back(rate);
  *same = make_ceiling(*same, std::move(samples));
}

Result<void> check_arrays(const Input& input, double bytes) {
  constexpr double kCache = 64e6;  // caches of today's processors and GPUs reach this and more
  if (bytes <= 0 || bytes >= kCache) return {};
  return fail({.where = printable(input.name),
               .message = fmt::format("its arrays have {} MB in all, which a cache can hold: this "
                                      "is no bandwidth of memory",
                                      significant(bytes / 1e6, 3)),
               .hint = "run it with larger arrays"});
}

Result<void> check_agreement(const Input& input, MachineCeilings& machine) {
  constexpr double kApart = 2;
  std::size_t most = 1;
  for (const MachineCeiling& one : machine.ceilings) {
    const auto [low, high] = std::minmax_element(one.samples.begin(), one.samples.end());
    most = std::max(most, one.samples.size());
    if (*high <= kApart * *low) continue;
    constexpr double kGiga = 1e9;
    return fail({.where = printable(input.name),
                 .message = fmt::format("has {} of {} and of {} GB/s: of two machines, or on other "
                                        "numbers of threads",
                                        one.kernel, significant(*low / kGiga, 3),
                                        significant(*high / kGiga, 3)),
                 .hint = "keep the lines of one of them"});
  }
  if (most > 1) {
    machine.notes.push_back(fmt::format("{} tables are taken for runs on one machine", most));
  }
  return {};
}

void KernelSums::add(RooflineKernel launch) {
  const auto [place, added] = places_.emplace(launch.name, kernels_.size());
  if (added) {
    kernels_.push_back(std::move(launch));
    return;
  }
  RooflineKernel& sum = kernels_[place->second];
  const double before = sum.seconds, all = sum.seconds + launch.seconds;
  const auto find_in = [](auto& list, const std::string& name, auto member) {
    return std::find_if(list.begin(), list.end(),
                        [&](const auto& other) { return other.*member == name; });
  };
  // What one launch does not say is not known of all of them.
  std::erase_if(sum.reported, [&](ReportedShare& one) {
    const auto same = find_in(launch.reported, one.of, &ReportedShare::of);
    if (same == launch.reported.end() || all <= 0) return true;
    one.share = (one.share * before + same->share * launch.seconds) / all;  // weighted by time
    return false;
  });
  std::erase_if(sum.bytes, [&](LevelBytes& one) {
    const auto same = find_in(launch.bytes, one.level, &LevelBytes::level);
    if (same == launch.bytes.end()) return true;
    one.bytes += same->bytes;
    return false;
  });
  const bool more = launch.flops.value_or(0) > sum.flops.value_or(0);
  if (!launch.precision.empty() && (sum.precision.empty() || more)) {
    sum.precision = launch.precision;
  }
  if (sum.flops && launch.flops) {
    *sum.flops += *launch.flops;
  } else {
    sum.flops.reset();
  }
  sum.launches += launch.launches;
  sum.seconds = all;
  sum.matrix = sum.matrix || launch.matrix;
  sum.part_of_flops = sum.part_of_flops || launch.part_of_flops;
  sum.part_of_bytes = sum.part_of_bytes || launch.part_of_bytes;
  sum.l1_contested = sum.l1_contested || launch.l1_contested;
  if (sum.missing.empty()) sum.missing = launch.missing;
}

std::vector<RooflineKernel> KernelSums::take() {
  return std::move(kernels_);
}

namespace {

constexpr const ProfileFormat* kProfiles[] = {&kNcuFormat,         &kNcuTextFormat,
                                              &kRocprofFormat,     &kLikwidFormat,
                                              &kLikwidBenchFormat, &kPerfStatFormat};
constexpr const CeilingFormat* kCeilings[] = {&kGpuCeilings, &kRocprofCeilings,
                                              &kLikwidBenchCeilings, &kBabelStreamCeilings,
                                              &kStreamCeilings};
constexpr std::size_t kLargestProfile = std::size_t{1} << 30U;
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

bool looks_like_toml(const Input& input) {
  return input.name.ends_with(".toml") || mentions(input, "[[bandwidth]]") ||
         mentions(input, "[[compute]]");
}

std::string unused_name(const std::vector<RooflineKernel>& kernels, const std::string& name) {
  for (int run = 2;; ++run) {
    std::string numbered = fmt::format("run {} of {}", run, name);
    const bool used = std::any_of(kernels.begin(), kernels.end(),
                                  [&](const RooflineKernel& one) { return one.name == numbered; });
    if (!used) return numbered;
  }
}

}  // namespace

}  // namespace roofline

Result<RooflineProfile> parse_profile(std::string_view text, std::string_view name) {
  const roofline::Input input = roofline::make_input(text, name);
  for (const roofline::ProfileFormat* format : roofline::kProfiles) {
    if (format->is(input)) return format->read(input);
  }
  for (const roofline::CeilingFormat* format : roofline::kCeilings) {
    if (!format->is(input)) continue;
    KSTAR_TRY(MachineCeilings ceilings, format->read(input));
    return RooflineProfile{.source = std::string(format->name),
                           .device = ceilings.name,
                           .gpu = ceilings.kind == "gpu",
                           .ceilings = std::move(ceilings)};
  }
  if (roofline::mentions(input, "Metric Name") && roofline::mentions(input, "Kernel Name")) {
    return fail({.where = printable(name),
                 .message = "is a table of Nsight Compute without the column ID: which values are "
                            "of one launch is not known",
                 .hint = "write it with ncu --csv --page raw, without --print-summary"});
  }
  if (roofline::mentions(input, "fp_arith_inst_retired.")) {
    return fail({.where = printable(name),
                 .message = "has counts of perf stat without the time that they are of",
                 .hint = "keep all from 'Performance counter stats for' to 'seconds time elapsed'; "
                         "with -x add -e duration_time, and leave -I out"});
  }
  std::string names;
  for (const roofline::ProfileFormat* format : roofline::kProfiles) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format->name);
  }
  return fail({.where = printable(name),
               .message = fmt::format("is none of these: {}, STREAM, BabelStream, HPCC", names),
               .hint = "a program is placed with 'kstar roofline --flops N --bytes N -- ./prog'"});
}

Result<RooflineProfile> read_profile(const std::string& path) {
  KSTAR_TRY(const FileText text,
            read_file(path, roofline::kLargestProfile, roofline::kLongestLine));
  return parse_profile(text.view(), path);
}

namespace {

/// A tool's output may hold any number; what is read can be written as a machine.toml.
Result<void> check_rates(const MachineCeilings& machine) {
  for (const MachineCeiling& ceiling : machine.ceilings) {
    const double least = ceiling.samples.size() == 1 ? kLeastStatedRate : 1;
    for (const double rate : ceiling.samples) {
      if (rate >= least && rate <= kMostRate) continue;
      return fail({.where = machine.source,
                   .message = fmt::format(
                       "expected rates from {} to 1e21 in FLOP/s or bytes/s, got {} ({} {})",
                       least > 1 ? "1e6" : "1", shortest(rate),
                       ceiling.is_compute() ? ceiling.precision : level_words(ceiling.level),
                       ceiling.kernel)});
    }
  }
  return {};
}

}  // namespace

Result<MachineCeilings> parse_ceilings(std::string_view text, std::string_view name) {
  const roofline::Input input = roofline::make_input(text, name);
  if (roofline::looks_like_toml(input)) return parse_machine(text, name);
  for (const roofline::CeilingFormat* format : roofline::kCeilings) {
    if (!format->is(input)) continue;
    KSTAR_TRY(MachineCeilings ceilings, format->read(input));
    ceilings.source = printable(name);
    KSTAR_CHECK(check_rates(ceilings));
    return ceilings;
  }
  return fail({.where = printable(name),
               .message = "expected a machine.toml, or the output of kstar-gpu-ceilings, STREAM, "
                          "BabelStream, HPCC, likwid-bench or rocprof-compute's roofline.csv",
               .hint = "'kstar roofline measure -o machine.toml' measures this machine"});
}

Result<MachineCeilings> read_ceilings(const std::string& path) {
  KSTAR_TRY(const FileText text, read_file(path, std::size_t{16} << 20U, roofline::kLongestLine));
  return parse_ceilings(text.view(), path);
}

void merge_profile(RooflineProfile& into, const RooflineProfile& other) {
  for (const RooflineKernel& kernel : other.kernels) {
    const auto same =
        std::find_if(into.kernels.begin(), into.kernels.end(),
                     [&](const RooflineKernel& one) { return one.name == kernel.name; });
    if (same == into.kernels.end()) {
      into.kernels.push_back(kernel);
      continue;
    }
    if (!kernel.flops && kernel.bytes.empty() && kernel.reported.empty()) continue;
    const bool more_levels =
        std::any_of(kernel.bytes.begin(), kernel.bytes.end(), [&](const LevelBytes& level) {
          return std::none_of(same->bytes.begin(), same->bytes.end(),
                              [&](const LevelBytes& one) { return one.level == level.level; });
        });
    if (!more_levels && (same->flops || !kernel.flops)) {  // the same was counted in another run
      RooflineKernel again = kernel;
      again.name = roofline::unused_name(into.kernels, kernel.name);
      into.kernels.push_back(std::move(again));
      continue;
    }
    // Counted in another run: what it did there, at the rate there, in the time here.
    const double scale = kernel.seconds > 0 ? same->seconds / kernel.seconds : 1;
    constexpr double kAlike = 0.25;
    if (std::fabs(scale - 1) > kAlike) {
      into.notes.push_back(fmt::format("{} took {} times as long in one file as in the other",
                                       shorten(kernel.name, 40), significant(1 / scale, 3)));
    }
    if (!same->flops && kernel.flops) {
      same->flops = *kernel.flops;
      same->precision = kernel.precision;
      same->part_of_flops = kernel.part_of_flops;
    }
    for (const LevelBytes& level : kernel.bytes) {
      const bool there =
          std::any_of(same->bytes.begin(), same->bytes.end(),
                      [&](const LevelBytes& one) { return one.level == level.level; });
      if (!there) same->bytes.push_back(level);
    }
    const bool memory = std::any_of(same->bytes.begin(), same->bytes.end(),
                                    [](const LevelBytes& one) { return one.level == "memory"; });
    if (same->flops && memory) same->missing.clear();
  }
  for (const std::string& note : other.notes) into.notes.push_back(note);
  if (!into.ceilings) into.ceilings = other.ceilings;
}

}  // namespace kstar
