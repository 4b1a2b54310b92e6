// Writes the pages that the browser opens: write_pages STUDY.jsonl.gz STUDY.jsonl.gz FOLDER
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "kstar/document.h"
#include "kstar/page.h"
#include "kstar/redact.h"
#include "kstar/study_file.h"
#include "support/secret_study.h"

namespace kstar {
namespace {

/// What an attacker would write into a title, a host's name or a program's output.
constexpr char kHostile[] =
    "</script></style></title>--><script>window.hacked=1</script>"
    "<img src=x onerror=window.hacked=1><svg onload=window.hacked=1>"
    "\" onmouseover=\"window.hacked=1\" x=' {{body}} &lt;b&gt; \x1b[31m\x07 \xE2\x80\xAE"
    "evil \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D =HYPERLINK(1) javascript:window.hacked=1";

Subject subject_of(std::string name, Study study) {
  Result<Subject> subject = examine(std::move(study), {.name = std::move(name)});
  if (!subject) throw std::runtime_error(subject.error().message);
  Result<Audit> checked = audit(subject->study, {.claims = {*parse_claim("6x at 8", "test")}});
  if (!checked) throw std::runtime_error(checked.error().message);
  subject->audit = std::move(*checked);
  return std::move(*subject);
}

Study study_at(const char* path) {
  Result<Study> study = load_study(path);
  if (!study) throw std::runtime_error(study.error().message);
  return *study;
}

void write(const std::string& path, std::span<const Subject> subjects,
           const PageOptions& options = {}) {
  const Result<std::string> page = to_page(subjects, options);
  if (!page) throw std::runtime_error(page.error().message);
  std::ofstream(path, std::ios::binary) << *page;
}

Chart chart_of(const std::string& name) {
  Chart chart;
  chart.title = name;
  chart.x = {.label = "K", .log = true, .low = 1, .high = 16, .workers = true};
  chart.y = {.label = "S", .low = 0, .high = 16};
  ChartSeries measured{.name = name};
  for (const double k : {1, 2, 4, 8, 16}) {
    const double s = k / (1 + 0.05 * (k - 1));
    measured.marks.push_back(
        {k, s, 0.9 * s, 1.1 * s, fmt::format("{}, K = {}\nS\t{}", name, k, s)});
  }
  chart.series = {measured,
                  {.name = "ideal", .role = SeriesRole::kIdeal, .line = {{1, 1}, {16, 16}}}};
  return chart;
}

/// Every kind of block, with what an attacker would write into it.
Document hostile_document() {
  const std::string text = kHostile;
  Table wide;
  for (int i = 0; i < 12; ++i)
    wide.columns.push_back({.name = fmt::format("column {}", i), .left = i == 0});
  wide.rows.assign(3, std::vector<std::string>(12, "1234.5"));
  wide.rows.push_back({text, text});
  return {{Heading{text}, Paragraph{"Run on 8 workers. " + text},
           Items{"Before relying on it", {text}}, chart_of(text), wide, Heading{text, true},
           Items{"Marked", {text}, {"missing"}}, Items{"", {text}, {}, {"name"}, true},
           Heading{.text = text, .folded = true}, chart_of("a"), chart_of("b"), Paragraph{text}}};
}

void write_all(const char* first, const char* second, const std::string& folder) {
  const std::vector<Subject> two = {subject_of("first", study_at(first)),
                                    subject_of("second", study_at(second))};
  write(folder + "/one.html", std::span(two).first(1));
  write(folder + "/two.html", two);
  const std::vector<Subject> hostile = {subject_of(kHostile, secret_study(kHostile))};
  write(folder + "/hostile.html", hostile);
  const std::vector<Subject> both = {hostile[0], subject_of("=1+1", secret_study(kHostile))};
  write(folder + "/hostile-two.html", both);
  const std::vector<Subject> secret = {subject_of("study 1", redacted(secret_study()))};
  write(folder + "/redacted.html", secret, {.redacted = true});
  write(folder + "/live.html", std::span(two).first(1),
        {.live = LiveProgress{"run 12 of about 40, 3 min left", 0.3, 1}});
  LiveProgress silent{"12 runs so far", 0.3, 1};
  silent.written = 1767225600;
  silent.patience_seconds = 120;
  write(folder + "/silent.html", std::span(two).first(1), {.live = silent});
  std::ofstream(folder + "/document.html", std::ios::binary)
      << document_page(hostile_document(), kHostile);
  write(folder + "/stopped.html", std::span(two).first(1),
        {.live = LiveProgress{"interrupted after 12 runs", {}, 0}});
}

}  // namespace
}  // namespace kstar

int main(int count, char** words) {
  if (count != 4) return 2;
  try {
    kstar::write_all(words[1], words[2], words[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_pages: %s\n", error.what());
    return 1;
  }
  return 0;
}
