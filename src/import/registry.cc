#include "import/registry.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "base/json_document.h"
#include "base/text.h"
#include "kstar/comm.h"

namespace kstar {

namespace {

/// Asked in this order: what knows itself by a mark comes first, what takes any table last.
const auto& importers() {
  static const std::array kAll = {
      &study_importer(),       &report_importer(),      &steps_importer(),   &mlperf_importer(),
      &hyperfine_importer(),   &pytest_importer(),      &jmh_importer(),     &criterion_importer(),
      &gbench_importer(),      &gbench_text_importer(), &talp_importer(),    &extrap_importer(),
      &extrap_json_importer(), &reframe_importer(),     &trainer_importer(), &lammps_importer(),
      &hpl_importer(),         &gromacs_importer(),     &torch_importer(),   &gobench_importer(),
      &pop_importer(),         &rows_importer(),        &csv_importer(),     &log_importer()};
  return kAll;
}

Error unknown_format(std::string_view name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  const std::string near = did_you_mean(name, names);
  return expected("--as", fmt::format("one of {}", fmt::join(names, ", ")), name,
                  near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

/// By its mark, or by the zero that every second byte of plain words is.
bool is_utf16(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  const auto zero = [&](std::size_t i) { return start[i] == '\0'; };
  return start.size() >= 4 && zero(0) == zero(2) && zero(1) == zero(3) && zero(0) != zero(1);
}

/// Where a text that begins as JSON stops being JSON; nothing where it does not. Of JSON Lines only
/// the first is looked at.
std::optional<std::size_t> broken_json(std::string_view text) {
  if (!begins_json(text)) return std::nullopt;
  const std::size_t begin = text.find_first_of("{[");
  const std::size_t end = text.find('\n', begin);
  if (end != std::string_view::npos && json_fault_place(text.substr(begin, end - begin)) == 0) {
    return std::nullopt;
  }
  const std::size_t fault = json_fault_place(text.substr(begin));
  return fault == 0 ? std::nullopt : std::optional(begin + fault);
}

/// `text` is all of the file where that begins as JSON, else its beginning at least.
Error not_recognised(std::string_view name, std::string_view text) {
  const std::string where = printable(name);
  const std::string_view start = text.substr(0, Reader::kHead);
  if (trim(start).empty()) return {.where = where, .message = "is empty"};
  if (is_utf16(start)) {
    return {.where = where,
            .message = "is UTF-16 text, which is not supported",
            .hint = fmt::format("convert it: iconv -f UTF-16 -t UTF-8 {} -o table.csv", where)};
  }
  if (const std::size_t zero = start.find('\0'); zero != std::string_view::npos) {
    return error_at({start, name}, start.data() + zero, "is not text: it contains zero bytes");
  }
  if (const auto fault = broken_json(text)) {
    return error_at({text, name}, text.data() + *fault,
                    "is not valid JSON, or truncated, from here on",
                    "write a truncated file again");
  }
  return error_at({start, name}, start.data(), "has an unknown format",
                  "'kstar import --list' lists the known formats");
}

}  // namespace

bool begins_json(std::string_view text) {
  // An object, or a list of them. Other texts begin with brackets, too.
  text = trim(text);
  if (text.empty()) return false;
  const std::string_view behind = trim(text.substr(1));
  return (text[0] == '{' && (behind.empty() || behind[0] == '"')) ||
         (text[0] == '[' && behind.starts_with('{'));
}

std::span<const ImportFormat> import_formats() {
  static const std::vector<ImportFormat> kFormats = [] {
    std::vector<ImportFormat> formats;
    for (const Importer* importer : importers()) formats.push_back(importer->format);
    return formats;
  }();
  return kFormats;
}

Result<const Importer*> choose_importer(std::string_view text, std::string_view name,
                                        const ImportOptions& options) {
  const std::string_view start = text.substr(0, Reader::kHead);
  if (!options.format.empty()) {
    for (const Importer* importer : importers()) {
      if (importer->format.name == options.format) return importer;
    }
    return fail(unknown_format(options.format));
  }
  const bool log = !options.time_regex.empty() || !options.rate_regex.empty();
  if (log || !options.preset.empty()) return &log_importer();
  if (!study_importer().sniff(start) && is_collective_output(start)) {
    return fail({.where = printable(name),
                 .message = "is the output of a benchmark of collectives: times by size, not by K",
                 .hint = fmt::format("kstar comm {} reads it", printable(name))});
  }
  for (const Importer* importer : importers()) {
    if (importer->sniff(start)) return importer;
  }
  return fail(not_recognised(name, text));
}

}  // namespace kstar
