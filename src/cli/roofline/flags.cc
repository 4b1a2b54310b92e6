#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/bytes.h"
#include "base/number.h"
#include "base/try.h"
#include "cli/roofline/commands.h"
#include "kstar/roofline.h"

namespace kstar {

std::vector<Flag> machine_flags() {
  return {
      {.name = "machine",
       .value = "FILE",
       .help = "the ceilings of the machine it was measured on (kstar roofline measure): is "
               "it the memory's bandwidth?",
       .file = true},
      {.name = "flops",
       .value = "N",
       .help = "floating-point operations of one step or run on the smallest K, such as 2.5e9 "
               "or 2.5G; default: what marks say"},
      {.name = "bytes", .value = "N", .help = "bytes that it moves to and from memory, likewise"}};
}

Result<std::optional<MachineCeilings>> machine_of(const Arguments& arguments) {
  if (!arguments.has("machine")) return std::optional<MachineCeilings>();
  KSTAR_TRY(MachineCeilings machine, read_ceilings(arguments.text("machine")));
  return std::optional<MachineCeilings>(std::move(machine));
}

namespace {

/// "2.5e9", "2.5G"; nothing for any other text.
std::optional<double> prefixed_number(std::string_view number) {
  struct Prefix {
    char letter;
    double worth;
  };
  static constexpr std::array<Prefix, 5> kPrefixes = {
      {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
  double worth = 1;
  for (const Prefix& prefix : kPrefixes) {
    if (number.empty() || number.back() != prefix.letter) continue;
    worth = prefix.worth;
    number.remove_suffix(1);
    break;
  }
  const std::optional<double> value = parse_double(number);
  return value ? std::optional(*value * worth) : std::nullopt;
}

}  // namespace

Result<std::optional<double>> amount_of(const Arguments& arguments, const char* flag) {
  if (!arguments.has(flag)) return std::optional<double>();
  const std::string given = arguments.text(flag);
  const bool bytes = std::string_view(flag) == "bytes";
  std::string_view number = given;
  if (constexpr std::string_view kUnit = "FLOP"; !bytes && number.ends_with(kUnit)) {
    number.remove_suffix(kUnit.size());
  }
  const std::optional<double> sized = bytes ? parse_bytes(given) : std::nullopt;
  const std::optional<double> value = sized ? sized : prefixed_number(number);
  constexpr double kMost = 1e30;
  if (value && *value > 0 && *value <= kMost) return value;
  return fail(usage(expected(fmt::format("--{}", flag),
                             fmt::format("a number above 0 and at most 1e30, such as 2.5e9 or {}",
                                         bytes ? "2.5GB" : "2.5G"),
                             given)));
}

Result<int> whole_of(const Arguments& arguments, const char* flag, int least, int most,
                     int otherwise) {
  if (!arguments.has(flag)) return otherwise;
  const std::string given = arguments.text(flag);
  const std::optional<std::int64_t> value = parse_integer(given);
  if (value && *value >= least && *value <= most) return static_cast<int>(*value);
  return fail(usage(expected(fmt::format("--{}", flag),
                             fmt::format("a whole number from {} to {}", least, most), given)));
}

}  // namespace kstar
