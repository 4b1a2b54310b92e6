#include <algorithm>

#include "kstar/law.h"

namespace kstar {

std::vector<std::string> assumptions_of(const CostModel& model) {
  std::vector<std::string> list = {"all workers are identical, and stay so"};
  if (model.imbalance == 0) list.emplace_back("the parallel part divides perfectly, at every K");
  if (model.straggler.probability == 0) list.emplace_back("no worker is ever slow");
  if (model.straggler.probability > 0) {
    list.emplace_back("workers are slow independently of each other; T is the expected time");
  }
  const bool communicates = std::any_of(model.communication.begin(), model.communication.end(),
                                        [](const Communication& term) { return term.cost > 0; });
  if (!communicates) {
    list.emplace_back("communication and synchronisation cost nothing");
  } else {
    list.emplace_back(
        "communication follows its formula at every K: no change of algorithm, "
        "topology or congestion");
    const bool usl = model.regime == Regime::kThroughput;  // coherency is no message to overlap
    if (model.hidden == 0 && !usl) list.emplace_back("nothing of it overlaps with computation");
    if (model.hidden > 0) list.emplace_back("hiding communication costs nothing itself");
  }
  if (model.work_growth == WorkGrowth::kFixed) {
    list.emplace_back(
        "a smaller share runs at the same speed: no effect of caches, memory or "
        "thin batches");
  } else {
    list.emplace_back("the larger problem is one you want solved, and as good as the smaller");
  }
  if (model.base_workers > 1) {
    list.emplace_back(
        "the step at the profiled K is typical, and divides as if it had come from "
        "one worker");
  }
  return list;
}

}  // namespace kstar
