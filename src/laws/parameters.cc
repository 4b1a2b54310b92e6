#include "laws/parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr double kLargest = 1e15;

/// A range of numbers and how it is called in an error.
struct Range {
  double low = 0;
  double high = kLargest;
  bool open_low = false;
  bool whole = false;
  std::string_view words;

  bool holds(double value) const {
    if (whole && value != std::floor(value)) return false;
    return value <= high && (open_low ? value > low : value >= low);
  }
};

constexpr Range kFraction{0, 1, false, false, "a number from 0 to 1"};
constexpr Range kCost{0, kLargest, false, false, "a number from 0 to 1e15"};
constexpr Range kPositive{0, kLargest, true, false, "a number above 0, at most 1e15"};
constexpr Range kFactor{1, kLargest, false, false, "a number from 1 to 1e15"};
constexpr Range kCount{1, 1e9, false, true, "a whole number from 1 to 1e9"};

Result<double> read_number(std::string_view flag, std::string_view text, const Range& range) {
  const std::optional<double> value = parse_double(text);
  if (!value || !range.holds(*value)) {
    return fail(expected(fmt::format("--{}", flag), range.words, text));
  }
  return *value;
}

LawParameter number(std::string_view name, std::string_view value, std::string_view symbol,
                    std::string_view help, const Range& range, double LawSettings::*field,
                    bool required) {
  return {
      .name = name,
      .value = value,
      .help = help,
      .required = required,
      .read = [name, range, field](LawSettings& settings, std::string_view text) -> Result<void> {
        KSTAR_TRY(const double read, read_number(name, text, range));
        settings.*field = read;
        return {};
      },
      .symbol = symbol};
}

std::string growth_names() {
  std::string names;
  for (const GrowthInfo& known : named_growths()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  return names;
}

Result<Growth> read_growth(std::string_view flag, std::string_view text) {
  for (const GrowthInfo& known : named_growths()) {
    if (known.name == text) return known.growth;
  }
  return fail(expected(fmt::format("--{}", flag), fmt::format("one of {}", growth_names()), text));
}

Result<void> read_communication(LawSettings& settings, std::string_view text) {
  settings.communication.clear();
  for (const std::string_view term : split(text, '+')) {
    const std::size_t colon = term.find(':');
    if (colon == std::string_view::npos) {
      return fail(expected("--comm", "TERM:COST, such as log2:0.01", term,
                           fmt::format("the terms are {}", growth_names())));
    }
    KSTAR_TRY(const Growth growth, read_growth("comm", term.substr(0, colon)));
    KSTAR_TRY(const double cost, read_number("comm", term.substr(colon + 1), kCost));
    settings.communication.push_back({growth, cost});
  }
  return {};
}

Result<void> read_straggler(LawSettings& settings, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return fail(expected("--straggler", "CHANCE:DELAY, such as 0.001:0.5", text));
  }
  KSTAR_TRY(const double chance, read_number("straggler", text.substr(0, colon), kFraction));
  KSTAR_TRY(const double delay, read_number("straggler", text.substr(colon + 1), kCost));
  settings.straggler = {.probability = chance, .delay = delay};
  return {};
}

}  // namespace

LawParameter serial_parameter() {
  return number("serial", "S", "s", "serial fraction of one worker's computation, 0 to 1",
                kFraction, &LawSettings::serial, true);
}

LawParameter scaled_serial_parameter() {
  return number("serial", "S", "s", "serial fraction of the time on K workers, 0 to 1", kFraction,
                &LawSettings::serial, true);
}

LawParameter communication_parameter() {
  return {.name = "comm",
          .value = "TERM:COST",
          .help =
              "communication: constant, log2, log2p1, sqrt, linear or ring, with its cost; join "
              "several with +: log2:0.01+constant:0.002",
          .read = read_communication,
          .symbol = "comm"};
}

LawParameter straggler_parameter() {
  return {.name = "straggler",
          .value = "P:D",
          .help =
              "each worker is slow with probability P, by D; the step waits if any is (part of the "
              "law)",
          .read = read_straggler,
          .symbol = "straggler"};
}

LawParameter imbalance_parameter() {
  return number("imbalance", "I", "imbalance",
                "the most loaded worker carries (1+I) times the mean", kCost,
                &LawSettings::imbalance, false);
}

LawParameter hide_parameter() {
  return number("hide", "H", "hidden",
                "share of communication hidden behind computation, as long as there is any",
                kFraction, &LawSettings::hidden, false);
}

LawParameter contention_parameter() {
  return number("contention", "A", "a", "contention: the share that queues, 0 to 1", kFraction,
                &LawSettings::contention, true);
}

LawParameter coherency_parameter() {
  return number("coherency", "B", "b", "coherency: the cost per pair of workers", kFraction,
                &LawSettings::coherency, true);
}

LawParameter rate_parameter() {
  return number("rate", "X", "X(1)", "throughput of one worker: adds X(K) to the table", kPositive,
                &LawSettings::rate, false);
}

LawParameter compute_parameter() {
  return number("compute", "MS", "compute", "milliseconds of computation in the profiled step",
                kPositive, &LawSettings::compute, true);
}

LawParameter exchange_parameter() {
  return number("communication", "MS", "communication",
                "milliseconds of communication in the profiled step", kCost, &LawSettings::exchange,
                true);
}

LawParameter at_parameter() {
  return number("at", "K", "at K", "the number of workers of the profiled step (default: 1)",
                kCount, &LawSettings::at_workers, false);
}

LawParameter growth_parameter() {
  return {
      .name = "growth",
      .value = "TERM",
      .help =
          "how communication grows with K: constant (default), log2, log2p1, sqrt, linear, ring",
      .read = [](LawSettings& settings, std::string_view text) -> Result<void> {
        KSTAR_TRY(const Growth growth, read_growth("growth", text));
        settings.growth = growth;
        return {};
      },
      .symbol = "growth"};
}

LawParameter compress_parameter() {
  return number("compress", "F", "compressed", "gradients compressed by this factor", kFactor,
                &LawSettings::compression, false);
}

LawParameter sync_every_parameter() {
  return number("sync-every", "N", "sync every",
                "synchronise every N steps (T is then the mean step)", kCount,
                &LawSettings::sync_every, false);
}

}  // namespace kstar
