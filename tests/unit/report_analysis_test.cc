// An Analysis on a terminal, in Markdown and in CSV. Its JSON is checked by tests/schema.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "kstar/analysis_report.h"
#include "support/analysis_examples.h"

namespace kstar {
namespace {

std::string shown(const Analysis& analysis, const AnalysisView& view = {}, int width = 80) {
  return to_terminal(to_document(analysis, view),
                     {.width = width, .color = false, .unicode = true});
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The text without its line breaks: sentences are wrapped anywhere.
std::string unwrapped(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<Analysis> all_examples() {
  return {full_analysis(),  bare_analysis(),    weak_analysis(),    mixed_analysis(),
          least_analysis(), hostile_analysis(), training_analysis()};
}

TEST(AnalysisDocument, OpensWithTheWholeAnswerInOneParagraph) {
  EXPECT_TRUE(
      unwrapped(shown(full_analysis()))
          .starts_with(
              "Run on 4 workers: K* = 4 (4 to 8), the last measured K before E falls below "
              "0.7. Strong scaling from the baseline program bends at K = 8 (8 to 16; 93% "
              "of the evidence). Cause at K = 16: communication, 62% (56% to 68%) of the loss, a "
              "straggler or load imbalance 21% (15% to 27%; always worker 3 on n7). "
              "By the models, the ceiling of the speedup is 12.4x (9.92 to 14.9), relative "
              "to the program's own smallest K. Of the measured K, 16 takes the least time."))
      << shown(full_analysis());
}

TEST(AnalysisDocument, PutsTheBendOfTheCurveBesideThatOfThePointsWhereTheirBaseIsTheSame) {
  const std::string curve = "the fitted curve at 9.1 (8.19 to 10)";
  EXPECT_TRUE(holds(unwrapped(shown(bare_analysis())), curve)) << shown(bare_analysis());
  EXPECT_FALSE(holds(unwrapped(shown(full_analysis())), curve));
}

TEST(AnalysisDocument, ShowsTheProgramsOwnBaseBesideABaselineProgram) {
  const std::string text = unwrapped(shown(full_analysis()));
  EXPECT_TRUE(holds(text,
                    "Relative to its own 100 s instead of the baseline program it bends at K = 16 "
                    "(8 to 16; 71% of the evidence); relative to the baseline program at K = 8"))
      << text;
}

TEST(AnalysisDocument, ShowsSecondsAsTimesAndNumbersAsNumbers) {
  const std::string text = shown(full_analysis());
  EXPECT_TRUE(holds(text, "serial or ring: s")) << text;
  EXPECT_TRUE(holds(text, "4.1 s"));
  EXPECT_TRUE(holds(text, " 0.051 "));
  EXPECT_FALSE(holds(text, "51 ms"));
  EXPECT_FALSE(holds(text, "or alike"));
}

TEST(AnalysisDocument, HasOneTableOfCausesHoweverManyCannotBeToldApart) {
  Analysis analysis = full_analysis();
  analysis.diagnosis.causes[0].or_else = {CauseKind::kComputationScaling, CauseKind::kSerial,
                                          CauseKind::kStraggler};
  const std::string text = shown(analysis);
  const std::size_t heading = text.find("Why it bends");
  const std::size_t end = text.find("Shares of the loss");
  const std::string table = text.substr(heading, end - heading);
  EXPECT_EQ(table.find("communication"), table.rfind("communication")) << table;
  EXPECT_TRUE(holds(text, "  - cannot be distinguished from: slower computation, the serial"))
      << text;
}

TEST(AnalysisDocument, SaysWhatIsOpenWhereNothingBends) {
  const std::string text = unwrapped(shown(weak_analysis()));
  EXPECT_TRUE(holds(text,
                    "Run on 128 workers, perhaps more: K* = 128 or more, E is 0.7 or more at "
                    "every measured K."))
      << text;
  EXPECT_TRUE(holds(text, "bends at no measured K. "));
  EXPECT_FALSE(holds(text, "the fitted curve")) << "what lies beyond the largest K was not seen";
  EXPECT_TRUE(holds(
      text,
      "No ceiling of the scaled speedup up to K = 128; a limit beyond it cannot be excluded."));
  EXPECT_TRUE(holds(text, "At K = 128 nothing beyond the noise reduces efficiency."));
}

TEST(AnalysisDocument, ClaimsNoEvidenceWhereNothingWasDrawn) {
  const std::string text = unwrapped(shown(bare_analysis()));
  EXPECT_FALSE(holds(text, "of the evidence")) << text;
  EXPECT_TRUE(holds(text, "One run per K: no intervals; verdicts assume an error."));
  EXPECT_FALSE(holds(text, "median"));
  EXPECT_TRUE(holds(text,
                    "The cause is a guess from the shape of T(K): the serial part or "
                    "communication. To find out, measure what each worker does"))
      << text;
  EXPECT_FALSE(holds(text, "of the loss"));
}

TEST(AnalysisDocument, ShowsNoSpeedupWhereTheRegimeHasNone) {
  for (const Analysis& analysis : {mixed_analysis(), least_analysis()}) {
    const std::string text = shown(analysis, {.next = true, .chart = true});
    EXPECT_FALSE(holds(text, "S(K)")) << text;
    EXPECT_FALSE(holds(text, "K* =")) << text;
  }
}

TEST(AnalysisDocument, SaysInWordsWhatTimeToTrainIsMadeOf) {
  const std::string text = to_markdown(to_document(full_analysis()));
  EXPECT_TRUE(holds(text, "E(512) = 0.410 (0.402 to 0.418), relative to K = 8, is the product of"))
      << text;
  EXPECT_TRUE(holds(text,
                    "algorithm 0.620 (0.601 to 0.639): 1.61x as many samples to converge, at 64x "
                    "the batch"));
  EXPECT_TRUE(holds(
      text, "system 0.680 (0.673 to 0.687): 43.5x the samples per second from 64x the workers"));
  EXPECT_TRUE(
      holds(text, "7.6% of the time is not training (evaluation, checkpoints), at the base 5.0%"));
}

TEST(AnalysisDocument, AnswersByTimeToTrainWhereTheRegimeHasNoSpeedup) {
  const std::string text = unwrapped(shown(training_analysis()));
  EXPECT_TRUE(text.starts_with(
      "Run on 8 to 511 workers: efficiency falls below 0.7 somewhere between, and nothing was "
      "measured there. Time to train from "
      "K = 8 bends at K = 512. From K = 8 to K = 512 its efficiency falls to 0.41 = 0.62 "
      "(algorithm: 1.61x as "
      "many samples to converge, at 64x the batch) x 0.66 (system: 43.5x the samples per second "
      "from 64x the workers). Of the measured K, 512 takes the least time."))
      << text;
  EXPECT_TRUE(holds(text, "fixed time (evaluation, checkpoints) is unknown"));
  EXPECT_FALSE(holds(text, "No cause can be determined"));
}

TEST(AnalysisDocument, NamesWhatThereIsNoAnswerFor) {
  Analysis bad = full_analysis();
  bad.bend->last_good.reset();
  bad.verdict = decide(bad);
  EXPECT_TRUE(shown(bad).starts_with("No measured K has an efficiency of 0.7."));
  Analysis one = full_analysis();
  one.table.points.resize(2);
  one.verdict = decide(one);
  EXPECT_TRUE(shown(one).starts_with("Only one K has usable times"));
}

TEST(AnalysisDocument, NamesOfTheOtherCausesThoseThatTakeMuch) {
  Analysis analysis = full_analysis();
  analysis.diagnosis.causes[1].share = around(0.04, 0.3);
  EXPECT_TRUE(holds(unwrapped(shown(analysis)),
                    "communication, 62% (56% to 68%) of the loss. The rest, 34%, is not "
                    "explained. By the models"));
}

TEST(AnalysisDocument, PutsPricesOnlyWhereAsked) {
  EXPECT_FALSE(holds(shown(full_analysis()), "worker-seconds"));
  EXPECT_TRUE(holds(unwrapped(shown(full_analysis(), {.next = true})),
                    "K = 64, 581 worker-seconds per run: It is where the forms differ"));
  EXPECT_TRUE(holds(shown(full_analysis()), "record the work that each worker does"));
}

TEST(AnalysisDocument, BriefIsTheAnswerAndTheTable) {
  const std::string text = shown(full_analysis(), {.brief = true});
  EXPECT_TRUE(holds(text, "verdict"));
  for (const char* absent : {"Models", "Why it bends", "Notes", "Steps inside", "Karp-Flatt"}) {
    EXPECT_FALSE(holds(text, absent)) << absent;
  }
}

TEST(AnalysisDocument, HasTheHindcastBesideThePredictions) {
  const std::string text = unwrapped(shown(full_analysis()));
  EXPECT_TRUE(holds(text,
                    "beyond the largest measured K: K = 64, 128. A limit that only shows there "
                    "(bandwidth, another node) cannot be excluded, and the interval does not cover "
                    "it.  Hindcast: fitted without K = 16, "
                    "the same method predicts T(16) = 12.1 s (11.13 to 13.07 s); measured was 12.6 "
                    "s, so the prediction was 4.0% too low, and the interval included it."))
      << text;
  Analysis few = full_analysis();
  few.models->hindcast.reset();
  EXPECT_TRUE(holds(unwrapped(shown(few)), "No hindcast: it needs four K or more."));
}

TEST(AnalysisDocument, SaysEachNoteOnce) {
  const std::string text = shown(full_analysis());
  const std::string note = "runs with different layouts are combined";
  EXPECT_EQ(text.find(note), text.rfind(note));
  EXPECT_TRUE(holds(text, "warning: 4 workers: " + note));
}

TEST(AnalysisDocument, StaysWithinTheWidth) {
  for (const Analysis& analysis : all_examples()) {
    if (analysis.notes.size() == 1 && analysis.notes[0].severity == Severity::kError) continue;
    for (const int width : {40, 60, 80, 132}) {
      const std::string text = shown(analysis, {.next = true, .chart = true}, width);
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
}

TEST(AnalysisDocument, LetsNoTextFromOutsideLeaveItsPlace) {
  const Document document = to_document(hostile_analysis(), {.title = "a\x1b[2Jb\nc"});
  const std::string terminal = to_terminal(document, {});
  EXPECT_FALSE(holds(terminal, "\x1b"));
  EXPECT_FALSE(holds(terminal, "\xff"));
  const std::string markdown = to_markdown(document);
  EXPECT_FALSE(holds(markdown, "\x1b"));
  EXPECT_FALSE(holds(markdown, " <script>"));
}

TEST(AnalysisChart, DrawsWhatWasMeasuredAndTheCurveOnOneBase) {
  const Chart chart = to_chart(full_analysis());
  ASSERT_EQ(chart.series.size(), 3U);
  EXPECT_EQ(chart.series[0].marks.size(), 5U);  // not the baseline program
  EXPECT_DOUBLE_EQ(chart.series[0].marks[0].y, 0.9);
  EXPECT_DOUBLE_EQ(chart.series[1].line[0].y, 0.9);  // its own T(1) is 0.9 of the baseline's speed
  EXPECT_EQ(chart.series[1].marks.size(), 3U);
  EXPECT_DOUBLE_EQ(chart.x.high, 128);
  EXPECT_TRUE(chart.x.log);
}

TEST(AnalysisChart, DrawsEfficiencyWhereTheWorkGrows) {
  const Chart chart = to_chart(weak_analysis());
  EXPECT_EQ(chart.y.label, "efficiency E(K)");
  EXPECT_DOUBLE_EQ(chart.series[0].marks[0].y, 1);
}

TEST(AnalysisChart, OfOneTimeIsStillAChart) {
  const Chart chart = to_chart(least_analysis());
  EXPECT_LT(chart.x.low, chart.x.high);
  EXPECT_EQ(chart.y.label, "time T(K), seconds");
}

TEST(AnalysisCsv, HasALineForEachKAtFullPrecision) {
  Analysis analysis = bare_analysis();
  analysis.table.points.resize(2);
  EXPECT_EQ(to_csv(analysis),
            "K,role,shape,runs,T,T_low,T_high,T_std,T_median,T_min,T_max,S,S_low,S_high,E,E_low,"
            "E_high,karp_flatt,karp_flatt_low,karp_flatt_high,verdict\n"
            "1,parallel,,1,100,,,,100,100,100,1,1,1,1,1,1,,,,ok\n"
            "2,parallel,,1,52,,,,52,52,52,1.9230769230769231,,,0.9615384615384616,,,"
            "0.040000000000000036,,,borderline\n");
}

TEST(AnalysisCsv, HasAsManyCellsInEveryLine) {
  for (const Analysis& analysis : all_examples()) {
    const std::string csv = to_csv(analysis);
    const int commas = analysis.time_to_train ? 42 : 20;
    for (const std::string_view line : split(trim(csv), '\n')) {
      EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
    }
  }
}

TEST(AnalysisJson, ReplacesWhatIsNotUtf8AndKeepsTheRest) {
  const std::string json = to_json(hostile_analysis());
  EXPECT_TRUE(holds(json, "=cmd|' /C calc'!A0\\u001b[2J\\n| a | <script>\xEF\xBF\xBD")) << json;
}

}  // namespace
}  // namespace kstar
