#include "kstar/joint_draws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.h"
#include "stats/distributions.h"

// z = L u with u independent standard normals and L L' the correlations; then each z goes through
// its own Student quantile, x = e F_nu^-1(Phi(z)). Nelsen, An Introduction to Copulas (2nd edition,
// 2006), section 2.3; Cario and Nelson, Modeling and generating random vectors with arbitrary
// marginal distributions and correlation matrix (1997).
namespace kstar {

namespace {

/// x = F_nu^-1(Phi(z)) as a table over z >= 0, linear between: chance needs no fourth digit, and a
/// quantile costs a thousand times as much.
class StudentOfNormal {
 public:
  explicit StudentOfNormal(double degrees) {
    if (!(degrees > 0 && degrees < kLikeNormal)) return;
    for (int i = 0; i <= kSteps; ++i) {
      const double inside = std::erf(i * kStep / std::sqrt(2.0));  // P(|Z| <= z)
      values_.push_back(i == 0 ? 0 : stats::student_t_critical(inside, std::max(degrees, 1.0)));
    }
  }

  double operator()(double z) const {
    if (values_.empty()) return z;
    const double place = std::min(std::fabs(z) / kStep, kSteps - 1e-9);
    const auto below = static_cast<std::size_t>(place);
    const double x =
        values_[below] + (place - std::floor(place)) * (values_[below + 1] - values_[below]);
    return std::copysign(x, z);
  }

 private:
  static constexpr double kLikeNormal = 1e4;
  static constexpr double kStep = 0.05;
  static constexpr int kSteps = 120;  // to z = 6: one draw in 500 million lies beyond
  std::vector<double> values_;
};

/// L, row by row. Where a row is a sum of those before it, or rounding makes it more, the rest is
/// nothing; rows keep the length 1, so that every error keeps its own size.
std::vector<double> cholesky(std::span<const double> correlations, std::size_t count) {
  std::vector<double> factor(count * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    double* row = &factor[i * count];
    double square = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = &factor[j * count];
      double rest = correlations[i * count + j];
      for (std::size_t k = 0; k < j; ++k) rest -= row[k] * other[k];
      row[j] = other[j] > 1e-6 ? rest / other[j] : 0;
      square += row[j] * row[j];
    }
    row[i] = std::sqrt(std::max(0.0, 1 - square));
    if (square <= 1) continue;
    for (std::size_t j = 0; j < i; ++j) row[j] /= std::sqrt(square);
  }
  return factor;
}

}  // namespace

struct JointDraws::State {
  Random random;
  std::vector<double> errors;
  std::vector<StudentOfNormal> students;
  std::vector<double> factor;
  std::vector<double> normals;
  std::vector<double> draw;
};

JointDraws::JointDraws(std::span<const DrawnError> errors, std::span<const double> correlations,
                       std::uint64_t seed)
    : state_(new State{.random = Random(seed),
                       .errors = {},
                       .students = {},
                       .factor = cholesky(correlations, errors.size()),
                       .normals = std::vector<double>(errors.size()),
                       .draw = std::vector<double>(errors.size())}) {
  for (const DrawnError& each : errors) {
    state_->errors.push_back(each.error);
    state_->students.emplace_back(each.error > 0 ? each.degrees : 0);
  }
}

JointDraws::~JointDraws() = default;

std::span<const double> JointDraws::next() {
  State& state = *state_;
  const std::size_t count = state.errors.size();
  for (double& normal : state.normals) normal = state.random.normal();
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = &state.factor[i * count];
    double z = 0;
    for (std::size_t j = 0; j <= i; ++j) z += row[j] * state.normals[j];
    state.draw[i] = state.errors[i] == 0 ? 0 : state.errors[i] * state.students[i](z);
  }
  return state.draw;
}

struct CommonCauseDraws::State {
  Random random;
  std::vector<DrawnError> errors;
  std::vector<std::vector<Loading>> loadings;
  std::vector<double> own;                          ///< what is left for the cause of its own
  std::map<double, StudentOfNormal> students = {};  ///< by degrees of freedom
  std::vector<const StudentOfNormal*> own_student;  ///< of each error, once it was asked for
  std::vector<double> causes;
  std::vector<std::size_t> drawn;  ///< in which draw each cause was
  std::size_t draw = 0;
};

CommonCauseDraws::CommonCauseDraws(std::span<const DrawnError> errors,
                                   std::vector<std::vector<Loading>> loadings, std::size_t causes,
                                   std::uint64_t seed)
    : state_(new State{.random = Random(seed),
                       .errors = {errors.begin(), errors.end()},
                       .loadings = std::move(loadings),
                       .own = {},
                       .own_student = std::vector<const StudentOfNormal*>(errors.size()),
                       .causes = std::vector<double>(causes),
                       .drawn = std::vector<std::size_t>(causes, 0)}) {
  for (const std::vector<Loading>& row : state_->loadings) {
    double square = 0;
    for (const Loading& loading : row) square += loading.share * loading.share;
    state_->own.push_back(std::sqrt(std::max(0.0, 1 - square)));
  }
}

CommonCauseDraws::~CommonCauseDraws() = default;

void CommonCauseDraws::next() {
  ++state_->draw;
}

double CommonCauseDraws::error(std::size_t i) {
  State& state = *state_;
  const DrawnError& error = state.errors[i];
  if (!(error.error > 0)) return 0;
  double z = state.own[i] * state.random.normal();
  for (const Loading& loading : state.loadings[i]) {
    if (std::exchange(state.drawn[loading.cause], state.draw) != state.draw) {
      state.causes[loading.cause] = state.random.normal();
    }
    z += loading.share * state.causes[loading.cause];
  }
  const StudentOfNormal*& student = state.own_student[i];
  if (student == nullptr) {
    student = &state.students.try_emplace(error.degrees, error.degrees).first->second;
  }
  return error.error * (*student)(z);
}

}  // namespace kstar
