#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kstar/prediction.h"
#include "support/predictions.h"

namespace kstar {
namespace {

std::vector<std::string> labels(const std::vector<LawInstance>& curves) {
  std::vector<std::string> list;
  for (const LawInstance& curve : curves) list.push_back(curve.label());
  return list;
}

Error error_of(const char* law, const std::vector<ParameterList>& lists) {
  const Result<std::vector<LawInstance>> curves = instances_of(*find_law(law), lists);
  EXPECT_FALSE(curves);
  return curves ? Error{} : curves.error();
}

bool says(const std::vector<std::string>& sentences, const char* words) {
  return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
    return sentence.find(words) != std::string::npos;
  });
}

using Texts = std::vector<std::string>;

Texts names_of(const std::vector<Change>& changes) {
  Texts names;
  for (const Change& change : changes) names.push_back(change.name);
  return names;
}

TEST(Instances, AreEveryCombinationTheLastParameterVaryingFastest) {
  EXPECT_EQ(labels(instances("strong", {{"serial", {"0.1", "0.2"}},
                                        {"comm", {"log2:0.01", "ring:0.02", "linear:0.03"}}})),
            (Texts{"s=0.1 comm=log2:0.01", "s=0.1 comm=ring:0.02", "s=0.1 comm=linear:0.03",
                   "s=0.2 comm=log2:0.01", "s=0.2 comm=ring:0.02", "s=0.2 comm=linear:0.03"}));
}

TEST(Instances, ComeInTheOrderOfTheLawNotOfTheCommandLine) {
  EXPECT_EQ(labels(instances("strong", {{"comm", {"log2:0.01"}}, {"serial", {"0.1"}}})),
            (Texts{"s=0.1 comm=log2:0.01"}));
}

TEST(Instances, AValueWithoutATermTakesOverTheTermBeforeIt) {
  EXPECT_EQ(labels(instances("strong", {{"serial", {"0.1", "0.2"}},
                                        {"comm", {"log2:0.005", "0.02", "ring:0.1", "0.3"}}})),
            (Texts{"s=0.1 comm=log2:0.005", "s=0.1 comm=log2:0.02", "s=0.1 comm=ring:0.1",
                   "s=0.1 comm=ring:0.3", "s=0.2 comm=log2:0.005", "s=0.2 comm=log2:0.02",
                   "s=0.2 comm=ring:0.1", "s=0.2 comm=ring:0.3"}));
}

TEST(Instances, TheFirstValueNeedsItsTerm) {
  EXPECT_EQ(error_of("strong", {{"serial", {"0.1"}}, {"comm", {"0.02", "log2:0.01"}}}).where,
            "--comm");
}

TEST(Instances, NeedEveryRequiredParameter) {
  const Error none = error_of("amdahl", {});
  EXPECT_EQ(none.where, "--serial");
  EXPECT_EQ(none.code, ExitCode::kUsage);
  EXPECT_NE(none.message.find("amdahl needs it"), std::string::npos);
  EXPECT_EQ(error_of("amdahl", {{"serial", {}}}).where, "--serial");
  EXPECT_EQ(error_of("usl", {{"contention", {"0.1"}}}).where, "--coherency");
}

TEST(Instances, TakeNoParameterOfAnotherLaw) {
  const Error foreign = error_of("amdahl", {{"serial", {"0.1"}}, {"comm", {"log2:0.1"}}});
  EXPECT_EQ(foreign.where, "--comm");
  EXPECT_EQ(foreign.message, "amdahl has no such parameter");
  EXPECT_EQ(foreign.code, ExitCode::kUsage);
}

TEST(Instances, EveryValueOfAListIsChecked) {
  for (const char* wrong : {"1.5", "-0.1", "", "x", "nan", "0.1 "}) {
    EXPECT_EQ(error_of("amdahl", {{"serial", {"0.1", wrong}}}).where, "--serial") << wrong;
  }
}

TEST(Changes, ThatHelpAlikeAreAllReported) {
  const Changes changes =
      prediction("step", {{"compute", {"240"}}, {"communication", {"60"}}, {"at", {"8"}}}, {8, 512})
          .changes;
  EXPECT_TRUE(changes.by_ceiling);
  EXPECT_EQ(names_of(changes.best), (Texts{"halve communication", "double the work"}));
}

TEST(Changes, NoneIsBestWhereNoneHelps) {
  const Changes changes = prediction("amdahl", {{"serial", {"0"}}}, {1, 64}).changes;
  EXPECT_FALSE(changes.by_ceiling);
  EXPECT_TRUE(changes.best.empty());
}

TEST(Changes, WithoutACeilingAreRankedByEfficiencyAtTheLargestK) {
  const Prediction grows =
      prediction("weak", {{"serial", {"0.05"}}, {"comm", {"log2:0.01"}}}, {1, 64});
  ASSERT_FALSE(grows.answers.ceiling.bounded());
  EXPECT_FALSE(grows.changes.by_ceiling);
  const Texts names = names_of(grows.changes.best);
  ASSERT_FALSE(names.empty());
  double best = 0;
  for (const Change& change : grows.changes.list) {
    best = std::max(best, change.efficiency_at_largest);
  }
  for (const Change& change : grows.changes.list) {
    const bool named = std::count(names.begin(), names.end(), change.name) == 1;
    EXPECT_EQ(named, !clearly_less(change.efficiency_at_largest, best)) << change.name;
  }
}

TEST(Changes, AreOnlyThoseThatApply) {
  const auto names = [](const Prediction& p) {
    Texts list;
    for (const Change& change : p.changes.list) list.push_back(change.name);
    return list;
  };
  EXPECT_EQ(names(prediction("amdahl", {{"serial", {"0.1"}}}, {8})),
            (Texts{"halve the serial part", "double the work"}));
  EXPECT_EQ(names(prediction("usl", {{"contention", {"0.1"}}, {"coherency", {"0.01"}}}, {8})),
            (Texts{"halve contention", "halve coherency", "double the work"}));
  EXPECT_EQ(names(prediction("strong", {{"serial", {"0"}}, {"comm", {"ring:0.1"}}}, {8})),
            (Texts{"halve communication", "hide half of communication", "double the work"}));
}

TEST(Changes, HalvingTheSerialPartDoublesAmdahlsCeiling) {
  const Changes changes = prediction("amdahl", {{"serial", {"0.1"}}}, {8}).changes;
  EXPECT_DOUBLE_EQ(changes.list[0].ceiling.speedup, 20);
}

TEST(Sensitivity, OfAmdahlIsItsClosedForm) {
  // E = 1/(1 + s(K-1)), so K = 1 + (1/E - 1)/s and d log K / d log s = -(K-1)/K.
  for (const double s : {0.001, 0.01, 0.05, 0.2}) {
    const Prediction p = prediction("amdahl", {{"serial", {std::to_string(s)}}}, {1, 512});
    const double surplus = 1 / 0.70 - 1;
    const double usable = 1 + surplus / s;
    EXPECT_EQ(p.sensitivity.parameter, "serial");
    EXPECT_NEAR(p.sensitivity.elasticity.value(), -(usable - 1) / usable, 1e-6);
    EXPECT_EQ(p.sensitivity.halved.value(), std::floor(1 + 2 * surplus / s));
    EXPECT_EQ(p.sensitivity.doubled.value(), std::floor(1 + surplus / (2 * s)));
  }
}

TEST(Sensitivity, DoublingBeyondTheRangeHasNoAnswer) {
  const Sensitivity sensitivity = prediction("amdahl", {{"serial", {"0.6"}}}, {8}).sensitivity;
  EXPECT_TRUE(sensitivity.halved);
  EXPECT_FALSE(sensitivity.doubled);
}

TEST(Sensitivity, WhereEveryKIsUsableItIsInfiniteWithoutElasticity) {
  const Sensitivity none = prediction("amdahl", {{"serial", {"0"}}}, {8}).sensitivity;
  EXPECT_FALSE(none.halved || none.doubled || none.elasticity) << "there is nothing to halve";
  // Gustafson's efficiency falls towards 1 - s: all K are usable until s passes 0.3.
  const Sensitivity half = prediction("gustafson", {{"serial", {"0.2"}}}, {8}).sensitivity;
  EXPECT_TRUE(std::isinf(half.halved.value()));
  EXPECT_TRUE(std::isfinite(half.doubled.value()));
  EXPECT_FALSE(half.elasticity);
}

TEST(Sensitivity, OfAWeakJobIsAboutCommunication) {
  // E = 1/(1 + c log2 K): K = 2^((1/E - 1)/c), so halving c squares the usable K.
  const Sensitivity s =
      prediction("weak", {{"serial", {"0.05"}}, {"comm", {"log2:0.1"}}}, {8}).sensitivity;
  EXPECT_EQ(s.parameter, "comm");
  EXPECT_EQ(s.halved.value(), std::floor(std::exp2((1 / 0.7 - 1) / 0.05)));
  EXPECT_EQ(s.doubled.value(), std::floor(std::exp2((1 / 0.7 - 1) / 0.2)));
}

TEST(Assumptions, ATermThatIsModelledIsNotAssumedAway) {
  const auto given = [](const std::vector<ParameterList>& more) {
    std::vector<ParameterList> lists = {{"serial", {"0.05"}}};
    lists.insert(lists.end(), more.begin(), more.end());
    return prediction("strong", lists, {8}).assumptions;
  };
  EXPECT_TRUE(says(given({}), "cost nothing"));
  EXPECT_TRUE(says(given({}), "divides perfectly"));
  EXPECT_TRUE(says(given({}), "no worker is ever slow"));
  EXPECT_FALSE(says(given({{"comm", {"log2:0.01"}}}), "synchronisation cost nothing"));
  EXPECT_TRUE(says(given({{"comm", {"log2:0.01"}}}), "it does not overlap"));
  EXPECT_FALSE(says(given({{"comm", {"log2:0.01"}}, {"hide", {"0.5"}}}), "it does not overlap"));
  EXPECT_FALSE(says(given({{"imbalance", {"0.1"}}}), "divides perfectly"));
  EXPECT_FALSE(says(given({{"straggler", {"0.01:0.5"}}}), "no worker is ever slow"));
  EXPECT_TRUE(says(given({{"straggler", {"0.01:0.5"}}}), "independently"));
}

TEST(Assumptions, CommunicationThatCostsNothingIsAssumedAway) {
  const Texts zero =
      prediction("strong", {{"serial", {"0.05"}}, {"comm", {"log2:0"}}}, {8}).assumptions;
  EXPECT_TRUE(says(zero, "synchronisation cost nothing"));
  EXPECT_FALSE(says(zero, "follows its formula"));
  const Texts usl =
      prediction("usl", {{"contention", {"0.05"}}, {"coherency", {"0"}}}, {8}).assumptions;
  EXPECT_TRUE(says(usl, "synchronisation cost nothing"));
}

TEST(Assumptions, SayWhetherTheProblemGrows) {
  EXPECT_TRUE(says(prediction("amdahl", {{"serial", {"0"}}}, {8}).assumptions, "smaller share"));
  EXPECT_TRUE(
      says(prediction("gustafson", {{"serial", {"0"}}}, {8}).assumptions, "larger problem"));
}

}  // namespace
}  // namespace kstar
