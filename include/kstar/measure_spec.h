#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/regime.h"
#include "kstar/result.h"

/// What to measure and how, as a command line or a study.toml says it.
namespace kstar {

enum class TimeFrom {
  kProcess,  ///< the whole process
  kMarks,    ///< kstar/mark.h or kstar_mark.py in the program
  kPattern,  ///< a pattern in its output: time_pattern, one group; every match is a step
  kJson      ///< JSON lines in its output: the number at time_key; every line with it is a step
};

struct MeasureSpec {
  std::string title;
  std::vector<std::string> command;   ///< with placeholders {K}, {size}, {batch}, {batch/K}
  bool shell = false;                 ///< the command is one text for /bin/sh -c
  std::vector<std::string> baseline;  ///< the fastest correct single-worker program; may be empty
  std::vector<std::int64_t> workers;
  std::optional<Regime> regime;

  std::optional<double> size;         ///< of the problem on one worker; weak: grows by `growth`
  std::string size_growth;            ///< weak: "K" (in proportion), or a formula of named kind
  std::string unit;                   ///< what size counts
  std::optional<std::int64_t> batch;  ///< global; weak: a worker's, times K

  TimeFrom time_from = TimeFrom::kProcess;
  std::string time_pattern;
  std::string time_key;
  std::string time_unit = "s";  ///< of the numbers in the output: s, ms, us, min
  bool time_is_rate = false;    ///< they are work a second, not seconds

  std::string check_pattern;  ///< a result in the output that must agree across K
  std::vector<std::string> check_command;
  double check_tolerance = 1e-6;  ///< relative

  std::optional<int> warm_up_runs;  ///< absent: found from the data
  std::optional<int> warm_up_steps;
  double precision = 0.02;  ///< relative half-width to reach
  double confidence = 0.95;
  std::optional<int> runs;  ///< exactly so many at each K; absent: until precise
  int max_runs = 100;
  int max_failures = 3;  ///< at one K, before it is given up
  std::optional<double> budget_seconds;
  std::optional<double> budget_worker_hours;
  double time_limit = 0;   ///< of one run, seconds; 0: none
  std::uint64_t seed = 0;  ///< of the order; 0: chosen and recorded

  std::string launcher = "local";
  bool bind = true;
  bool gpus = false;                             ///< workers are GPUs: CUDA_VISIBLE_DEVICES
  std::map<std::string, std::string> variables;  ///< set for the job
  std::string output;                            ///< the study's file
};

}  // namespace kstar
