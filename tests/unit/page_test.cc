#include "kstar/page.h"

#include <gtest/gtest.h>

#include "kstar/import.h"
#include "kstar/redact.h"
#include "kstar/study_file.h"
#include "report/html/html.h"
#include "support/secret_study.h"
#include "support/study_examples.h"

namespace kstar {
namespace {

Subject subject_of(Study study, std::string name) {
  Result<Subject> subject = examine(std::move(study), {.name = std::move(name)});
  EXPECT_TRUE(subject) << subject.error().message;
  return std::move(*subject);
}

std::string page_of(const Subject& subject, const PageOptions& options = {}) {
  const Result<std::string> page = to_page({&subject, 1}, options);
  EXPECT_TRUE(page) << page.error().message;
  return *page;
}

/// What stands between the first `open` and the next `close`.
std::string between(const std::string& text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open) + open.size();
  return text.substr(at, text.find(close, at) - at);
}

TEST(Html, MakesEveryCharacterData) {
  EXPECT_EQ(html("<a href=\"x\" b='y'>&"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(html("\x1b[31m\xE2\x80\xAEx\xFF"), "\\x1b[31m\\xe2\\x80\\xaex\\xff");
  EXPECT_EQ(html_lines("a\nb<"), "a\nb&lt;");
  EXPECT_EQ(script_json("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
  EXPECT_EQ(json_text("a\"\\\n"), R"("a\"\\\\n")");
}

TEST(Html, AddressesAFileBesideThePageAndNothingElse) {
  EXPECT_EQ(file_address("/home/me/my study.jsonl"), "./my%20study.jsonl");
  EXPECT_EQ(file_address("javascript:alert(1)"), "./javascript%3Aalert%281%29");
  EXPECT_EQ(file_address("//evil.example/x\"y"), "./x%22y");
}

TEST(Page, TrustsItsOwnStyleAndScriptAlone) {
  const std::string page = page_of(subject_of(small_study(), "s"));
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_NE(policy.find("default-src 'none'"), policy.npos);
  EXPECT_NE(policy.find("script-src 'sha256-"), policy.npos);
  EXPECT_NE(policy.find("style-src 'sha256-"), policy.npos);
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
  EXPECT_EQ(page.find(" style=\""), page.npos);
  EXPECT_EQ(page.find("https://"), page.npos);
}

/// The first screen.
std::string answer_in(const std::string& page) {
  return between(page, "<section id=\"answer\"", "</section>");
}

TEST(Page, AsksBeforeItAnswersWhereNumbersMayBeSomethingElse) {
  const std::string answer = answer_in(
      page_of(subject_of(import_pairs("1:10,2:10.1,4:10.2,8:10.1", "--data").value(), "flat")));
  EXPECT_LT(answer.find("--regime</span> weak"), answer.find("class=\"answer\"")) << answer;
  EXPECT_NE(answer.find("it is not clear that these numbers show strong scaling"), answer.npos);
  EXPECT_NE(answer.find("<div class=\"first doubted\" data-verdict=\"undecided\">"), answer.npos);
  EXPECT_EQ(answer.find("The cause"), answer.npos);
  EXPECT_EQ(answer.find("class=\"bar\""), answer.npos);
}

TEST(Page, AnswersInOneSentenceWithTheNextWorkersAndWhatTheyWouldGive) {
  const std::string answer = answer_in(page_of(
      subject_of(import_pairs("1:100,2:52,4:28,8:16,16:11,32:9.5", "--data").value(), "one")));
  // 16/11 and 100/(16 x 11).
  EXPECT_NE(answer.find("<p class=\"answer\">Run on 8 workers; 16 would be 1.45x faster at 57% "
                        "efficiency.</p>"),
            answer.npos)
      << answer;
  EXPECT_NE(answer.find("<b>Single runs</b>"), answer.npos);
  EXPECT_NE(answer.find("<b>Assumed</b>"), answer.npos);
  EXPECT_NE(answer.find("kstar measure"), answer.npos);
}

TEST(Page, DrawsAGuessAsNoShareOfTheLoss) {
  const std::string answer = answer_in(page_of(
      subject_of(import_pairs("1:100,2:52,4:28,8:16,16:11,32:9.5", "--data").value(), "one")));
  EXPECT_NE(answer.find("<b>100%</b> unexplained"), answer.npos) << answer;
  EXPECT_NE(answer.find(": a guess."), answer.npos);
}

TEST(Page, CountsCrashesByWorkers) {
  Study study = small_study();
  for (int i = 0; i < 3; ++i) {
    kstar::Run run;
    run.workers = 16;
    run.exit_status = 3;
    study.runs.push_back(run);
  }
  const std::string answer = answer_in(page_of(subject_of(std::move(study), "crashes")));
  EXPECT_NE(answer.find("<b>Failed</b> K\xC2\xA0=\xC2\xA0"
                        "16 crashed 3 of 3."),
            answer.npos)
      << answer;
}

TEST(Page, SaysWhatWasMeasuredElsewhere) {
  Study study = import_pairs("1:100,2:52,4:28", "--data").value();
  study.header.source.kind = SourceKind::kImported;
  study.header.writer = "kstar 9";
  const std::string page = page_of(subject_of(std::move(study), "s"));
  EXPECT_EQ(page.find("measured with kstar"), page.npos);
  EXPECT_NE(page.find("imported with kstar 9"), page.npos);
}

TEST(Page, WeakScalingHasNoCeilingToShow) {
  Study study = import_pairs("1:10,2:10.4,4:11,8:13,16:18", "--data").value();
  study.header.regime = Regime::kWeak;
  EXPECT_EQ(answer_in(page_of(subject_of(study, "weak"))).find("Ceiling"), std::string::npos);
  study.header.regime = Regime::kStrong;
  for (kstar::Run& run : study.runs) run.wall = *run.wall / run.workers;
  EXPECT_NE(answer_in(page_of(subject_of(study, "strong"))).find("Ceiling"), std::string::npos);
}

TEST(Page, IsTheSameForTheSameStudy) {
  EXPECT_EQ(page_of(subject_of(small_study(), "s")), page_of(subject_of(small_study(), "s")));
  EXPECT_LT(page_of(subject_of(small_study(), "s")).size(), 1U << 20U);
}

TEST(Page, CarriesItsStudies) {
  const std::vector<Subject> two = {subject_of(secret_study(), "a <b>"),
                                    subject_of(small_study(), "second")};
  const Result<std::string> page = to_page(two);
  ASSERT_TRUE(page);
  const auto first = import_text(*page, "report.html", {.select = "a <b>"});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*to_lines(*first), *to_lines(two[0].study));
  EXPECT_EQ(import_text(*page, "report.html", {.select = "second"})->runs, two[1].study.runs);
}

TEST(Page, NamesAStudyThatIsTooLarge) {
  Subject subject = subject_of(small_study(), "large");
  subject.study.name = "/data/large.jsonl";
  const std::string page = page_of(subject, {.most_bytes = 10});
  EXPECT_NE(page.find("<a href=\"./large.jsonl\">large.jsonl</a>"), page.npos);
  const auto back = import_text(page, "report.html");
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().message.find("too large to be embedded in the page"), std::string::npos);
}

TEST(Page, RedactedHasNoSecretAnywhere) {
  const Subject subject = subject_of(secret_study(), std::string("/home/") + kSecret);
  EXPECT_NE(page_of(subject).find(kSecret), std::string::npos);
  const std::string page =
      page_of(subject_of(redacted(subject.study), "study 1"), {.redacted = true});
  EXPECT_EQ(page.find(kSecret), page.npos);
  const auto study = import_text(page, "report.html");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(to_lines(*study)->find(kSecret), std::string::npos);
  EXPECT_EQ(study->runs.size(), subject.study.runs.size());
}

TEST(Page, LoadsItselfAnewOnlyWhileTheStudyGrows) {
  const Subject subject = subject_of(small_study(), "s");
  const std::string live = page_of(subject, {.live = LiveProgress{"run 3 of 9", 0.3, 2}});
  EXPECT_NE(live.find("data-reload=\"2\""), live.npos);
  EXPECT_NE(live.find("http-equiv=\"refresh\""), live.npos);
  EXPECT_NE(live.find("run 3 of 9"), live.npos);
  const std::string stopped = page_of(subject, {.live = LiveProgress{"interrupted", {}, 0}});
  EXPECT_NE(stopped.find("Not finished."), stopped.npos);
  for (const std::string& page : {stopped, page_of(subject)}) {
    EXPECT_NE(page.find("data-reload=\"\""), page.npos);
    EXPECT_EQ(page.find("http-equiv=\"refresh\""), page.npos);
  }
}

TEST(Page, ShowsAStudyWithoutATime) {
  Subject subject;
  subject.study.header.title = "just begun";
  const std::string page = page_of(subject, {.live = LiveProgress{"nothing yet", 0.0, 2}});
  EXPECT_NE(page.find("No run has a time yet."), page.npos);
}

}  // namespace
}  // namespace kstar
