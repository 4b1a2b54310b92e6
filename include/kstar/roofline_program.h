#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/roofline.h"

/// A program, run and timed, as the kernel of a roofline.
namespace kstar {

struct ProgramQuestion {
  std::vector<std::string> command;
  int runs = 5;
  int threads = 0;                     ///< 0: as many as it keeps busy
  std::optional<double> flops, bytes;  ///< of one step where it marks steps, else of the run
  std::string precision;
  bool counters = true;  ///< ask perf stat in one more run, where nothing else is known
};

/// Marks (kstar/mark.h) say where its steps are and what they do. A program that fails is an error.
KSTAR_EXPORT Result<RooflineProfile> run_program(Executor& executor,
                                                 const ProgramQuestion& question);

}  // namespace kstar
