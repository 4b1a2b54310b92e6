// How good the probability is that kstar audit gives for a claim beyond the largest measured K: the
// Brier score on published scaling claims. Each claim is asked of the K below it in its own table,
// as published and made smaller or larger by a factor; the throughput beside it is the truth. Real
// data is read from ../shared; without it nothing is printed.
//   bench_audit_claims [SHARED]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "audit/claim_chance.h"
#include "kstar/import.h"

namespace {

struct Row {
  int workers = 1;
  double rate = 1;
  double claimed = 1;
};

/// The rows of one table that share their base, by its line.
struct Series {
  int base_workers = 1;
  double base_rate = 1;
  std::vector<Row> rows;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

std::map<std::string, Series> read_claims(const std::string& path) {
  std::map<std::string, Series> all;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto cells = cells_of(line);
    if (cells.size() < 10) continue;
    Series& series =
        all[cells[0] + "|" + cells[2] + "|" + cells[3] + "|" + cells[6] + "|" + cells[7]];
    series.base_workers = std::stoi(cells[4]);
    series.base_rate = std::stod(cells[7]);
    series.rows.push_back({std::stoi(cells[5]), std::stod(cells[8]), std::stod(cells[9])});
  }
  return all;
}

/// The rows below K, as a table that nothing else is known of; none with fewer than two K.
std::optional<kstar::Study> known_below(const Series& series, int workers) {
  std::string text = fmt::format("gpus,throughput\n{},{}\n", series.base_workers, series.base_rate);
  bool more = false;
  for (const Row& row : series.rows) {
    if (row.workers >= workers || row.workers <= series.base_workers) continue;
    text += fmt::format("{},{}\n", row.workers, row.rate);
    more = true;
  }
  if (!more) return {};
  auto study = kstar::import_text(text, "table.csv");
  return study ? std::optional(std::move(*study)) : std::nullopt;
}

double last_efficiency(const Series& series, int workers) {
  Row last{series.base_workers, series.base_rate, 1};
  for (const Row& row : series.rows) {
    if (row.workers < workers && row.workers > last.workers) last = row;
  }
  return last.rate / series.base_rate * workers / last.workers;
}

struct Scores {
  double brier = 0, continued = 0, chance = 0, truth = 0, count = 0;
};

void print(const std::string& name, const Scores& scores) {
  fmt::print(
      "  {:<14} n {:5}  Brier {:.3f}  (efficiency of the last K: {:.3f}; always 50%: 0.250)  "
      "mean chance {:.2f}, true {:.2f}\n",
      name, scores.count, scores.brier / scores.count, scores.continued / scores.count,
      scores.chance / scores.count, scores.truth / scores.count);
}

}  // namespace

int main(int count, char** words) {
  const std::string shared = count > 1 ? words[1] : "../shared";
  const auto all = read_claims(shared + "/data/public/planner/dle_scaling_claims.csv");
  constexpr std::array<double, 8> kFactors = {0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5};
  std::map<double, Scores> by_factor;
  std::array<Scores, 10> by_chance{};
  Scores pooled;
  int claims = 0, asked = 0;
  for (const auto& [name, series] : all) {
    for (const Row& row : series.rows) {
      ++claims;
      const auto study = known_below(series, row.workers);
      if (!study) continue;
      ++asked;
      const double truth = row.rate / series.base_rate;
      const auto chances =
          kstar::SpeedupChances::at(*study, {}, row.workers, kstar::WorkWay::kUnknown);
      if (!chances) continue;
      for (const double factor : kFactors) {
        const double chance = chances->of(factor * row.claimed);
        const double is_true = truth >= factor * row.claimed ? 1 : 0;
        const double continues =
            last_efficiency(series, row.workers) >= factor * row.claimed ? 1 : 0;
        const auto bin = static_cast<std::size_t>(std::min(9.0, std::floor(10 * chance)));
        for (Scores* scores : {&by_factor[factor], &by_chance[bin], &pooled}) {
          scores->brier += (chance - is_true) * (chance - is_true);
          scores->continued += (continues - is_true) * (continues - is_true);
          scores->chance += chance;
          scores->truth += is_true;
          ++scores->count;
        }
      }
    }
  }
  if (claims == 0) return 0;
  fmt::print("{} published claims, {} with two smaller K in their table\n", claims, asked);
  for (const auto& [factor, scores] : by_factor) print(fmt::format("claim x {}", factor), scores);
  print("all", pooled);
  fmt::print("by the chance that was given\n");
  for (std::size_t i = 0; i < by_chance.size(); ++i) {
    if (by_chance[i].count > 0) print(fmt::format("{}% to {}%", 10 * i, 10 * i + 10), by_chance[i]);
  }
}
