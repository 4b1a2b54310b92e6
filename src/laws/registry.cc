#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.h"
#include "kstar/law.h"
#include "laws/parameters.h"

/// The laws. To add one: its parameters in parameters.cc if they are new, one entry here.
namespace kstar {

namespace {

CostModel shared_terms(const LawSettings& settings) {
  CostModel model;
  model.serial = settings.serial;
  model.parallel = 1 - settings.serial;
  model.communication = settings.communication;
  model.hidden = settings.hidden;
  model.imbalance = settings.imbalance;
  model.straggler = settings.straggler;
  return model;
}

CostModel gustafson_model(const LawSettings& settings) {
  CostModel model = shared_terms(settings);
  model.regime = Regime::kWeak;
  model.work_growth = WorkGrowth::kParallelOnly;
  return model;
}

CostModel weak_model(const LawSettings& settings) {
  CostModel model = shared_terms(settings);
  model.regime = Regime::kWeak;
  model.work_growth = WorkGrowth::kProportional;
  return model;
}

/// X(K) = g K / (1 + a(K-1) + b K(K-1)), so the time of one unit of work, with T(1) = 1, is
/// a + (1-a)/K + b(K-1). Gunther, Guerrilla Capacity Planning, 2007.
CostModel usl_model(const LawSettings& settings) {
  CostModel model;
  model.regime = Regime::kThroughput;
  model.serial = settings.contention;
  model.parallel = 1 - settings.contention;
  model.communication = {{Growth::kOthers, settings.coherency}};
  return model;
}

/// A step profiled on K0 workers: computation is divided further, communication follows its
/// growth from its value at K0. Compression and rarer synchronisation divide it.
Result<CostModel> step_model(const LawSettings& settings) {
  CostModel model;
  model.base_workers = settings.at_workers;
  model.parallel = settings.compute * settings.at_workers;
  const double at_base = growth_at(settings.growth, settings.at_workers);
  if (at_base <= 0 && settings.exchange > 0) {
    return fail(expected("--at",
                         fmt::format("2 or more workers, since {} is 0 on one worker",
                                     info(settings.growth).formula),
                         shortest(settings.at_workers),
                         "profile a step on several workers, or use --growth constant"));
  }
  const double exchange = settings.exchange / (settings.compression * settings.sync_every);
  model.communication = {{settings.growth, at_base > 0 ? exchange / at_base : 0}};
  model.hidden = settings.hidden;
  return model;
}

const std::array<Law, 6>& table() {
  static const std::array<Law, 6> kLaws = {{
      {.name = "amdahl",
       .title = "Amdahl's law",
       .short_title = "Amd",
       .help = "a fixed job with a serial fraction",
       .formula = "T(K) = s + (1-s)/K",
       .holds_fixed = "the whole problem",
       .parameters = {serial_parameter()},
       .style = {.time_decimals = 4,
                 .speedup_decimals = 4,
                 .efficiency_in_percent = false,
                 .efficiency_decimals = 4,
                 .time_unit = ""},
       .model = shared_terms,
       .sensitive_part = CostPart::kSerial,
       .sensitive_to = "serial",
       .examples =
           {"kstar predict amdahl --serial 0.05 --workers 1..512 --plot",
            "kstar predict amdahl --serial 0.5,0.1,0.02 --with gustafson --side-by-side speedup"}},
      {.name = "gustafson",
       .title = "Gustafson's law",
       .short_title = "Gus",
       .help = "a job whose parallel part grows with K, in constant time",
       .formula = "S(K) = K - s(K-1)",
       .holds_fixed = "the time on K workers",
       .parameters = {scaled_serial_parameter()},
       .style = {.time_decimals = 4,
                 .speedup_decimals = 2,
                 .efficiency_in_percent = false,
                 .efficiency_decimals = 4,
                 .time_unit = ""},
       .model = gustafson_model,
       .sensitive_part = CostPart::kSerial,
       .sensitive_to = "serial",
       .examples = {"kstar predict gustafson --serial 0.05"}},
      {.name = "strong",
       .title = "Strong scaling",
       .short_title = "strong",
       .help = "a fixed job with serial, parallel and communication parts",
       .formula = "T(K) = s + (1-s)/K + communication(K)",
       .holds_fixed = "the whole problem",
       .parameters = {serial_parameter(), communication_parameter(), hide_parameter(),
                      straggler_parameter(), imbalance_parameter()},
       .style = {},
       .model = shared_terms,
       .sensitive_part = CostPart::kSerial,
       .sensitive_to = "serial",
       .examples = {"kstar predict strong --serial 0.05 --comm log2:0.01 --with weak --plot"}},
      {.name = "weak",
       .title = "Weak scaling",
       .short_title = "weak",
       .help = "a job that grows with K, with constant work per worker",
       .formula = "T(K) = s + (1-s) + communication(K)",
       .holds_fixed = "the work of each worker",
       .parameters = {serial_parameter(), communication_parameter(), hide_parameter(),
                      straggler_parameter(), imbalance_parameter()},
       .style = {},
       .model = weak_model,
       .sensitive_part = CostPart::kCommunication,
       .sensitive_to = "comm",
       .examples = {"kstar predict weak --serial 0.05 --comm log2:0.01 --workers 1..128 --plot"}},
      {.name = "usl",
       .title = "Universal scalability law",
       .short_title = "USL",
       .help = "throughput with contention and coherency",
       .formula = "S(K) = X(K)/X(1) = K / (1 + a(K-1) + b K(K-1))",
       .holds_fixed = "the kind of work; work per second is counted",
       .parameters = {contention_parameter(), coherency_parameter(), rate_parameter()},
       .style = {},
       .model = usl_model,
       .sensitive_part = CostPart::kSerial,
       .sensitive_to = "contention",
       .examples = {"kstar predict usl --contention 0.03 --coherency 0.0005 --rate 20"}},
      {.name = "step",
       .title = "A profiled training step",
       .short_title = "step",
       .help = "a profiled step (milliseconds of compute and communication) on more workers",
       .formula = "T(K) = compute K0/K + communication(K) - hidden(K)",
       .holds_fixed = "the whole problem (global batch)",
       .parameters = {compute_parameter(), exchange_parameter(), at_parameter(), growth_parameter(),
                      hide_parameter(), compress_parameter(), sync_every_parameter()},
       .style = {.time_decimals = 2,
                 .speedup_decimals = 3,
                 .efficiency_in_percent = true,
                 .efficiency_decimals = 1,
                 .time_unit = "ms"},
       .model = step_model,
       .sensitive_part = CostPart::kCommunication,
       .sensitive_to = "communication",
       .profiled = true,
       .examples = {"kstar predict step --compute 240 --communication 60 --at 8 --workers 8..512"}},
  }};
  return kLaws;
}

}  // namespace

std::span<const Law> laws() {
  return table();
}

const Law* find_law(std::string_view name) {
  for (const Law& law : laws()) {
    if (law.name == name) return &law;
  }
  return nullptr;
}

std::vector<std::string> assumptions_of(const CostModel& model) {
  std::vector<std::string> list = {"all workers are identical at all times"};
  if (model.imbalance == 0) list.emplace_back("the parallel part divides perfectly, at every K");
  if (model.straggler.probability == 0) list.emplace_back("no worker is ever slow");
  if (model.straggler.probability > 0) {
    list.emplace_back("workers are slow independently of each other; T is the expected time");
  }
  const bool communicates = std::any_of(model.communication.begin(), model.communication.end(),
                                        [](const Communication& term) { return term.cost > 0; });
  if (!communicates) {
    list.emplace_back("communication and synchronisation cost nothing");
  } else {
    list.emplace_back(
        "communication follows its formula at every K: algorithm, topology and congestion do not "
        "change");
    const bool usl = model.regime == Regime::kThroughput;  // coherency is no message to overlap
    if (model.hidden == 0 && !usl) list.emplace_back("it does not overlap with computation");
    if (model.hidden > 0) list.emplace_back("hiding communication has no cost");
  }
  if (model.work_growth == WorkGrowth::kFixed) {
    list.emplace_back(
        "a smaller share runs at the same speed: no effect of caches, memory or small batches");
  } else {
    list.emplace_back(
        "the larger problem is one that you want to solve, and as useful as the smaller");
  }
  if (model.base_workers > 1) {
    list.emplace_back("the profiled step is typical, and divides like the step of one worker");
  }
  return list;
}

}  // namespace kstar
