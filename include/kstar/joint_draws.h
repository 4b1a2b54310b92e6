#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kstar/export.h"

/// What several estimates might have been with other runs, all at once: the way to ask how sure an
/// answer is that depends on all of them, such as the first K below a threshold.
namespace kstar {

/// How far one estimate scatters around its point.
struct DrawnError {
  double error = 0;    ///< its standard error; 0: it does not scatter
  double degrees = 0;  ///< of freedom, of Student's t; 0: normal
};

/// Errors drawn at random: error i is Student's t with its own degrees of freedom times its
/// standard error, and any two are correlated as told (a Gaussian copula). A draw costs the square
/// of how many there are, however many runs are behind them. The same seed gives the same draws.
class KSTAR_EXPORT JointDraws {
 public:
  /// `correlations`: row by row, as many rows and columns as there are errors. It need not be a
  /// correlation matrix to the last: estimated pair by pair it may be none, and the nearest that a
  /// row-wise Cholesky decomposition finds is taken.
  JointDraws(std::span<const DrawnError> errors, std::span<const double> correlations,
             std::uint64_t seed);
  ~JointDraws();
  JointDraws(const JointDraws&) = delete;
  JointDraws& operator=(const JointDraws&) = delete;

  /// One draw of every error. Valid until the next one.
  std::span<const double> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How much of an error a common cause makes.
struct Loading {
  std::size_t cause = 0;
  double share = 0;  ///< its correlation with that cause
};

/// The same for very many errors: each is a sum of causes that others share and one of its own, so
/// that two are correlated by the causes that both have. Only what is asked for is drawn.
class KSTAR_EXPORT CommonCauseDraws {
 public:
  /// `loadings`: of each error; the squares of their shares sum up to 1 at most. Causes are
  /// numbered from 0 to `causes` - 1.
  CommonCauseDraws(std::span<const DrawnError> errors, std::vector<std::vector<Loading>> loadings,
                   std::size_t causes, std::uint64_t seed);
  ~CommonCauseDraws();
  CommonCauseDraws(const CommonCauseDraws&) = delete;
  CommonCauseDraws& operator=(const CommonCauseDraws&) = delete;

  /// Begins a new draw.
  void next();
  /// Error i of this draw, to be asked for once. It costs its own loadings.
  double error(std::size_t i);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kstar
