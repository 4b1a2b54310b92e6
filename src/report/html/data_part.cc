#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/gzip.h"
#include "base/json.h"
#include "base/number.h"
#include "base/try.h"
#include "kstar/analysis_report.h"
#include "kstar/audit_report.h"
#include "kstar/study_file.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// So many stand in the page as they are, for who reads it on paper or without its script.
constexpr std::size_t kShownRows = 25;
/// So many are in the page at all.
constexpr std::size_t kMostRows = 20000;

std::string cell_text(std::string_view text) {
  return text.empty() ? "null" : json_text(text);
}

template <typename Number>
std::string whole(const SmallOptional<Number>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

std::string seconds(const std::optional<double>& value) {
  return value ? significant(*value, 6) : "null";
}

const char* status_of(const Run& run) {
  if (failed(run)) return "failed";
  if (is_profiled(run)) return "profiled";
  return run.warm_up ? "warm-up" : "counts";
}

/// A column names itself and makes its values, as JSON.
struct Column {
  const char* name;
  bool words;
  std::string (*value)(const Run& run);
};

constexpr std::array kColumns = {
    Column{"order", false, [](const Run& run) { return whole(run.order); }},
    Column{"K", false, [](const Run& run) { return fmt::format("{}", run.workers); }},
    Column{"program", true, [](const Run& run) { return cell_text(name_of(run.role)); }},
    Column{"status", true, [](const Run& run) { return cell_text(status_of(run)); }},
    Column{"T (s)", false, [](const Run& run) { return seconds(steady_time(run)); }},
    Column{"wall (s)", false, [](const Run& run) { return seconds(run.wall); }},
    Column{"setup (s)", false, [](const Run& run) { return seconds(run.setup); }},
    Column{"steps", false,
           [](const Run& run) {
             return run.steps.empty() ? std::string("null") : fmt::format("{}", run.steps.size());
           }},
    Column{"block", false, [](const Run& run) { return whole(run.block); }},
    Column{"session", true, [](const Run& run) { return cell_text(run.session.str()); }},
    Column{"hosts", true,
           [](const Run& run) {
             constexpr std::size_t kNamed = 4;
             const std::size_t named = std::min(run.hosts.size(), kNamed);
             std::string text = fmt::format(
                 "{}", fmt::join(run.hosts.begin(),
                                 run.hosts.begin() + static_cast<std::ptrdiff_t>(named), " "));
             if (named < run.hosts.size()) {
               text += fmt::format(" and {} more", run.hosts.size() - named);
             }
             return cell_text(text);
           }},
    Column{"CPU (s)", false,
           [](const Run& run) {
             return run.usage.cpu_user
                        ? significant(*run.usage.cpu_user + run.usage.cpu_system.value_or(0), 6)
                        : std::string("null");
           }},
    Column{"memory (MiB)", false,
           [](const Run& run) {
             constexpr double kMebibyte = 1 << 20;
             return run.usage.peak_memory
                        ? significant(static_cast<double>(*run.usage.peak_memory) / kMebibyte, 4)
                        : std::string("null");
           }},
    Column{"load", false, [](const Run& run) { return seconds(run.usage.load); }},
};

/// Those that some run has a value for.
std::vector<Column> columns_of(const Study& study) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    if (std::any_of(study.runs.begin(), study.runs.end(),
                    [&](const Run& run) { return column.value(run) != "null"; })) {
      columns.push_back(column);
    }
  }
  return columns;
}

std::string rows_json(const Study& study, const std::vector<Column>& columns) {
  std::string text = "{\"columns\":[";
  for (const Column& column : columns) {
    text += fmt::format("{}{{\"name\":\"{}\",\"words\":{}}}",
                        column.name == columns[0].name ? "" : ",", column.name, column.words);
  }
  text += "],\"rows\":[";
  bool first = true;
  for (const Run& run : study.runs) {
    text += first ? "[" : ",\n[";
    first = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      text += columns[i].value(run);
    }
    text += ']';
  }
  return text + "]}";
}

/// A JSON value as people read it.
std::string cell(const std::string& value) {
  if (value == "null") return "";
  if (!value.starts_with('"')) return value;
  std::string text;
  for (std::size_t i = 1; i + 1 < value.size(); ++i) {
    if (value[i] == '\\') ++i;
    text += value[i];
  }
  return html(text);
}

std::string rows_html(const Study& study, const std::vector<Column>& columns) {
  std::string text = "<thead><tr>";
  for (const Column& column : columns) {
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.words ? " class=\"words\"" : "",
                        column.name);
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(study.runs.size(), kShownRows); ++i) {
    text += "<tr>";
    for (const Column& column : columns) {
      text += fmt::format("<td{}>{}</td>", column.words ? " class=\"words\"" : "",
                          cell(column.value(study.runs[i])));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>";
}

/// A file that the page can save: every byte of it that is UTF-8, and not as it is shown.
std::string file_json(std::string_view name, std::string_view type, std::string_view content) {
  return fmt::format("{{\"name\":{},\"type\":\"{}\",\"content\":{}}}", json_text(name), type,
                     Json(content).dump());
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
    text += fmt::format(": see <a href=\"{}\">{}</a>, if that file is next to the page",
                        file_address(file), html(file.substr(file.rfind('/') + 1)));
  }
  return text + fmt::format(
                    ".</p>\n<script type=\"application/x-kstar-study\" data-name=\"{}\" "
                    "data-bytes=\"{}\"></script>\n",
                    html(subject.name), bytes);
}

}  // namespace

std::string runs_part(const Subject& subject, std::size_t number) {
  const Study& study = subject.study;
  std::string text;
  if (study.runs.empty()) return "<p>The study has no runs.</p>\n";
  const std::vector<Column> columns = columns_of(study);
  const bool all = study.runs.size() <= kMostRows;
  const std::string caption =
      study.runs.size() <= kShownRows
          ? fmt::format("All {} runs, in order", study.runs.size())
          : fmt::format("The first {} of {} runs, in order", kShownRows, study.runs.size());
  if (!all) {
    text += fmt::format(
        "<p>{} runs are too many for a page: the tables and charts above use all of them, and the "
        "study file has each.</p>\n",
        study.runs.size());
  }
  text += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Every run\">"
      "<table class=\"runs\" data-runs=\"{}\"><caption>{}</caption>\n{}</table></div>\n",
      number, caption, rows_html(study, columns));
  if (!all) return text;
  return text + fmt::format("<script type=\"application/json\" data-runs-of=\"{}\">{}</script>\n",
                            number, script_json(rows_json(study, columns)));
}

Result<std::string> data_part(const Subject& subject, std::size_t number,
                              const PageOptions& options) {
  std::size_t bytes = fewest_bytes(subject.study);
  std::string lines;
  if (bytes <= options.most_bytes) {
    KSTAR_TRY(std::string written, to_lines(subject.study));
    lines = std::move(written);
    bytes = lines.size();
  }
  const std::string stem = plain_name(subject.name);
  const bool carries = bytes <= options.most_bytes;
  std::string text = "<p class=\"controls\">" + button("table", number, "Table as CSV") +
                     button("runs", number, "Every run as CSV");
  if (subject.audit) text += button("audit", number, "Findings as CSV");
  if (carries) text += button("study", number, "The study");
  text += "</p>\n";
  if (carries) {
    text += fmt::format(
        "<p>The study itself is in this page ({}): <code>kstar import</code> of this file extracts "
        "it.</p>\n",
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
