#include <gtest/gtest.h>

#include <random>

#include "kstar/measure.h"

namespace kstar {
namespace {

struct Cluster {
  double noise = 0.02;  ///< relative
  double slowdown = 0;  ///< of node n2
  unsigned seed = 1;
  int runs = 10;  ///< at each K
};

/// A study on four nodes, K = nodes, each run on nodes that were chosen at random.
Study study_of(const Cluster& cluster) {
  std::mt19937 random(cluster.seed);
  std::normal_distribution<double> noise(0, cluster.noise);
  Study study;
  for (const int k : {1, 2, 4}) {
    for (int i = 0; i < cluster.runs; ++i) {
      std::vector<std::string> nodes = {"n1", "n2", "n3", "n4"};
      std::shuffle(nodes.begin(), nodes.end(), random);
      nodes.resize(static_cast<std::size_t>(k));
      const bool slow = std::find(nodes.begin(), nodes.end(), "n2") != nodes.end();
      Run run;
      run.workers = k;
      run.hosts = nodes;
      run.exit_status = 0;
      run.wall = 8.0 / k * (1 + (slow ? cluster.slowdown : 0)) * std::exp(noise(random));
      study.runs.push_back(std::move(run));
    }
  }
  return study;
}

std::vector<Note> findings(Study study, std::string_view what) {
  MeasureSpec spec;
  spec.warm_up_runs = 0;
  mark_findings(spec, study);
  std::erase_if(study.notes, [&](const Note& note) { return note.what != what; });
  return study.notes;
}

TEST(NodesSeen, NamesTheSlowNodeAndNoOther) {
  int named = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const auto notes = findings(study_of({.slowdown = 0.10, .seed = seed}), "slow-node");
    for (const Note& note : notes) named += note.where == "n2" ? 1 : 1000;
  }
  // The nodes beside it are not blamed: at 5% a study, a few in a hundred would be chance.
  EXPECT_GE(named % 1000, 95);
  EXPECT_LE(named / 1000, 7);
}

TEST(NodesSeen, BlamesNobodyWhereNodesAreAlike) {
  int blamed = 0, matters = 0;
  constexpr int kStudies = 1000;
  for (unsigned seed = 1; seed <= kStudies; ++seed) {
    const Study study = study_of({.seed = seed});
    blamed += findings(study, "slow-node").empty() ? 0 : 1;
    for (const Note& note : findings(study, "nodes")) {
      matters += note.severity == Severity::kWarning ? 1 : 0;
    }
  }
  EXPECT_LE(blamed, kStudies * 6 / 100);       // 5% a study, and chance
  EXPECT_LE(matters, 2 * kStudies * 6 / 100);  // 5% at each of the two K on several sets
}

TEST(NodesSeen, SaysOnWhichNodesAKRanAndWithWhatDifference) {
  Study study;
  for (int i = 0; i < 10; ++i) {
    kstar::Run run;
    run.workers = 1;
    run.hosts = {i % 2 == 0 ? "a" : "b"};
    run.wall = (i % 2 == 0 ? 1.0 : 1.2) * (1 + 0.001 * (i % 3));
    study.runs.push_back(run);
  }
  const auto notes = findings(study, "nodes");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].where, "K = 1");
  EXPECT_EQ(notes[0].severity, Severity::kWarning);
  EXPECT_NE(notes[0].text.find("a (5); b (5)"), std::string::npos) << notes[0].text;
  // 1.2 / 1.0 and its inverse say the same.
  EXPECT_TRUE(notes[0].text.find("b takes 20.0% more time") != std::string::npos ||
              notes[0].text.find("a takes 16.7% less time") != std::string::npos)
      << notes[0].text;
}

TEST(NodesSeen, IsSilentWhereEveryKHadTheSameNodes) {
  Study study = study_of({});
  for (kstar::Run& run : study.runs) run.hosts = {"n1"};
  EXPECT_TRUE(findings(study, "nodes").empty());
  for (kstar::Run& run : study.runs) run.hosts.clear();
  EXPECT_TRUE(findings(study, "nodes").empty());
}

}  // namespace
}  // namespace kstar
