#include "kstar/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/embedded.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/limits.h"
#include "kstar/report.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/sections.h"

namespace kstar {

/// web/report.html, .css and .js, in this order (src/report/CMakeLists.txt).
std::span<const EmbeddedText> page_texts();

namespace {

const EmbeddedText& page_template() {
  return page_texts()[0];
}
const EmbeddedText& style() {
  return page_texts()[1];
}
const EmbeddedText& script() {
  return page_texts()[2];
}

/// Nothing but this style and this script; pictures only from the page itself, to save them.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'",
      script().sha256, style().sha256);
}

/// Replaces every {{name}} of the template.
std::string filled(std::string_view text, const std::map<std::string_view, std::string>& values) {
  std::string page;
  while (true) {
    const std::size_t open = text.find("{{");
    page += text.substr(0, open);
    if (open == std::string_view::npos) return page;
    const std::size_t close = text.find("}}", open);
    page += values.at(text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
  }
}

std::string title_of(std::span<const Subject> subjects) {
  if (subjects.size() > 1) {
    std::string title;
    for (const Subject& subject : subjects) {
      title += (title.empty() ? "" : ", ") + name_of(subject);
    }
    return title;
  }
  const std::string& title = subjects[0].study.header.title;
  return title.empty() ? name_of(subjects[0]) : title;
}

std::string subtitle_of(std::span<const Subject> subjects) {
  std::size_t runs = 0;
  for (const Subject& subject : subjects) runs += subject.study.runs.size();
  const std::string& writer = subjects[0].study.header.writer;
  return fmt::format("{}{}{}", count_text(runs, "run"),
                     subjects.size() > 1 ? fmt::format(" in {} studies", subjects.size()) : "",
                     writer.empty() ? "" : ", measured with " + writer);
}

std::string live_head(const PageOptions& options) {
  if (!options.live || options.live->reload_seconds <= 0) return "";
  return fmt::format("<noscript><meta http-equiv=\"refresh\" content=\"{}\"></noscript>\n",
                     options.live->reload_seconds);
}

std::string live_body(const PageOptions& options) {
  if (!options.live) return "";
  const LiveProgress& live = *options.live;
  std::string text = fmt::format(
      "<section id=\"live\" aria-label=\"Progress\" data-written=\"{}\" "
      "data-patience=\"{:.0f}\">\n",
      live.written, live.patience_seconds);
  if (live.reload_seconds > 0) {
    text += "<p><b>Being measured.</b> ";
    if (live.done) {
      text += fmt::format(
          "<progress max=\"1\" value=\"{:.3f}\" aria-label=\"share done\">"
          "</progress> ",
          std::clamp(*live.done, 0.0, 1.0));
    }
  } else {
    text += "<p><b>Not finished.</b> ";
  }
  return text + fmt::format("<span>{}</span></p>\n</section>\n", html(live.text));
}

/// What a study rests on, from the table down to the study itself.
Result<std::string> details(const Subject& subject, std::size_t number, std::size_t of,
                            const PageOptions& options) {
  const int level = of > 1 ? 3 : 2;
  const Result<std::string> data = data_part(subject, number, options, level);
  if (!data) return fail(data.error());
  std::string text;
  const auto add = [&](const char* id, const std::string& part) {
    if (part.empty()) return;
    text += fmt::format("<section id=\"{}-{}\">\n{}</section>\n", id, number, part);
  };
  if (of > 1) {
    text += fmt::format("<div class=\"study\">\n");
    text += heading(2, fmt::format("study-{}", number), name_of(subject));
  }
  const auto section = [&](const char* id, const char* title, const Document& document) {
    if (document.blocks.empty()) return;
    add(id, heading(level, "", title) + to_html(document, level + 1));
  };
  Document audit, numbers, provenance;
  if (subject.audit && !subject.audit->findings.empty()) add_audit(*subject.audit, true, audit);
  if (!subject.analysis.table.points.empty()) add_numbers(subject, numbers);
  add_provenance(subject.study, true, provenance);
  section("audit", "Findings", audit);
  section("numbers", "Numbers and causes", numbers);
  section("provenance", "Where the numbers come from", provenance);
  add("notes", notes_part(subject, level));
  add("runs", runs_part(subject, number, level));
  add("data", *data);
  return of > 1 ? text + "</div>\n" : text;
}

Result<std::string> page_of(std::span<const Subject> subjects, const PageOptions& options) {
  std::string body = live_body(options) + answer_part(subjects, options) + charts_part(subjects) +
                     comparison_part(subjects);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    KSTAR_TRY(const std::string part, details(subjects[i], i + 1, subjects.size(), options));
    body += part;
  }
  const bool reloads = options.live && options.live->reload_seconds > 0;
  return filled(
      page_template().text,
      {{"policy", policy()},
       {"version", KSTAR_VERSION},
       {"live", live_head(options)},
       {"title", html(title_of(subjects))},
       {"subtitle", html(subtitle_of(subjects))},
       {"reload", reloads ? fmt::format("{}", options.live->reload_seconds) : ""},
       {"redacted", options.redacted ? " Commands, output, hosts and paths were removed." : ""},
       {"style", std::string(style().text)},
       {"script", std::string(script().text)},
       {"body", body}});
}

}  // namespace

Result<std::string> to_page(std::span<const Subject> subjects, const PageOptions& options) {
  if (subjects.empty()) return fail({.where = "report", .message = "there is no study to show"});
  // The drawings and the buttons beside them name series alike.
  const bool plain = std::all_of(subjects.begin(), subjects.end(), [](const Subject& subject) {
    return printable(subject.name) == subject.name;
  });
  if (plain) return page_of(subjects, options);
  std::vector<Subject> safe(subjects.begin(), subjects.end());
  for (Subject& subject : safe) subject.name = printable(subject.name);
  return page_of(safe, options);
}

std::string name_of(const Subject& subject) {
  return subject.name.empty() ? "the study" : subject.name;
}

}  // namespace kstar
