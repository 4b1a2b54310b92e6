#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/json_reader.h"

namespace kstar {

struct RankSteps {
  std::vector<double> step, compute, comm;
};

/// One line of a steps file: a run with the steps of every rank.
struct StepsLine {
  std::string study;
  std::optional<Regime> regime;
  std::int64_t workers = 1;
  std::optional<std::int64_t> repeat;
  std::optional<double> batch;
  double imbalance = 0;
  std::vector<RankSteps> ranks;
};

/// Reads one line after the other.
class StepsLineReader {
 public:
  explicit StepsLineReader(const Input& input) : json_(input) {}

  /// False, with an error, where the line is none.
  bool read(std::string_view line, StepsLine& out);
  Error take_error() { return json_.take_error(); }

 private:
  bool read_header(JsonObject& root, StepsLine& out);
  bool read_regime(JsonValue value, StepsLine& out);
  bool read_ranks(JsonObject& root, StepsLine& out);
  bool read_rank(JsonValue entry, StepsLine& out);

  JsonReader json_;
};

}  // namespace kstar
