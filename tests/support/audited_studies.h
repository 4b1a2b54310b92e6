#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kstar/study.h"

/// Honest studies, and doctored ones: each is made from an honest one by the one thing that its
/// author hides.
namespace kstar::audited {

struct HonestStudy {
  std::string name;
  Study study;
};

struct DoctoredStudy {
  std::string name;
  std::string rule;  ///< that must find it
  Study study;
};

/// `examples` is the folder of the example studies.
std::vector<HonestStudy> honest_studies(const std::string& examples);
std::vector<DoctoredStudy> doctored_studies(const std::string& examples);

}  // namespace kstar::audited
