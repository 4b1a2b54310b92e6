#include "analysis/fit/curve_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/fit/curve_predict.h"
#include "base/number.h"

namespace kstar::curves {

namespace {

std::string_view name_of(Part part, bool growing_work) {
  switch (part) {
    case Part::kDivided:
      return "parallel";
    case Part::kConstant:
      return growing_work ? "parallel" : "serial";
    case Part::kShrinking:
      return "shrinking";
    case Part::kGrowing:
      return "growing";
    case Part::kLog2:
      return "log2";
    case Part::kLinear:
      return "linear";
  }
  return "";
}

std::string_view formula_of(Part part, bool growing_work) {
  switch (part) {
    case Part::kDivided:
      return "p/K";
    case Part::kConstant:
      return growing_work ? "w" : "s";
    case Part::kShrinking:
      return "c K^-a";
    case Part::kGrowing:
      return "c K^a";
    case Part::kLog2:
      return "c log2 K";
    case Part::kLinear:
      return "c (K-1)";
  }
  return "";
}

struct Weighted {
  double value = 0;
  double weight = 0;
};

/// The median and the interval of a quantity over the nodes.
Estimate estimate_over(std::vector<Weighted> values, double confidence) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0;
  for (const Weighted& one : values) total += one.weight;
  const auto at = [&](double share) {
    double below = 0;
    for (const Weighted& one : values) {
      below += one.weight;
      if (below >= share * total) return one.value;
    }
    return values.back().value;
  };
  return estimate_by(at, confidence);
}

class Terms {
 public:
  Terms(const Form& form, const Average& average, double confidence)
      : form_(form), reference_(average.reference), confidence_(confidence) {
    for (const Node& node : average.nodes) {
      if (node.form == &form) nodes_.push_back(&node);
    }
  }

  bool empty() const { return nodes_.empty(); }

  Estimate share(const std::function<double(const Shape&)>& of) const {
    std::vector<Weighted> values;
    for (const Node* node : nodes_) values.push_back({of(node->shape), node->weight});
    return estimate_over(std::move(values), confidence_);
  }

  /// The time at the reference is normal in its logarithm: three points stand for it.
  Estimate cost(const std::function<double(const Shape&)>& of) const {
    constexpr double kAway = 1.7320508075688772;  // Gauss and Hermite's, with weights 1/6, 2/3, 1/6
    std::vector<Weighted> values;
    for (const Node* node : nodes_) {
      const double value = of(node->shape) * std::exp(node->log_mean);
      const double factor = std::exp(kAway * node->log_error);
      values.push_back({value / factor, node->weight / 6});
      values.push_back({value, node->weight * 2 / 3});
      values.push_back({value * factor, node->weight / 6});
    }
    return estimate_over(std::move(values), confidence_);
  }

  double spread(const std::function<double(const Shape&)>& of) const {
    double sum = 0, squares = 0, total = 0;
    for (const Node* node : nodes_) {
      const double value = of(node->shape);
      sum += node->weight * value;
      squares += node->weight * value * value;
      total += node->weight;
    }
    return std::sqrt(std::max(0.0, squares / total - sum / total * (sum / total)));
  }

  double part(std::size_t i, const Shape& shape) const {
    return shape.share[i] / part_at(form_.parts[i], reference_, shape.exponent);
  }

 private:
  const Form& form_;
  double reference_;
  double confidence_;
  std::vector<const Node*> nodes_;
};

/// Two parts whose sum is known much better than either.
bool alike(const Terms& terms) {
  const double both = terms.spread([](const Shape& s) { return s.share[1] + s.share[2]; });
  const double one = terms.spread([](const Shape& s) { return s.share[1]; });
  const double other = terms.spread([](const Shape& s) { return s.share[2]; });
  return both < 0.5 * std::min(one, other);
}

FittedTerm term_of(const Form& form, const Terms& terms, std::size_t i, bool growing_work) {
  FittedTerm term;
  term.name = name_of(form.parts[i], growing_work);
  term.formula = formula_of(form.parts[i], growing_work);
  term.cost = terms.cost([&](const Shape& shape) { return terms.part(i, shape); });
  term.share = terms.share([&](const Shape& shape) { return shape.share[i]; });
  if (term.name == "serial") {
    term.name = "serial or ring";
    term.formula = "s";
    term.merged = true;
  }
  return term;
}

FittedModel model_of(const Form& form, double weight, const Average& average, double confidence,
                     std::vector<std::string>& notes) {
  FittedModel model{std::string(form.name), std::string(form.formula), weight, {}, {}};
  const Terms terms(form, average, confidence);
  if (terms.empty()) return model;
  const bool growing_work = form.parts[0] == Part::kConstant;
  const bool merge = form.count == 3 && alike(terms);
  const std::size_t apart = merge ? 1 : form.count;
  for (std::size_t i = 0; i < apart; ++i) {
    model.terms.push_back(term_of(form, terms, i, growing_work));
  }
  if (merge) {
    const std::string other(name_of(form.parts[2], growing_work));
    FittedTerm both;
    both.name = "serial, ring or " + other;
    both.formula = fmt::format("s + {}", formula_of(form.parts[2], growing_work));
    const auto sum = [](const Shape& s) { return s.share[1] + s.share[2]; };
    both.cost = terms.cost(sum);
    both.share = terms.share(sum);
    both.merged = true;
    model.terms.push_back(both);
    if (weight >= 0.05) {
      notes.push_back(fmt::format(
          "Up to K = {} a serial part and one that grows like {} look alike: they are shown as "
          "one, with their sum at that K. Times at K = {} would tell them apart.",
          significant(average.reference, 9), formula_of(form.parts[2], growing_work).substr(2),
          significant(4 * average.reference, 9)));
    }
  }
  if (form.has_exponent) {
    FittedTerm exponent;
    exponent.name = "exponent";
    exponent.formula = "a";
    exponent.time = false;
    exponent.cost = terms.share([](const Shape& shape) { return shape.exponent; });
    model.terms.push_back(exponent);
  }
  return model;
}

}  // namespace

std::vector<FittedModel> fitted_models(const Average& average, double confidence,
                                       std::vector<std::string>& notes) {
  std::vector<FittedModel> models;
  for (std::size_t i = 0; i < average.forms.size(); ++i) {
    models.push_back(model_of(*average.forms[i], average.weights[i], average, confidence, notes));
  }
  std::stable_sort(models.begin(), models.end(),
                   [](const FittedModel& a, const FittedModel& b) { return a.weight > b.weight; });
  const bool ring = std::any_of(models.begin(), models.end(), [](const FittedModel& model) {
    return model.weight >= 0.05 &&
           std::any_of(model.terms.begin(), model.terms.end(),
                       [](const FittedTerm& term) { return term.name == "serial or ring"; });
  });
  if (ring) {
    notes.emplace_back(
        "A ring all-reduce takes 2(K-1)/K of its cost, a constant minus a term that is divided: no "
        "T(K) separates it from a serial part. Per-worker times do (marks, --inside).");
  }
  return models;
}

}  // namespace kstar::curves
