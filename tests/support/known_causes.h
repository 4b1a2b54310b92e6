#pragma once

#include <string>
#include <vector>

#include "kstar/causes.h"
#include "kstar/study.h"

/// Studies whose causes are known, to hold diagnoses against.
namespace kstar::known {

struct KnownStudy {
  std::string name;
  std::string planted;  ///< as its README says: "random straggler", "memory-bound", "none"
  CauseKind truth = CauseKind::kNone;
  Study study;
};

/// The example studies, as examples/studies/README.md lists them. Ends the program with a message
/// where a file is missing: they belong to the repository.
std::vector<KnownStudy> example_studies(const std::string& folder);

/// The sets of a file of steps (one run per line, every rank's step, compute and all-reduce times),
/// by name; empty where the file is not there. A rank waits until the last has computed; the batch
/// is divided evenly.
std::vector<Study> stepwise_studies(const std::string& path);

}  // namespace kstar::known
