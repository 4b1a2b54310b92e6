#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/gzip.h"
#include "kstar/analysis_report.h"
#include "kstar/audit_report.h"
#include "kstar/study_file.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// Every byte of it that is UTF-8: a file is saved as it is, not as it is shown.
std::string json_content(std::string_view content) {
  return nlohmann::json(content).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A file that the page can save.
std::string file_json(std::string_view name, std::string_view type, std::string_view content) {
  return fmt::format("{{\"name\":{},\"type\":\"{}\",\"content\":{}}}", json_text(name), type,
                     json_content(content));
}

std::string button(std::string_view kind, std::size_t number, std::string_view words) {
  return fmt::format("<button type=\"button\" data-save=\"{}\" data-of=\"{}\">{}</button>\n", kind,
                     number, words);
}

std::string kibibytes(std::size_t bytes) {
  return bytes < 10240 ? fmt::format("{} bytes", bytes) : fmt::format("{} KiB", bytes >> 10U);
}

std::string carried(const Subject& subject, const std::string& lines, const std::string& stem) {
  return fmt::format(
      "<script type=\"application/x-kstar-study\" data-name=\"{}\" data-file=\"{}\" "
      "data-bytes=\"{}\">{}</script>\n",
      html(subject.name), stem, lines.size(), to_base64(gzip(lines)));
}

/// No study has fewer bytes than this: a large one need not be written to know that it is large.
std::size_t fewest_bytes(const Study& study) {
  constexpr std::string_view kRun = R"({"record":"run","workers":1})";
  constexpr std::string_view kWall = R"(,"wall":1)";
  std::size_t bytes = 0;
  for (const Run& run : study.runs) {
    bytes += kRun.size() + 1 + (run.wall ? kWall.size() : 0) + 2 * run.steps.size();
    if (!run.per_worker) continue;
    const PerWorker& each = *run.per_worker;
    bytes += 2 * (each.compute.size() + each.communicate.size() + each.wait.size());
  }
  return bytes;
}

std::string left_out(const Subject& subject, std::size_t bytes) {
  const std::string& file = subject.study.name;
  std::string text =
      fmt::format("<p>The study itself has {} or more and is not in this page", kibibytes(bytes));
  if (!file.empty()) {
    text += fmt::format(": it is <a href=\"{}\">{}</a>, where that file lies beside the page",
                        file_address(file), html(file.substr(file.rfind('/') + 1)));
  }
  return text + fmt::format(
                    ".</p>\n<script type=\"application/x-kstar-study\" data-name=\"{}\" "
                    "data-bytes=\"{}\"></script>\n",
                    html(subject.name), bytes);
}

}  // namespace

Result<std::string> data_part(const Subject& subject, std::size_t number,
                              const PageOptions& options, int level) {
  std::size_t bytes = fewest_bytes(subject.study);
  std::string lines;
  if (bytes <= options.most_bytes) {
    Result<std::string> written = to_lines(subject.study);
    if (!written) return fail(written.error());
    lines = std::move(*written);
    bytes = lines.size();
  }
  const std::string stem = plain_name(subject.name);
  const bool carries = bytes <= options.most_bytes;
  std::string text = heading(level, "", "Take it with you");
  text += "<p class=\"controls\">" + button("table", number, "Table as CSV") +
          button("runs", number, "Every run as CSV");
  if (subject.audit) text += button("audit", number, "Findings as CSV");
  if (carries) text += button("study", number, "The study");
  text += "</p>\n";
  if (carries) {
    text += fmt::format(
        "<p>The study itself is in this page ({}): <code>kstar import</code> of "
        "this file brings it back.</p>\n",
        kibibytes(bytes));
  }
  std::string files =
      "{\"table\":" + file_json(stem + "-table.csv", "text/csv", to_csv(subject.analysis));
  if (subject.audit) {
    files += ",\"audit\":" + file_json(stem + "-findings.csv", "text/csv", to_csv(*subject.audit));
  }
  files += fmt::format(",\"stem\":{}}}", json_text(stem));
  text += fmt::format("<script type=\"application/json\" data-files-of=\"{}\">{}</script>\n",
                      number, script_json(files));
  return text + (carries ? carried(subject, lines, stem) : left_out(subject, bytes));
}

}  // namespace kstar
