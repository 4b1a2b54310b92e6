#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// From what an execution did to a run's times: wall, setup and steps. T(K) is then the mean step,
/// or wall less setup where there are no steps (steady_time() of kstar/study.h).
///
/// | source  | steps                     | setup                                     |
/// |---------|---------------------------|-------------------------------------------|
/// | process | none                      | none is excluded                          |
/// | marks   | as marked                 | as marked                                 |
/// | pattern | every match               | wall less the sum of the steps            |
/// | json    | every line with the key   | wall less the sum of the steps            |
///
/// Pattern and JSON look at standard output and, where that has no time at all, at standard error.
/// Of an output that is too long to be kept whole one time is taken, and then setup is not known;
/// several are refused, as more may have been lost.
/// A rate becomes seconds by the work of a step: `time_work`, else the global batch at K, else 1;
/// T is then the time for one unit of work, and averaging it averages the rates harmonically. From
/// a rate that has no work of its own, setup is not known.
namespace kstar {

/// Reads the marks that a run left in a folder: a Run of which setup, steps, warm_up_steps and
/// per_worker are taken. An error is why the run counts as failed.
using MarkReader = std::function<Result<Run>(const Outcome& outcome, const std::string& folder)>;

class KSTAR_EXPORT TimeSource {
 public:
  virtual ~TimeSource() = default;

  /// Fills wall, setup, steps of `run`, whose K is set. An error says why a run that ended well
  /// counts as failed: it printed no time, or one that cannot be. Then only wall is filled.
  virtual Result<void> read(const Outcome& outcome, const std::string& marks_folder,
                            Run& run) const = 0;

  /// What is excluded as setup, in words, for Protocol::setup.
  virtual std::string setup() const = 0;
  /// How, for Protocol::setup_method.
  virtual std::string setup_method() const = 0;
};

/// The spec's time source, with everything compiled and checked. `marks` is needed for kMarks only.
KSTAR_EXPORT Result<std::unique_ptr<TimeSource>> make_time_source(const MeasureSpec& spec,
                                                                  MarkReader marks = {});

/// Whether make_time_source() would take this spec, given a reader of marks.
KSTAR_EXPORT Result<void> check_time_source(const MeasureSpec& spec);

}  // namespace kstar
