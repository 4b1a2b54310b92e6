#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// More than these say nothing more.
constexpr std::size_t kMostNotes = 200;
constexpr std::size_t kMostFailures = 20;

std::vector<Note> all_notes(const Subject& subject) {
  std::vector<Note> all;
  const auto add = [&](const std::vector<Note>& notes) {
    for (const Note& note : notes) {
      if (std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
      if (all.size() > 4 * kMostNotes) return;
    }
  };
  add(subject.study.notes);
  add(subject.analysis.notes);
  add(subject.analysis.table.notes);
  std::stable_sort(all.begin(), all.end(),
                   [](const Note& a, const Note& b) { return a.severity > b.severity; });
  return all;
}

std::string failures(const Study& study, int level) {
  std::string items;
  std::size_t count = 0;
  for (const Run& run : study.runs) {
    if (!failed(run) || ++count > kMostFailures) continue;
    items +=
        fmt::format("<li>K = {}{}: {}", run.workers,
                    run.order ? fmt::format(", run {}", *run.order) : "", html(failure_text(run)));
    if (!run.output.empty()) {
      items += fmt::format(
          "<details><summary>the end of its output</summary><pre tabindex=\"0\">{}"
          "</pre></details>",
          html_lines(run.output.str()));
    }
    items += "</li>\n";
  }
  if (count == 0) return "";
  return heading(level, "", count_text(count, "run") + " failed") +
         fmt::format("<ul class=\"marked\">\n{}</ul>\n", items) +
         (count > kMostFailures ? fmt::format("<p>These are the first {}.</p>\n", kMostFailures)
                                : "");
}

}  // namespace

std::string notes_part(const Subject& subject, int level) {
  const std::vector<Note> notes = all_notes(subject);
  Document document;
  Items items;
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) {
    items.marks.emplace_back(name_of(notes[i].severity));
    items.items.push_back((notes[i].where.empty() ? "" : notes[i].where + ": ") +
                          note_sentence(notes[i]));
  }
  if (notes.empty()) document.blocks.emplace_back(Paragraph{"No notes."});
  if (!notes.empty()) document.blocks.emplace_back(std::move(items));
  if (notes.size() > kMostNotes) {
    document.blocks.emplace_back(Paragraph{
        fmt::format("These are the {} most severe notes; the study has more.", kMostNotes)});
  }
  return to_html(document, level) + failures(subject.study, level);
}

}  // namespace kstar
