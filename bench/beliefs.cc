// What each part of the beliefs about a curve would predict, for bench/beliefs.py, which weighs
// the parts. A line of TASKS (tabs): strong or weak, measured or published, the K asked for, the
// true time, and K:T:error:runs for every K known. For each line the output has the number of cells
// and, as 32-bit floats, for each cell
//   form, drift, error, change, weight, then the distribution of log(T/true) at the grid's places
// where weight is the evidence without the beliefs. A cell is a form with one way to leave it.
//
//   bench_beliefs TASKS OUT
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/fit/posterior.h"
#include "analysis/fit/sample.h"

namespace {

using namespace kstar;          // NOLINT: one file, one purpose
using namespace kstar::curves;  // NOLINT

constexpr int kSide = 24;
constexpr std::size_t kPlaces = 2 * kSide + 1;
constexpr std::size_t kNumbers = kPlaces + 1;  // the last one: the density at the true time
using Spread = std::array<double, kNumbers>;

double place(std::size_t i) {
  return 0.02 * std::sinh(0.28 * (static_cast<double>(i) - kSide));
}

struct Task {
  Curve curve;
  double asked = 1;
  double log_true = 0;
};

Task task_of(const std::string& line) {
  std::stringstream words(line);
  std::string regime, origin, point;
  Task task;
  double truth = 1;
  words >> regime >> origin >> task.asked >> truth;
  task.log_true = std::log(truth);
  if (regime == "weak") task.curve.regime = Regime::kWeak;
  if (origin == "published") task.curve.origin = CurveOrigin::kPublished;
  while (words >> point) {
    CurvePoint& one = task.curve.points.emplace_back();
    char colon = 0;
    std::stringstream(point) >> one.workers >> colon >> one.time >> colon >> one.relative_error >>
        colon >> one.runs;
  }
  return task;
}

struct Cell {
  double weight = 0;
  Spread spread{};
};
using Cells = std::map<std::array<std::size_t, 4>, Cell>;

/// The number of an element that is exactly this one.
template <typename List, typename Same>
std::size_t number_of(const List& list, const Same& same) {
  std::size_t i = 0;
  while (i + 1 < list.size() && !same(list[i])) ++i;
  return i;
}

Spread spread_of(double mean, double deviation) {
  Spread spread;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    spread[i] = 0.5 * std::erfc((mean - place(i)) / deviation / std::numbers::sqrt2);
  }
  const double z = mean / deviation;
  spread[kPlaces] = std::exp(-z * z / 2) / deviation / std::sqrt(2 * std::numbers::pi);
  return spread;
}

Cells cells_of(const Task& task, const Posterior& posterior) {
  const Place asked = place_of(task.asked);
  const bool unknown = posterior.samples.cases.front().added > 0;
  std::vector<State> states(posterior.walks.size());
  Cells cells;
  for (const Node& node : posterior.nodes) {
    const Walk& walk = posterior.walks[node.walk];
    const Candidate& candidate = posterior.candidates[node.candidate];
    State& state = states[node.walk];
    if (state.weights.empty()) state = posterior.walks.at(node.walk, task.asked);
    double mean = log_time(posterior, candidate, asked) - task.log_true;
    for (std::size_t i = 0; i < candidate.residuals.size(); ++i) {
      mean += state.weights[i] * candidate.residuals[i];
    }
    const auto own = [&](const auto& other) { return other == candidate.form; };
    const std::array key = {
        number_of(posterior.forms, own),
        number_of(kDrifts, [&](const Belief& one) { return one.size == walk.drift; }),
        unknown ? number_of(kErrors, [&](double size) { return size * size == walk.errors.added; })
                : 0,
        std::size_t{walk.change ? 1U : 0U}};
    // What repeats say about their own scatter is no belief, and stays; so does a disturbed value.
    const double belief = candidate.form->weight / (walk.disturbed ? walk.disturbance.weight : 1) *
                          std::exp(walk.log_weight - (unknown ? 0 : walk.errors.log_weight));
    const double weight = node.weight / belief;
    const Spread spread = spread_of(mean, std::sqrt(state.variance + walk.errors.added));
    Cell& cell = cells[key];
    cell.weight += weight;
    for (std::size_t i = 0; i < kNumbers; ++i) cell.spread[i] += weight * spread[i];
  }
  return cells;
}

void write(std::ofstream& out, const Cells& cells) {
  const auto put = [&](double value) {
    const auto narrow = static_cast<float>(value);
    out.write(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  double most = 0;
  for (const auto& [key, cell] : cells) most = std::max(most, cell.weight);
  put(static_cast<double>(cells.size()));
  for (const auto& [key, cell] : cells) {
    for (const std::size_t number : key) put(static_cast<double>(number));
    put(cell.weight / most);
    for (const double value : cell.spread) put(value / cell.weight);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "bench_beliefs TASKS OUT\n");
    return 2;
  }
  std::ifstream in(words[1]);
  std::ofstream out(words[2], std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    const Task task = task_of(line);
    std::vector<const Form*> forms;
    const bool weak = task.curve.regime == Regime::kWeak;
    for (const Form& form : weak ? forms_of_growing_work() : forms_of_fixed_work()) {
      forms.push_back(&form);
    }
    const auto samples = samples_of(task.curve);
    if (!samples) {
      fmt::print(stderr, "no curve: {}\n", line);
      return 1;
    }
    write(out, cells_of(task, posterior_of(forms, *samples)));
  }
}
