#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "import/csv/runs.h"
#include "import/importer.h"
#include "import/offers.h"

// What Google Benchmark prints on a console, and its CSV:
//   BM_x/n:64/real_time/threads:4   152042 ns   40959 ns   433 items_per_second=131.543M/s
namespace kstar {

namespace {

constexpr std::string_view kCsvHeader = "name,iterations,real_time,cpu_time,time_unit";

bool sniff_gbench_text(std::string_view start) {
  return start.find("CPU   Iterations") != std::string_view::npos ||
         start.find(kCsvHeader) != std::string_view::npos;
}

struct GbenchLine {
  std::string_view name, time, unit;
};

/// The lines of results, in either form.
std::vector<GbenchLine> gbench_lines(const Input& input) {
  std::vector<GbenchLine> lines;
  const bool csv = input.text.find(kCsvHeader) != std::string_view::npos;
  for (std::string_view rest = input.text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    const auto cells = csv ? split(line, ',') : words_in(line);
    if (csv && cells.size() > 4 && cells[0].size() > 2 && cells[0].starts_with('"')) {
      lines.push_back({cells[0].substr(1, cells[0].size() - 2), cells[2], cells[4]});
    } else if (!csv && cells.size() > 5 && is_number(cells[1]) && is_number(cells[3])) {
      lines.push_back({cells[0], cells[1], cells[2]});
    } else if (!csv && cells.size() > 2 && cells[1] == "ERROR" && cells[2] == "OCCURRED:") {
      lines.push_back({cells[0], "error", "ns"});
    }
  }
  return lines;
}

/// "_mean" of "BM_x/threads:4_mean": repetitions are followed by what was computed of them.
std::string_view aggregate_of(std::string_view name) {
  for (const std::string_view end : {"_mean", "_median", "_stddev", "_cv"}) {
    if (name.ends_with(end)) return end;
  }
  return {};
}

/// The parts of a name: labels, and arguments with their names. Whether the last one may be what
/// ->Threads() writes there.
bool add_parts(std::string_view name, TableMaker& rows, TableMaker::Fields& fields) {
  std::string bare;
  bool threads = false;
  for (const std::string_view part : split(name, '/')) {
    const std::size_t colon = part.rfind(':');
    const std::string_view key = part.substr(0, colon);
    const bool option = key == "repeats" || key == "iterations" || key.starts_with("min_") ||
                        part == "real_time" || part == "process_time" || part == "manual_time";
    threads = key == "threads" && colon != std::string_view::npos;
    if (option) continue;
    if (colon != std::string_view::npos && colon > 0 && part[colon - 1] != ':') {
      fields.emplace_back(key, part.substr(colon + 1));
    } else {
      bare += (bare.empty() ? "" : "/") + std::string(part);
    }
  }
  fields.emplace_back("benchmark", rows.own(bare));
  return threads;
}

/// K threads make iterations of their own. Before 1.9.0 the library divided their time by K, and
/// does not say so here; an argument may have that name as well.
Error whose_time(const Input& input) {
  return refusal(
      input,
      "Time beside threads:K may be that of one iteration on each thread, or of all "
      "threads together",
      {offer("regime", "weak", "if each thread made its own: ->Threads(), 1.9.0 and up"),
       offer("regime", "strong", "if not: a library before 1.9.0, or an argument named threads")});
}

Result<TextTable> gbench_text_table(const Input& input, const ImportOptions& options) {
  std::vector<GbenchLine> lines = gbench_lines(input);
  const auto is_run = [](const GbenchLine& line) { return aggregate_of(line.name).empty(); };
  const bool runs = std::any_of(lines.begin(), lines.end(), is_run);
  TableMaker rows(input);
  std::set<std::string_view> counts;
  for (GbenchLine& line : lines) {
    const std::string_view aggregate = aggregate_of(line.name);
    if (runs ? !aggregate.empty() : aggregate != "_mean") continue;
    line.name.remove_suffix(aggregate.size());
    TableMaker::Fields fields;
    if (add_parts(line.name, rows, fields)) counts.insert(line.name.substr(line.name.rfind(':')));
    fields.emplace_back(runs ? "time" : "mean time", line.time);
    fields.emplace_back("unit", line.unit);
    rows.add(fields);
  }
  if (rows.empty()) {
    return fail(refusal(input, "the output of Google Benchmark has no results"));
  }
  if (counts.size() > 1 && !options.regime) return fail(whose_time(input));
  return rows.table();
}

}  // namespace

const Importer& gbench_text_importer() {
  static const Importer kImporter = table_importer<gbench_text_table>(
      {"gbench-text", "what Google Benchmark prints, or its CSV: an argument or threads:K is K"},
      &sniff_gbench_text);
  return kImporter;
}

}  // namespace kstar
