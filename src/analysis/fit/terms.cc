#include "analysis/fit/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/fit/mixture.h"
#include "base/number.h"

namespace kstar::curves {

namespace {

struct PartWords {
  std::string name, formula;
  TermRole role = TermRole::kOther;
};

/// What K adds to the cost at K0, the smallest K: the rest of it is in the serial part.
std::string communication_formula(Growth growth) {
  if (growth == Growth::kLog2) return "c log2(K/K0)";
  if (growth == Growth::kLinear) return "c (K-K0)";
  return fmt::format("c ({0} - {0}0)", info(growth).formula);
}

PartWords words_of(const Form& form, std::size_t part) {
  switch (form.parts[part]) {
    case TermKind::kDivided:
      return {"parallel", "p/K", TermRole::kParallel};
    case TermKind::kConstant:
      return part == 0 ? PartWords{"parallel", "w", TermRole::kParallel}
                       : PartWords{"serial", "s", TermRole::kSerial};
    case TermKind::kShrinking:
      return {"shrinking", "c K^-a"};
    case TermKind::kSurface:
      return {"surface", "c K^-2/3"};
    case TermKind::kWaiting:
      return {"parallel", "p m(K)/K", TermRole::kParallel};
    case TermKind::kCommunication:
      return {std::string(info(form.growth).name), communication_formula(form.growth)};
    case TermKind::kGrowing:
      return {"growing", "c K^a"};
    case TermKind::kSaturating:
      return {"saturating", "c (1 - (K/K0)^-a)"};
  }
  return {};
}

class Terms {
 public:
  Terms(const Form& form, const Posterior& posterior, double confidence)
      : form_(form), posterior_(posterior), confidence_(confidence) {
    for (const Node& node : posterior.nodes) {
      if (posterior.candidates[node.candidate].form == &form) nodes_.push_back(&node);
    }
    find_levels();
  }

  bool empty() const { return nodes_.empty(); }

  Estimate share(const std::function<double(const FormShape&)>& of) const {
    std::vector<Weighted> values;
    for (const Node* node : nodes_) values.push_back({of(shape(*node)), node->weight});
    return estimate_of(std::move(values), confidence_);
  }

  /// The time at the largest K is normal in its logarithm: three points stand for it.
  Estimate cost(const std::function<double(const FormShape&)>& of) const {
    constexpr double kAway = 1.7320508075688772;  // Gauss and Hermite's, with weights 1/6, 2/3, 1/6
    std::vector<Weighted> values;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const double value = of(shape(*nodes_[i])) * std::exp(levels_[i].mean);
      const double factor = std::exp(kAway * levels_[i].deviation);
      values.push_back({value / factor, nodes_[i]->weight / 6});
      values.push_back({value, nodes_[i]->weight * 2 / 3});
      values.push_back({value * factor, nodes_[i]->weight / 6});
    }
    return estimate_of(std::move(values), confidence_);
  }

  struct Moments {
    double mean = 0;
    double deviation = 0;
  };
  Moments moments(const std::function<double(const FormShape&)>& of) const {
    double sum = 0, squares = 0, total = 0;
    for (const Node* node : nodes_) {
      const double value = of(shape(*node));
      sum += node->weight * value;
      squares += node->weight * value * value;
      total += node->weight;
    }
    const double mean = sum / total;
    return {mean, std::sqrt(std::max(0.0, squares / total - mean * mean))};
  }

  /// What the part takes of the time at the largest K. The two of a limit do not add up to 1.
  double share_of(std::size_t i, const FormShape& shape) const {
    if (!form_.limit) return shape.share[i];
    const double both = std::pow(1 + std::pow(shape.knee, -shape.exponent), 1 / shape.exponent);
    return i == 0 ? 1 / both : 1 / (shape.knee * both);
  }

  double cost_of(std::size_t i, const FormShape& shape) const {
    return share_of(i, shape) /
           part_at(form_, i, posterior_.range.largest, posterior_.range.smallest, shape.exponent);
  }

 private:
  const FormShape& shape(const Node& node) const {
    return posterior_.candidates[node.candidate].shape;
  }

  void find_levels() {
    std::vector<State> states(posterior_.walks.size());
    for (const Node* node : nodes_) {
      State& state = states[node->walk];
      if (state.weights.empty()) {
        state = posterior_.walks.at(node->walk, 1.0000001 * posterior_.range.largest.workers);
      }
      const std::vector<double>& residuals = posterior_.candidates[node->candidate].residuals;
      double mean = 0;
      for (std::size_t i = 0; i < residuals.size(); ++i) mean += state.weights[i] * residuals[i];
      levels_.push_back({mean, std::sqrt(state.variance), node->weight});
    }
  }

  const Form& form_;
  const Posterior& posterior_;
  double confidence_;
  std::vector<const Node*> nodes_;
  std::vector<Component> levels_;  ///< of log T at the largest K, by node
};

/// Two parts whose sum is known much better than either, and either badly.
bool alike(const Terms& terms) {
  constexpr double kWell = 0.25;  // of itself
  const auto both = terms.moments([](const FormShape& s) { return s.share[1] + s.share[2]; });
  const auto one = terms.moments([](const FormShape& s) { return s.share[1]; });
  const auto other = terms.moments([](const FormShape& s) { return s.share[2]; });
  const bool known = one.deviation < kWell * one.mean && other.deviation < kWell * other.mean;
  return !known && both.deviation < 0.5 * std::min(one.deviation, other.deviation);
}

FittedTerm term_of(const Form& form, const Terms& terms, std::size_t i) {
  const PartWords words = words_of(form, i);
  FittedTerm term;
  term.role = words.role;
  term.name = words.name;
  term.formula = words.formula;
  term.cost = terms.cost([&](const FormShape& shape) { return terms.cost_of(i, shape); });
  term.share = terms.share([&](const FormShape& shape) { return terms.share_of(i, shape); });
  if (form.limit && i == 1) {
    term.role = TermRole::kOther;
    term.name = "limit";
    term.formula = "b";
  } else if (term.role == TermRole::kSerial) {
    term.name = "serial or ring";
    term.merged = true;
  }
  return term;
}

FittedTerm exponent_of(const Form& form, const Terms& terms) {
  FittedTerm term;
  term.name = form.limit                            ? "sharpness"
              : form.parts[0] == TermKind::kWaiting ? "spread"
                                                    : "exponent";
  term.formula = form.limit ? "q" : "a";
  term.time = false;
  term.cost = terms.share([](const FormShape& shape) { return shape.exponent; });
  return term;
}

/// A serial part and another that these K do not tell apart, as one.
FittedTerm merged_of(const Form& form, const Terms& terms) {
  const PartWords other = words_of(form, 2);
  const auto sum = [](const FormShape& shape) { return shape.share[1] + shape.share[2]; };
  FittedTerm both;
  both.name = fmt::format("serial, ring or {}", other.name);
  both.formula = fmt::format("s + {}", other.formula);
  both.cost = terms.cost(sum);
  both.share = terms.share(sum);
  both.merged = true;
  return both;
}

FittedModel model_of(const Form& form, double weight, const Posterior& posterior, double confidence,
                     std::vector<std::string>& notes) {
  FittedModel model{std::string(form.name), std::string(form.formula), weight, {}, {}};
  const Terms terms(form, posterior, confidence);
  if (terms.empty()) return model;
  const bool merge = form.count == 3 && alike(terms);
  const std::size_t apart = merge ? 1 : form.count;
  for (std::size_t i = 0; i < apart; ++i) {
    model.terms.push_back(term_of(form, terms, i));
  }
  if (merge) {
    model.terms.push_back(merged_of(form, terms));
    if (weight >= kDrawnWeight) {
      const double largest = posterior.range.largest.workers;
      notes.push_back(fmt::format(
          "Up to K = {} a serial part and {} look alike: they are shown as one, with "
          "their sum at that K. Times at K = {} would tell them apart.",
          significant(largest, 9), words_of(form, 2).formula, significant(4 * largest, 9)));
    }
  }
  if (form.has_exponent()) model.terms.push_back(exponent_of(form, terms));
  return model;
}

}  // namespace

std::vector<FittedModel> fitted_models(const Posterior& posterior, double confidence,
                                       std::vector<std::string>& notes) {
  std::vector<FittedModel> models;
  for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
    models.push_back(
        model_of(*posterior.forms[i], posterior.weights[i], posterior, confidence, notes));
  }
  std::stable_sort(models.begin(), models.end(),
                   [](const FittedModel& a, const FittedModel& b) { return a.weight > b.weight; });
  const bool ring = std::any_of(models.begin(), models.end(), [](const FittedModel& model) {
    return model.weight >= 0.05 &&
           std::any_of(model.terms.begin(), model.terms.end(),
                       [](const FittedTerm& term) { return term.role == TermRole::kSerial; });
  });
  if (ring) {
    notes.emplace_back(
        "A ring all-reduce takes 2(K-1)/K of its cost, a constant minus a term that is divided: no "
        "T(K) separates it from a serial part. Per-worker times do (marks, --inside).");
  }
  return models;
}

}  // namespace kstar::curves
