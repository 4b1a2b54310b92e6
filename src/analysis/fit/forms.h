#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "kstar/cost_model.h"

/// The forms that are fitted. A shape is what a form leaves open: the share that its parts have of
/// the time at the largest K, and an exponent. A curve is a shape times the time there.
namespace kstar::curves {

/// A K, with what is dear to compute of it.
struct Place {
  double workers = 1;
  double lateness = 0;  ///< the mean of the largest of K standard normal draws
};
Place place_of(double workers);

/// The K that a curve was measured at.
struct Range {
  Place smallest, largest;
};

/// One part of the time, as it grows or shrinks with K.
enum class TermKind {
  kDivided,        ///< 1/K: work that is divided among the workers
  kConstant,       ///< 1: a serial part; with growing work, each worker's own part
  kShrinking,      ///< K^-a, 0 < a < 1: divided, but slower the less each worker has
  kSurface,        ///< K^-2/3: the surface of each worker's part of a volume
  kWaiting,        ///< exp(a m(K))/K: divided, and all wait for the slowest of K
  kCommunication,  ///< f(K) - f(K0), f the growth of a law: what K adds to the smallest K's
  kGrowing,        ///< K^a, 0 < a < 1
  kSaturating      ///< 1 - (K/K0)^-a: rises, and stays; K0 is the smallest K measured
};

inline constexpr std::size_t kMostParts = 3;

enum class Opening { kNone, kShare, kSplit, kExponent, kKnee };

/// What a dimension of the unit cube is.
struct Axis {
  Opening opens = Opening::kNone;
  int steps = 1;             ///< of the first grid
  double low = 0, high = 1;  ///< of an exponent or, as powers of two, of a knee
  bool logarithmic = false;  ///< an exponent whose logarithm is uniform
  double p = 1, q = 1;       ///< the beta distribution that is believed, over (0, 1)
};

struct Form {
  std::string_view name;
  std::string_view formula;
  std::string_view help;
  std::array<TermKind, kMostParts> parts{};
  std::size_t count = 0;              ///< of parts; the first is the one that scales ideally
  Growth growth = Growth::kConstant;  ///< of the communication
  double weight = 0;                  ///< before any data
  std::array<Axis, 2> axes{};
  bool limit = false;  ///< two parts that do not add up: the larger one counts

  std::size_t dimensions() const;
  bool has_exponent() const;
};

double part_at(const Form& form, std::size_t part, const Place& at, const Place& smallest,
               double exponent);

/// With fixed work (strong scaling, throughput), or with work in proportion to K (weak).
std::span<const Form> forms_of_fixed_work();
std::span<const Form> forms_of_growing_work();

struct FormShape {
  std::array<double, kMostParts> share{1, 0, 0};  ///< of the time at the largest K
  double exponent = 0;
  double knee = 1;  ///< of a limit: where both parts are alike, over the largest K
};

using Cube = std::array<double, 2>;

/// The shape at a point of the unit cube, and the logarithm of how far it is believed there.
FormShape shape_of(const Form& form, const Cube& at);
double log_density(const Form& form, const Cube& at);

/// log of the time at K over the time at the largest K.
double log_time(const Form& form, const FormShape& shape, const Place& at, const Range& range);

}  // namespace kstar::curves
