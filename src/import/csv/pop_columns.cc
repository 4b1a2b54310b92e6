#include "import/csv/pop_columns.h"

#include <algorithm>
#include <array>

#include "import/csv/name_words.h"

namespace kstar {

namespace {

/// A factor, and the words of which a column's name holds one of each list.
struct FactorName {
  std::string_view factor;
  std::vector<std::string_view> subject, measure;
};

const std::vector<FactorName>& factor_names() {
  static const std::vector<FactorName> kNames = {
      {"load_balance", {"load"}, {"balance"}},
      {"communication_efficiency", {"comm", "communication"}, {"efficiency", "eff"}},
      {"parallel_efficiency", {"parallel"}, {"efficiency", "eff"}},
      {"transfer_efficiency", {"transfer"}, {"efficiency", "eff"}},
      {"serialization_efficiency", {"serialization", "serialisation"}, {"efficiency", "eff"}},
      {"computation_scalability",
       {"computation", "computational", "comp"},
       {"scalability", "scaling"}},
      {"ipc_scalability", {"ipc"}, {"scalability", "scaling"}},
      {"instruction_scalability", {"instruction", "instructions"}, {"scalability", "scaling"}},
      {"frequency_scalability", {"frequency"}, {"scalability", "scaling"}},
  };
  return kNames;
}

std::string_view factor_in(std::string_view name) {
  const Words words = words_of(name);
  for (const FactorName& one : factor_names()) {
    if (holds(words, Names(one.subject)) && holds(words, Names(one.measure))) return one.factor;
  }
  return {};
}

/// What makes a share of the column's numbers; 0 where they are no shares. A factor may be a little
/// above 1, by the noise of a timer.
double scale_of(const ColumnFacts& column) {
  constexpr double kMostShare = 1.2, kMostPercent = 120;
  if (!column.numeric()) return 0;
  if (column.largest <= kMostShare) return 1;
  return column.percents == 0 && column.largest <= kMostPercent ? 0.01 : 0;
}

}  // namespace

std::vector<PopColumn> pop_columns(const Facts& columns) {
  std::vector<PopColumn> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view factor = factor_in(columns[i].name);
    const double scale = columns[i].ignored || factor.empty() ? 0 : scale_of(columns[i]);
    const bool again = std::any_of(found.begin(), found.end(),
                                   [&](const PopColumn& one) { return one.factor == factor; });
    if (scale > 0 && !again) found.push_back({i, factor, scale});
  }
  const bool balance = std::any_of(found.begin(), found.end(), [](const PopColumn& one) {
    return one.factor == "load_balance";
  });
  return balance ? found : std::vector<PopColumn>();
}

}  // namespace kstar
