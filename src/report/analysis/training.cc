#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"

namespace kstar {

namespace {

std::string unit_of(const TimeToTrain& train) {
  return train.unit.empty() ? "units of work" : train.unit;
}

/// "0.62", or as many digits as a small one needs.
std::string factor_text(double factor) {
  return factor < 0.1 ? significant(factor, 2) : fixed(factor, 2);
}

/// "1.6x as many", "as many", "0.9x as many": to the second digit behind the point.
std::string times_as_many(double ratio) {
  return std::fabs(ratio - 1) < 0.005 ? "as many" : fixed(ratio, 2) + "x as many";
}

const TrainingPoint& base_of(const TimeToTrain& train) {
  return train.points.front();
}
const TrainingPoint& last_of(const TimeToTrain& train) {
  return train.points.back();
}

std::string algorithm_words(const TimeToTrain& train) {
  const TrainingPoint &base = base_of(train), &last = last_of(train);
  const std::string needed = fmt::format(
      "{} {} to converge", times_as_many(last.work.point / base.work.point), unit_of(train));
  if (!base.batch || !last.batch) return needed + "; the batch is not known";
  const double growth = *last.batch / *base.batch;
  return growth == 1 ? needed + ", at the same batch"
                     : fmt::format("{}, at {}x the batch", needed, significant(growth, 3));
}

std::string system_words(const TimeToTrain& train) {
  const TrainingPoint &base = base_of(train), &last = last_of(train);
  return fmt::format("{}x the {} per second from {}x the workers",
                     significant(last.throughput.point / base.throughput.point, 3), unit_of(train),
                     significant(static_cast<double>(last.workers) / base.workers, 3));
}

double fixed_share(const TrainingPoint& point) {
  return point.fixed->point / point.time.point;
}

std::string fixed_words(const TimeToTrain& train) {
  return fmt::format("{} of the time is not training (evaluation, checkpoints), at the base {}",
                     percent(fixed_share(last_of(train)), 1),
                     percent(fixed_share(base_of(train)), 1));
}

/// The parts of the last K's efficiency, each with what it says.
Items parts_of(const TimeToTrain& train) {
  const TrainingPoint& last = last_of(train);
  Items items{
      fmt::format("E({}) = {}, relative to K = {}, is the product of", last.workers,
                  efficiency_words(last.efficiency), base_of(train).workers),
      {fmt::format("algorithm {}: {}", efficiency_words(last.algorithm), algorithm_words(train)),
       fmt::format("system {}: {}", efficiency_words(last.system), system_words(train))}};
  items.items.push_back(
      last.training
          ? fmt::format("fixed time {}: {}", efficiency_words(*last.training), fixed_words(train))
          : "fixed time (evaluation, checkpoints) is unknown, and included in the system's factor");
  return items;
}

bool has_batches(const TimeToTrain& train) {
  return std::any_of(train.points.begin(), train.points.end(),
                     [](const TrainingPoint& point) { return point.batch.has_value(); });
}

/// What was counted, K by K.
Table quantities(const TimeToTrain& train) {
  Table table;
  table.columns = {{.name = "K"}};
  const bool batches = has_batches(train);
  if (batches) table.columns.push_back({.name = "batch"});
  const auto add = [&](const std::string& name) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  };
  add(unit_of(train));
  add("per second");
  if (train.fixed_known) add("fixed time");
  for (const TrainingPoint& point : train.points) {
    std::vector<std::string> row = {fmt::format("{}", point.workers)};
    if (batches) row.push_back(point.batch ? significant(*point.batch, 6) : "?");
    row.insert(row.end(), {significant(point.work.point, 4), half_width(point.work),
                           significant(point.throughput.point, 4), half_width(point.throughput)});
    if (point.fixed) {
      row.insert(row.end(), {time_text(point.fixed->point), half_width(*point.fixed)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A factor, and half its interval.
void add_loss_factor(const Estimate& factor, std::vector<std::string>& row) {
  row.push_back(fixed(factor.point, efficiency_decimals(factor)));
  row.push_back(is_bounded(factor)
                    ? fixed((factor.high - factor.low) / 2, efficiency_decimals(factor))
                    : "?");
}

Table factors(const TimeToTrain& train) {
  Table table;
  table.columns = {{.name = "K"}};
  std::vector<std::string> names = {"E", "algorithm", "system"};
  if (train.fixed_known) names.emplace_back("fixed");
  for (const std::string& name : names) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  }
  for (const TrainingPoint& point : train.points) {
    std::vector<std::string> row = {fmt::format("{}", point.workers)};
    for (const Estimate* factor : {&point.efficiency, &point.algorithm, &point.system}) {
      add_loss_factor(*factor, row);
    }
    if (point.training) add_loss_factor(*point.training, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string training_text(const TimeToTrain& train) {
  const TrainingPoint &base = base_of(train), &last = last_of(train);
  std::string text = fmt::format(
      "From K = {} to K = {} its efficiency {} {} = {} (algorithm: {}) x {} (system: {})",
      base.workers, last.workers, last.efficiency.point < 1 ? "falls to" : "is",
      factor_text(last.efficiency.point), factor_text(last.algorithm.point), algorithm_words(train),
      factor_text(last.system.point), system_words(train));
  if (!last.training) return text;
  return text + fmt::format(" x {} (fixed time)", factor_text(last.training->point));
}

void add_training_factors(const Analysis& analysis, Document& document) {
  if (!analysis.time_to_train) return;
  document.blocks.emplace_back(Heading{"Time to train"});
  document.blocks.emplace_back(parts_of(*analysis.time_to_train));
  document.blocks.emplace_back(factors(*analysis.time_to_train));
}

void add_training(const Analysis& analysis, Document& document) {
  if (!analysis.time_to_train) return;
  const TimeToTrain& train = *analysis.time_to_train;
  add_training_factors(analysis, document);
  document.blocks.emplace_back(quantities(train));
  document.blocks.emplace_back(Paragraph{
      fmt::format("E = algorithm x system{0}, relative to K = {1}; T(K) = {2} to converge / {2} "
                  "per second{3}. The target quality is the same at every K, whatever the batch.",
                  train.fixed_known ? " x fixed" : "", base_of(train).workers, unit_of(train),
                  train.fixed_known ? " + fixed time" : "")});
}

}  // namespace kstar
