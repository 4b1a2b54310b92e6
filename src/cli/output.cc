#include "cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/kept_files.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

const std::vector<std::string>& output_formats() {
  static const std::vector<std::string> kFormats = {"text", "json", "csv", "md"};
  return kFormats;
}

constexpr const char* kPage = "html";

bool takes_pages(const Arguments& arguments) {
  for (const Flag& flag : arguments.command->flags) {
    if (flag.name != "format") continue;
    return std::find(flag.choices.begin(), flag.choices.end(), kPage) != flag.choices.end();
  }
  return false;
}

std::string first_heading(const Document& document) {
  for (const Block& block : document.blocks) {
    if (const auto* heading = std::get_if<Heading>(&block)) return heading->text;
  }
  return "kstar";
}

}  // namespace

std::vector<Flag> with_page(std::vector<Flag> flags) {
  for (Flag& flag : flags) {
    if (flag.name == "format") flag.choices.emplace_back(kPage);
  }
  return flags;
}

Flag format_flag() {
  return {.name = "format",
          .value = "FORMAT",
          .help = "output format (default: from the extension of -o, or text)",
          .choices = output_formats()};
}

Flag output_flag() {
  return {.name = "output",
          .value = "FILE",
          .help = "write to this file instead of standard output",
          .letter = 'o',
          .file = true};
}

Flag force_flag() {
  return {.name = "force", .help = "replace the study of -o if it exists"};
}

Result<std::string> wanted_format(const Arguments& arguments, const std::string& more) {
  const std::string path = arguments.text("output");
  if (arguments.has("output") && path.empty()) {
    return fail(usage(expected("--output", "a file name", path)));
  }
  if (arguments.has("format")) return arguments.text("format");
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] != '.') return std::string("text");
  const std::string ending = path.substr(dot + 1);
  if (ending == "txt") return std::string("text");
  for (const std::string& known : output_formats()) {
    if (ending == known) return known;
  }
  const bool pages = takes_pages(arguments);
  if (pages && (ending == kPage || ending == "htm")) return std::string(kPage);
  return fail(usage(expected(
      "--output",
      fmt::format("a name that ends in {}{}.txt, .json, .csv or .md", more, pages ? ".html, " : ""),
      path, "use --format to set the format for any other name")));
}

TerminalStyle output_style(const Arguments& arguments, const Console& console) {
  const bool file = arguments.has("output") && arguments.text("output") != "-";
  if (!file) return console.style();
  return {.width = 80, .color = false, .unicode = console.style().unicode};
}

std::string document_text(const Document& document, const std::string& format,
                          const TerminalStyle& style) {
  if (format == kPage) return document_page(document, first_heading(document));
  return format == "md" ? to_markdown(document) : to_terminal(document, style);
}

Result<void> deliver(const Arguments& arguments, Console& console, const std::string& text) {
  const std::string path = arguments.text("output");
  if (path.empty() || path == "-") {
    console.print(text);
    return {};
  }
  return deliver_to("output", path, console, text);
}

Result<void> deliver_to(const char* flag, const std::string& path, Console& console,
                        const std::string& text) {
  if (Result<void> kept = keep_study(flag, path); !kept) return kept;
  if (Result<void> written = write_file_atomically(path, text); !written) return written;
  console.note(fmt::format("wrote {}", printable(path)));
  return {};
}

Error already_there(const std::string& path) {
  return {.where = printable(path),
          .message = "the file exists",
          .hint = "choose another name, or use --force to replace it"};
}

Result<void> deliver_study(const Arguments& arguments, Console& console, const Study& study) {
  const std::string path = arguments.text("output");
  if (path.empty() || path == "-") {
    KSTAR_TRY(const std::string lines, to_lines(study));
    console.print(lines);
    return {};
  }
  std::error_code ignored;
  if (!arguments.has("force") && std::filesystem::is_regular_file(path, ignored)) {
    return fail(already_there(path));
  }
  if (Result<void> saved = save_study(study, path); !saved) return saved;
  const std::size_t runs = study.runs.size();
  console.note(fmt::format("wrote {}: {}", printable(path), count_text(runs, "run")));
  return {};
}

}  // namespace kstar
