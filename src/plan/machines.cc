#include "kstar/plan_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "plan/goals.h"
#include "spec/toml_keys.h"

namespace kstar {

namespace {

constexpr double kMostWorkers = 1e6;

Result<Machine> read_machine(const TomlSource& source, std::string_view name,
                             const toml::table& table) {
  TomlKeys keys(source, table);
  Machine machine;
  machine.name = printable(name);
  machine.speed = keys.positive("speed").value_or(1);
  machine.network = keys.positive("network").value_or(1);
  machine.memory = keys.bytes("memory");
  machine.node_workers = static_cast<int>(keys.whole("node_workers", 1, kMostWorkers).value_or(1));
  if (const auto most = keys.whole("most_workers", 1, kMostWorkers)) machine.most_workers = *most;
  const std::optional<std::string> price = keys.text("price");
  KSTAR_CHECK(keys.finish());
  if (!price) return machine;
  CostRates rates;
  rates.node_workers = machine.node_workers;
  if (const Result<void> read = read_price(*price, "", rates); !read) {
    return fail(keys.error_at("price", read.error().message));
  }
  machine.price = rates.price;
  machine.currency = rates.currency;
  return machine;
}

/// T' = (T - communication) / speed + communication / network, on the K that there are.
PlanJob job_on(const PlanJob& job, const Machine& machine) {
  PlanJob moved = job;
  const auto fit = std::upper_bound(job.workers.begin(), job.workers.end(), machine.most_workers);
  const auto count = static_cast<std::size_t>(fit - job.workers.begin());
  moved.workers.resize(count);
  moved.work.resize(count);
  if (!moved.memory.empty()) moved.memory.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double time = planning::middle_time(job, i);
    const double talk = job.parts ? job.parts->communication[i] : 0;
    const double factor = ((time - talk) / machine.speed + talk / machine.network) / time;
    for (std::vector<double>& curve : moved.times) curve[i] *= factor;
    if (moved.parts) moved.parts->communication[i] = talk / machine.network;
  }
  for (std::vector<double>& curve : moved.times) curve.resize(count);
  for (double& base : moved.base) base /= machine.speed;
  if (moved.parts) {
    moved.parts->divided /= machine.speed;
    moved.parts->communication.resize(count);
  }
  return moved;
}

std::string why_not(const PlanAnswer& answer, const Machine& machine) {
  const std::string most = std::isinf(machine.most_workers)
                               ? ""
                               : fmt::format(" with {} workers", shortest(machine.most_workers));
  if (answer.best && answer.kept) return "";
  return fmt::format("{} is out of reach{}", name_of(answer.goal.kind), most);
}

MachinePlan plan_on(const PlanJob& job, PlanOptions options, const Machine& machine) {
  MachinePlan result{.machine = machine, .plan = {}, .reason = {}};
  if (machine.most_workers < job.workers.front()) {
    result.reason = fmt::format("has {} workers; the smallest K known is {}",
                                shortest(machine.most_workers), shortest(job.workers.front()));
    return result;
  }
  options.rates.price = machine.price;
  options.rates.currency = machine.currency;
  options.rates.node_workers = machine.node_workers;
  const PlanJob moved = job_on(job, machine);
  if (machine.memory && !moved.memory.empty()) {
    options.memory = machine.memory;
    const double least = *std::min_element(moved.memory.begin(), moved.memory.end());
    if (least > *machine.memory) {
      result.reason =
          fmt::format("needs {} GB per worker at K = {}, has {} GB", significant(least / 1e9, 3),
                      shortest(moved.workers.back()), significant(*machine.memory / 1e9, 3));
      return result;
    }
  } else {
    options.memory.reset();
  }
  Result<Plan> plan = make_plan(moved, options);
  if (!plan) {
    result.reason = plan.error().message;
    return result;
  }
  result.reason = why_not(plan->answers.front(), machine);
  result.plan = std::move(*plan);
  return result;
}

/// What the goal makes small, to order machines by; those that cannot come last.
double rank(const MachinePlan& one) {
  if (!one.reason.empty() || !one.plan) return std::numeric_limits<double>::infinity();
  const PlanAnswer& answer = one.plan->answers.front();
  const bool by_cost =
      answer.goal.kind == GoalKind::kDeadline || answer.goal.kind == GoalKind::kCheapest;
  if (answer.goal.kind == GoalKind::kKnee) return answer.best->time * answer.best->cost;
  return by_cost ? answer.best->cost : answer.best->time;
}

}  // namespace

Result<std::vector<Machine>> parse_machines(std::string_view text, std::string_view name) {
  const TomlSource source(text, name);
  KSTAR_TRY(const toml::table root, source.parse());
  std::vector<Machine> machines;
  for (const auto& [group, node] : root) {
    if (group.str() != "machine" || !node.is_table()) {
      return fail(source.error(group.source().begin,
                               expected("", "tables such as [machine.NAME]", group.str()).message));
    }
    for (const auto& [key, table] : *node.as_table()) {
      if (!table.is_table()) {
        return fail(
            source.error(key.source().begin,
                         expected("", "a table such as [machine.NAME]", shown(table)).message));
      }
      KSTAR_TRY(Machine machine, read_machine(source, key.str(), *table.as_table()));
      machines.push_back(std::move(machine));
    }
  }
  if (machines.empty()) {
    return fail({.where = printable(name), .message = "expected at least one [machine.NAME]"});
  }
  return machines;
}

Result<MachineComparison> compare_machines(const PlanJob& job, const PlanOptions& options,
                                           std::span<const Machine> machines) {
  MachineComparison all{.title = job.title, .goal = {}, .machines = {}, .notes = job.notes};
  for (const Machine& machine : machines) {
    if (machine.currency != machines[0].currency ||
        machine.price.has_value() != machines[0].price.has_value()) {
      return fail({.where = "--machines",
                   .message = fmt::format("{} and {} have prices that cannot be compared",
                                          machines[0].name, machine.name),
                   .hint = "give all machines a price in one currency, or none"});
    }
    if (machine.network != 1 && !job.parts) {
      all.notes.push_back(fmt::format(
          "the network of {} is left out: what communication takes is not known", machine.name));
    }
    if (machine.memory && job.memory.empty()) {
      all.notes.push_back(fmt::format(
          "the memory of {} is not checked: what the job needs is not known", machine.name));
    }
    all.machines.push_back(plan_on(job, options, machine));
  }
  std::stable_sort(all.machines.begin(), all.machines.end(),
                   [](const MachinePlan& a, const MachinePlan& b) { return rank(a) < rank(b); });
  for (const MachinePlan& one : all.machines) {
    if (one.plan) all.goal = one.plan->answers.front().goal;
  }
  return all;
}

}  // namespace kstar
