#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/audit.h"

namespace kstar {

/// What a claim says by itself, without any data.
struct Implied {
  double idle_workers = 0;
  std::optional<double> serial_fraction;
  std::vector<std::string> sentences;
  std::optional<ClaimVerdict> verdict;  ///< where no data are needed for one
  std::string reason, question;         ///< of that
};

/// `good` is the efficiency that is worth its workers.
Implied implied_by(const Claim& claim, double good);

}  // namespace kstar
