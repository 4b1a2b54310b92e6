#include "import/csv/notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace kstar {

namespace {

constexpr std::size_t kShownNames = 20;

void note_values(const CsvTable& table, bool weak, Study& study) {
  const std::string column = table.name(table.columns.values[0]);
  const auto note = [&](Severity severity, std::string_view what, std::string text) {
    add_note(study, severity, what, {}, std::move(text));
  };
  switch (table.columns.value.kind) {
    case ColumnKind::kRate:
      note(Severity::kInfo, "rate",
           fmt::format("'{}' is a rate: T is the seconds per unit of work{}", column,
                       weak ? " on each worker" : ""));
      break;
    case ColumnKind::kWorkerRate:
      note(Severity::kWarning, "rate",
           fmt::format("'{}' is a rate per worker: it was multiplied by K; T is the seconds per "
                       "unit of work",
                       column));
      break;
    case ColumnKind::kSpeedup:
    case ColumnKind::kEfficiency:
      note(Severity::kWarning, "relative",
           fmt::format(
               "'{}' is relative, and there are no times: T is relative to the time of the base",
               column));
      break;
    case ColumnKind::kTime:
      if (table.columns.value.of_one_step) {
        note(Severity::kInfo, "per-step", "T is the time of one step (or iteration, epoch)");
      }
      break;
    default:
      break;
  }
}

void note_guesses(const CsvTable& table, Study& study) {
  const std::string column = table.name(table.columns.values[0]);
  const auto note = [&](std::string_view what, std::string text) {
    add_note(study, Severity::kWarning, what, {}, std::move(text));
  };
  if (table.columns.guessed) {
    note("guessed", fmt::format("the unit of '{}' is not given: seconds are assumed", column));
  }
  if (table.columns.value.is_part) {
    note("guessed",
         fmt::format("'{}' is the only time: it is used as the time of the run", column));
  }
  if (!table.survey.has_header) {
    note("guessed", "the table has no header: its columns are assumed to be workers and seconds");
  }
  if (table.columns.value.minutes_or_minimum && table.columns.value.scale == 60) {
    note("guessed", fmt::format("'{}' is assumed to be in minutes", column));
  }
  if (!table.columns.value.statistic.empty()) {
    note("summary",
         fmt::format(
             "'{}' is the {} of several runs: each value counts as one run, and the spread is lost",
             column, table.columns.value.statistic));
  }
}

/// How ratios were understood that may mean two things.
void note_ratios(const CsvTable& table, Study& study) {
  const std::optional<std::size_t> value = table.columns.values[0];
  for (const auto& ratio : {value, table.columns.speedup, table.columns.efficiency}) {
    if (!ratio) continue;
    const ColumnFacts& facts = table.survey.columns[*ratio];
    if (!facts.reading.empty()) {
      add_note(study, Severity::kWarning, "guessed", {},
               fmt::format("'{}' is assumed to be {}", table.name(*ratio), facts.reading));
    } else if (facts.unlikely) {
      add_note(study, Severity::kWarning, "unlikely", {},
               fmt::format("'{}' is called an efficiency, but is neither a share nor a percentage: "
                           "it is stored unchanged",
                           table.name(*ratio)));
    }
  }
}

void note_clock(const CsvTable& table, Study& study) {
  const std::string_view clock = table.survey.columns[table.columns.values[0]].clock;
  if (clock.empty()) return;
  add_note(study, Severity::kInfo, "clock", {},
           fmt::format("times like '{}' were read as hours, minutes and seconds",
                       shorten(printable(clock), 60)));
}

void note_product(const CsvTable& table, Study& study) {
  if (table.columns.workers.size() < 2) return;
  std::string names;
  for (const std::size_t i : table.columns.workers) {
    names += fmt::format("{}'{}'", names.empty() ? "" : " times ", table.name(i));
  }
  const bool asked = !table.options.worker_column.empty();
  add_note(study, asked ? Severity::kInfo : Severity::kWarning, "product", {},
           fmt::format("K is {}", names));
}

void note_parts(const CsvTable& table, Study& study) {
  const auto note = [&](const std::optional<std::size_t>& column, std::string_view what,
                        const std::optional<std::size_t>& parts) {
    if (!column || !table.is_of_one_worker(*column)) return;
    add_note(study, Severity::kInfo, "product", {},
             fmt::format("the {} is '{}' times {}", what, table.name(*column),
                         parts ? fmt::format("'{}'", table.name(*parts)) : "K"));
  };
  note(table.columns.size, "size", table.columns.parts_of_size);
  note(table.columns.batch, "batch", table.columns.parts_of_batch);
}

void note_failures(Study& study) {
  const auto failures = std::count_if(study.runs.begin(), study.runs.end(),
                                      [](const Run& run) { return failed(run); });
  if (failures > 0) {
    add_note(study, Severity::kWarning, "run-failed", {},
             fmt::format("{} of {} runs have no value or a status other than success", failures,
                         study.runs.size()));
  }
}

void note_labels(const CsvTable& table, const CsvLabels& labels, Study& study) {
  for (const CsvLabel& label : labels.all()) {
    if (label.values.size() < 2 || label.changes_at_one_k || label.is_factor ||
        label.column == table.columns.size || label.column == table.columns.batch ||
        table.survey.columns[label.column].says.rank != 0) {
      continue;
    }
    add_note(study, Severity::kWarning, "changes-with-k", {},
             fmt::format("'{}' changes with K: {}", table.name(label.column), label.values.text()));
  }
}

void note_rows(const CsvTable& table, const SkippedRows& without_workers, Study& study) {
  if (without_workers.count > 0) {
    add_note(study, Severity::kWarning, "skipped", place_of(table.input, without_workers.first),
             fmt::format("{} rows without a number of workers were skipped; the first is this one",
                         without_workers.count));
  }
  if (table.survey.headers_again > 0) {
    add_note(
        study, Severity::kInfo, "skipped", {},
        fmt::format("{} lines that repeat the header were skipped", table.survey.headers_again));
  }
  if (table.survey.comments > 0) {
    add_note(study, Severity::kInfo, "skipped", {},
             fmt::format("{} lines that start with # were skipped", table.survey.comments));
  }
}

void note_left_out(const CsvTable& table, Study& study) {
  if (table.columns.left_out.empty()) return;
  std::vector<std::string> names;
  for (const std::size_t column : table.columns.left_out) {
    if (names.size() == kShownNames) break;
    names.push_back(shorten(table.name(column), 60));
  }
  add_note(study, Severity::kInfo, "left-out", {},
           fmt::format("columns not used: {}{}", fmt::join(names, ", "),
                       names.size() < table.columns.left_out.size() ? " ..." : ""));
}

}  // namespace

void note_csv(const CsvTable& table, const CsvLabels& labels, const SkippedRows& without_workers,
              bool weak, Study& study) {
  note_values(table, weak, study);
  note_guesses(table, study);
  note_ratios(table, study);
  note_clock(table, study);
  note_product(table, study);
  note_parts(table, study);
  note_failures(study);
  note_labels(table, labels, study);
  note_rows(table, without_workers, study);
  note_left_out(table, study);
}

}  // namespace kstar
