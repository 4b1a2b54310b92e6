#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "kstar/plan_report.h"
#include "kstar/words.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/plan/words.h"

namespace kstar {

namespace {

using planning::PlanUnits;

bool is_feasible(const MachinePlan& one) {
  return one.plan && one.reason.empty();
}

const PlanPoint& chosen(const MachinePlan& one) {
  return *one.plan->answers.front().best;
}

double nodes_of(const MachinePlan& one) {
  return std::ceil(chosen(one).workers / one.machine.node_workers);
}

std::string machine_answer(const MachineComparison& all) {
  const MachinePlan& best = all.machines.front();
  if (!is_feasible(best)) return "No machine does it.";
  const PlanUnits units(*best.plan);
  return fmt::format("{}: {} workers on {} {}, {}, {}.", best.machine.name,
                     planning::workers_text(chosen(best).workers), significant(nodes_of(best), 6),
                     nodes_of(best) == 1 ? "node" : "nodes", units.time(chosen(best).time),
                     units.cost(chosen(best).cost));
}

std::vector<std::string> machine_row(const MachinePlan& one) {
  const PlanUnits units(*one.plan);
  const PlanAnswer& answer = one.plan->answers.front();
  return {one.machine.name,
          planning::workers_text(chosen(one).workers) + (chosen(one).beyond ? "*" : ""),
          significant(nodes_of(one), 6),
          units.time(chosen(one).time),
          units.cost_cell(chosen(one).cost),
          fixed(chosen(one).efficiency, 3),
          answer.probability ? chance_words(*answer.probability) : "-"};
}

Json machine_json(const MachinePlan& one) {
  Json json = {{"name", one.machine.name}, {"feasible", is_feasible(one)},
               {"reason", one.reason},     {"workers", Json()},
               {"nodes", Json()},          {"time", Json()},
               {"cost", Json()},           {"efficiency", Json()},
               {"probability", Json()}};
  if (!is_feasible(one)) return json;
  json["workers"] = chosen(one).workers;
  json["nodes"] = nodes_of(one);
  json["time"] = chosen(one).time;
  json["cost"] = chosen(one).cost;
  json["efficiency"] = chosen(one).efficiency;
  json["probability"] = one.plan->answers.front().probability;
  return json;
}

}  // namespace

Document to_document(const MachineComparison& all, const PlanView& view) {
  Document document;
  std::vector<Block>& blocks = document.blocks;
  blocks.emplace_back(Heading{all.title.empty() ? "Machines" : all.title});
  blocks.emplace_back(Paragraph{machine_answer(all)});
  if (is_feasible(all.machines.front())) {
    const PlanUnits units(*all.machines.front().plan);
    blocks.emplace_back(Paragraph{
        fmt::format("Asked: {} on every machine; speeds and prices are those of your file.",
                    planning::goal_text(all.goal, units))});
  }
  constexpr std::size_t kMostNotes = 3;
  Items notes{"Before relying on it", all.notes};
  if (!view.full && notes.items.size() > kMostNotes) notes.items.resize(kMostNotes);
  if (!notes.items.empty()) blocks.emplace_back(std::move(notes));
  Table table{.columns = {{.name = "machine", .left = true},
                          {.name = "K*"},
                          {.name = "nodes"},
                          {.name = "time"},
                          {.name = "cost"},
                          {.name = "E"},
                          {.name = "sure"}},
              .rows = {}};
  Items excluded{"Not possible", {}};
  bool beyond = false;
  for (const MachinePlan& one : all.machines) {
    if (!is_feasible(one)) {
      excluded.items.push_back(fmt::format("{}: {}", one.machine.name, one.reason));
      continue;
    }
    table.rows.push_back(machine_row(one));
    beyond = beyond || chosen(one).beyond;
  }
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
  if (beyond) blocks.emplace_back(Paragraph{"* beyond the largest measured K"});
  if (!excluded.items.empty()) blocks.emplace_back(std::move(excluded));
  return document;
}

std::string to_csv(const MachineComparison& all) {
  std::string text = "machine,K,nodes,time,cost,efficiency,reason\n";
  for (const MachinePlan& one : all.machines) {
    text += csv_cell(one.machine.name);
    text += is_feasible(one)
                ? fmt::format(",{},{},{},{},{},", csv_number(chosen(one).workers),
                              csv_number(nodes_of(one)), csv_number(chosen(one).time),
                              csv_number(chosen(one).cost), csv_number(chosen(one).efficiency))
                : ",,,,,," + csv_cell(one.reason);
    text += "\n";
  }
  return text;
}

std::string to_json(const MachineComparison& all) {
  return file_text({{"kstar", "plan_machines"},
                    {"schema", 1},
                    {"title", all.title},
                    {"goal", name_of(all.goal.kind)},
                    {"limit", all.goal.limit > 0 ? Json(all.goal.limit) : Json()},
                    {"machines", list_of(all.machines, machine_json)},
                    {"notes", all.notes}});
}

}  // namespace kstar
