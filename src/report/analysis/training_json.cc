#include "report/analysis/training_json.h"

namespace kstar {

namespace {

using json_parts::estimate;
using json_parts::Json;

Json optional(const std::optional<Estimate>& value) {
  return value ? estimate(*value) : Json(nullptr);
}

Json to_json(const TrainingPoint& point) {
  return {{"workers", point.workers},
          {"runs", point.runs},
          {"batch", point.batch ? json_parts::number(*point.batch) : Json(nullptr)},
          {"work", estimate(point.work)},
          {"throughput", estimate(point.throughput)},
          {"fixed", optional(point.fixed)},
          {"efficiency", estimate(point.efficiency)},
          {"algorithm", estimate(point.algorithm)},
          {"system", estimate(point.system)},
          {"training", optional(point.training)}};
}

}  // namespace

Json to_json(const TimeToTrain& train) {
  Json points = Json::array();
  for (const TrainingPoint& point : train.points) points.push_back(to_json(point));
  return {{"unit", train.unit},
          {"base_workers", train.points.front().workers},
          {"fixed_known", train.fixed_known},
          {"points", std::move(points)}};
}

}  // namespace kstar
