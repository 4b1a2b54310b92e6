#include "import/csv/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar {

namespace {

void note_guess(Study& study, NoteValues values) {
  add_note(study, Severity::kWarning, "guessed", {}, std::move(values));
}

void note_values(const Roles& roles, bool weak, Study& study) {
  const std::string column = roles.name(roles.values[0]);
  NoteValues values{{"column", column}};
  switch (roles.value.kind) {
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
      study.header.time =
          roles.value.kind == ColumnKind::kSpeedup ? TimeKind::kSpeedup : TimeKind::kEfficiency;
      add_note(study, Severity::kWarning, "relative", {}, std::move(values));
      break;
    default:
      if (!roles.value.of_one_step) break;
      study.header.time = TimeKind::kStep;
      add_note(study, Severity::kInfo, "per-step");
  }
}

void note_guesses(const KnownTable& known, Study& study) {
  const Roles& roles = known.roles;
  const std::string column = roles.name(roles.values[0]);
  if (roles.guessed) note_guess(study, {{"seconds", column}});
  if (!roles.unclear_point.empty()) {
    const std::string example = printable(roles.unclear_point);
    add_note(study, Severity::kInfo, "guessed", {},
             {{"column", column}, {"meaning", "numbers with a decimal point, as in " + example}});
  }
  if (!roles.told.empty()) note_guess(study, {{"told", roles.told}});
  if (roles.value.is_part) note_guess(study, {{"only_time", column}});
  if (!known.table.has_header) note_guess(study, {});
  if (roles.value.minutes_or_minimum && roles.value.scale == 60) {
    note_guess(study, {{"minutes", column}});
  }
  if (!roles.value.statistic.empty()) {
    study.header.source.summary = roles.value.statistic;
    add_note(study, Severity::kWarning, "summary", {},
             {{"column", column}, {"statistic", roles.value.statistic}});
  }
  // How names were understood that may mean two things.
  const std::optional<std::size_t> value = roles.values[0], workers = roles.workers[0];
  for (const auto& one : {workers, value, roles.speedup, roles.efficiency}) {
    if (!one) continue;
    const Column& facts = roles.columns[*one];
    if (facts.approximate) {
      note_guess(study, {{"column", roles.name(*one)},
                         {"meaning", "exact, though a mark (~ or *) says not"}});
    }
    if (!facts.reading.empty()) {
      note_guess(study, {{"column", roles.name(*one)}, {"meaning", facts.reading}});
    } else if (facts.unlikely) {
      add_note(study, Severity::kWarning, "unlikely", {}, {{"column", roles.name(*one)}});
    }
  }
  const Cell clock = roles.columns[roles.values[0]].clock;
  if (clock.empty()) return;
  add_note(study, Severity::kInfo, "clock", {}, {{"example", shorten(printable(clock), 60)}});
}

void note_products(const KnownTable& known, Study& study) {
  const Roles& roles = known.roles;
  const auto names = [&](const std::vector<std::size_t>& columns) {
    std::vector<std::string> all;
    for (const std::size_t i : columns) all.push_back(roles.name(i));
    return all;
  };
  if (roles.workers.size() > 1) {
    const bool asked = !known.options.worker_column.empty();
    add_note(study, asked ? Severity::kInfo : Severity::kWarning, "product", {},
             {{"columns", names(roles.workers)}});
  }
  if (roles.sizes.size() > 1) {
    add_note(study, Severity::kInfo, "product", {}, {{"sizes", names(roles.sizes)}});
  }
  const auto note = [&](const std::optional<std::size_t>& column, std::string_view what,
                        const std::optional<std::size_t>& parts) {
    if (!column || !roles.is_of_one_worker(*column)) return;
    NoteValues values{{"amount", what}, {"column", roles.name(*column)}};
    if (parts) values["parts"] = roles.name(*parts);
    add_note(study, Severity::kInfo, "product", {}, std::move(values));
  };
  if (roles.sizes.size() == 1) note(roles.sizes[0], "size", roles.parts_of_size);
  note(roles.batch, "batch", roles.parts_of_batch);
}

/// 0 at some K, and 1 at others.
bool is_switch(const Label& label) {
  return label.values.size() == 2 && std::all_of(label.at.begin(), label.at.end(), [](auto& one) {
           return one.second == "0" || one.second == "1";
         });
}

void note_labels(const Roles& roles, const TableLabels& labels, Study& study) {
  const auto failures = std::count_if(study.runs.begin(), study.runs.end(),
                                      [](const Run& run) { return failed(run); });
  if (failures > 0) {
    add_note(study, Severity::kWarning, "run-failed", {},
             {{"without_value", failures}, {"runs", study.runs.size()}});
  }
  for (const Label& label : labels.all()) {
    const ColumnName& says = roles.columns[label.column].says;
    const bool aside = label.is_maybe && !is_switch(label);
    if (label.values.size() < 2 || label.changes_at_one_k || aside || roles.is_size(label.column) ||
        label.column == roles.batch || says.rank != 0 || says.kind == ColumnKind::kWorkersIn) {
      continue;
    }
    add_change(study,
               {.name = roles.name(label.column),
                .values = label.values.shown(),
                .count = label.values.more()},
               label.values.many());
  }
}

void note_rows(const KnownTable& known, const SkippedRows& skipped, Study& study) {
  const TextTable& table = known.table;
  if (skipped.count > 0) {
    const Error place = cell_error(table, table.at(skipped.first, known.roles.workers[0]), "");
    std::string where = place.where.substr(0, place.where.rfind(':'));
    add_note(study, Severity::kWarning, "skipped", std::move(where), {{"rows", skipped.count}});
  }
  if (known.roles.steps_of_jobs > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"job_steps", known.roles.steps_of_jobs}});
  }
  if (skipped.sums > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"aggregates", skipped.sums}});
  }
  if (table.others > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"tables", table.others}});
  }
  if (table.headers_again > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"headers", table.headers_again}});
  }
  if (table.comments > 0) {
    add_note(study, Severity::kInfo, "skipped", {}, {{"comments", table.comments}});
  }
  std::vector<std::string> names;
  for (const std::size_t column : known.roles.unused) {
    if (!known.roles.columns[column].name.empty()) {
      names.push_back(shorten(known.roles.name(column), 60));
    }
  }
  if (names.empty()) return;
  study.header.source.unused = names;
  add_note(study, Severity::kInfo, "left-out", {}, {{"columns", std::move(names)}});
}

}  // namespace

void note_table(const KnownTable& known, const TableLabels& labels, const SkippedRows& skipped,
                bool weak, Study& study) {
  note_values(known.roles, weak, study);
  note_guesses(known, study);
  note_products(known, study);
  note_labels(known.roles, labels, study);
  note_rows(known, skipped, study);
}

}  // namespace kstar
