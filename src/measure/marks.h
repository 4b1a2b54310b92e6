#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/result.h"
#include "kstar/study.h"

/// What the workers of a run marked with kstar/mark.h or kstar_mark.py. docs/marks.md describes the
/// file.
namespace kstar {

/// One step of one worker, in seconds. The time of a phase excludes the phases inside it; what no
/// phase covers is in none of them.
struct MarkedStep {
  double begin = 0;
  double end = 0;
  double compute = 0;
  double communicate = 0;
  double wait = 0;
  double load = 0;
  double work = 0;   ///< marked inside this step
  double flops = 0;  ///< likewise
  double bytes = 0;  ///< likewise
};

/// The file of one worker. Times are seconds on the CLOCK_MONOTONIC of the worker's machine.
struct WorkerMarks {
  int worker = -1;  ///< -1: it was killed before it could say
  std::string host;
  std::string clock;        ///< names the clock: equal on workers of one running kernel
  double clock_offset = 0;  ///< CLOCK_REALTIME less CLOCK_MONOTONIC
  double start = 0;         ///< when the worker opened its file
  std::optional<double> setup_end;
  std::optional<double> warm_up_end;
  std::vector<MarkedStep> steps;  ///< those that ended
  double work = 0;                ///< inside and outside of steps
  double flops = 0;               ///< likewise
  double bytes = 0;               ///< likewise
  bool complete = false;          ///< it was closed, and nothing is missing
  std::string problem;  ///< the first thing wrong with it, in words; "" when there is none
  std::string file;
};

/// The marks in the bytes of one file. What was cut off, torn or never closed gives what there is,
/// with `complete` false and `problem` set; what is no file of marks is an error.
Result<WorkerMarks> parse_marks(std::string_view bytes, const std::string& file);

/// All files *.kmarks of a folder, by worker. An empty folder gives none.
Result<std::vector<WorkerMarks>> read_marks(const std::string& folder);

/// A moment on the caller's clocks.
struct Moment {
  double monotonic = 0;  ///< seconds of CLOCK_MONOTONIC
  double realtime = 0;   ///< seconds of CLOCK_REALTIME at the same moment
  std::string clock;     ///< as WorkerMarks::clock
};

/// Now.
Moment read_clocks();

/// The fields of a Run that marks fill.
struct MarkedRun {
  /// From the spawn to the moment when the last worker was set up: its setup mark or, without one,
  /// the begin of its first step.
  std::optional<double> setup;
  /// Step i lasts from the moment when the first worker begins it to the moment when the last one
  /// ends it. Steps of workers that nothing keeps together therefore overlap. As many as every
  /// worker made.
  std::vector<double> steps;
  /// How many of them began, on some worker, before that worker's warm-up mark.
  std::optional<int> warm_up_steps;
  /// Sums over the steps behind the warm-up, in the order of the workers. A quantity that nobody
  /// marked is empty. Work, operations and bytes marked outside of steps only are the whole run's.
  PerWorker per_worker;
  std::vector<Note> notes;  ///< what was incomplete, uneven or guessed
};

/// The marks of one run on one time line, that of `spawn`: the moment before the first process was
/// started. Workers with another clock are placed by their CLOCK_REALTIME, and noted.
MarkedRun combine_marks(const std::vector<WorkerMarks>& workers, const Moment& spawn);

}  // namespace kstar
