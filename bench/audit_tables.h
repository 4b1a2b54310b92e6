#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"

/// Tables as authors hand them over, honest and doctored, for bench_audit_frauds. The noise of
/// their runs is that of real ones.
namespace bench {

/// Deviations of real runs from the mean of their study and K, relative, in standard deviations: of
/// one half of the example studies or of the other.
std::vector<double> real_deviations(const std::string& examples, bool second_half);

/// A table, what is claimed of it, and what the user says of it.
struct Handed {
  std::string text;
  std::string claim;
};

struct TableKind {
  const char* name;
  Handed (*make)(kstar::Random& random, const std::vector<double>& deviations);
  double least = 0;       ///< of a fraud: the share that must be found; 0 for none
  bool asked = false;     ///< of a fraud: a question about it is enough, as no data show it
  const char* rule = "";  ///< of a fraud where a question is enough: whose
};

const std::vector<TableKind>& honest_kinds();
const std::vector<TableKind>& frauds();

/// Claims of the true speedup, which five runs do not give: how often they are contradicted is what
/// the interval covers.
TableKind true_claims();

}  // namespace bench
