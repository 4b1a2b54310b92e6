#pragma once

#include <cmath>
#include <limits>

#include "kstar/analysis.h"

/// Analyses made by hand, for tests of what shows them. Their numbers fit each other where a page
/// puts them side by side; they come from no measurement.
namespace kstar {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// An interval of `share` of the point to both sides.
inline Estimate around(double point, double share, std::size_t n = 5) {
  return {.point = point,
          .standard_error = std::fabs(point) * share / 2,
          .low = point - std::fabs(point) * share,
          .high = point + std::fabs(point) * share,
          .confidence = 0.95,
          .n = n,
          .method = IntervalMethod::kPairedEffective,
          .scope = Scope::kOneSession};
}

/// What one sample says.
inline Estimate bare(double point) {
  return {.point = point,
          .standard_error = std::nan(""),
          .low = -kInfinite,
          .high = kInfinite,
          .confidence = 0.95,
          .n = 1,
          .method = IntervalMethod::kNone,
          .scope = Scope::kOneSession};
}

/// A point of a strong curve whose base took `base` seconds on one worker.
inline ScalingPoint strong_point(int workers, double time, double base, double threshold = 0.70) {
  ScalingPoint point;
  point.workers = workers;
  point.times = {.n = 5,
                 .mean = time,
                 .standard_deviation = 0.01 * time,
                 .median = 0.999 * time,
                 .min = 0.985 * time,
                 .max = 1.02 * time};
  point.time = around(time, 0.012);
  const double speedup = base / time;
  point.speedup = around(speedup, workers == 1 ? 0 : 0.02);
  point.efficiency = scaled(*point.speedup, 1.0 / workers);
  if (workers > 1) {
    point.karp_flatt = around((1 / speedup - 1.0 / workers) / (1 - 1.0 / workers), 0.1);
  }
  point.good = point.efficiency->point >= threshold;
  point.clear =
      point.good ? point.efficiency->low >= threshold : point.efficiency->high < threshold;
  return point;
}

inline PredictedWorkers predicted(double workers, double time, double base, double share) {
  return {.workers = workers,
          .time = around(time, share),
          .speedup = around(base / time, share),
          .efficiency = around(base / time / workers, share),
          .extrapolated = workers > 16,
          .far = workers > 64};
}

inline ModelFit example_models() {
  ModelFit fit;
  fit.models = {
      {.name = "serial + log2",
       .formula = "T = a + b/K + c log2 K",
       .weight = 0.71,
       .terms = {{.name = "serial or ring",
                  .formula = "s",
                  .cost = around(4.1, 0.2),
                  .share = around(0.33, 0.2),
                  .merged = true},
                 {.name = "parallel",
                  .formula = "p/K",
                  .cost = around(95.6, 0.02),
                  .share = around(0.47, 0.02)},
                 {.name = "log2",
                  .formula = "c log2 K",
                  .cost = around(0.62, 0.4),
                  .share = around(0.2, 0.4)}}},
      {.name = "usl",
       .formula = "T = T1 (1/K + a (1 - 1/K) + b (K - 1))",
       .weight = 0.27,
       .terms =
           {{.name = "contention", .formula = "a", .cost = around(0.051, 0.1), .time = false},
            {.name = "coherency", .formula = "b", .cost = around(2.3e-4, 0.5), .time = false}}},
      {.name = "power", .formula = "T = a K^-p", .weight = 0.02, .terms = {}}};
  for (const double k : {1.0, 1.5, 2.0, 4.0, 8.0, 16.0}) {
    fit.fitted.push_back(predicted(k, 4 + 96 / k + 0.6 * std::log2(k), 100, 0.01));
  }
  for (const double k : {12.0, 64.0, 128.0}) {
    fit.predictions.push_back(predicted(k, 4 + 96 / k + 0.6 * std::log2(k), 100, 0.1));
  }
  fit.hindcast = ModelHindcast{.workers = 16,
                               .predicted = around(12.1, 0.08),
                               .observed = 12.6,
                               .error = 12.1 / 12.6 - 1,
                               .held = true};
  fit.ends = CurveEnd::kGains;
  fit.limit_chance = 0.64;
  fit.goodness.drift = 0.02;
  fit.bend_chances = {0, 0, 0, 0.93, 0.05, 0.02};
  fit.bend = around(9.1, 0.1);
  fit.best_workers = around(120, 0.3);
  fit.best_workers->high = kInfinite;
  fit.ceiling = around(12.4, 0.2);
  fit.next = {{.workers = 64,
               .narrows = 0.43,
               .worker_seconds = 580.8,
               .why = "It is where the forms differ most."}};
  fit.assumptions = {"the parts of the cost grow beyond the largest K as they do below it"};
  fit.notes = {"serial and ring look alike in T(K): profiled runs would tell them apart"};
  return fit;
}

inline Diagnosis example_diagnosis() {
  Diagnosis diagnosis;
  diagnosis.workers = 16;
  diagnosis.efficiency = around(0.496, 0.02);
  for (const int k : {1, 4, 16}) {
    diagnosis.factors.push_back({.workers = k,
                                 .runs = 5,
                                 .parallel = around(1 - 0.02 * k, 0.01),
                                 .load_balance = around(1 - 0.005 * k, 0.01),
                                 .communication = around(1 - 0.015 * k, 0.01),
                                 .transfer = around(1 - 0.01 * k, 0.01),
                                 .serialization = around(1 - 0.005 * k, 0.01),
                                 .computation = around(1 - 0.01 * k, 0.01)});
  }
  diagnosis.causes = {
      {.kind = CauseKind::kCommunication,
       .share = around(0.62, 0.1),
       .factor = around(0.65, 0.02),
       .confidence = Confidence::kMeasured,
       .evidence = {"Workers communicate 35% of their time at K = 16, 4% at K = 2."},
       .advice = "Hide the all-reduce behind the backward pass.",
       .worker = {},
       .host = {},
       .or_else = {}},
      {.kind = CauseKind::kStraggler,
       .share = around(0.21, 0.3),
       .factor = around(0.86, 0.04),
       .confidence = Confidence::kShape,
       .evidence = {"Worker 3 is 14% slower than the mean in every run."},
       .advice = "Look at node n7.",
       .worker = 3,
       .host = "n7",
       .or_else = {CauseKind::kLoadImbalance}}};
  diagnosis.next = {"record the work that each worker does"};
  return diagnosis;
}

/// From 8 to 512 workers, at 64 times the batch: 0.41 = 0.62 x 0.68 x 0.97.
inline TimeToTrain example_training() {
  TrainingPoint base{.workers = 8,
                     .runs = 5,
                     .batch = 256,
                     .time = around(6000, 0.01),
                     .work = around(2e6, 0.02),
                     .throughput = around(2e6 / 5700, 0.01),
                     .fixed = around(300, 0.05),
                     .efficiency = around(1, 0),
                     .algorithm = around(1, 0),
                     .system = around(1, 0),
                     .training = around(1, 0)};
  TrainingPoint last{.workers = 512,
                     .runs = 5,
                     .batch = 16384,
                     .time = around(228.66, 0.02),
                     .work = around(3.2258e6, 0.03),
                     .throughput = around(15275, 0.01),
                     .fixed = around(17.48, 0.05),
                     .efficiency = around(0.41, 0.02),
                     .algorithm = around(0.62, 0.03),
                     .system = around(0.68, 0.01),
                     .training = around(0.9722, 0.01)};
  return {.unit = "samples", .points = {base, last}, .fixed_known = true, .notes = {}};
}

/// Everything that an Analysis can hold, in it.
inline Analysis full_analysis() {
  Analysis analysis;
  ScalingTable& table = analysis.table;
  table.regime = Regime::kStrong;
  ScalingPoint baseline = strong_point(1, 90, 90);
  baseline.role = Role::kBaseline;
  table.base_role = Role::kBaseline;
  table.points = {baseline,
                  strong_point(1, 100, 90),
                  strong_point(2, 52.6, 90),
                  strong_point(4, 29.2, 90),
                  strong_point(8, 17.8, 90),
                  strong_point(16, 12.6, 90)};
  for (std::size_t i = 1; i < table.points.size(); ++i) {
    table.points[i].shape = Shape{table.points[i].workers > 4 ? table.points[i].workers / 4 : 1,
                                  std::min(4, table.points[i].workers), 1};
    table.points[i].setup = 0.25;
  }
  table.points[2].failed = 1;
  table.points[2].warm_up = 2;
  table.steps = {{1, 2, NodeGrowth::kInsideNode, around(0.951, 0.01)},
                 {2, 4, NodeGrowth::kMoreNodes, around(0.901, 0.01)},
                 {4, 8, NodeGrowth::kBoth, around(0.820, 0.01)}};
  table.notes = {{.severity = Severity::kWarning,
                  .what = "mixed-shapes",
                  .where = "4 workers",
                  .text = "runs with different layouts are combined",
                  .extra = {}}};
  analysis.notes = table.notes;
  analysis.notes.push_back({.severity = Severity::kInfo,
                            .what = "regime",
                            .where = "",
                            .text = "the workload is the same at every K",
                            .extra = {}});
  analysis.bend = Bend{.last_good = 4,
                       .first_bad = 8,
                       .low = 8,
                       .high = 16,
                       .agreement = 0.93,
                       .continuous = around(7.1, 0.1)};
  analysis.other_baseline = OtherBaseline{};
  analysis.other_baseline->time = 60;
  for (const ScalingPoint& point : table.points) {
    analysis.other_baseline->efficiency.push_back(scaled(*point.efficiency, 60.0 / 90));
  }
  analysis.other_baseline->bend =
      Bend{.last_good = {}, .first_bad = 1, .low = 1, .high = {}, .agreement = 1, .continuous = {}};
  analysis.own_baseline = OtherBaseline{};
  analysis.own_baseline->time = 100;
  for (const ScalingPoint& point : table.points) {
    analysis.own_baseline->efficiency.push_back(scaled(*point.efficiency, 100.0 / 90));
  }
  analysis.own_baseline->bend = Bend{.last_good = 8,
                                     .first_bad = 16,
                                     .low = 8,
                                     .high = 16,
                                     .agreement = 0.71,
                                     .continuous = around(9.1, 0.1)};
  analysis.time_to_train = example_training();
  analysis.superlinear =
      SuperlinearQuestion{.workers = 2,
                          .likely_cause = "The data of one worker does not fit its cache.",
                          .measurement = "Measure K = 1 with half the data."};
  analysis.steps = {
      {.workers = 1, .runs = 5, .variation = 0.011, .slowest = 1.08, .drift = {}},
      {.workers = 16, .runs = 5, .variation = 0.094, .slowest = 2.31, .drift = around(1.03, 0.01)}};
  analysis.recommendation = {
      .workers = 4, .low = 4, .high = 8, .open = false, .least_time_workers = 16};
  analysis.models = example_models();
  analysis.diagnosis = example_diagnosis();
  analysis.verdict = decide(analysis);
  analysis.verdict.next = {.code = NextStepCode::kNarrow,
                           .workers = {1, 6},
                           .runs = 3,
                           .command = "kstar measure --workers 1,6 -- ./prog {K}",
                           .advice = {}};
  analysis.network = NetworkVerdict{.role = NetworkRole::kNotNetwork,
                                    .workers = 16,
                                    .spent = 0.02,
                                    .waits = true,
                                    .expected = around(0.004, 0.001),
                                    .collective = "all-reduce",
                                    .bytes = 1e6,
                                    .from = "measured"};
  return analysis;
}

/// One run per K: no interval but the models'.
inline Analysis bare_analysis() {
  Analysis analysis;
  analysis.table.regime = Regime::kStrong;
  for (const auto& [workers, time] : {std::pair{1, 100.0}, {2, 52.0}, {4, 29.0}, {8, 19.0}}) {
    ScalingPoint point = strong_point(workers, time, 100);
    point.times = {.n = 1,
                   .mean = time,
                   .standard_deviation = std::nan(""),
                   .median = time,
                   .min = time,
                   .max = time};
    point.time = bare(time);
    if (workers > 1) {
      point.speedup = bare(100 / time);
      point.efficiency = bare(100 / time / workers);
      point.karp_flatt = bare(point.karp_flatt->point);
      point.clear = false;
    }
    analysis.table.points.push_back(point);
  }
  analysis.bend = Bend{.last_good = 4,
                       .first_bad = 8,
                       .low = 8,
                       .high = 8,
                       .agreement = std::nan(""),
                       .continuous = {}};
  analysis.recommendation = {
      .workers = 4, .low = 4, .high = 4, .open = false, .least_time_workers = 8};
  analysis.models = example_models();
  analysis.models->predictions.clear();
  analysis.models->hindcast.reset();
  analysis.diagnosis.workers = 8;
  analysis.diagnosis.causes = {{.kind = CauseKind::kSerial,
                                .share = bare(0.8),
                                .factor = bare(0.7),
                                .confidence = Confidence::kShape,
                                .evidence = {"Karp-Flatt is 0.04 to 0.05 at every K."},
                                .advice = "Measure with marks: kstar measure --time marks.",
                                .worker = {},
                                .host = {},
                                .or_else = {CauseKind::kCommunication}}};
  analysis.notes = {{.severity = Severity::kWarning,
                     .what = "one-run",
                     .where = "",
                     .text = "one run per K: intervals come only from the models",
                     .extra = {}}};
  analysis.verdict = decide(analysis);
  return analysis;
}

/// Work in proportion to K, nothing bends, nothing is lost.
inline Analysis weak_analysis() {
  Analysis analysis;
  analysis.table.regime = Regime::kWeak;
  for (const int workers : {1, 2, 4, 128}) {
    ScalingPoint point = strong_point(workers, 2 + 0.001 * workers, 2.001);
    point.efficiency = around(2.001 / (2 + 0.001 * workers), 0.01);
    point.speedup = scaled(*point.efficiency, workers);
    point.karp_flatt.reset();
    point.good = point.clear = true;
    analysis.table.points.push_back(point);
  }
  analysis.recommendation = {
      .workers = 128, .low = 128, .high = 128, .open = true, .least_time_workers = 128};
  analysis.models = example_models();
  analysis.models->bend = Estimate{.point = kInfinite, .low = 300, .high = kInfinite};
  analysis.models->ceiling = Estimate{.point = kInfinite, .low = 200, .high = kInfinite};
  analysis.diagnosis.workers = 128;
  Cause none;
  none.evidence = {"E at K = 128 is 0.94: within what the machine's noise explains."};
  analysis.diagnosis.causes = {none};
  analysis.verdict = decide(analysis);
  return analysis;
}

/// The problem changes in some other way: times, and no speedup.
inline Analysis mixed_analysis() {
  Analysis analysis = bare_analysis();
  analysis.table.regime = Regime::kMixed;
  for (ScalingPoint& point : analysis.table.points) {
    point.speedup.reset();
    point.efficiency.reset();
    point.karp_flatt.reset();
  }
  analysis.bend.reset();
  ModelFit& fit = *analysis.models;
  fit.predictions.push_back(predicted(64, 5.5, 100, 0.1));
  for (auto* list : {&fit.fitted, &fit.predictions}) {
    for (PredictedWorkers& at : *list) {
      at.speedup.point = at.efficiency.point = std::nan("");
    }
  }
  fit.bend.reset();
  fit.ceiling.reset();
  analysis.diagnosis = {};
  analysis.verdict = decide(analysis);
  return analysis;
}

/// The batch changes with K, and the runs say what they needed to converge; no fixed time, and one
/// run per K.
inline Analysis training_analysis() {
  Analysis analysis = mixed_analysis();
  analysis.table.points.resize(2);
  analysis.table.points[0].workers = 8;
  analysis.table.points[1].workers = 512;
  analysis.table.base_workers = 8;
  TimeToTrain train = example_training();
  train.fixed_known = false;
  for (TrainingPoint& point : train.points) {
    point.fixed.reset();
    point.training.reset();
  }
  TrainingPoint& last = train.points[1];
  last.work = bare(last.work.point);
  last.efficiency = bare(0.41);
  last.algorithm = bare(0.62);
  last.system = bare(0.66);
  analysis.time_to_train = train;
  analysis.bend = Bend{.last_good = 8,
                       .first_bad = 512,
                       .low = 8,
                       .high = 512,
                       .agreement = std::nan(""),
                       .continuous = {}};
  analysis.recommendation = {
      .workers = 8, .low = 8, .high = 512, .open = false, .least_time_workers = 512};
  analysis.verdict = decide(analysis);
  return analysis;
}

/// A single K, whose regime nobody said.
inline Analysis least_analysis() {
  Analysis analysis = mixed_analysis();
  analysis.models.reset();
  analysis.table.regime.reset();
  analysis.table.points.resize(1);
  analysis.notes.clear();
  analysis.verdict = decide(analysis);
  return analysis;
}

/// Text from outside that would like to be more than text.
inline Analysis hostile_analysis() {
  Analysis analysis = full_analysis();
  const std::string nasty = "=cmd|' /C calc'!A0\x1b[2J\n| a | <script>\xff";
  analysis.time_to_train->unit = nasty;
  analysis.diagnosis.causes[1].host = nasty;
  analysis.suspicions = {{.kind = SuspicionKind::kSuperlinear,
                          .regime = Regime::kStrong,
                          .workers = 2,
                          .value = 1.3,
                          .own = true,
                          .step = SpeedStep{.from = 1, .to = 2, .factor = 1.3}}};
  analysis.superlinear->likely_cause = nasty;
  analysis.models->goodness = {
      .drift = 0.2,
      .beyond_errors = true,
      .change = CurveChange{.from = 8, .to = 16, .factor = 1.4, .probability = 0.97}};
  analysis.diagnosis.causes[0].evidence = {nasty};
  analysis.notes = {
      {.severity = Severity::kError, .what = nasty, .where = nasty, .text = nasty, .extra = {}}};
  analysis.verdict = decide(analysis);
  return analysis;
}

}  // namespace kstar
