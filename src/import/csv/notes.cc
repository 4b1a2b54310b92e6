#include "import/csv/notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace kstar {

namespace {

constexpr std::size_t kShownNames = 20;

void note_values(const CsvTable& table, bool weak, Study& study) {
  const std::string column = table.name(table.columns.values[0]);
  NoteValues values{{"column", column}};
  switch (table.columns.value.kind) {
    case ColumnKind::kRate:
      study.header.time = TimeKind::kRate;
      if (weak) values["weak"] = 1;
      add_note(study, Severity::kInfo, "rate", {}, std::move(values));
      break;
    case ColumnKind::kWorkerRate:
      study.header.time = TimeKind::kRate;
      add_note(study, Severity::kWarning, "rate", {}, {{"worker_column", column}});
      break;
    case ColumnKind::kSpeedup:
    case ColumnKind::kEfficiency:
      study.header.time = table.columns.value.kind == ColumnKind::kSpeedup ? TimeKind::kSpeedup
                                                                           : TimeKind::kEfficiency;
      add_note(study, Severity::kWarning, "relative", {}, std::move(values));
      break;
    case ColumnKind::kTime:
      if (table.columns.value.of_one_step) {
        study.header.time = TimeKind::kStep;
        add_note(study, Severity::kInfo, "per-step");
      }
      break;
    default:
      break;
  }
}

void note_guesses(const CsvTable& table, Study& study) {
  const std::string column = table.name(table.columns.values[0]);
  const auto guessed = [&](NoteValues values) {
    add_note(study, Severity::kWarning, "guessed", {}, std::move(values));
  };
  if (table.columns.guessed) guessed({{"seconds", column}});
  if (table.columns.value.is_part) guessed({{"only_time", column}});
  if (!table.survey.has_header) guessed({});
  if (table.columns.value.minutes_or_minimum && table.columns.value.scale == 60) {
    guessed({{"minutes", column}});
  }
  if (!table.columns.value.statistic.empty()) {
    study.header.source.summary = table.columns.value.statistic;
    add_note(study, Severity::kWarning, "summary", {},
             {{"column", column}, {"statistic", table.columns.value.statistic}});
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
               {{"column", table.name(*ratio)}, {"meaning", facts.reading}});
    } else if (facts.unlikely) {
      add_note(study, Severity::kWarning, "unlikely", {}, {{"column", table.name(*ratio)}});
    }
  }
}

void note_clock(const CsvTable& table, Study& study) {
  const std::string_view clock = table.survey.columns[table.columns.values[0]].clock;
  if (clock.empty()) return;
  add_note(study, Severity::kInfo, "clock", {}, {{"example", shorten(printable(clock), 60)}});
}

void note_product(const CsvTable& table, Study& study) {
  if (table.columns.workers.size() < 2) return;
  std::vector<std::string> names;
  for (const std::size_t i : table.columns.workers) names.push_back(table.name(i));
  const bool asked = !table.options.worker_column.empty();
  add_note(study, asked ? Severity::kInfo : Severity::kWarning, "product", {},
           {{"columns", std::move(names)}});
}

void note_parts(const CsvTable& table, Study& study) {
  const auto note = [&](const std::optional<std::size_t>& column, std::string_view what,
                        const std::optional<std::size_t>& parts) {
    if (!column || !table.is_of_one_worker(*column)) return;
    NoteValues values{{"amount", what}, {"column", table.name(*column)}};
    if (parts) values["parts"] = table.name(*parts);
    add_note(study, Severity::kInfo, "product", {}, std::move(values));
  };
  note(table.columns.size, "size", table.columns.parts_of_size);
  note(table.columns.batch, "batch", table.columns.parts_of_batch);
}

void note_failures(Study& study) {
  const auto failures = std::count_if(study.runs.begin(), study.runs.end(),
                                      [](const Run& run) { return failed(run); });
  if (failures > 0) {
    add_note(study, Severity::kWarning, "run-failed", {},
             {{"without_value", failures}, {"runs", study.runs.size()}});
  }
}

void note_labels(const CsvTable& table, const CsvLabels& labels, Study& study) {
  for (const CsvLabel& label : labels.all()) {
    if (label.values.size() < 2 || label.changes_at_one_k || label.is_factor ||
        label.column == table.columns.size || label.column == table.columns.batch ||
        table.survey.columns[label.column].says.rank != 0) {
      continue;
    }
    add_change(study,
               {.name = table.name(label.column),
                .values = label.values.shown(),
                .count = label.values.more()},
               label.values.many());
  }
}

void note_rows(const CsvTable& table, const SkippedRows& without_workers, Study& study) {
  if (without_workers.count > 0) {
    add_note(study, Severity::kWarning, "skipped", place_of(table.input, without_workers.first),
             {{"rows", without_workers.count}});
  }
  if (table.survey.headers_again > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"headers", table.survey.headers_again}});
  }
  if (table.survey.comments > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"comments", table.survey.comments}});
  }
}

void note_left_out(const CsvTable& table, Study& study) {
  if (table.columns.left_out.empty()) return;
  std::vector<std::string> names;
  for (const std::size_t column : table.columns.left_out) {
    if (names.size() == kShownNames) break;
    names.push_back(shorten(table.name(column), 60));
  }
  study.header.source.unused = names;
  NoteValues values{{"columns", names}};
  if (names.size() < table.columns.left_out.size()) values["more"] = 1;
  add_note(study, Severity::kInfo, "left-out", {}, std::move(values));
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
