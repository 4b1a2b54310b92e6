#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kstar/study.h"

/// Speedups and efficiencies that a file states beside its times.
namespace kstar {

struct FileClaim : RunClaim {
  const Run* run = nullptr;
};

/// Those above 0.
std::vector<FileClaim> file_claims(const Study& study);

/// Whether runs at one K have claims that differ: then each is about its own row.
bool stand_row_by_row(const std::vector<FileClaim>& claims);

/// How far a number may be off for the digits it is written with: 7.1 is 7.05 to 7.15.
double rounding_of(double claimed);

/// The runs that claims are checked against, found once: a table may have a claim in every row.
class ClaimRuns {
 public:
  ClaimRuns() = default;
  ClaimRuns(const Study& study, int base_workers);

  /// T of the base's run in the block of this one.
  std::optional<double> base_of_block(const Run& run) const;

  /// T of the n-th run of the base, for the n-th at its K, where both have as many.
  std::optional<double> base_of_place(const Run& run) const;

  /// The mean of T(base)/T(K) of pairs, where both have as many, and repeats.
  std::optional<double> mean_ratio(int workers) const;

 private:
  const std::vector<const Run*>* at(int workers) const;

  int base_workers_ = 1;
  std::map<int, std::vector<const Run*>> at_;
  std::unordered_map<const Run*, std::size_t> place_;
  std::map<std::pair<std::string, int>, const Run*> block_;  ///< of the base
  std::map<int, double> mean_ratio_;
};

}  // namespace kstar
