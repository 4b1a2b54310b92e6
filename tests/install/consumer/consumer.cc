// A program of somebody else's, built against the installed package.
#include <cstdio>
#include <vector>

#include "kstar/kstar.h"

int main() {
  const std::vector<kstar::ParameterList> parameters = {{"serial", {"0.05"}}};
  const auto instances = kstar::instances_of(*kstar::find_law("amdahl"), parameters);
  if (!instances) return 1;
  const kstar::Prediction prediction = kstar::predict(instances->front(), {.workers = {1, 8, 64}});
  const std::vector<double> times = {1.0, 1.1, 0.9};
  const auto mean = kstar::estimate_mean(times);
  if (!mean) return 1;
  std::printf("ceiling %.0f, bend %.0f, mean %.1f in %.3f..%.3f\n",
              prediction.answers.ceiling.speedup, *prediction.answers.first_below.exact,
              mean->point, mean->low, mean->high);
  const auto wrong = kstar::load_study("/no/such/study.jsonl");
  return wrong.has_value() ? 1 : 0;
}
