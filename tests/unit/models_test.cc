#include "kstar/models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kstar/cost_model.h"

namespace kstar {
namespace {

Curve curve_of(const std::vector<std::pair<double, double>>& times, double error = 0.005) {
  Curve curve;
  for (const auto& [workers, time] : times) curve.points.push_back({workers, time, error, 5});
  return curve;
}

template <typename Law>
Curve exact(const Law& law, double error = 0.002) {
  Curve curve;
  for (const double k : {1., 2., 4., 8., 16., 32.}) curve.points.push_back({k, law(k), error, 5});
  return curve;
}

double amdahl(double k) {
  return 0.05 + 0.95 / k;
}

double with_log2(double k) {
  return 0.05 + 0.95 / k + 0.01 * std::log2(k);
}

const FittedModel& model_named(const ModelFit& fit, std::string_view name) {
  for (const FittedModel& model : fit.models) {
    if (model.name == name) return model;
  }
  throw std::runtime_error("no such model");
}

/// One run per K.
Curve single(const std::vector<std::pair<double, double>>& times) {
  Curve curve = curve_of(times, 0);
  curve.origin = CurveOrigin::kPublished;
  for (CurvePoint& point : curve.points) point.runs = 1;
  return curve;
}

TEST(Models, ASingleValueThatStandsApartIsNoBend) {
  const ModelFit fit = fit_models(single({{1, 100}, {2, 51}, {4, 26}, {8, 40}, {16, 7.2}})).value();
  EXPECT_TRUE(fit.single_values);
  ASSERT_TRUE(fit.goodness.disturbed);
  EXPECT_EQ(fit.goodness.disturbed->workers, 8);
  EXPECT_NEAR(fit.goodness.disturbed->factor, 40 / 13.6, 0.4);
  EXPECT_LT(fit.bend_chances[3], 0.3);
}

TEST(Models, ARepeatedValueThatStandsApartIsWhatItIs) {
  const ModelFit fit =
      fit_models(curve_of({{1, 100}, {2, 51}, {4, 26}, {8, 40}, {16, 7.2}})).value();
  EXPECT_FALSE(fit.single_values);
  EXPECT_FALSE(fit.goodness.disturbed);
  EXPECT_GT(fit.bend_chances[3], 0.9);
}

TEST(Models, SingleValuesOnOneCurveAreNotDisturbed) {
  const ModelFit fit =
      fit_models(single({{1, 100}, {2, 52}, {4, 29}, {8, 17}, {16, 10.9}})).value();
  EXPECT_FALSE(fit.goodness.disturbed);
}

// Values of R usl 3.0.3 (nls, port), which agree with usl4j's own tests.
TEST(Usl, AgreesWithTheReferenceOnASparcCenter) {
  const std::vector<double> k = {1, 18, 36, 72, 108, 144, 216};
  const std::vector<double> x = {64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775, 1702.2};
  const UslFit fit = fit_usl(k, x).value();
  EXPECT_NEAR(fit.contention.point, 0.0277284700, 1e-6);
  EXPECT_NEAR(fit.coherency.point, 0.0001043655, 1e-9);
  EXPECT_NEAR(fit.rate.point, 89.9952267720, 1e-4);
  EXPECT_NEAR(fit.contention.standard_error, 9.1217305e-03, 1e-6);
  EXPECT_NEAR(fit.coherency.standard_error, 1.9875269e-05, 1e-9);
  EXPECT_NEAR(fit.residual_error, 82.846, 1e-3);
  EXPECT_NEAR(fit.peak_workers->point, 96.51956, 1e-3);
  EXPECT_NEAR(fit.contention.low, 0.00240, 1e-5);  // two-sided t with n - 3, not the package's
  EXPECT_NEAR(fit.contention.high, 0.05305, 1e-5);
}

TEST(Usl, StaysOnItsBoundWhereTheDataPullBeyondIt) {
  const std::vector<double> k = {1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64};
  const std::vector<double> x = {20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310};
  const UslFit fit = fit_usl(k, x).value();
  EXPECT_NEAR(fit.contention.point, 0.05777078, 1e-7);
  EXPECT_EQ(fit.coherency.point, 0);
  EXPECT_NEAR(fit.rate.point, 21.84884277, 1e-6);
  EXPECT_NEAR(fit.contention.standard_error, 0.01329321514, 1e-7);
  EXPECT_FALSE(fit.peak_workers);
}

TEST(Usl, AgreesWithTheReferenceOnAFirstPartOfACurve) {
  const std::vector<double> k = {1, 4, 8, 12, 16, 20};
  const std::vector<double> x = {20, 78, 130, 170, 190, 200};
  const UslFit fit = fit_usl(k, x).value();
  EXPECT_NEAR(fit.contention.point, 0.0244440382, 1e-7);
  EXPECT_NEAR(fit.coherency.point, 0.0016268094, 1e-8);
  EXPECT_NEAR(fit.rate.point, 20.8560450105, 1e-5);
  EXPECT_NEAR(fit.peak_workers->point, 24.488251, 1e-4);
}

TEST(Usl, RefusesWhatHasNoThroughput) {
  const std::vector<double> k = {1, 2, 4};
  EXPECT_FALSE(fit_usl(k, std::vector<double>{1, 2}));
  EXPECT_FALSE(fit_usl(k, std::vector<double>{1, 0, 3}));
  EXPECT_FALSE(fit_usl(k, std::vector<double>{1, std::nan(""), 3}));
}

TEST(Models, FindTheFormAndItsPartsWhereTheDataTellThem) {
  const ModelFit fit = fit_models(exact(amdahl), {.predict = {128}}).value();
  const FittedModel& model = model_named(fit, "amdahl");
  EXPECT_NEAR(model.terms[0].cost.point, 0.95, 0.005);
  EXPECT_NEAR(model.terms[1].cost.point, 0.05, 0.001);
  EXPECT_LT(model.terms[1].cost.low, 0.05);
  EXPECT_GT(model.terms[1].cost.high, 0.05);
  EXPECT_NEAR(fit.predictions[0].time.point, amdahl(128), 0.02 * amdahl(128));
}

TEST(Models, WeightsSumToOneAndFallWithTheOrder) {
  const ModelFit fit = fit_models(exact(with_log2)).value();
  double sum = 0;
  for (std::size_t i = 0; i < fit.models.size(); ++i) {
    sum += fit.models[i].weight;
    EXPECT_LE(fit.models[i].weight, fit.models[i > 0 ? i - 1 : 0].weight);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Models, AFormThatPredictedBadlyWeighsLittle) {
  const ModelFit fit = fit_models(exact(with_log2, 0.001)).value();
  EXPECT_GT(model_named(fit, "log2").weight, 0.5);
  EXPECT_LT(model_named(fit, "power").weight, 1e-3);
}

TEST(Models, IntervalsWidenWithTheDistance) {
  const ModelFit fit = fit_models(exact(with_log2), {.predict = {64, 256, 1024}}).value();
  double before = 0;
  for (const PredictedWorkers& at : fit.predictions) {
    const double width = std::log(at.time.high / at.time.low);
    EXPECT_GT(width, before);
    EXPECT_GT(at.time.low, 0);
    EXPECT_TRUE(at.extrapolated);
    before = width;
  }
}

TEST(Models, PublishedValuesAreBelievedLess) {
  Curve curve = exact(amdahl);
  const auto width = [&] {
    const auto fit = fit_models(curve, {.predict = {128}});
    const Estimate& time = fit.value().predictions[0].time;
    return time.high / time.low;
  };
  const double measured = width();
  curve.origin = CurveOrigin::kPublished;
  EXPECT_GT(width(), measured);
}

TEST(Models, SpeedupAndEfficiencyFollowFromTheTime) {
  const ModelFit fit = fit_models(exact(amdahl), {.predict = {64}}).value();
  const PredictedWorkers& at = fit.predictions[0];
  EXPECT_NEAR(at.speedup.point, 1 / at.time.point, 0.01 * at.speedup.point);
  EXPECT_NEAR(at.efficiency.point, at.speedup.point / 64, 1e-12);
  EXPECT_NEAR(at.efficiency.low, at.speedup.low / 64, 1e-12);
}

TEST(Models, OfGrowingWorkKeepEfficiencyAsARatioOfTimes) {
  Curve curve = curve_of({{1, 10}, {2, 10.5}, {4, 11}, {8, 11.5}, {16, 12}}, 0.002);
  curve.regime = Regime::kWeak;
  const ModelFit fit = fit_models(curve, {.predict = {64}}).value();
  EXPECT_NEAR(fit.predictions[0].time.point, 13, 0.3);
  EXPECT_NEAR(fit.predictions[0].efficiency.point, 10.0 / 13, 0.03);
  EXPECT_NEAR(fit.predictions[0].speedup.point, 64 * fit.predictions[0].efficiency.point, 1e-9);
}

TEST(Models, BendLiesWhereTheCurveCrossesTheThreshold) {
  // 1/(1 + 0.05 (K-1)) = 0.7 at K = 9.571.
  const ModelFit fit = fit_models(exact(amdahl)).value();
  EXPECT_NEAR(fit.bend->point, 9.571, 0.2);
  EXPECT_LT(fit.bend->low, 9.571);
  EXPECT_GT(fit.bend->high, 9.571);
}

TEST(Models, SayThatARingLooksLikeASerialPart) {
  const ModelFit fit = fit_models(exact(amdahl)).value();
  const FittedTerm& serial = model_named(fit, "amdahl").terms[1];
  EXPECT_TRUE(serial.merged);
  EXPECT_EQ(serial.name, "serial or ring");
  EXPECT_FALSE(fit.notes.empty());
}

TEST(Models, HindcastPredictsTheLargestKFromTheOthers) {
  const ModelFit fit = fit_models(exact(amdahl)).value();
  ASSERT_TRUE(fit.hindcast);
  EXPECT_EQ(fit.hindcast->workers, 32);
  EXPECT_NEAR(fit.hindcast->error, 0, 0.02);
  EXPECT_TRUE(fit.hindcast->held);
  EXPECT_FALSE(fit_models(curve_of({{1, 10}, {2, 6}, {4, 4}})).value().hindcast);
}

TEST(Models, OfLeastTimeNameTheFirstKOfAPlateau) {
  const ModelFit fit = fit_models(curve_of({{1, 5}, {2, 5}, {4, 5}, {8, 5}}, 0)).value();
  EXPECT_LE(fit.best_workers->low, 8);
}

TEST(Models, NextNamesAKWithAPrice) {
  const ModelFit fit = fit_models(exact(with_log2), {.predict = {256}}).value();
  ASSERT_FALSE(fit.next.empty());
  EXPECT_GT(fit.next[0].workers, 32);  // beyond the data is where the doubt is
  EXPECT_GT(fit.next[0].narrows, 0.3);
  EXPECT_NEAR(fit.next[0].worker_seconds, fit.next[0].workers * with_log2(fit.next[0].workers),
              0.2 * fit.next[0].worker_seconds);
}

TEST(Models, TakeTwoKAndOneValueEach) {
  Curve curve;
  curve.origin = CurveOrigin::kPublished;
  curve.points = {{1, 100, std::nan(""), 1}, {8, 19, std::nan(""), 1}};
  const ModelFit fit = fit_models(curve, {.predict = {16}}).value();
  EXPECT_GT(fit.predictions[0].time.low, 0);
  EXPECT_LT(fit.predictions[0].time.low, fit.predictions[0].time.point);
  EXPECT_TRUE(std::isfinite(fit.predictions[0].time.high));
}

TEST(Models, AreTheSameAtEveryCall) {
  const ModelFit one = fit_models(exact(with_log2), {.predict = {64}}).value();
  const ModelFit other = fit_models(exact(with_log2), {.predict = {64}}).value();
  EXPECT_EQ(one.predictions[0].time.high, other.predictions[0].time.high);
  EXPECT_EQ(one.bend->low, other.bend->low);
}

TEST(Models, RefuseWhatIsNoCurve) {
  EXPECT_FALSE(fit_models(curve_of({{1, 10}})));
  EXPECT_FALSE(fit_models(curve_of({{1, 10}, {1, 9}})));
  EXPECT_FALSE(fit_models(curve_of({{1, 10}, {2, -1}})));
  EXPECT_FALSE(fit_models(curve_of({{0, 10}, {2, 5}})));
  EXPECT_FALSE(fit_models(curve_of({{1, 10}, {2, 5}}), {.model = "magic"}));
}

TEST(Models, OfAMixedProblemPredictTimesAlone) {
  Curve mixed = curve_of({{1, 10}, {2, 5.5}, {4, 3}});
  mixed.regime = Regime::kMixed;
  const ModelFit fit = fit_models(mixed, {.predict = {8}}).value();
  EXPECT_NEAR(fit.predictions[0].time.point, 1.7, 0.3);
  EXPECT_TRUE(std::isnan(fit.predictions[0].speedup.point));
  EXPECT_FALSE(fit.bend);
}

TEST(Models, OfTheUslSayTheTimeOfGrowingWork) {
  Curve curve = curve_of({{1, 10}, {2, 11}, {4, 13}, {8, 17}});
  curve.regime = Regime::kWeak;
  const auto fit = fit_models(curve, {.model = "usl"});
  ASSERT_TRUE(fit);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    EXPECT_NEAR(fit->fitted[i].time.point, curve.points[i].time, 0.02 * curve.points[i].time);
  }
}

TEST(Models, TakeHugeTinyAndStrangeCurves) {
  for (const Curve& curve :
       {curve_of({{1, 1e-9}, {100000, 1e-12}}), curve_of({{1, 1e9}, {2, 1e9}, {3, 1e9}}),
        curve_of({{1, 1}, {2, 2}, {4, 4}, {8, 8}}), curve_of({{512, 10}, {768, 7}, {10752, 1}}),
        curve_of({{1, 10}, {2, 4}, {4, 1.5}}), curve_of({{1, 5}, {2, 2.5}, {4, 1.25}}, 0)}) {
    const auto fit = fit_models(curve, {.predict = {1e6}});
    ASSERT_TRUE(fit);
    EXPECT_TRUE(std::isfinite(fit->predictions[0].time.point));
    EXPECT_GT(fit->predictions[0].time.point, 0);
    EXPECT_LE(fit->predictions[0].time.low, fit->predictions[0].time.point);
    EXPECT_GE(fit->predictions[0].time.high, fit->predictions[0].time.point);
  }
}

TEST(Models, GoThroughWhatWasMeasured) {
  const Curve curve = curve_of({{1, 100}, {2, 50}, {4, 26}, {8, 25}, {16, 25}}, 0.005);
  const ModelFit fit = fit_models(curve, {.predict = {1, 2, 4, 8, 16}}).value();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    EXPECT_NEAR(fit.predictions[i].time.point, curve.points[i].time, 0.02 * curve.points[i].time);
  }
  EXPECT_GT(fit.bend->point, 4);  // E(4) = 0.96, E(8) = 0.5
  EXPECT_LT(fit.bend->point, 8);
  EXPECT_NE(fit.ends, CurveEnd::kGains);
  EXPECT_GE(fit.ceiling->high, 4);
  EXPECT_LT(fit.ceiling->point, 4.5);
}

TEST(Models, WhoseTimeRisesGoOnRising) {
  const ModelFit measured =
      fit_models(curve_of({{1, 10}, {2, 14}, {4, 20}, {8, 31}}), {.predict = {16}}).value();
  EXPECT_GT(measured.predictions[0].time.point, 31);
  EXPECT_EQ(measured.ends, CurveEnd::kLoses);
  EXPECT_LT(measured.ceiling->high, 1.1);

  Curve single = curve_of({{1, 100}, {2, 60}, {4, 45}, {8, 50}, {16, 80}}, std::nan(""));
  for (CurvePoint& point : single.points) point.runs = 1;
  const ModelFit once = fit_models(single, {.predict = {32}}).value();
  EXPECT_GT(once.predictions[0].time.low, 80);
  EXPECT_EQ(once.ends, CurveEnd::kLoses);
}

TEST(Models, DoNotExcludeALimitThatNobodyHasSeen) {
  const ModelFit fit =
      fit_models(exact([](double k) { return 240 / k; }, 0.01), {.predict = {64, 256}}).value();
  EXPECT_EQ(fit.ends, CurveEnd::kGains);
  EXPECT_GT(fit.limit_chance, 0.01);
  EXPECT_FALSE(fit.predictions[0].far);
  EXPECT_TRUE(fit.predictions[1].far);
}

TEST(Models, SayWhereTheCurveChanges) {
  const ModelFit fit =
      fit_models(curve_of({{4, 47}, {8, 174}, {16, 88}, {32, 45}, {64, 23}}, 0.01)).value();
  ASSERT_TRUE(fit.goodness.change);
  EXPECT_EQ(fit.goodness.change->from, 4);
  EXPECT_EQ(fit.goodness.change->to, 8);
  EXPECT_GT(fit.goodness.change->factor, 5);
  EXPECT_FALSE(fit_models(exact(amdahl)).value().goodness.change);
}

double relative_width(const ModelFit& fit) {
  const Estimate& time = fit.predictions[0].time;
  return std::log(time.high / time.low);
}

// T(16) is 30 % off what the smaller K say: the interval beyond it hears that.
TEST(Models, APredictionIsWiderBehindAHindcastThatFailed) {
  const FitOptions beyond{.predict = {32}};
  const ModelFit good =
      fit_models(curve_of({{1, 100}, {2, 50}, {4, 25}, {8, 12.5}, {16, 6.25}}), beyond).value();
  const ModelFit bad =
      fit_models(curve_of({{1, 100}, {2, 50}, {4, 25}, {8, 12.5}, {16, 8.13}}), beyond).value();
  EXPECT_TRUE(good.hindcast->held);
  EXPECT_FALSE(bad.hindcast->held);
  EXPECT_GT(relative_width(bad), 1.5 * relative_width(good));
}

TEST(Models, APredictionIsWiderBehindAChange) {
  const FitOptions beyond{.predict = {128}};
  const ModelFit even =
      fit_models(curve_of({{4, 348}, {8, 174}, {16, 88}, {32, 45}, {64, 23}}, 0.01), beyond)
          .value();
  const ModelFit changed =
      fit_models(curve_of({{4, 47}, {8, 174}, {16, 88}, {32, 45}, {64, 23}}, 0.01), beyond).value();
  EXPECT_GT(relative_width(changed), 1.2 * relative_width(even));
}

/// From the law itself, at many K.
Curve curve_by(const CostModel& law, double smallest) {
  Curve curve;
  curve.regime = law.work_growth == WorkGrowth::kFixed ? Regime::kStrong : Regime::kWeak;
  for (double k = smallest; k <= 256; k *= 2) {
    for (const double workers : {k, 1.5 * k}) {
      curve.points.push_back({workers, time_at(law, workers), 1e-4, 5});
    }
  }
  return curve;
}

// What `predict --comm linear:0.01` charges is what the fitted `linear` finds, and so for each.
TEST(Models, CommunicationCostsWhatTheLawOfItsNameCharges) {
  for (const Growth growth : {Growth::kLog2, Growth::kSqrt, Growth::kLinear}) {
    CostModel law{.serial = 0.05, .parallel = 0.95, .communication = {{growth, 0.01}}};
    const std::string name(info(growth).name);
    const ModelFit fixed = fit_models(curve_by(law, 1), {.model = name}).value();
    const FittedTerm& cost = fixed.models[0].terms.back();
    EXPECT_EQ(cost.name, name);
    EXPECT_NEAR(cost.cost.point, 0.01, 0.001) << name;
    if (growth == Growth::kSqrt) continue;  // no form of growing work has it

    law.work_growth = WorkGrowth::kProportional;
    const ModelFit weak = fit_models(curve_by(law, 4), {.model = name}).value();
    EXPECT_NEAR(weak.models[0].terms.back().cost.point, 0.01, 0.001) << name;
  }
}

TEST(Models, BeyondOneNodeRestOnOneNode) {
  Curve curve = exact(amdahl);
  for (CurvePoint& point : curve.points) point.nodes = 1;
  EXPECT_TRUE(fit_models(curve, {.predict = {64}}).value().predictions[0].leaves_node);
}

TEST(Models, OfOneFormAnswerAsTheAverageDoes) {
  for (const std::string model : {"amdahl", "limit", "usl"}) {
    const ModelFit fit = fit_models(exact(amdahl), {.model = model}).value();
    EXPECT_TRUE(fit.hindcast && fit.bend && fit.ceiling) << model;
  }
}

TEST(Models, BendChancesSumToOne) {
  const ModelFit fit = fit_models(exact(amdahl)).value();
  ASSERT_EQ(fit.bend_chances.size(), 7U);
  EXPECT_NEAR(std::accumulate(fit.bend_chances.begin(), fit.bend_chances.end(), 0.0), 1, 1e-9);
  EXPECT_GT(fit.bend_chances[4], 0.99);  // E(8) = 0.74, E(16) = 0.57
}

// bench_models has 2,000 seeds; these are enough to see an interval that does not hold.
TEST(Models, IntervalsHoldTheTruthOfKnownCurves) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  constexpr int kCurves = 60;
  int held = 0;
  for (int i = 0; i < kCurves; ++i) {
    Curve curve;
    for (const double k : {1., 2., 4., 8., 16.}) {
      curve.points.push_back({k, with_log2(k) * (1 + 0.009 * normal(random)), 0.009, 5});
    }
    const auto fit = fit_models(curve, {.predict = {64}});
    const Estimate& time = fit.value().predictions[0].time;
    held += time.low <= with_log2(64) && with_log2(64) <= time.high ? 1 : 0;
  }
  EXPECT_GE(held, 52);
}

}  // namespace
}  // namespace kstar
