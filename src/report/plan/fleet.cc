#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/plan_report.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/plan/words.h"

namespace kstar {

namespace {

constexpr double kSecondsPerHour = 3600;

std::string hours_text(double hours) {
  return planning::span_text(kSecondsPerHour * hours);
}

std::string fleet_answer(const Fleet& fleet) {
  std::string text;
  std::size_t named = 0;
  constexpr std::size_t kNamed = 4;
  for (const FleetShare& share : fleet.shares) {
    if (++named > kNamed) break;
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", share.workers, share.name);
  }
  if (fleet.shares.size() > kNamed) text += ", ...";
  return fleet.goal == FleetGoal::kValue
             ? fmt::format("Split {} workers: {}. {} of value per hour, {} with equal shares.",
                           fleet.workers, text, significant(fleet.value, 4),
                           significant(fleet.even_value, 4))
             : fmt::format(
                   "Split {} workers: {}. All is done after {}, with equal shares after {}.",
                   fleet.workers, text, hours_text(fleet.hours), hours_text(fleet.even_hours));
}

/// What makes it the optimum.
std::string fleet_reason(const Fleet& fleet) {
  double last = INFINITY, next = 0;
  for (const FleetShare& share : fleet.shares) {
    if (share.workers > 0) last = std::min(last, share.last);
    next = std::max(next, share.next);
  }
  if (fleet.goal == FleetGoal::kFinish || !std::isfinite(last)) return "";
  if (last < next) {
    return "Some classes need several workers at once before one more helps: all splits were "
           "compared.";
  }
  return fmt::format(
      "No worker would add more elsewhere: the last of each class adds {} or more, the next one {} "
      "at most.",
      significant(last, 3), significant(next, 3));
}

Json share_json(const FleetShare& share) {
  return {{"name", share.name},   {"workers", share.workers}, {"at_once", share.at_once},
          {"value", share.value}, {"hours", share.hours},     {"last", share.last},
          {"next", share.next}};
}

}  // namespace

Document to_document(const Fleet& fleet, const PlanView& /*view*/) {
  Document document;
  document.blocks.emplace_back(Heading{"Fleet"});
  document.blocks.emplace_back(Paragraph{fleet_answer(fleet)});
  if (fleet.unused > 0) {
    document.blocks.emplace_back(Paragraph{
        fmt::format("{} would help nobody: leave them off.", count_text(fleet.unused, "worker"))});
  }
  Table table{.columns = {{.name = "class", .left = true},
                          {.name = "workers"},
                          {.name = "at once"},
                          {.name = "value/h"},
                          {.name = "done after"},
                          {.name = "last worker adds"},
                          {.name = "next would"}},
              .rows = {}};
  for (const FleetShare& share : fleet.shares) {
    table.rows.push_back({share.name, std::to_string(share.workers), std::to_string(share.at_once),
                          significant(share.value, 3), hours_text(share.hours),
                          significant(share.last, 3), significant(share.next, 3)});
  }
  document.blocks.emplace_back(std::move(table));
  if (const std::string why = fleet_reason(fleet); !why.empty()) {
    document.blocks.emplace_back(Paragraph{why});
  }
  return document;
}

std::string to_csv(const Fleet& fleet) {
  std::string text = "class,workers,at_once,value,hours,last,next\n";
  for (const FleetShare& share : fleet.shares) {
    text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(share.name), share.workers,
                        share.at_once, csv_number(share.value), csv_number(share.hours),
                        csv_number(share.last), csv_number(share.next));
  }
  return text;
}

std::string to_json(const Fleet& fleet) {
  return file_text({{"kstar", "plan_fleet"},
                    {"schema", 1},
                    {"goal", fleet.goal == FleetGoal::kValue ? "value" : "finish"},
                    {"workers", fleet.workers},
                    {"unused", fleet.unused},
                    {"value", fleet.value},
                    {"hours", fleet.hours},
                    {"equal_shares", {{"value", fleet.even_value}, {"hours", fleet.even_hours}}},
                    {"classes", list_of(fleet.shares, share_json)}});
}

}  // namespace kstar
