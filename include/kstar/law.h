#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/cost_model.h"
#include "kstar/export.h"
#include "kstar/result.h"

/// The laws by name. A law describes itself: its parameters with their constraints, its formula
/// and what it assumes. Help, completions, the manual and the command line are made
/// from this table.
namespace kstar {

/// What the parameters of a law can say. Each law reads the fields its own parameters name.
struct LawSettings {
  double serial = 0;
  std::vector<Communication> communication;
  Straggler straggler;
  double imbalance = 0;
  double hidden = 0;
  double contention = 0;
  double coherency = 0;
  double rate = 0;  ///< throughput of one worker; 0 when not said
  double compute = 0;
  double exchange = 0;  ///< communication time of a profiled step
  double at_workers = 1;
  Growth growth = Growth::kConstant;
  double compression = 1;
  double sync_every = 1;
};

struct LawParameter {
  std::string_view name;   ///< the flag without dashes
  std::string_view value;  ///< what stands for the value in help
  std::string_view help;
  bool required = false;
  /// Reads one value into the settings; the error names the flag, the constraint and the value.
  std::function<Result<void>(LawSettings&, std::string_view text)> read;
  /// How a value is shown in a title; short.
  std::string_view symbol;
};

/// Where a law's curve is usually drawn, and how its numbers are rounded in tables.
struct LawStyle {
  int time_decimals = 4;
  int speedup_decimals = 3;
  bool efficiency_in_percent = true;
  int efficiency_decimals = 1;
  std::string_view time_unit;  ///< empty when T is relative to T(1)
};

enum class CostPart { kSerial, kCommunication };

struct Law {
  std::string_view name;
  std::string_view title;        ///< as a heading
  std::string_view short_title;  ///< as the head of a narrow column
  std::string_view help;         ///< one line
  std::string_view formula;
  std::string_view holds_fixed;  ///< what stays the same as K grows
  std::vector<LawParameter> parameters;
  LawStyle style;
  std::function<Result<CostModel>(const LawSettings&)> model;
  /// The part of the cost whose halving and doubling the sensitivity answers are about, and the
  /// parameter that it is known by.
  CostPart sensitive_part = CostPart::kSerial;
  std::string_view sensitive_to;
  bool profiled = false;  ///< its parameters come from a profiled step
  std::vector<std::string_view> examples;
};

KSTAR_EXPORT std::span<const Law> laws();
KSTAR_EXPORT const Law* find_law(std::string_view name);

/// What a prediction assumes, as sentences; a term that is modelled is not assumed away.
KSTAR_EXPORT std::vector<std::string> assumptions_of(const CostModel& model);

}  // namespace kstar
