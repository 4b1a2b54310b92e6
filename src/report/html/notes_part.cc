#include <fmt/format.h>

#include <algorithm>

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

std::string note_html(const Note& note) {
  return fmt::format("<li><span class=\"badge {0}\">{0}</span> {1}{2} <code>{3}</code></li>\n",
                     name_of(note.severity),
                     note.where.empty() ? "" : fmt::format("<bdi>{}</bdi>: ", html(note.where)),
                     html(note.text), html(note.what));
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
          html_lines(run.output));
    }
    items += "</li>\n";
  }
  if (count == 0) return "";
  return heading(level, "", count == 1 ? "One run failed" : fmt::format("{} runs failed", count)) +
         fmt::format("<ul class=\"notes\">\n{}</ul>\n", items) +
         (count > kMostFailures ? fmt::format("<p>These are the first {}.</p>\n", kMostFailures)
                                : "");
}

}  // namespace

std::string notes_part(const Subject& subject, int level) {
  const std::vector<Note> notes = all_notes(subject);
  std::string text = heading(level, "", "What was lost, skipped or guessed");
  std::string items;
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) items += note_html(notes[i]);
  text += items.empty() ? "<p>Nothing is noted.</p>\n"
                        : fmt::format("<ul class=\"notes\">\n{}</ul>\n", items);
  if (notes.size() > kMostNotes) {
    text += fmt::format("<p>These are the {} gravest notes; the study has more.</p>\n", kMostNotes);
  }
  return text + failures(subject.study, level + 1);
}

}  // namespace kstar
