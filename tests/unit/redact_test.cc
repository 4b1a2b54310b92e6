#include <gtest/gtest.h>

#include "kstar/redact.h"
#include "kstar/study_file.h"
#include "support/secret_study.h"
#include "support/study_examples.h"

namespace kstar {
namespace {

TEST(Redact, LeavesNoSecretInAnyField) {
  const std::string before = *to_lines(secret_study());
  EXPECT_NE(before.find(kSecret), before.npos);
  const Result<std::string> after = to_lines(redacted(secret_study()));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->find(kSecret), after->npos) << *after;
}

TEST(Redact, TwiceIsOnce) {
  const Study once = redacted(secret_study());
  EXPECT_EQ(*to_lines(redacted(once)), *to_lines(once));
}

TEST(Redact, KeepsEveryNumberAndWhatWasSaid) {
  const Study from = full_study();
  const Study to = redacted(from);
  ASSERT_EQ(to.runs.size(), from.runs.size());
  for (std::size_t i = 0; i < to.runs.size(); ++i) {
    EXPECT_EQ(steady_time(to.runs[i]), steady_time(from.runs[i]));
    EXPECT_EQ(failed(to.runs[i]), failed(from.runs[i]));
    EXPECT_EQ(to.runs[i].steps, from.runs[i].steps);
  }
  EXPECT_EQ(to.header.command.empty(), from.header.command.empty());
  EXPECT_EQ(to.header.environment.hosts[0].cpu, from.header.environment.hosts[0].cpu);
}

TEST(Redact, TellsHostsApartWithoutTheirNames) {
  Study study;
  kstar::Run run;
  run.hosts = {"alpha", "beta"};
  run.per_worker.emplace().host = {"alpha", "beta", "alpha"};
  study.runs = {run};
  const Study to = redacted(study);
  EXPECT_EQ(to.runs[0].hosts, (std::vector<std::string>{"host 1", "host 2"}));
  EXPECT_EQ(to.runs[0].per_worker->host, (std::vector<std::string>{"host 1", "host 2", "host 1"}));
}

}  // namespace
}  // namespace kstar
