#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/number.h"
#include "comm/group.h"
#include "kstar/network_cost.h"

/// Which algorithm alpha(K) and beta(K) look like. The rounds and volumes of each are known; the
/// time of a round and of a byte is about that of messages where they were measured, otherwise
/// free. log(alpha) and log(beta) are normal around them, with the error of the fit and with what
/// formulas miss, whose size is unknown and averaged over. Beside the known algorithms there is
/// "another", whose alpha and beta grow as any power of K: it wins where none of them fits.
namespace kstar::comm {

namespace {

/// What formulas miss, as standard deviations of a logarithm, equally likely.
constexpr std::array kFormulaErrors = {0.05, 0.1, 0.2, 0.4};
/// A round costs about what a message costs.
constexpr double kMessageError = 0.3, kFreeFactor = 10;
/// The named ones have so much together; those below a twentieth are excluded.
constexpr double kTogether = 0.9, kExcluded = 0.05;

/// One number that an algorithm predicts up to a common factor.
struct Seen {
  double workers = 0, nodes = 0;
  double log_value = 0, error = 0;
  bool rounds = true;  ///< else volume
};

/// Seen behind a value, where the fit says how large it is.
void add_seen(const CommFit& fit, const Bounded& value, bool rounds, std::vector<Seen>& all) {
  if (!(value.low > 0) || !std::isfinite(value.high)) return;
  constexpr double kLeast = 0.01, kReach = 2 * 1.96;
  const double error = std::max(kLeast, std::log(value.high / value.low) / kReach);
  all.push_back({fit.workers, fit.nodes, std::log(value.point), error, rounds});
}

/// log N(y; m, D + f^2 1 1'), with D the errors of each: the factor common to all is integrated.
class Likelihood {
 public:
  Likelihood(double formula_error, const std::optional<double>& message)
      : formula_(formula_error),
        middle_(message ? std::log(*message) : 0),
        factor_(message ? kMessageError : kFreeFactor) {}
  void add(double log_ratio, double error) {
    const double variance = error * error + formula_ * formula_, off = log_ratio - middle_;
    weight_ += 1 / variance;
    first_ += off / variance;
    second_ += off * off / variance;
    determinant_ += std::log(variance);
    ++count_;
  }
  double log() const {
    if (count_ == 0) return 0;
    const double all = factor_ * factor_, inflated = 1 + all * weight_;
    return -0.5 * (second_ - all * first_ * first_ / inflated + determinant_ + std::log(inflated));
  }

 private:
  double formula_, middle_, factor_;
  double weight_ = 0, first_ = 0, second_ = 0, determinant_ = 0;
  int count_ = 0;
};

struct Message {
  std::optional<double> latency, per_byte;
};

/// The likelihood of values that are predicted up to a factor by `predicted`.
template <typename Predicted>
double likelihood(const std::vector<Seen>& all, const Message& message,
                  const Predicted& predicted) {
  double sum = 0;
  for (const double error : kFormulaErrors) {
    Likelihood rounds(error, message.latency), volumes(error, message.per_byte);
    for (const Seen& seen : all) {
      (seen.rounds ? rounds : volumes).add(seen.log_value - std::log(predicted(seen)), seen.error);
    }
    sum += std::exp(rounds.log() + volumes.log()) / kFormulaErrors.size();
  }
  return sum;
}

/// Of several workers on each node the algorithm may run over all workers or over the nodes.
double algorithm_likelihood(const std::vector<Seen>& all, const Message& message,
                            const Algorithm& algorithm) {
  const auto over = [&](bool nodes) {
    return likelihood(all, message, [&](const Seen& seen) {
      const double parties = nodes ? seen.nodes : seen.workers;
      return seen.rounds ? algorithm.rounds(parties) : algorithm.volume(parties);
    });
  };
  const bool both = std::all_of(all.begin(), all.end(), [](const Seen& seen) {
    return seen.nodes >= 2 && seen.nodes < seen.workers;
  });
  return both ? (over(false) + over(true)) / 2 : over(false);
}

/// Alpha and beta that grow as powers of K: not at all, or as much as the most that is known.
double another_likelihood(const std::vector<Seen>& all, const Message& message) {
  constexpr double kStep = 0.1, kMostRounds = 1.5, kLeastVolume = -0.5, kMostVolume = 0.7;
  double sum = 0;
  int count = 0;
  for (double rounds = 0; rounds <= kMostRounds; rounds += kStep) {
    for (double volume = kLeastVolume; volume <= kMostVolume; volume += kStep) {
      sum += likelihood(all, message, [&](const Seen& seen) {
        return std::pow(seen.workers / 2, seen.rounds ? rounds : volume);
      });
      ++count;
    }
  }
  return sum / count;
}

/// NCCL and RCCL reduce in rings and trees, and never by doubling.
bool has_algorithm(const std::string& tool, const Algorithm& algorithm) {
  const bool nccl = tool == "nccl-tests" || tool == "rccl-tests";
  return !nccl || algorithm.collective != Collective::kAllReduce ||
         algorithm.name.find("doubling") == algorithm.name.npos;
}

AlgorithmGuess guess_of(const std::vector<Seen>& all, Collective collective,
                        const std::string& tool, const Message& message) {
  AlgorithmGuess guess;
  std::vector<std::pair<double, std::string>> weights;
  double total = another_likelihood(all, message);
  for (const Algorithm& algorithm : algorithms_of(collective)) {
    if (!has_algorithm(tool, algorithm)) continue;
    weights.emplace_back(algorithm_likelihood(all, message, algorithm), algorithm.name);
    total += weights.back().first;
  }
  if (!(total > 0)) return {.unknown = "no known algorithm fits"};
  double known = 0;
  for (auto& [weight, name] : weights) known += weight /= total;
  constexpr double kFits = 0.7;
  if (known < kFits) return {.unknown = "no known algorithm fits"};
  std::stable_sort(weights.begin(), weights.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  double last = 1;
  for (const auto& [weight, name] : weights) {
    constexpr double kEqual = 0.99;  // with the same rounds none is named without the other
    const bool named =
        (guess.together < kTogether * known && weight >= kExcluded) || weight >= kEqual * last;
    if (!named) {
      guess.excluded.push_back(name);
      continue;
    }
    guess.together += weight;
    last = weight;
    if (guess.name.empty()) {
      guess.name = name, guess.probability = weight;
    } else {
      guess.others.push_back(name);
    }
  }
  if (guess.excluded.empty()) return {.unknown = "these K do not tell"};
  return guess;
}

/// Sweeps of which one algorithm is guessed: of one collective, tool and shape of node.
using Kind = std::tuple<Collective, bool, double, std::string>;

Kind kind_of(const CommFit& fit) {
  return {fit.collective, fit.nodes == 1, fit.nodes > 1 ? fit.workers / fit.nodes : 0,
          fit.tool.substr(0, fit.tool.find(' '))};
}

}  // namespace

void guess_algorithms(std::vector<CommFit>& fits) {
  std::map<Kind, std::vector<CommFit*>> kinds;
  const CommFit* message = nullptr;  // between nodes: inside one, they go through memory
  for (CommFit& fit : fits) {
    if (fit.pieces.empty() || fit.workers < 2) continue;
    if (fit.collective != Collective::kPointToPoint) {
      kinds[kind_of(fit)].push_back(&fit);
    } else if (fit.workers == 2 && fit.nodes != 1) {
      message = &fit;
    }
  }
  for (auto& [kind, all] : kinds) {
    Message rate;
    if (message != nullptr && !std::get<1>(kind)) {
      const Bounded &alpha = message->pieces.front().alpha, &beta = message->pieces.back().beta;
      if (alpha.low > 0) rate.latency = alpha.point;
      if (beta.low > 0) rate.per_byte = beta.point;
    }
    std::vector<Seen> small, large;
    std::string workers;
    double least = all.front()->workers, most = least;
    for (const CommFit* fit : all) {
      add_seen(*fit, fit->pieces.front().alpha, true, small);
      if (tells_bandwidth(fit->pieces)) {
        add_seen(*fit, fit->pieces.back().beta, false, large);
        add_seen(*fit, fit->pieces.back().alpha, true, large);
      }
      workers += fmt::format("{}{}", workers.empty() ? "" : ", ", shortest(fit->workers));
      least = std::min(least, fit->workers), most = std::max(most, fit->workers);
    }
    // On two workers the algorithms are the same.
    const bool enough = most > 2 && (rate.latency || most > least);
    const auto guessed = [&](const std::vector<Seen>& seen) {
      if (!enough) return AlgorithmGuess{.unknown = "one K alone does not tell"};
      if (seen.empty()) return AlgorithmGuess{.unknown = "the sizes seen do not tell"};
      AlgorithmGuess guess = guess_of(seen, std::get<0>(kind), std::get<3>(kind), rate);
      guess.from = fmt::format("K = {}{}", workers, rate.latency ? " and messages" : "");
      return guess;
    };
    const AlgorithmGuess first = guessed(small), last = guessed(large);
    for (CommFit* fit : all) fit->small = first, fit->large = last;
  }
}

}  // namespace kstar::comm
