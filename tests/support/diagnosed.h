#pragma once

#include "kstar/causes.h"

namespace kstar {

/// With the table of the study, where it has one.
inline Diagnosis diagnosed(const Study& study) {
  ScalingTable none;
  none.regime = study.header.regime;
  return diagnose(study, scaling_table(study).value_or(none));
}

}  // namespace kstar
