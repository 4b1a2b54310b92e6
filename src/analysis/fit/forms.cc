#include "analysis/fit/forms.h"

#include <algorithm>
#include <cmath>

#include "analysis/causes/noise_floor.h"

namespace kstar::curves {

namespace {

constexpr Axis kShare{.opens = Opening::kShare, .steps = 16};
constexpr Axis kFineShare{.opens = Opening::kShare, .steps = 24};
/// Of a part that grows with growing work: small ones are likelier.
constexpr Axis grown_share(int steps) {
  return {.opens = Opening::kShare, .steps = steps, .q = 2};
}
constexpr Axis kSplit{.opens = Opening::kSplit, .steps = 8};

// Weights and distributions before any data: docs/models.md has the table that chose them.
constexpr std::array kFixedWork = {
    Form{.name = "shrinking",
         .formula = "p/K + c K^-a",
         .help = "a term that is divided, but slower the less each worker has (a small batch)",
         .parts = {TermKind::kDivided, TermKind::kShrinking},
         .count = 2,
         .weight = 0.44,
         .axes = {kShare, Axis{.opens = Opening::kExponent, .steps = 10}}},
    Form{.name = "stragglers",
         .formula = "p m(K)/K + s",
         .help = "all wait for the slowest of K, and a serial part",
         .parts = {TermKind::kWaiting, TermKind::kConstant},
         .count = 2,
         .weight = 0.04,
         .axes = {kShare, Axis{.opens = Opening::kExponent, .steps = 8, .low = 0.03, .high = 0.5}}},
    Form{.name = "power",
         .formula = "c K^-a",
         .help = "every doubling gains the same",
         .parts = {TermKind::kShrinking},
         .count = 1,
         .weight = 0.20,
         .axes = {Axis{.opens = Opening::kExponent, .steps = 32, .high = 1.05}}},
    Form{.name = "limit",
         .formula = "((p/K)^q + b^q)^(1/q)",
         .help = "a limit that time does not fall below: bandwidth, a queue, a lock",
         .parts = {TermKind::kDivided, TermKind::kConstant},
         .count = 2,
         .weight = 0.12,
         .axes = {Axis{.opens = Opening::kKnee, .steps = 28, .low = -4, .high = 3},
                  Axis{.opens = Opening::kExponent,
                       .steps = 5,
                       .low = 1.5,
                       .high = 8,
                       .logarithmic = true}},
         .limit = true},
    Form{.name = "amdahl",
         .formula = "p/K + s",
         .help = "a serial part",
         .parts = {TermKind::kDivided, TermKind::kConstant},
         .count = 2,
         .weight = 0.04,
         .axes = {kFineShare}},
    Form{.name = "log2",
         .formula = "p/K + s + c log2(K/K0)",
         .help = "a serial part and communication along a tree",
         .parts = {TermKind::kDivided, TermKind::kConstant, TermKind::kCommunication},
         .count = 3,
         .growth = Growth::kLog2,
         .weight = 0.04,
         .axes = {kShare, kSplit}},
    Form{.name = "linear",
         .formula = "p/K + s + c (K-K0)",
         .help = "a serial part and communication with every other worker, or contention",
         .parts = {TermKind::kDivided, TermKind::kConstant, TermKind::kCommunication},
         .count = 3,
         .growth = Growth::kLinear,
         .weight = 0.04,
         .axes = {kShare, kSplit}},
    Form{.name = "surface",
         .formula = "p/K + s + c K^-2/3",
         .help = "a serial part and an exchange over the surface of each worker's part",
         .parts = {TermKind::kDivided, TermKind::kConstant, TermKind::kSurface},
         .count = 3,
         .weight = 0.04,
         .axes = {kShare, kSplit}},
    Form{.name = "sqrt",
         .formula = "p/K + s + c (sqrt K - sqrt K0)",
         .help = "a serial part and communication along the rows of a grid of workers",
         .parts = {TermKind::kDivided, TermKind::kConstant, TermKind::kCommunication},
         .count = 3,
         .growth = Growth::kSqrt,
         .weight = 0.04,
         .axes = {kShare, kSplit}},
};

constexpr std::array kGrowingWork = {
    Form{.name = "log2",
         .formula = "w + c log2(K/K0)",
         .help = "each worker's part, and communication along a tree",
         .parts = {TermKind::kConstant, TermKind::kCommunication},
         .count = 2,
         .growth = Growth::kLog2,
         .weight = 0.35,
         .axes = {grown_share(24)}},
    Form{.name = "linear",
         .formula = "w + c (K-K0)",
         .help = "each worker's part, and communication with every other worker",
         .parts = {TermKind::kConstant, TermKind::kCommunication},
         .count = 2,
         .growth = Growth::kLinear,
         .weight = 0.30,
         .axes = {grown_share(24)}},
    Form{.name = "growing",
         .formula = "w + c K^a",
         .help = "each worker's part, and a term that grows like a power",
         .parts = {TermKind::kConstant, TermKind::kGrowing},
         .count = 2,
         .weight = 0.20,
         .axes = {grown_share(16), Axis{.opens = Opening::kExponent, .steps = 8}}},
    Form{.name = "saturating",
         .formula = "w + c (1 - (K/K0)^-a)",
         .help = "each worker's part, and a term that rises and levels off: a node that fills up",
         .parts = {TermKind::kConstant, TermKind::kSaturating},
         .count = 2,
         .weight = 0.10,
         .axes = {grown_share(16), Axis{.opens = Opening::kExponent,
                                        .steps = 4,
                                        .low = 0.25,
                                        .high = 2,
                                        .logarithmic = true}}},
    Form{.name = "constant",
         .formula = "w",
         .help = "each worker's part",
         .parts = {TermKind::kConstant},
         .count = 1,
         .weight = 0.05},
};

/// Small shares need the finer grid.
constexpr double kFiner = 1.5;

double value_at(const Axis& axis, double place) {
  if (axis.logarithmic) return axis.low * std::pow(axis.high / axis.low, place);
  return axis.low + (axis.high - axis.low) * place;
}

}  // namespace

Place place_of(double workers) {
  // Blom (1958), as causes::expected_largest, for any K.
  return {workers, causes::normal_quantile((workers - 0.375) / (workers + 0.25))};
}

std::size_t Form::dimensions() const {
  return static_cast<std::size_t>(std::count_if(
      axes.begin(), axes.end(), [](const Axis& axis) { return axis.opens != Opening::kNone; }));
}

bool Form::has_exponent() const {
  return std::any_of(axes.begin(), axes.end(),
                     [](const Axis& axis) { return axis.opens == Opening::kExponent; });
}

double part_at(const Form& form, std::size_t part, const Place& at, const Place& smallest,
               double exponent) {
  const double k = at.workers, more = k / smallest.workers;
  switch (form.parts[part]) {
    case TermKind::kDivided:
      return 1 / k;
    case TermKind::kConstant:
      return 1;
    case TermKind::kShrinking:
      return std::pow(k, -exponent);
    case TermKind::kSurface:
      return 1 / std::cbrt(k * k);
    case TermKind::kWaiting:
      return std::exp(exponent * at.lateness) / k;
    case TermKind::kCommunication:
      return std::max(0.0, growth_at(form.growth, k) - growth_at(form.growth, smallest.workers));
    case TermKind::kGrowing:
      return std::pow(k, exponent);
    case TermKind::kSaturating:
      return 1 - std::pow(std::max(more, 1.0), -exponent);
  }
  return 0;
}

std::span<const Form> forms_of_fixed_work() {
  return kFixedWork;
}

std::span<const Form> forms_of_growing_work() {
  return kGrowingWork;
}

FormShape shape_of(const Form& form, const Cube& at) {
  FormShape shape;
  for (std::size_t d = 0; d < form.dimensions(); ++d) {
    const Axis& axis = form.axes[d];
    switch (axis.opens) {
      case Opening::kShare:
        shape.share[1] = std::pow(at[d], kFiner);
        shape.share[0] = 1 - shape.share[1];
        break;
      case Opening::kSplit:
        shape.share[2] = shape.share[1] * at[d];
        shape.share[1] -= shape.share[2];
        break;
      case Opening::kExponent:
        shape.exponent = value_at(axis, at[d]);
        break;
      case Opening::kKnee:
        shape.knee = std::exp2(value_at(axis, at[d]));
        break;
      case Opening::kNone:
        break;
    }
  }
  return shape;
}

double log_density(const Form& form, const Cube& at) {
  double sum = 0;
  for (std::size_t d = 0; d < form.dimensions(); ++d) {
    const Axis& axis = form.axes[d];
    const bool share = axis.opens == Opening::kShare;
    const double x = share ? std::pow(at[d], kFiner) : at[d];
    const double beta = std::lgamma(axis.p + axis.q) - std::lgamma(axis.p) - std::lgamma(axis.q);
    sum += beta + (axis.p - 1) * std::log(x) + (axis.q - 1) * std::log1p(-x);
    if (share) sum += std::log(kFiner) + (kFiner - 1) * std::log(at[d]);
  }
  return sum;
}

double log_time(const Form& form, const FormShape& shape, const Place& at, const Range& range) {
  if (form.limit) {
    const double q = shape.exponent;
    const auto log_sum = [&](double k) {
      return std::log(std::pow(k, -q) + std::pow(shape.knee, -q)) / q;
    };
    return log_sum(at.workers / range.largest.workers) - log_sum(1);
  }
  double sum = 0;
  for (std::size_t i = 0; i < form.count; ++i) {
    sum += shape.share[i] * part_at(form, i, at, range.smallest, shape.exponent) /
           part_at(form, i, range.largest, range.smallest, shape.exponent);
  }
  constexpr double kLeast = 1e-12;  // far below the smallest K nothing may be left
  return std::log(std::max(sum, kLeast));
}

}  // namespace kstar::curves
