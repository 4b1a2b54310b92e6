#include "kstar/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "kstar/limits.h"
#include "report/html/frame.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

std::string title_of(std::span<const Subject> subjects) {
  constexpr std::size_t kNamed = 3;
  if (subjects.size() > kNamed) return fmt::format("{} studies", subjects.size());
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

/// ", measured with kstar 1.0" where all of them were; what was read elsewhere was not.
std::string origin_text(std::span<const Subject> subjects) {
  const StudyHeader& first = subjects[0].study.header;
  const bool alike = std::all_of(subjects.begin(), subjects.end(), [&](const Subject& subject) {
    const StudyHeader& header = subject.study.header;
    return header.source.kind == first.source.kind && header.writer == first.writer;
  });
  if (!alike || first.writer.empty()) return "";
  const char* how = first.source.kind == SourceKind::kImported    ? "imported"
                    : first.source.kind == SourceKind::kSimulated ? "simulated"
                                                                  : "measured";
  return fmt::format(", {} with {}", how, first.writer);
}

std::string subtitle_of(std::span<const Subject> subjects) {
  std::size_t runs = 0;
  for (const Subject& subject : subjects) runs += subject.study.runs.size();
  return fmt::format("{}{}{}", count_text(runs, "run"),
                     subjects.size() > 1 ? fmt::format(" in {} studies", subjects.size()) : "",
                     origin_text(subjects));
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

Result<std::string> page_of(std::span<const Subject> subjects, const PageOptions& options) {
  KSTAR_TRY(const std::string body, body_part(subjects, options));
  const bool reloads = options.live && options.live->reload_seconds > 0;
  constexpr const char* kIntervals =
      " docs/statistics.md of kstar explains how intervals are computed and what they cover.";
  return framed(
      {.kind = "kstar report",
       .title = title_of(subjects),
       .subtitle = subtitle_of(subjects),
       .footer = fmt::format(
           "{}{}", options.redacted ? " Commands, output, hosts and paths were removed." : "",
           kIntervals),
       .head = live_head(options),
       .reload = reloads ? fmt::format("{}", options.live->reload_seconds) : "",
       .body = live_body(options) + body});
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
