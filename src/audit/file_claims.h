#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/study.h"

/// Speedups and efficiencies that a file states beside its times.
namespace kstar {

/// The base that stands in the same row.
struct ClaimBase {
  int workers = 1;
  double seconds = 1;
};

struct FileClaim {
  const Run* run = nullptr;
  std::optional<double> speedup;
  std::optional<double> efficiency;
  std::optional<ClaimBase> base;
  std::optional<int> line;  ///< of the file
};

/// Importers keep them in Run::extra, as {"claim":{"speedup":7.1,"efficiency":0.89}}.
std::vector<FileClaim> file_claims(const Study& study);

/// Whether runs at one K have claims that differ: then each is about its own row.
bool stand_row_by_row(const std::vector<FileClaim>& claims);

/// How far a number may be off for the digits it is written with: 7.1 is 7.05 to 7.15.
double rounding_of(double claimed);

}  // namespace kstar
