#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Where the numbers of a study came from, and what they are the times of.
namespace kstar {

/// What a run's seconds are. All but the first two are made from a number that is no time.
enum class TimeKind : std::uint8_t {
  kRun,        ///< a whole run or, where it has steps, one of them
  kStep,       ///< one step, iteration or epoch
  kRate,       ///< one unit of work: 1 / rate
  kSpeedup,    ///< a part of the base's time, which is not known: 1 / speedup
  kEfficiency  ///< likewise, from an efficiency
};

/// Nothing is known but what is relative to a base.
inline bool is_relative(TimeKind kind) {
  return kind == TimeKind::kSpeedup || kind == TimeKind::kEfficiency;
}

enum class SourceKind : std::uint8_t { kMeasured, kImported, kSimulated };

struct Source {
  std::optional<SourceKind> kind;
  std::string format;               ///< of what was imported: csv, talp
  std::vector<std::string> files;   ///< likewise
  std::string summary;              ///< each number sums up runs: mean, min, max; "" for runs
  std::vector<std::string> unused;  ///< columns that were not used
  std::string extra;
  bool operator==(const Source&) const = default;
};

/// What an imported file calls another at another K, whether a setting or a name.
struct ChangedSetting {
  std::string name;
  std::vector<std::string> values;  ///< the first ones, in the order of the file
  std::optional<int> count;         ///< of all, where there are more
  std::string extra;
  bool operator==(const ChangedSetting&) const = default;
};

/// Which result of MLPerf a study is.
struct Mlperf {
  std::string round, division, submitter, benchmark, accelerator;
  std::string extra;
  bool operator==(const Mlperf&) const = default;
};

/// The base that a claim is relative to, where it stands beside it.
struct ClaimBase {
  int workers = 1;
  double seconds = 1;
  std::string extra;
  bool operator==(const ClaimBase&) const = default;
};

/// A speedup or an efficiency that stands beside a time: to be checked, no sample.
struct RunClaim {
  std::optional<double> speedup;
  std::optional<double> efficiency;
  std::optional<ClaimBase> base;
  std::optional<int> line;  ///< of the imported file
  std::string extra;
  bool operator==(const RunClaim&) const = default;
};

using Settings = std::map<std::string, std::string>;

}  // namespace kstar
