#include "analysis/fit/posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kstar::curves {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
/// Cells lighter than the heaviest by e^-12 do not count.
constexpr double kNegligible = 12;
/// Nodes lighter than this move no digit that is shown.
constexpr double kLightest = 1e-7;
constexpr int kMostZooms = 5;

struct Box {
  Cube low{0, 0};
  Cube high{1, 1};

  double volume() const { return (high[0] - low[0]) * (high[1] - low[1]); }
  void include(const Box& other) {
    for (std::size_t d = 0; d < low.size(); ++d) {
      low[d] = std::min(low[d], other.low[d]);
      high[d] = std::max(high[d], other.high[d]);
    }
  }
};
constexpr Box kNothing{{1, 1}, {0, 0}};

struct Cell {
  Cube at;
  std::size_t candidate = 0;
  std::vector<double> log_weights;  ///< of the walks asked for
};

using Group = std::vector<std::size_t>;  // of walks

class Search {
 public:
  Search(const Form& form, const std::vector<Place>& places, Posterior& posterior)
      : form_(form), places_(places), posterior_(posterior) {}

  void explore(const Box& box, const Group& walks, int depth) {
    first_ = walks.front();
    const std::size_t before = posterior_.candidates.size();
    const std::vector<Cell> cells = cells_of(box, walks);
    Group sharp;
    Box all = kNothing;
    std::vector<Box> boxes;
    for (const std::size_t walk : walks) {
      const Box own = depth < kMostZooms ? box_of(cells, box, walk) : box;
      if (own.volume() < 0.4 * box.volume()) {
        sharp.push_back(walk);
        boxes.push_back(own);
        all.include(own);
      } else {
        accept(cells, walk);
      }
    }
    if (sharp.empty()) return;
    if (sharp.size() == walks.size()) posterior_.candidates.resize(before);
    if (all.volume() < 0.6 * box.volume()) {
      explore(all, sharp, depth + 1);
    } else {
      for (std::size_t i = 0; i < sharp.size(); ++i) explore(boxes[i], {sharp[i]}, depth + 1);
    }
  }

 private:
  std::vector<Cell> cells_of(const Box& box, const Group& walks) {
    const int rows = form_.axes[0].steps, columns = form_.axes[1].steps;
    const double log_volume = std::log(box.volume() / (rows * columns));
    std::vector<Cell> cells;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        cells.push_back({.at = {box.low[0] + (i + 0.5) / rows * (box.high[0] - box.low[0]),
                                box.low[1] + (j + 0.5) / columns * (box.high[1] - box.low[1])}});
        weigh(cells.back(), walks, log_volume);
      }
    }
    return cells;
  }

  void weigh(Cell& cell, const Group& walks, double log_volume) {
    Candidate candidate{&form_, shape_of(form_, cell.at), {}};
    for (std::size_t i = 0; i < places_.size(); ++i) {
      candidate.residuals.push_back(
          posterior_.samples.points[i].log_time -
          curves::log_time(form_, candidate.shape, places_[i], posterior_.range));
    }
    posterior_.walks.log_densities(candidate.residuals, first_, walks.back() + 1, cell.log_weights);
    const double prior = log_volume + log_density(form_, cell.at) + std::log(form_.weight);
    for (std::size_t w = 0; w < cell.log_weights.size(); ++w) {
      cell.log_weights[w] += prior + posterior_.walks[first_ + w].log_weight;
    }
    cell.candidate = posterior_.candidates.size();
    posterior_.candidates.push_back(std::move(candidate));
  }

  /// Around the cells that count.
  Box box_of(const std::vector<Cell>& cells, const Box& box, std::size_t walk) const {
    double most = kNever;
    for (const Cell& cell : cells) most = std::max(most, cell.log_weights[walk - first_]);
    Box own = kNothing;
    for (const Cell& cell : cells) {
      if (cell.log_weights[walk - first_] < most - kNegligible) continue;
      for (std::size_t d = 0; d < 2; ++d) {
        const double reach = 1.5 * (box.high[d] - box.low[d]) / form_.axes[d].steps;
        own.low[d] = std::min(own.low[d], std::max(box.low[d], cell.at[d] - reach));
        own.high[d] = std::max(own.high[d], std::min(box.high[d], cell.at[d] + reach));
      }
    }
    return own;
  }

  void accept(const std::vector<Cell>& cells, std::size_t walk) {
    for (const Cell& cell : cells) {
      posterior_.nodes.push_back({cell.candidate, walk, cell.log_weights[walk - first_]});
    }
  }

  const Form& form_;
  const std::vector<Place>& places_;
  Posterior& posterior_;
  std::size_t first_ = 0;  ///< of the walks that the cells' weights are of
};

/// From logarithms to weights that sum to 1, the lightest left out.
void normalise(std::vector<Node>& nodes) {
  double most = kNever;
  for (const Node& node : nodes) most = std::max(most, node.weight);
  double sum = 0;
  for (Node& node : nodes) sum += node.weight = std::exp(node.weight - most);
  std::erase_if(nodes, [&](const Node& node) { return node.weight < kLightest * sum; });
  sum = 0;
  for (const Node& node : nodes) sum += node.weight;
  for (Node& node : nodes) node.weight /= sum;
}

/// Walks by where they may change, or be disturbed: their curves lie together.
std::vector<Group> groups_of(const Walks& walks) {
  std::vector<Group> groups;
  for (std::size_t w = 0; w < walks.size(); ++w) {
    const bool alike = w > 0 && walks[w].change == walks[w - 1].change &&
                       walks[w].disturbed == walks[w - 1].disturbed &&
                       walks[w].disturbance.size == walks[w - 1].disturbance.size;
    if (!alike) groups.emplace_back();
    groups.back().push_back(w);
  }
  return groups;
}

void drop_unused(Posterior& posterior) {
  std::vector<std::size_t> places(posterior.candidates.size(), 0);
  for (const Node& node : posterior.nodes) places[node.candidate] = 1;
  std::vector<Candidate> used;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == 0) continue;
    places[i] = used.size();
    used.push_back(std::move(posterior.candidates[i]));
  }
  for (Node& node : posterior.nodes) node.candidate = places[node.candidate];
  posterior.candidates = std::move(used);
}

}  // namespace

Posterior posterior_of(std::span<const Form* const> forms, const CurveSamples& samples) {
  Posterior posterior{
      .range = {place_of(samples.points.front().workers), place_of(samples.points.back().workers)},
      .samples = samples,
      .walks = Walks(samples),
      .forms = {forms.begin(), forms.end()},
      .weights = {},
      .candidates = {},
      .nodes = {}};
  std::vector<Place> places;
  for (const Sample& sample : samples.points) places.push_back(place_of(sample.workers));
  const std::vector<Group> groups = groups_of(posterior.walks);
  for (const Form* form : forms) {
    Search search(*form, places, posterior);
    for (const Group& group : groups) search.explore(Box{}, group, 0);
  }
  normalise(posterior.nodes);
  drop_unused(posterior);
  posterior.weights.assign(forms.size(), 0);
  for (const Node& node : posterior.nodes) {
    const Form* form = posterior.candidates[node.candidate].form;
    const auto at = std::find(posterior.forms.begin(), posterior.forms.end(), form);
    posterior.weights[static_cast<std::size_t>(at - posterior.forms.begin())] += node.weight;
  }
  return posterior;
}

double log_time(const Posterior& posterior, const Candidate& candidate, const Place& at) {
  return log_time(*candidate.form, candidate.shape, at, posterior.range);
}

}  // namespace kstar::curves
