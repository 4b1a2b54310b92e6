#include "cli/plan/flags.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr const char* kTime = "a time above 0, such as 250ms, 60s, 5m or 2h";
constexpr const char* kNumber = "a number above 0, at most 1e15";

Result<double> positive(const Arguments& arguments, const char* flag, const char* what,
                        const std::function<std::optional<double>(std::string_view)>& parse) {
  const std::string given = arguments.text(flag);
  const std::optional<double> value = parse(given);
  constexpr double kMost = 1e15;
  if (value && *value > 0 && *value <= kMost) return *value;
  return fail(usage(expected(fmt::format("--{}", flag), what, given)));
}

/// Reads a flag where it was given.
Result<void> read_into(const Arguments& arguments, const char* flag, const char* what,
                       std::optional<double> (*parse)(std::string_view), double& value) {
  if (!arguments.has(flag)) return {};
  KSTAR_TRY(value, positive(arguments, flag, what, parse));
  return {};
}

Result<void> read_nodes(const Arguments& arguments, CostRates& rates) {
  if (!arguments.has("node-workers")) return {};
  constexpr std::int64_t kMost = 1000000;
  const std::string given = arguments.text("node-workers");
  const std::optional<std::int64_t> value = parse_integer(given);
  if (!value || *value < 1 || *value > kMost) {
    return fail(usage(expected("--node-workers", "a whole number from 1 to 1000000", given)));
  }
  rates.node_workers = static_cast<int>(*value);
  return {};
}

/// "400:90", or "400" for both.
Result<void> read_watts(const Arguments& arguments, Power& power) {
  if (!arguments.has("watts")) return {};
  const std::string given = arguments.text("watts");
  const std::size_t colon = given.find(':');
  const std::optional<double> busy = parse_double(given.substr(0, colon));
  const std::optional<double> idle =
      colon == given.npos ? busy : parse_double(given.substr(colon + 1));
  if (!busy || !idle || *busy <= 0 || *idle < 0 || *idle > *busy) {
    return fail(
        usage(expected("--watts", "watts busy and, not more, idle, such as 400:90", given)));
  }
  power.busy = *busy;
  power.idle = *idle;
  return {};
}

Result<void> read_rates(const Arguments& arguments, CostRates& rates) {
  KSTAR_CHECK(read_nodes(arguments, rates));
  if (arguments.has("price")) {
    const std::string given = arguments.text("price");
    if (given.ends_with("node-hour") && !arguments.has("node-workers")) {
      return fail(usage({.where = "--price",
                         .message = "a price per node needs the workers of a node",
                         .hint = "add --node-workers 8"}));
    }
    if (Result<void> read = read_price(given, "--price", rates); !read) {
      return fail(usage(read.error()));
    }
  }
  Interruptions& interruptions = rates.interruptions;
  KSTAR_CHECK(read_into(arguments, "least-time", kTime, parse_duration, rates.least_time));
  KSTAR_CHECK(read_into(arguments, "fixed-cost", kNumber, parse_double, rates.fixed));
  KSTAR_CHECK(
      read_into(arguments, "interrupted-every", kTime, parse_duration, interruptions.every));
  KSTAR_CHECK(read_into(arguments, "restart", kTime, parse_duration, interruptions.restart));
  KSTAR_CHECK(read_into(arguments, "checkpoint", kTime, parse_duration, interruptions.checkpoint));
  KSTAR_CHECK(read_watts(arguments, rates.power));
  KSTAR_CHECK(read_into(arguments, "energy-price", kNumber, parse_double, rates.power.price));
  return read_into(arguments, "grams", kNumber, parse_double, rates.power.grams);
}

/// A flag that means nothing without another.
Result<void> check_pairs(const Arguments& arguments) {
  static constexpr std::pair<const char*, const char*> kNeeds[] = {
      {"fixed-cost", "price"},
      {"energy-price", "price"},
      {"energy-price", "watts"},
      {"grams", "watts"},
      {"restart", "interrupted-every"},
      {"checkpoint", "interrupted-every"},
      {"needs-memory", "memory"},
      {"jobs", "pool"},
      {"pool", "jobs"}};
  for (const auto& [flag, other] : kNeeds) {
    const bool in_file = arguments.has("machines") && std::string_view(other) == "memory";
    if (!arguments.has(flag) || arguments.has(other) || in_file) continue;
    return fail(usage(
        {.where = fmt::format("--{}", flag), .message = fmt::format("needs --{} as well", other)}));
  }
  return {};
}

/// "epoch=500": one epoch is 500 runs of T.
Result<void> read_result(const Arguments& arguments, PlanOptions& options) {
  if (!arguments.has("per")) return {};
  const std::string given = arguments.text("per");
  const std::size_t equals = given.rfind('=');
  const std::optional<double> work =
      equals == given.npos ? std::nullopt : parse_double(given.substr(equals + 1));
  if (!work || *work <= 0 || equals == 0) {
    return fail(usage(expected("--per",
                               "a result and how many times T one takes, such as "
                               "epoch=500 or 'million samples=3906'",
                               given)));
  }
  options.result = printable(given.substr(0, equals));
  options.result_work = *work;
  return {};
}

Result<void> read_goals(const Arguments& arguments, PlanOptions& options) {
  for (const std::string& text : arguments.list("goal")) {
    const Result<Goal> goal = parse_goal(text);
    if (!goal) return fail(usage(goal.error()));
    options.goals.push_back(*goal);
  }
  return {};
}

Result<void> read_optional(const Arguments& arguments, const char* flag, const char* what,
                           std::optional<double> (*parse)(std::string_view),
                           std::optional<double>& value) {
  if (!arguments.has(flag)) return {};
  KSTAR_TRY(value, positive(arguments, flag, what, parse));
  return {};
}

std::optional<double> parse_count(std::string_view text) {
  const std::optional<std::int64_t> value = parse_integer(text);
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

std::vector<Flag> plan_flags() {
  return {
      {.name = "work",
       .value = "N",
       .help = "how often T is needed: runs or steps; with weak scaling, work in units of the "
               "smallest K (default: 1, or what the largest measured run does)"},
      {.name = "price",
       .value = "PRICE",
       .help = "such as 2.50/worker-hour or 'EUR 20/node-hour'; without one, costs are "
               "worker-hours"},
      {.name = "goal",
       .value = "GOAL",
       .help =
           "fastest, cheapest, 'efficiency 0.7', 'deadline 5h', 'budget 500' (money or, without "
           "--price, worker-hours; or 'budget 90 worker-seconds') or knee; may be given more "
           "than once",
       .repeats = true},
      {.name = "sure",
       .value = "P",
       .help = "a deadline, budget or efficiency holds at least so probably (default: 0.90)"},
      {.name = "node-workers", .value = "N", .help = "workers of a node: whole nodes are billed"},
      {.name = "least-time", .value = "TIME", .help = "time that is billed at least"},
      {.name = "fixed-cost", .value = "MONEY", .help = "cost of a job however long it runs"},
      {.name = "interrupted-every",
       .value = "TIME",
       .help = "mean time between interruptions of one worker, such as 500h"},
      {.name = "restart", .value = "TIME", .help = "time from an interruption until work goes on"},
      {.name = "checkpoint",
       .value = "TIME",
       .help = "time to write one; the interval is Daly's. Without it all work is lost"},
      {.name = "watts",
       .value = "BUSY:IDLE",
       .help = "of a worker that computes, and of one that waits"},
      {.name = "energy-price", .value = "MONEY", .help = "per kWh"},
      {.name = "grams", .value = "N", .help = "grams of CO2 per kWh"},
      {.name = "per",
       .value = "RESULT=N",
       .help = "cost per result that takes N times T, such as epoch=500"},
      {.name = "memory",
       .value = "SIZE",
       .help = "what a worker has, such as 80GB: K that need more are left out"},
      {.name = "jobs", .value = "N", .help = "so many of this job ..."},
      {.name = "pool", .value = "N", .help = "... on so many workers: wide or side by side"},
  };
}

std::vector<Flag> cost_flags() {
  std::vector<Flag> flags = plan_flags();
  std::erase_if(flags, [](const Flag& flag) {
    return flag.name != "work" && flag.name != "price" && flag.name != "goal";
  });
  return flags;
}

Result<PlanOptions> plan_options(const Arguments& arguments) {
  PlanOptions options;
  KSTAR_CHECK(check_pairs(arguments));
  KSTAR_CHECK(read_optional(arguments, "work", kNumber, parse_double, options.work));
  KSTAR_CHECK(read_rates(arguments, options.rates));
  KSTAR_CHECK(read_goals(arguments, options));
  KSTAR_CHECK(read_result(arguments, options));
  KSTAR_TRY(const double sure, arguments.share("sure", options.sure));
  options.sure = sure;
  options.by_verdict = !arguments.has("sure");
  KSTAR_CHECK(read_optional(arguments, "memory", "a size such as 80GB or 512MiB", parse_bytes,
                            options.memory));
  KSTAR_CHECK(
      read_optional(arguments, "jobs", "a whole number above 0", parse_count, options.jobs));
  KSTAR_CHECK(
      read_optional(arguments, "pool", "a whole number above 0", parse_count, options.pool));
  return options;
}

}  // namespace kstar
