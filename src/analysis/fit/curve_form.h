#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

/// The forms that are fitted: sums of non-negative parts. A shape is the share that each part has
/// of the time at a reference K, and the exponent where a part has one; a curve is a shape times
/// the time there.
namespace kstar::curves {

/// One part of the time, as it grows or shrinks with K.
enum class Part {
  kDivided,    ///< 1/K: work that is divided among the workers
  kConstant,   ///< 1: a serial part; with growing work, each worker's own part
  kShrinking,  ///< K^-a with a between 0 and 1: divided, but worse than 1/K
  kGrowing,    ///< K^a with a between 0 and 1
  kLog2,       ///< log2 K
  kLinear      ///< K - 1
};

/// What the part is at K; `exponent` is the a above.
double part_at(Part part, double workers, double exponent);

inline constexpr std::size_t kMostParts = 3;

struct Form {
  std::string_view name;
  std::string_view formula;
  std::string_view help;
  std::array<Part, kMostParts> parts{};
  std::size_t count = 0;  ///< of parts; the first is the one that scales ideally
  bool has_exponent = false;

  /// Dimensions of a shape: shares beside the first part's, and the exponent.
  constexpr std::size_t dimensions() const { return count - 1 + (has_exponent ? 1 : 0); }
};

/// With fixed work (strong scaling, throughput), or with work in proportion to K (weak).
std::span<const Form> forms_of_fixed_work();
std::span<const Form> forms_of_growing_work();

struct Shape {
  std::array<double, kMostParts> share{};  ///< of the time at the reference K; they sum to 1
  double exponent = 0;
};

/// The shape at a point of the unit cube: first the share that does not scale ideally, then how it
/// is split, then the exponent; those that the form has.
Shape shape_of(const Form& form, std::span<const double> place);

/// log of the time at K over the time at the reference.
double log_time(const Form& form, const Shape& shape, double workers, double reference);

}  // namespace kstar::curves
