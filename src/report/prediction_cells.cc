#include "report/prediction_cells.h"

#include <cmath>

#include "base/number.h"

namespace kstar {

std::string workers_cell(double workers) {
  if (std::isinf(workers)) return "all";
  return workers < 1e9 ? fixed(workers, 0) : significant(workers, 4);
}

std::string workers_cell(const std::optional<double>& workers, const char* none) {
  return workers ? workers_cell(*workers) : none;
}

std::string time_cell(const Law& law, double time) {
  return fixed(time, law.style.time_decimals);
}

std::string speedup_cell(const Law& law, double speedup) {
  return fixed(speedup, law.style.speedup_decimals);
}

std::string efficiency_cell(const Law& law, double efficiency) {
  return law.style.efficiency_in_percent ? percent(efficiency, law.style.efficiency_decimals)
                                         : fixed(efficiency, law.style.efficiency_decimals);
}

std::string ceiling_cell(const Ceiling& ceiling) {
  return ceiling.bounded() ? fixed(ceiling.speedup, 2) + "x" : "unbounded";
}

}  // namespace kstar
