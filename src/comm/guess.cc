#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "comm/group.h"
#include "kstar/network_cost.h"

/// Which algorithm alpha(K) and beta(K) look like. Rounds and volumes of each algorithm are known;
/// the time of a round and of a byte is that of messages where they were measured, otherwise free.
/// Real rounds differ from the formula by about a fifth; the likelihood of an algorithm is normal
/// in the logarithms with that. What has no message and one K alone cannot be told.
namespace kstar::comm {

namespace {

constexpr double kModelError = 0.2;
constexpr double kTogether = 0.9;

/// One number that an algorithm predicts up to a common factor.
struct Seen {
  double workers = 0;
  double value = 0;
  bool rounds = true;  ///< else volume
};

double log_ratio(const Seen& seen, const Algorithm& algorithm) {
  const double predicted =
      seen.rounds ? algorithm.rounds(seen.workers) : algorithm.volume(seen.workers);
  return std::log(seen.value / predicted);
}

/// Sum of squares over its factor: that of messages, or the best one.
double misfit(const std::vector<Seen>& all, const Algorithm& algorithm, bool rounds,
              const std::optional<double>& message) {
  std::vector<double> logs;
  for (const Seen& seen : all) {
    if (seen.rounds == rounds) logs.push_back(log_ratio(seen, algorithm));
  }
  if (logs.empty()) return 0;
  double centre = 0;
  for (const double one : logs) centre += one / static_cast<double>(logs.size());
  if (message) centre = std::log(*message);
  double sum = 0;
  for (const double one : logs) sum += (one - centre) * (one - centre);
  return sum / (kModelError * kModelError);
}

AlgorithmGuess guess_of(const std::vector<Seen>& all, Collective collective,
                        const std::optional<double>& latency,
                        const std::optional<double>& per_byte) {
  AlgorithmGuess guess;
  const std::vector<Algorithm> known = algorithms_of(collective);
  std::vector<std::pair<double, std::string>> weights;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm& algorithm : known) {
    const double sum =
        misfit(all, algorithm, true, latency) + misfit(all, algorithm, false, per_byte);
    weights.emplace_back(sum, std::string(algorithm.name));
    least = std::min(least, sum);
  }
  // Where even the best is far off, it is none of them.
  constexpr double kFarOff = 4;
  if (least > kFarOff * static_cast<double>(all.size())) return guess;
  double total = 0;
  for (auto& [weight, name] : weights) {
    weight = std::exp((least - weight) / 2);
    total += weight;
  }
  std::sort(weights.rbegin(), weights.rend());
  guess.name = weights.front().second;
  guess.probability = weights.front().first / total;
  double together = guess.probability;
  for (std::size_t i = 1; i < weights.size() && together < kTogether; ++i) {
    guess.others.push_back(weights[i].second);
    together += weights[i].first / total;
  }
  return guess;
}

}  // namespace

void guess_algorithms(std::vector<CommFit>& fits) {
  std::map<std::pair<Collective, bool>, std::vector<CommFit*>> kinds;
  std::map<bool, const CommFit*> messages;
  for (CommFit& fit : fits) {
    if (fit.pieces.empty() || fit.workers < 2) continue;
    if (fit.collective == Collective::kPointToPoint) {
      if (fit.workers == 2) messages[fit.nodes == 1] = &fit;
    } else {
      kinds[{fit.collective, fit.nodes == 1}].push_back(&fit);
    }
  }
  for (auto& [key, all] : kinds) {
    const auto message = messages.find(key.second);
    const bool has_message = message != messages.end() && all.front()->nodes != 1;
    std::vector<Seen> small, large;
    std::string workers;
    for (const CommFit* fit : all) {
      small.push_back({fit->workers, fit->pieces.front().alpha.point, true});
      large.push_back({fit->workers, fit->pieces.back().beta.point, false});
      if (fit->pieces.back().alpha.point > 0) {
        large.push_back({fit->workers, fit->pieces.back().alpha.point, true});
      }
      workers += fmt::format("{}{}", workers.empty() ? "" : ", ", shortest(fit->workers));
    }
    std::erase_if(small, [](const Seen& seen) { return !(seen.value > 0); });
    std::erase_if(large, [](const Seen& seen) { return !(seen.value > 0); });
    // On two workers the algorithms are the same.
    const bool wide =
        std::any_of(all.begin(), all.end(), [](const CommFit* fit) { return fit->workers > 2; });
    if (!wide || (!has_message && all.size() < 2)) continue;
    std::optional<double> latency, per_byte;
    if (has_message) {
      latency = message->second->pieces.front().alpha.point;
      if (message->second->pieces.back().beta.point > 0) {
        per_byte = message->second->pieces.back().beta.point;
      }
      if (!(*latency > 0)) latency.reset();
    }
    AlgorithmGuess first =
        small.empty() ? AlgorithmGuess{} : guess_of(small, key.first, latency, std::nullopt);
    AlgorithmGuess last =
        large.empty() ? AlgorithmGuess{} : guess_of(large, key.first, latency, per_byte);
    first.from = last.from = fmt::format("K = {}{}", workers, has_message ? " and messages" : "");
    for (CommFit* fit : all) {
      fit->small = first;
      fit->large = last;
    }
  }
}

}  // namespace kstar::comm
