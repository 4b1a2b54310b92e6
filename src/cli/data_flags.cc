#include "cli/data_flags.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/output.h"
#include "kstar/limits.h"

namespace kstar {

Flag pairs_flag() {
  return {.name = "data",
          .value = "PAIRS",
          .help =
              "numbers instead of a file: 1:100,2:52,4:29 (workers and seconds, or with units: "
              "1:100s,2:52s; a K may appear more than once)"};
}

Flag threshold_flag() {
  return {
      .name = "threshold",
      .value = "E",
      .help = fmt::format("the bend is the first K with an efficiency below this (default: {:.2f})",
                          kThreshold)};
}

Flag confidence_flag() {
  return {.name = "confidence",
          .value = "P",
          .help = fmt::format("confidence of every interval (default: {:.2f})", kConfidence)};
}

std::vector<Flag> parameter_flags(const Law& law) {
  std::vector<Flag> flags;
  for (const LawParameter& parameter : law.parameters) {
    flags.push_back(
        {.name = std::string(parameter.name),
         .value = std::string(parameter.value),
         .help = std::string(parameter.help) + (parameter.required ? " (required)" : "")});
  }
  return flags;
}

Flag ignore_flag() {
  return {.name = "ignore",
          .value = "NAME",
          .help = "a column of a table to ignore; may be given more than once",
          .repeats = true};
}

std::vector<Flag> table_flags() {
  return {{.name = "columns",
           .value = "NAMES",
           .help = "names for the columns of a table, instead of its header: K,time_s"},
          {.name = "across", .help = "the numbers in the header of a table are K"},
          {.name = "table", .value = "N", .help = "of a text with several tables, the Nth"},
          {.name = "decimal",
           .value = "MARK",
           .help = "the decimal mark of the numbers in a table; the other one stands between "
                   "thousands",
           .choices = {"comma", "point"}}};
}

std::vector<Flag> data_flags() {
  return {
      {.name = "regime",
       .value = "REGIME",
       .help = "what stays fixed while K grows, if the data does not say it",
       .choices = {"strong", "weak", "throughput"}},
      {.name = "select", .value = "NAME", .help = "one of several series in a file"},
      {.name = "k-column", .value = "NAME", .help = "the column of worker counts in a table"},
      {.name = "time-column", .value = "NAME", .help = "the column of times in a table"},
      {.name = "rate-column",
       .value = "NAME",
       .help = "the column of rates (work per second) in a table, instead of times"},
      ignore_flag(),
      table_flags()[0],
      table_flags()[1],
      table_flags()[2],
      table_flags()[3],
  };
}

std::vector<Flag> with_data_flags(std::vector<Flag> flags) {
  for (Flag& flag : data_flags()) flags.push_back(std::move(flag));
  flags.push_back(format_flag());
  flags.push_back(output_flag());
  return flags;
}

Result<ImportOptions> import_options(const Arguments& arguments) {
  if (arguments.has("time-column") && arguments.has("rate-column")) {
    return fail(usage(
        {.where = "--rate-column",
         .message = "cannot be combined with --time-column: a table is read by one of them"}));
  }
  ImportOptions options;
  options.worker_column = arguments.text("k-column");
  options.time_column = arguments.text("time-column");
  options.rate_column = arguments.text("rate-column");
  options.select = arguments.text("select");
  options.ignored_columns = arguments.list("ignore");
  options.columns = arguments.text("columns");
  options.across = arguments.has("across");
  options.decimal = arguments.text("decimal");
  if (arguments.has("table")) {
    const auto table = parse_integer(arguments.text("table"));
    if (!table || *table < 1 || *table > 1'000'000) {
      return fail(
          usage(expected("--table", "a whole number of 1 or more", arguments.text("table"))));
    }
    options.table = static_cast<int>(*table);
  }
  if (arguments.has("regime")) options.regime = regime_named(arguments.text("regime"));
  return options;
}

Result<Study> read_data(const std::string& path, const ImportOptions& options) {
  return import_file(path == "-" ? "/dev/stdin" : path, options);
}

Result<Study> read_pairs(const Arguments& arguments) {
  for (const char* flag : {"select", "k-column", "time-column", "rate-column", "ignore", "columns",
                           "across", "table", "decimal"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "applies to a file, and cannot be combined with --data"}));
  }
  Result<Study> study = import_pairs(arguments.text("data"), "--data");
  if (!study) return fail(usage(study.error()));
  return study;
}

std::string title_of(const Study& study, const Arguments& arguments) {
  const std::string& title = study.header.title;
  if (arguments.positionals.empty()) return title;
  const std::string& path = arguments.positionals[0];
  const std::string file = path == "-" ? "standard input" : path;
  // Of an import the title repeats the name of the file; what is behind it says which part.
  const std::string name = path == "-" ? "stdin" : path.substr(path.rfind('/') + 1);
  const std::string imported = "imported: " + printable(name);
  if (title.starts_with(imported)) return file + title.substr(imported.size());
  return title.empty() ? file : fmt::format("{}: {}", file, title);
}

Result<double> confidence_of(const Arguments& arguments, double otherwise) {
  if (!arguments.has("confidence")) return otherwise;
  const std::string given = arguments.text("confidence");
  const std::optional<double> value = parse_double(given);
  if (value && *value > 0 && *value < 1) return *value;
  return fail(usage(expected("--confidence", "a number above 0, below 1", given,
                             value && *value > 1 && *value < 100
                                 ? fmt::format("{}% is {}", given, shortest(*value / 100))
                                 : "")));
}

}  // namespace kstar
