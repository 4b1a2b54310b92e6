#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kstar/result.h"
#include "kstar/study.h"

namespace kstar {

/// A system description of MLPerf: SUBMITTER/systems/SYSTEM.json.
struct MlperfSystem {
  std::string division, framework, accelerator;
  std::optional<int> nodes, accelerators_per_node;
  Host host;  ///< one node
  /// Nodes times accelerators, or the nodes of a system without accelerators.
  std::optional<int> workers() const;
};

/// The largest description that is read.
inline constexpr std::size_t kMostSystem = std::size_t{4} << 20U;

/// `text` has FileText::kPadding readable bytes behind it.
Result<MlperfSystem> read_mlperf_system(std::string_view text, std::string_view name);

/// "scaling_factor" of a scaling.json; nothing where it has none.
std::optional<double> read_mlperf_scaling(std::string_view text);

}  // namespace kstar
