// What the intervals of kstar really cover, method by method; docs/statistics.md shows the output.
#include "support/coverage.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "kstar/stats.h"

namespace {

using kstar::IntervalMethod;
using kstar::coverage::Noise;

constexpr std::array<std::size_t, 4> kSizes = {3, 5, 10, 30};
constexpr std::size_t kReplications = 20000;
// A replication of the bootstrap is itself 500 resamples.
constexpr std::size_t kBootstrapReplications = 4000;

struct Row {
  const char* of;
  IntervalMethod method;
};
constexpr std::array<Row, 10> kRows = {{{"mean", IntervalMethod::kStudentT},
                                        {"mean", IntervalMethod::kNormal},
                                        {"mean", IntervalMethod::kEffectiveSample},
                                        {"median", IntervalMethod::kOrderStatistic},
                                        {"ratio", IntervalMethod::kWelchLog},
                                        {"ratio", IntervalMethod::kWelchLogEffective},
                                        {"ratio", IntervalMethod::kFieller},
                                        {"ratio", IntervalMethod::kPaired},
                                        {"ratio", IntervalMethod::kPairedEffective},
                                        {"ratio", IntervalMethod::kBootstrap}}};

std::string cells(std::string_view of, std::string_view method) {
  return fmt::format("{:<7} {:<20}", of, method);
}

void print_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print("{}\n", line);
}

void print_row(const Row& row, Noise noise) {
  std::string line = cells(row.of, to_string(row.method));
  const std::size_t replications =
      row.method == IntervalMethod::kBootstrap ? kBootstrapReplications : kReplications;
  for (const std::size_t n : kSizes) {
    const auto found = kstar::coverage::simulate(
        {.method = row.method, .noise = noise, .n = n, .replications = replications, .seed = n});
    line += fmt::format("  {:.3f} +- {:.3f}", found.share, found.standard_error);
  }
  print_line(line);
}

void print_header() {
  std::string line = cells("of", "method");
  for (const std::size_t n : kSizes) line += fmt::format("  {:<14}", fmt::format("n = {}", n));
  print_line(line);
}

/// The median cannot have 0.95: what it claims instead.
void print_claim_of_the_median() {
  std::string line = cells("median", "what it claims");
  for (const std::size_t n : kSizes) {
    std::vector<double> samples(n);
    std::iota(samples.begin(), samples.end(), 0.0);
    line += fmt::format("  {:<14.3f}", kstar::estimate_median(samples).value().confidence);
  }
  print_line(line);
}

}  // namespace

int main() {
  fmt::print("The share of 95% intervals that contain the true value +- its standard error\n");
  for (const Noise noise : {Noise::kNormal, Noise::kLognormal, Noise::kCorrelated,
                            Noise::kStronglyCorrelated, Noise::kInterleaved, Noise::kBlocks}) {
    fmt::print("\n{}\n", to_string(noise));
    print_header();
    for (const Row& row : kRows) print_row(row, noise);
  }
  fmt::print("\n");
  print_claim_of_the_median();
}
