#pragma once

#include <string>

#include "kstar/result.h"
#include "kstar/slurm_submit.h"

namespace kstar {

/// What becomes of the study that a packed one replaces, which is STUDY.old meanwhile (see
/// StudyWriter::put_in_place_for_now()): the job writes the study's file itself, and nobody but the
/// file says whether it measured something. If it did not, the old study comes back.
Result<PackEnd> settle_replaced(const std::string& study, Result<PackEnd> end);

}  // namespace kstar
