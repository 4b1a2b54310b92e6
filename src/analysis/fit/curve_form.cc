#include "analysis/fit/curve_form.h"

#include <cmath>

namespace kstar::curves {

namespace {

// The order is that of the weights in analysis/curve_prior.cc.
constexpr std::array kFixedWork = {
    Form{.name = "shrinking",
         .formula = "p/K + c K^-a",
         .help = "a term that is divided, but worse than 1/K",
         .parts = {Part::kDivided, Part::kShrinking},
         .count = 2,
         .has_exponent = true},
    Form{.name = "amdahl",
         .formula = "p/K + s",
         .help = "a serial part",
         .parts = {Part::kDivided, Part::kConstant},
         .count = 2},
    Form{.name = "log2",
         .formula = "p/K + s + c log2 K",
         .help = "a serial part and communication along a tree",
         .parts = {Part::kDivided, Part::kConstant, Part::kLog2},
         .count = 3},
    Form{.name = "linear",
         .formula = "p/K + s + c (K-1)",
         .help = "a serial part and communication with every other worker",
         .parts = {Part::kDivided, Part::kConstant, Part::kLinear},
         .count = 3},
    Form{.name = "power",
         .formula = "c K^-a",
         .help = "every doubling gains the same",
         .parts = {Part::kShrinking},
         .count = 1,
         .has_exponent = true},
};

constexpr std::array kGrowingWork = {
    Form{.name = "growing",
         .formula = "w + c K^a",
         .help = "each worker's part, and a term that grows like a power",
         .parts = {Part::kConstant, Part::kGrowing},
         .count = 2,
         .has_exponent = true},
    Form{.name = "log2",
         .formula = "w + c log2 K",
         .help = "each worker's part, and communication along a tree",
         .parts = {Part::kConstant, Part::kLog2},
         .count = 2},
    Form{.name = "linear",
         .formula = "w + c (K-1)",
         .help = "each worker's part, and communication with every other worker",
         .parts = {Part::kConstant, Part::kLinear},
         .count = 2},
};

}  // namespace

double part_at(Part part, double workers, double exponent) {
  switch (part) {
    case Part::kDivided:
      return 1 / workers;
    case Part::kConstant:
      return 1;
    case Part::kShrinking:
      return std::pow(workers, -exponent);
    case Part::kGrowing:
      return std::pow(workers, exponent);
    case Part::kLog2:
      return std::log2(workers);
    case Part::kLinear:
      return workers - 1;
  }
  return 0;
}

std::span<const Form> forms_of_fixed_work() {
  return kFixedWork;
}

std::span<const Form> forms_of_growing_work() {
  return kGrowingWork;
}

Shape shape_of(const Form& form, std::span<const double> place) {
  Shape shape;
  shape.share[0] = 1;
  if (form.count >= 2) {
    shape.share[0] = 1 - place[0];
    shape.share[1] = place[0];
  }
  if (form.count == 3) {
    shape.share[2] = place[0] * place[1];
    shape.share[1] = place[0] - shape.share[2];
  }
  if (form.has_exponent) shape.exponent = place[form.count - 1];
  return shape;
}

double log_time(const Form& form, const Shape& shape, double workers, double reference) {
  double sum = 0;
  for (std::size_t i = 0; i < form.count; ++i) {
    sum += shape.share[i] * part_at(form.parts[i], workers, shape.exponent) /
           part_at(form.parts[i], reference, shape.exponent);
  }
  return std::log(sum);
}

}  // namespace kstar::curves
