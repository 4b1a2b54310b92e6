#include <gtest/gtest.h>

#include "kstar/prediction_report.h"
#include "support/predictions.h"

namespace kstar {
namespace {

const std::vector<std::int64_t> kWorkers = {4};

/// The first cell of the first row, when the two curves differ in this parameter.
std::string cell(const std::string& text) {
  std::vector<Prediction> two = predictions("amdahl", {{"serial", {"0.5", "0.25"}}}, kWorkers);
  two[0].instance.parameters[0].text = text;
  const std::string csv = to_csv(two);
  const std::size_t start = csv.find('\n') + 1;
  return csv.substr(start, csv.find(",4,0.625,") - start);
}

TEST(Csv, OfOneCurveIsItsPoints) {
  EXPECT_EQ(to_csv(predictions("amdahl", {{"serial", {"0.5"}}}, kWorkers)),
            "K,T,S,E\n4,0.625,1.6,0.4\n");
}

TEST(Csv, ParametersThatVaryStandBeforeAndOthersDoNot) {
  const std::string csv = to_csv(
      predictions("strong", {{"serial", {"0.5"}}, {"comm", {"log2:0", "log2:0.25"}}}, kWorkers));
  EXPECT_EQ(csv,
            "comm,K,T,S,E\nlog2:0,4,0.625,1.6,0.4\nlog2:0.25,4,1.125,"
            "0.8888888888888888,0.2222222222222222\n");
}

TEST(Csv, NamesTheLawWhereThereAreSeveral) {
  std::vector<Prediction> both = predictions("amdahl", {{"serial", {"0.5"}}}, kWorkers);
  both.push_back(predictions("gustafson", {{"serial", {"0.5"}}}, kWorkers)[0]);
  EXPECT_EQ(to_csv(both), "law,K,T,S,E\namdahl,4,0.625,1.6,0.4\ngustafson,4,1,2.5,0.625\n");
}

TEST(Csv, QuotesWhatWouldBeReadAsMoreThanACell) {
  EXPECT_EQ(cell("a,b"), "\"a,b\"");
  EXPECT_EQ(cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(cell("a\rb"), "\"a\rb\"");
  EXPECT_EQ(cell("a b"), "a b");
}

TEST(Csv, NoCellIsAFormula) {
  EXPECT_EQ(cell("=1+1"), "'=1+1");
  EXPECT_EQ(cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(cell("+x"), "'+x");
  EXPECT_EQ(cell("-x,y"), "\"'-x,y\"");
  EXPECT_EQ(cell("+0.5"), "+0.5");
  EXPECT_EQ(cell("-1e-3"), "-1e-3");
}

}  // namespace
}  // namespace kstar
