#pragma once

#include <string>

#include "kstar/result.h"
#include "kstar/slurm_submit.h"

namespace kstar {

/// The study that a packed one replaces. The job writes the study's file itself, so the old one
/// gets another name, STUDY.old, until the job has measured something; if it did not, it comes
/// back.
class ReplacedStudy {
 public:
  /// Nothing where there is no study yet.
  static Result<ReplacedStudy> keep(const std::string& path);

  /// When nothing more happens to the new study; an Error, where there is one, says what became of
  /// the old one.
  Result<PackEnd> settle(Result<PackEnd> end) const;

 private:
  Error left(Error error) const;

  std::string path_;
  std::string old_;  ///< empty: nothing is replaced
};

}  // namespace kstar
