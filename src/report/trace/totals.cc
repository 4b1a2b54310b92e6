#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "kstar/trace_report.h"
#include "kstar/words.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/trace/words.h"

namespace kstar {

namespace {

using tracing::speed_text;

std::string totals_question(const TraceTotals& totals) {
  const std::string steps =
      totals.steps > 0
          ? fmt::format(", {}, {} per step",
                        count_text(static_cast<std::size_t>(totals.steps), "step"),
                        time_text(totals.steps_seconds / static_cast<double>(totals.steps)))
          : "";
  return fmt::format("Totals of one rank (key_averages){}: {} on {}", steps,
                     time_text(totals.total), printable(totals.device));
}

std::string totals_answer(const TraceTotals& totals) {
  const std::string unlisted =
      totals.unlisted > 0.005 * totals.total
          ? fmt::format(" {} of the time is in rows that the table leaves out.",
                        percent(totals.unlisted / totals.total, 0))
          : "";
  if (totals.communication <= 0) {
    return fmt::format("No communication is in the table: it says nothing about more workers.{}",
                       unlisted);
  }
  const TraceTotalsBounds bounds = exposed_bounds(totals);
  std::string text = fmt::format("s is at most {} of the step: communication is {} of {}.{} ",
                                 significant(bounds.high, 3), time_text(totals.communication),
                                 time_text(totals.total), unlisted);
  if (bounds.low > 0) {
    text +=
        fmt::format("At least {} of the step is exposed communication. ", percent(bounds.low, 0));
  }
  const double step = totals.steps_seconds > 0 ? totals.steps_seconds : totals.total;
  return text + fmt::format(
                    "If none of it is waiting{}, more workers give at most {} the speed of this "
                    "step.",
                    totals.steps_seconds > 0 ? "" : ", and the device is never idle",
                    speed_text(step / totals.communication));
}

}  // namespace

Document to_document(const TraceTotals& totals) {
  constexpr std::size_t kMostRows = 12;
  Document document;
  document.blocks.emplace_back(Heading{totals_question(totals)});
  document.blocks.emplace_back(Paragraph{totals_answer(totals)});
  document.blocks.emplace_back(
      Paragraph{"Totals only: a table does not say what is hidden behind computation, what is "
                "waiting for other ranks, how many workers there were, nor who is late. The trace "
                "does: prof.export_chrome_trace(\"rank0.json\"), of every rank."});
  if (totals.tables > 1) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("Note: the file has {} tables; the first was read.", totals.tables)});
  }
  if (totals.rows.empty()) return document;
  Table table;
  table.columns = {{.name = "communication", .left = true},
                   {.name = "times"},
                   {.name = "time"},
                   {.name = "of all"}};
  for (std::size_t i = 0; i < std::min(kMostRows, totals.rows.size()); ++i) {
    const TraceTotals::Row& row = totals.rows[i];
    table.rows.push_back({shorten(printable(row.name), 48),
                          row.calls > 0 ? fmt::format("{}", row.calls) : "-",
                          time_text(row.seconds), percent(row.seconds / totals.total, 1)});
  }
  document.blocks.emplace_back(std::move(table));
  return document;
}

std::string to_csv(const TraceTotals& totals) {
  std::string text = "name,calls,seconds\n";
  for (const TraceTotals::Row& row : totals.rows) {
    text += fmt::format("{},{},{}\n", csv_cell(row.name), row.calls, row.seconds);
  }
  return text;
}

std::string to_json(const TraceTotals& totals) {
  const TraceTotalsBounds bounds = exposed_bounds(totals);
  Json rows = Json::array();
  for (const TraceTotals::Row& row : totals.rows) {
    rows.push_back({{"name", row.name}, {"calls", row.calls}, {"seconds", row.seconds}});
  }
  return file_text({{"kstar", "trace-totals"},
                    {"schema", 1},
                    {"device", totals.device},
                    {"total_seconds", totals.total},
                    {"communication_seconds", totals.communication},
                    {"unlisted_seconds", totals.unlisted},
                    {"steps", totals.steps},
                    {"steps_seconds", totals.steps_seconds},
                    {"exposed_at_least", bounds.low},
                    {"exposed_at_most", bounds.high},
                    {"communication", rows}});
}

}  // namespace kstar
