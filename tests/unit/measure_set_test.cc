#include "kstar/measure_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

#include "kstar/variants.h"
#include "support/fake_executor.h"
#include "support/quiet_observer.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using Place = std::pair<std::string, int>;  // a session's block

/// The runs of each block by K.
std::map<Place, std::multiset<int>> blocks_of(const Study& study) {
  std::map<Place, std::multiset<int>> blocks;
  for (const kstar::Run& run : study.runs) {
    blocks[{run.session.str(), *run.block}].insert(run.workers);
  }
  return blocks;
}

/// Two programs measured interleaved; the second takes twice as long.
struct Pair {
  explicit Pair(const TempFolder& folder) {
    MeasureSpec spec;
    spec.command = {"new", "{K}"};
    spec.against = {"old", "{K}"};
    spec.workers = {1, 2, 4};
    spec.bind = false;
    spec.seed = 7;
    spec.output = folder / "study.jsonl";
    variants = variants_of(spec).value();
  }

  std::vector<MeasureResult> run(SessionStart start, FakeExecutor& executor) {
    const std::atomic<bool> never{false};
    Quiet quiet;
    std::vector<MeasureSession> sessions;
    for (const Variant& variant : variants) {
      sessions.push_back(
          MeasureSession::open(variant.spec, study_header(variant.spec).value(), start).value());
    }
    std::vector<SetMember> members;
    for (MeasureSession& session : sessions) members.push_back({session, quiet});
    return run_interleaved(members, executor, never).value();
  }

  Study study(std::size_t which) const { return load_study(variants[which].spec.output).value(); }

  std::vector<Variant> variants;
};

FakeExecutor programs() {
  return FakeExecutor::taking([](const LaunchPlan& plan, std::size_t) {
    return plan.command.front().find("old") != std::string::npos ? 1.0 : 0.5;
  });
}

TEST(MeasureSet, ABlockHasEveryKOfBothInOneSession) {
  const TempFolder folder;
  Pair pair(folder);
  for (Variant& variant : pair.variants) variant.spec.runs = 4;
  FakeExecutor executor = programs();
  for (const MeasureResult& result : pair.run(SessionStart::kNew, executor)) {
    EXPECT_EQ(result.end, MeasureEnd::kPrecise);
  }
  const auto first = blocks_of(pair.study(0)), second = blocks_of(pair.study(1));
  EXPECT_EQ(first, second);
  ASSERT_EQ(first.size(), 4U);
  for (const auto& [place, workers] : first) EXPECT_EQ(workers, (std::multiset<int>{1, 2, 4}));
  // Shuffled: neither program always runs first.
  std::set<bool> old_first;
  for (std::size_t block = 0; block < 4; ++block) {
    old_first.insert(executor.plans[block * 6].command.front().find("old") != std::string::npos);
  }
  std::set<int> orders;
  for (std::size_t i : {0U, 1U}) {
    for (const kstar::Run& run : pair.study(i).runs) orders.insert(*run.order);
  }
  EXPECT_EQ(orders.size(), 24U) << "one order for both";
}

TEST(MeasureSet, GoesOnInANewSessionWithTheNextBlock) {
  const TempFolder folder;
  Pair pair(folder);
  for (Variant& variant : pair.variants) variant.spec.runs = 2;
  FakeExecutor executor = programs();
  pair.run(SessionStart::kNew, executor);
  for (Variant& variant : pair.variants) variant.spec.runs = 3;
  FakeExecutor again = programs();
  pair.run(SessionStart::kResume, again);
  EXPECT_EQ(again.plans.size(), 6U);
  for (std::size_t i : {0U, 1U}) EXPECT_EQ(*pair.study(i).runs.back().block, 2);
  EXPECT_EQ(blocks_of(pair.study(0)), blocks_of(pair.study(1)));
}

TEST(MeasureSet, TheBudgetIsThatOfAllTogether) {
  const TempFolder folder;
  Pair pair(folder);
  for (Variant& variant : pair.variants) {
    variant.spec.runs = 50;
    variant.spec.budget_seconds = 9;
  }
  FakeExecutor executor = programs();
  const auto results = pair.run(SessionStart::kNew, executor);
  EXPECT_EQ(results[0].end, MeasureEnd::kBudget);
  double seconds = 0;
  for (std::size_t i : {0U, 1U}) {
    for (const kstar::Run& run : pair.study(i).runs) seconds += *run.wall;
  }
  EXPECT_GE(seconds, 9);
  EXPECT_LE(seconds, 10);
}

}  // namespace
}  // namespace kstar
