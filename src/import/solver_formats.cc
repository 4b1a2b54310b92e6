#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/runs.h"
#include "import/importer.h"
#include "import/offers.h"

// What LAMMPS, GROMACS and HPL print at the end of a run, each as a table of its runs.
namespace kstar {

namespace {

Error no_result(const Input& input, std::string_view program, std::string_view line) {
  return refusal(input,
                 fmt::format("the log of {} has no line '{}': the run did not end", program, line));
}

// LAMMPS: "Loop time of 1.5 on 4 procs for 100 steps with 32000 atoms", after each run command.

bool sniff_lammps(std::string_view start) {
  const std::string_view text = trim(start);
  return text.starts_with("LAMMPS (") || (start.find("Loop time of ") != std::string_view::npos &&
                                          start.find(" procs for ") != std::string_view::npos);
}

Result<TextTable> lammps_table(const Input& input, const ImportOptions&) {
  TableMaker runs(input);
  int loop = 0;
  for (std::string_view rest = input.text; !rest.empty();) {
    const auto words = words_in(next_line(rest));
    const bool ends = words.size() >= 13 && words[0] == "Loop" && words[1] == "time" &&
                      words[4] == "on" && words[6].starts_with("proc");
    if (!ends) continue;
    runs.add({{"procs", words[5]},
              {"loop", runs.own(std::to_string(++loop))},
              {"steps", words[8]},
              {"atoms", words[11]},
              {"loop time (s)", words[3]}});
  }
  if (runs.empty()) return fail(no_result(input, "LAMMPS", "Loop time of ..."));
  return runs.table();
}

// HPL: "WR11C2R4  20000  232  2  2  20.00  2.667e+02": T/V, N, NB, P, Q, seconds, Gflops.

bool sniff_hpl(std::string_view start) {
  // Its own output, and no page that shows a line of it.
  const std::string_view text = trim(start);
  return start.find("HPLinpack ") != std::string_view::npos || text.starts_with("T/V ") ||
         (text.starts_with("==") && start.find("\nT/V ") != std::string_view::npos);
}

Result<TextTable> hpl_table(const Input& input, const ImportOptions&) {
  TableMaker runs(input);
  for (std::string_view rest = input.text; !rest.empty();) {
    const auto words = words_in(next_line(rest));
    if (words.size() < 7 || !words[0].starts_with('W') || words[0].size() < 8) continue;
    const auto p = parse_integer(words[3]), q = parse_integer(words[4]);
    if (!p || !q || *p < 1 || *q < 1 || *p > 1'000'000 || *q > 1000 || !parse_double(words[6]))
      continue;
    runs.add({{"ranks", runs.own(std::to_string(*p * *q))},
              {"variant", words[0]},
              {"N", words[1]},
              {"NB", words[2]},
              {"Gflops", words[6]}});
  }
  if (runs.empty()) return fail(no_result(input, "HPL", "WR... N NB P Q Time Gflops"));
  return runs.table();
}

// GROMACS: "Using 4 MPI processes", "Using 2 OpenMP threads per MPI process", and
// "Performance:  12.3  1.95" under (ns/day) and (hour/ns).

bool sniff_gromacs(std::string_view start) {
  return start.find(":-) GROMACS") != std::string_view::npos ||
         start.find("GROMACS version:") != std::string_view::npos ||
         (start.find("GROMACS - gmx mdrun") != std::string_view::npos);
}

std::string_view last_match(const Input& input, std::string_view regex) {
  const auto pattern = Pattern::compile(regex, "gromacs");
  const auto found = pattern ? pattern->matches(input.text) : std::vector<std::string_view>();
  return found.empty() ? std::string_view() : found.back();
}

Result<TextTable> gromacs_table(const Input& input, const ImportOptions&) {
  TableMaker runs(input);
  const std::string_view rate = last_match(input, "^ *Performance: +([0-9.]+)");
  if (rate.empty()) return fail(no_result(input, "GROMACS", "Performance: ..."));
  std::string_view ranks = last_match(input, "Using ([0-9]+) MPI (?:process|thread)");
  const std::string_view threads = last_match(input, "Using ([0-9]+) OpenMP thread");
  if (ranks.empty() && threads.empty()) {
    return fail(refusal(input, "the log of GROMACS does not say how many ranks and threads ran",
                        "read it as a log: --rate-regex 'Performance: +([0-9.]+)' --k K"));
  }
  TableMaker::Fields fields{{"ranks", ranks.empty() ? runs.own("1") : ranks},
                            {"threads per rank", threads.empty() ? runs.own("1") : threads},
                            {"ns/day", rate}};
  if (const auto steps = last_match(input, "^ *nsteps *= *([0-9]+)"); !steps.empty()) {
    fields.emplace_back("steps", steps);
  }
  runs.add(fields);
  return runs.table();
}

// torch.utils.benchmark: Compare has "4 threads: ---" above its rows, and a column for each
// sub-label.

constexpr std::string_view kMeasurement = "torch.utils.benchmark.utils.common.Measurement object";

bool sniff_torch(std::string_view start) {
  return start.find(kMeasurement) != std::string_view::npos ||
         (start.find(" threads: ---") != std::string_view::npos &&
          start.find("Times are in ") != std::string_view::npos);
}

/// A Measurement that was printed: what was timed, "Median: 1.55 ms" or "1.55 ms", and at the end
/// "4 measurements, 100 runs per measurement, 2 threads".
void add_measurements(const Input& input, TableMaker& runs) {
  TableMaker::Fields fields;
  std::string label;
  for (std::string_view rest = input.text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    const auto words = words_in(line);
    const std::size_t first = !words.empty() && words[0] == "Median:" ? 1 : 0;
    const bool time = words.size() == first + 2 && is_number(words[first]) &&
                      seconds_in_written_unit(words[first + 1]);
    if (line.find(kMeasurement) != std::string_view::npos) {
      fields.clear();
      label.clear();
    } else if (time && fields.empty()) {
      fields = {{"label", runs.own(label)},
                {first == 1 ? "median time" : "time", words[first]},
                {"unit", words[first + 1]}};
    } else if (!fields.empty() && words.size() > 1 && words.back().starts_with("thread") &&
               line.find(" measurement") != std::string_view::npos) {
      fields.emplace_back("threads", words[words.size() - 2]);
      runs.add(std::exchange(fields, {}));
    } else if (fields.empty()) {
      label += (label.empty() ? "" : " ") + std::string(line);
    }
  }
}

Result<TextTable> torch_table(const Input& input, const ImportOptions&) {
  TableMaker runs(input);
  add_measurements(input, runs);
  std::vector<std::string_view> names;
  std::string_view title, threads;
  std::vector<TableMaker::Fields> rows;  // of the table whose unit is not yet known
  for (std::string_view rest = input.text; !rest.empty();) {
    std::string_view line = trim(next_line(rest));
    if (line.starts_with("# ")) line = trim(line.substr(2));  // pasted into a program
    if (line.starts_with("Times are in ")) {
      const std::string_view unit = line.substr(std::min(line.find('('), line.size()));
      for (TableMaker::Fields& fields : rows) {
        fields.emplace_back("unit", unit.substr(0, unit.find(')')).substr(unit.empty() ? 0 : 1));
        runs.add(fields);
      }
      rows.clear();
    } else if (line.starts_with("[-")) {
      const std::size_t begin = line.find_first_not_of("[- "), end = line.find_last_not_of("]- ");
      title =
          begin == std::string_view::npos ? line.substr(0, 0) : line.substr(begin, end - begin + 1);
      names.clear();
      threads = {};
    } else if (const std::size_t at = line.find(" threads: -"); at != std::string_view::npos) {
      threads = trim(line.substr(0, at));
    } else if (line.find('|') != std::string_view::npos) {
      auto cells = split(line, '|');
      // "25.9 (+-0.3)", "25.9 (! 21%)"
      for (std::string_view& cell : cells) {
        cell = trim(threads.empty() || &cell == &cells[0] ? cell : cell.substr(0, cell.find('(')));
      }
      if (threads.empty()) {
        names = cells;
        continue;
      }
      for (std::size_t i = 1; i < cells.size() && i < names.size(); ++i) {
        if (cells[i].empty()) continue;
        TableMaker::Fields& fields = rows.emplace_back();
        fields = {{"benchmark", title}, {"label", cells[0]}, {"threads", threads}};
        // "8 threads" says nothing new.
        if (!counts_workers(names[i])) fields.emplace_back("case", names[i]);
        fields.emplace_back("time", cells[i]);
      }
    }
  }
  if (runs.empty()) return fail(no_result(input, "torch.utils.benchmark", "N threads: ---"));
  return runs.table();
}

// go test -bench -cpu 1,2,4: "BenchmarkSum/n=8-4  3500000  380 ns/op"; without a number K is 1.

bool sniff_gobench(std::string_view start) {
  const std::size_t name = start.find("Benchmark");
  return name != std::string_view::npos && (name == 0 || start[name - 1] == '\n') &&
         start.find(" ns/op") != std::string_view::npos;
}

/// The place of "-4" at the end of a name, or its end.
std::size_t end_of_name(std::string_view name) {
  const std::size_t hyphen = name.rfind('-');
  const bool number = hyphen != std::string_view::npos && parse_integer(name.substr(hyphen + 1));
  return number ? hyphen : name.size();
}

Result<TextTable> gobench_table(const Input& input, const ImportOptions&) {
  std::vector<std::vector<std::string_view>> results;
  std::set<std::string_view> names, counts;
  for (std::string_view rest = input.text; !rest.empty();) {
    auto words = words_in(next_line(rest));
    const bool result = words.size() >= 4 && words[0].starts_with("Benchmark") &&
                        words[3] == "ns/op" && parse_integer(words[1]);
    if (!result) continue;
    names.insert(words[0]);
    counts.insert(words[0].substr(end_of_name(words[0])));
    results.push_back(std::move(words));
  }
  TableMaker runs(input);
  for (const auto& words : results) {
    const std::string_view bare = words[0].substr(0, end_of_name(words[0]));
    const bool counted = bare != words[0];
    // "Sort/size-1000" is no Sort on 1000: where K changes, there is a name without it as well.
    if (counted && counts.size() > 1 && bare.find('/') != bare.npos && !names.contains(bare)) {
      return fail(error_at(input, words[0].data(),
                           "the number at the end of the name may be GOMAXPROCS or a part of it",
                           "measure with go test -bench . -cpu 1,2,4 ...: K = 1 has no number"));
    }
    runs.add({{"benchmark", bare},
              {"threads", counted ? words[0].substr(bare.size() + 1) : runs.own("1")},
              {"time (ns)", words[2]}});
  }
  if (runs.empty()) return fail(no_result(input, "go test", "Benchmark... N T ns/op"));
  return runs.table();
}

}  // namespace

const Importer& lammps_importer() {
  static const Importer kImporter = table_importer<lammps_table>(
      {"lammps", "logs of LAMMPS: the loop time on K procs; several files make one study"},
      &sniff_lammps);
  return kImporter;
}

const Importer& hpl_importer() {
  static const Importer kImporter =
      table_importer<hpl_table>({"hpl", "output of HPL: Gflops on P x Q ranks"}, &sniff_hpl);
  return kImporter;
}

const Importer& gromacs_importer() {
  static const Importer kImporter = table_importer<gromacs_table>(
      {"gromacs", "md.log of GROMACS: ns/day on ranks x threads; several files make one study"},
      &sniff_gromacs);
  return kImporter;
}

const Importer& torch_importer() {
  static const Importer kImporter = table_importer<torch_table>(
      {"torch", "what torch.utils.benchmark prints, a Compare or Measurements: times by threads"},
      &sniff_torch);
  return kImporter;
}

const Importer& gobench_importer() {
  static const Importer kImporter = table_importer<gobench_table>(
      {"gobench", "what go test -bench -cpu 1,2,4 prints: the time of an operation by GOMAXPROCS"},
      &sniff_gobench);
  return kImporter;
}

}  // namespace kstar
