#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/line_fit.h"
#include "kstar/comm_fit.h"
#include "kstar/stats.h"

/// Segmented regression: the cheapest division of the sizes into m pieces is the cheapest division
/// of those before the last piece into m - 1, and that piece (R. Bellman, CACM 4, 1961). The number
/// of pieces has the least BIC, N log(cost / N) + p log N, where a piece has two parameters and
/// every border counts as three: the best of many borders is chosen, and that fits noise better
/// than one parameter does (A. R. Hall, D. R. Osborn, N. Sakkas, Manchester School 81, 2013).
namespace kstar {

namespace {

constexpr std::size_t kLeastSizes = 3;
constexpr double kEndlessCost = std::numeric_limits<double>::infinity();
/// Times are printed in two to four digits, and no better than this is meant by them.
constexpr double kDigits = 0.003;
/// Sizes that are this much off their line show a wrong line rather than an outlier: Huber's loss
/// would otherwise forgive a change of protocol wherever the rest has little noise.
constexpr double kWrongLine = 0.1;

struct Division {
  std::vector<std::size_t> begins;  ///< of each piece
  double cost = 0;
};

/// The cheapest division into 1, 2 ... pieces.
std::vector<Division> divisions(std::span<const CommSample> sizes, double scale, std::size_t most) {
  const std::size_t n = sizes.size();
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, kEndlessCost));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + kLeastSizes - 1; j < n; ++j) {
      const double one = comm::fit_line(sizes.subspan(i, j - i + 1), scale).cost;
      if (std::isfinite(one)) cost[i][j] = one;
    }
  }
  std::vector<Division> found;
  std::vector<std::vector<double>> best(1, cost[0]);  // of sizes 0..j
  std::vector<std::vector<std::size_t>> from(1, std::vector<std::size_t>(n, 0));
  for (std::size_t pieces = 1; pieces <= most && pieces * kLeastSizes <= n; ++pieces) {
    if (pieces > 1) {
      std::vector<double> now(n, kEndlessCost);
      std::vector<std::size_t> begin(n, 0);
      for (std::size_t j = pieces * kLeastSizes - 1; j < n; ++j) {
        for (std::size_t i = (pieces - 1) * kLeastSizes; i + kLeastSizes <= j + 1; ++i) {
          const double sum = best[pieces - 2][i - 1] + cost[i][j];
          if (sum < now[j]) now[j] = sum, begin[j] = i;
        }
      }
      best.push_back(std::move(now));
      from.push_back(std::move(begin));
    }
    Division division{.begins = {}, .cost = best[pieces - 1][n - 1]};
    if (!std::isfinite(division.cost)) break;
    std::size_t end = n - 1;
    for (std::size_t p = pieces; p-- > 0;) {
      division.begins.insert(division.begins.begin(), from[p][end]);
      if (p > 0) end = from[p][end] - 1;
    }
    found.push_back(std::move(division));
  }
  return found;
}

double bic(const Division& division, std::size_t sizes) {
  const double n = static_cast<double>(sizes);
  const double pieces = static_cast<double>(division.begins.size());
  const double parameters = 2 * pieces + 3 * (pieces - 1);
  return n * std::log(division.cost / n + kDigits * kDigits) + parameters * std::log(n);
}

/// Very many sizes are put together for the choice of borders: neighbours on the log scale.
std::vector<CommSample> thinned(std::span<const CommSample> sizes, std::size_t most) {
  if (sizes.size() <= most) return {sizes.begin(), sizes.end()};
  std::vector<CommSample> few;
  for (std::size_t group = 0; group < most; ++group) {
    const std::size_t begin = group * sizes.size() / most, end = (group + 1) * sizes.size() / most;
    double bytes = 0, logs = 0;
    for (std::size_t i = begin; i < end; ++i) {
      bytes += sizes[i].bytes, logs += std::log(sizes[i].seconds);
    }
    const double count = static_cast<double>(end - begin);
    few.push_back({bytes / count, std::exp(logs / count)});
  }
  return few;
}

}  // namespace

std::vector<NetworkPiece> fit_pieces(std::span<const CommSample> sizes, std::size_t most_pieces) {
  if (sizes.size() < kLeastSizes) return {};
  constexpr std::size_t kMostSizes = 96;
  const std::vector<CommSample> few = thinned(sizes, kMostSizes);
  const double scale = std::max(kWrongLine, comm::neighbour_noise(few));
  const std::vector<Division> all = divisions(few, scale, std::max<std::size_t>(1, most_pieces));
  const Division& chosen =
      *std::min_element(all.begin(), all.end(), [&](const Division& a, const Division& b) {
        return bic(a, few.size()) < bic(b, few.size());
      });
  struct Part {
    std::span<const CommSample> sizes;
    comm::LineFit fit;
  };
  std::vector<Part> parts;
  std::size_t begin = 0;
  for (std::size_t p = 0; p < chosen.begins.size(); ++p) {
    std::size_t end = sizes.size();
    if (p + 1 < chosen.begins.size()) {
      const double border = few[chosen.begins[p + 1]].bytes;
      end = begin + kLeastSizes;
      while (end < sizes.size() && sizes[end].bytes < border) ++end;
    }
    const auto part = sizes.subspan(begin, end - begin);
    parts.push_back({part, comm::fit_line(part, scale)});
    begin = end;
  }
  double squares = 0;
  for (const Part& part : parts) {
    for (const CommSample& one : part.sizes) {
      const double residual = std::log(one.seconds / (part.fit.alpha + part.fit.beta * one.bytes));
      squares += comm::huber_weight(residual, scale) * residual * residual;
    }
  }
  const double used = 2 * static_cast<double>(parts.size());
  const double degrees = std::max(1.0, static_cast<double>(sizes.size()) - used);
  const double noise = std::max(kDigits, std::sqrt(squares / degrees));
  constexpr double kSure = 0.95;
  const double reach = student_t_reach(kSure, degrees) * noise;
  std::vector<NetworkPiece> pieces;
  for (const Part& part : parts) {
    double own = 0;
    for (const CommSample& one : part.sizes) {
      const double residual = std::log(one.seconds / (part.fit.alpha + part.fit.beta * one.bytes));
      own += comm::huber_weight(residual, scale) * residual * residual;
    }
    const double count = static_cast<double>(part.sizes.size());
    const auto around = [&](double value, double error) {
      return Bounded{value, std::max(0.0, value - reach * error), value + reach * error};
    };
    // Less than any clock tells is 0.
    constexpr double kDust = 1e-6;
    const double by_bytes = part.fit.beta * part.sizes.front().bytes;
    const double alpha = part.fit.alpha < kDust * by_bytes ? 0 : part.fit.alpha;
    pieces.push_back(
        {.from = part.sizes.front().bytes,
         .to = part.sizes.back().bytes,
         .alpha = around(alpha, part.fit.alpha_error),
         .beta = around(part.fit.beta, part.fit.beta_error),
         .spread = std::max({kDigits, std::sqrt(own / std::max(1.0, count - 2)), noise / 2})});
  }
  return pieces;
}

}  // namespace kstar
