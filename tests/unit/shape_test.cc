#include "kstar/shape.h"

#include <gtest/gtest.h>

#include "kstar/measure.h"
#include "kstar/measure_spec.h"
#include "kstar/placeholders.h"
#include "kstar/spec_key.h"
#include "spec/hosts.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using Words = std::vector<std::string>;

std::optional<SpecRefusal> say_workers(MeasureSpec& spec, std::string_view text) {
  return find_spec_key("job", "workers")->set(spec, text);
}

MeasureSpec spec_with(std::string_view workers) {
  MeasureSpec spec;
  spec.command = {"./prog", "{K}", "{nodes}", "{ranks}", "{threads}", "{tasks}"};
  EXPECT_FALSE(say_workers(spec, workers));
  return spec;
}

TEST(Shapes, KIsTheProductAndShapesStandInOrderOfK) {
  MeasureSpec spec = spec_with("2x4x2, 1x1x1,1x4x2,1x1x1");
  EXPECT_EQ(spec.workers, (std::vector<std::int64_t>{1, 8, 16}));
  EXPECT_EQ(shape_at(spec, 16), (Shape{2, 4, 2}));
  EXPECT_EQ(*expand(spec, 16), (Words{"./prog", "16", "2", "4", "2", "8"}));
  EXPECT_EQ(find_spec_key("job", "workers")->get(spec), "1x1x1,1x4x2,2x4x2");
  EXPECT_FALSE(say_workers(spec, "1,2"));
  EXPECT_TRUE(spec.shapes.empty());
}

TEST(Shapes, TwoShapesWithTheSameKAreTwoStudies) {
  MeasureSpec spec;
  const auto refused = say_workers(spec, "1x8x1,2x4x1");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->what, "one layout for K = 8, not 1x8x1 and 2x4x1");
  EXPECT_EQ(refused->hint, "T(K) of two layouts are two curves: make two studies");
}

TEST(Shapes, WhatIsNoShapeIsRefused) {
  for (const char* bad : {"1x4", "1x4x2x1", "0x1x1", "1x-1x1", "1x1x1,4", "x", "1x1x1000000001",
                          "100000x100000x100000", "1x1x"}) {
    MeasureSpec spec;
    EXPECT_TRUE(say_workers(spec, bad)) << bad;
    EXPECT_TRUE(spec.workers.empty()) << bad;
  }
}

TEST(Shapes, AreReadBackFromAStudyToml) {
  MeasureSpec spec = spec_with("1x2x1,2x2x1");
  const std::string toml = spec_toml(spec);
  EXPECT_NE(toml.find("workers = [\"1x2x1\", \"2x2x1\"]"), toml.npos) << toml;
  EXPECT_EQ(*read_spec(toml, "study.toml"), spec);
}

TEST(Shapes, APlainKIsThreadsLocallyAndRanksElsewhere) {
  MeasureSpec spec = spec_with("1,2,4,8");
  EXPECT_EQ(shape_at(spec, 4), (Shape{1, 1, 4}));
  spec.launcher = "mpi";
  EXPECT_EQ(shape_at(spec, 4), (Shape{1, 4, 1}));
  spec.per_node = 4;
  EXPECT_EQ(shape_at(spec, 2), (Shape{1, 2, 1}));
  EXPECT_EQ(shape_at(spec, 4), (Shape{1, 4, 1}));
  EXPECT_EQ(shape_at(spec, 8), (Shape{2, 4, 1}));
  EXPECT_TRUE(check_spec(spec));
}

TEST(Shapes, NodesThatWouldNotBeFullAreRefused) {
  MeasureSpec spec = spec_with("1,4,6");
  spec.launcher = "mpi";
  spec.per_node = 4;
  const auto checked = check_spec(spec);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().where, "--per-node");
  EXPECT_EQ(checked.error().message, "expected a divisor of K = 6, got '4'");
  spec = spec_with("1x1x1,2x1x1");
  spec.launcher = "mpi";
  spec.per_node = 1;
  EXPECT_FALSE(check_spec(spec));
}

TEST(Hosts, AreNamesOrAHostfile) {
  MeasureSpec spec;
  const SpecKey& key = *find_spec_key("launch", "hosts");
  EXPECT_FALSE(key.set(spec, "n1, n2.site,10.0.0.3,fe80::1"));
  EXPECT_EQ(spec.hosts, (Words{"n1", "n2.site", "10.0.0.3", "fe80::1"}));
  EXPECT_FALSE(key.set(spec, "./hosts.txt"));
  for (const char* bad : {"", "n1,,n2", "-n1", "n1 n2", "n1,n1", "a;b", "n1,./hosts.txt"}) {
    EXPECT_TRUE(key.set(spec, bad)) << bad;
  }
  EXPECT_EQ(spec.hosts, (Words{"./hosts.txt"}));
}

TEST(Hosts, AHostfileIsReadAsOpenMpiAndMpichWriteIt) {
  const TempFolder folder;
  write_text(folder / "hosts", "# two racks\nn1 slots=4\nn2:4  # new\n\nn1\r\n");
  EXPECT_EQ(*resolve_hosts({folder / "hosts"}), (Words{"n1", "n2"}));
  write_text(folder / "bad", "n1\nn2;rm\n");
  const auto wrong = resolve_hosts({folder / "bad"});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().where.find("bad:2:1"), std::string::npos) << wrong.error().where;
  write_text(folder / "empty", "# none\n");
  EXPECT_FALSE(resolve_hosts({folder / "empty"}));
}

/// The expected names are those of `scontrol show hostnames`.
TEST(Hosts, ANodeListOfSlurmIsOpened) {
  EXPECT_EQ(*expand_node_list("n1", ""), (Words{"n1"}));
  EXPECT_EQ(*expand_node_list("n[1-3,7],login", ""), (Words{"n1", "n2", "n3", "n7", "login"}));
  EXPECT_EQ(*expand_node_list("n[08-11]", ""), (Words{"n08", "n09", "n10", "n11"}));
  EXPECT_EQ(*expand_node_list("r[1-2]n[1-2]", ""), (Words{"r1n1", "r1n2", "r2n1", "r2n2"}));
  EXPECT_EQ(*expand_node_list("a[1]-ib,b", ""), (Words{"a1-ib", "b"}));
  for (const char* bad : {"", "n[1-", "n[3-1]", "n[a]", "n1,,n2", "n[1-99999999]", "n]1[",
                          "n[1][1][1][1][1][1][1][1][1]"}) {
    EXPECT_FALSE(expand_node_list(bad, "SLURM_JOB_NODELIST")) << bad;
  }
}

}  // namespace
}  // namespace kstar
