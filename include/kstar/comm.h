#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/network.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// What a collective costs, from the outputs of benchmarks: nccl-tests and rccl-tests (text, JSON),
/// OSU, Intel MPI benchmarks, and the studies of `kstar comm measure`.
namespace kstar {

struct CommSample {
  double bytes = 0;  ///< as kstar/network.h counts them
  double seconds = 0;
};

/// One table of a benchmark: a collective on K workers, by size.
struct CommSweep {
  Collective collective = Collective::kAllReduce;
  double workers = 0;                ///< 0 where the file does not say
  double nodes = 0;                  ///< likewise
  std::vector<CommSample> samples;   ///< out of place, where there is a difference
  std::vector<CommSample> in_place;  ///< may be empty
  std::string tool;                  ///< "nccl-tests", "OSU v5.8", "IMB", "kstar"
  std::string source;                ///< the file
  std::string label;                 ///< what stands above the table: a pair of nodes, an iteration
  std::optional<double> stated_average;  ///< "Avg bus bandwidth", bytes per second
  bool wrong = false;                    ///< the benchmark itself found its results wrong
};

/// What was read of one or more files.
struct CommData {
  std::vector<CommSweep> sweeps;
  std::vector<std::string> notes;     ///< what was guessed, damaged or left out; each once
  std::vector<std::string> failed;    ///< results that the benchmark itself found wrong
  std::optional<Collective> unnamed;  ///< what a table is of that does not say it
  std::vector<std::string> skipped;   ///< benchmarks that say nothing of alpha and beta, by name
};

/// Whether the beginning of a file looks like the output of one of the benchmarks.
KSTAR_EXPORT bool is_collective_output(std::string_view head);

/// Adds what stands in one file to `data`. Fails where there is no table of a benchmark in it, with
/// the first place that looked like one.
KSTAR_EXPORT Result<void> read_collectives(std::string_view text, std::string_view name,
                                           CommData& data);

/// Whether `kstar comm measure` made this study: its times are of collectives, and no T(K).
KSTAR_EXPORT bool is_collective_study(const StudyHeader& header);

/// Adds the sweeps of a study that `kstar comm measure` made; false where it is another.
KSTAR_EXPORT bool add_measured(const Study& study, CommData& data);

/// What the files do not say, for all sweeps that lack it.
struct CommGiven {
  std::optional<double> workers;
  std::optional<double> nodes;
  std::optional<double> node_workers;  ///< says the nodes where nothing else does
  bool in_place = false;
};
KSTAR_EXPORT void apply_given(const CommGiven& given, CommData& data);

}  // namespace kstar
