#include "cli/network_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/communication_terms.h"

namespace kstar {

namespace {

constexpr double kMilli = 1e-3;
/// So far the terms of a step are fitted: 64 times the profiled K, as far as tables go.
constexpr double kNetworkReach = 64;

}  // namespace

std::string bounded_text(const Bounded& seconds) {
  if (std::isinf(seconds.high)) return "at least " + time_text(seconds.point);
  return fmt::format("{} ({} to {})", time_text(seconds.point), time_text(seconds.low),
                     time_text(seconds.high));
}

std::string network_caveat(const NetworkUse& use, double workers) {
  if (!(workers >= 2)) return "";
  const auto cost = collective_cost(use.network, use.collective, use.bytes, workers);
  if (!cost) return "";
  const std::string what = fmt::format("{} of {}", name_of(use.collective), size_text(use.bytes));
  if (cost->leaves_node) {
    const std::string_view doubt = doubt_of(*cost);
    return fmt::format(
        "{} was measured on one node alone: between nodes it takes longer than this assumes, and "
        "K* is lower{}{}",
        what, doubt.empty() ? "" : "; doubtful, as ", doubt);
  }
  const bool seen = cost->basis < CostBasis::kBeyond && !cost->size_beyond;
  if (seen && doubt_of(*cost).empty()) return "";
  return fmt::format("at K = {} {} takes {}, {}", significant(workers, 7), what,
                     bounded_text(cost->seconds), evidence_text(*cost));
}

bool is_lower_bound(const NetworkUse& use, double workers) {
  const auto cost = collective_cost(use.network, use.collective, use.bytes, std::max(1.0, workers));
  return cost && std::isinf(cost->seconds.high);
}

std::vector<Flag> network_flags(const std::string& size_flag) {
  std::vector<std::string> names;
  for (const Collective one : all_collectives()) names.emplace_back(name_of(one));
  return {{.name = "network",
           .value = "FILE",
           .help = "a network.toml of 'kstar comm': what the collective takes, with --" + size_flag,
           .file = true},
          {.name = size_flag, .value = "SIZE", .help = "of the collective of a step, such as 14GB"},
          {.name = "collective",
           .value = "NAME",
           .help = "which one (default: all-reduce)",
           .choices = std::move(names)}};
}

Result<std::optional<NetworkUse>> network_use(const Arguments& arguments,
                                              const std::string& size_flag) {
  if (!arguments.has("network")) {
    for (const std::string& flag : {size_flag, std::string("collective")}) {
      if (!arguments.has(flag)) continue;
      return fail(usage({.where = fmt::format("--{}", flag),
                         .message = "is about a network, and no --network FILE is given"}));
    }
    return std::optional<NetworkUse>();
  }
  const std::string given = arguments.text(size_flag);
  std::optional<double> bytes = parse_bytes(given);
  if (!bytes) bytes = parse_double(given);
  constexpr double kMost = 1e18;
  if (!bytes || !(*bytes > 0) || *bytes > kMost) {
    return fail(usage(expected("--" + size_flag, "the size of the collective, such as 14GB",
                               given.empty() ? "nothing" : given)));
  }
  NetworkUse use{.bytes = *bytes};
  if (arguments.has("collective")) {
    use.collective = *collective_named(arguments.text("collective"));
  }
  KSTAR_TRY(use.network, load_network(arguments.text("network")));
  return std::optional(std::move(use));
}

Result<void> add_network(const NetworkUse& use, const Arguments& arguments,
                         std::vector<ParameterList>& lists) {
  for (const char* flag : {"communication", "growth"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "cannot be combined with --network, which says it"}));
  }
  const double at = parse_double(arguments.text("at", "1")).value_or(1);
  KSTAR_TRY(const CollectiveCost cost,
            collective_cost(use.network, use.collective, use.bytes, std::max(2.0, at)));
  constexpr int kDigits = 4;
  lists.push_back({"communication", {significant(cost.seconds.point / kMilli, kDigits)}});
  return {};
}

Result<void> apply_network(const NetworkUse& use, const Console& console,
                           std::vector<LawInstance>& instances) {
  bool said = false;
  for (LawInstance& instance : instances) {
    const double base = instance.model.base_workers;
    const auto terms = communication_terms(use.network, use.collective, use.bytes, base,
                                           kNetworkReach * std::max(2.0, base));
    if (!terms) return fail(terms.error());
    const double rarer = instance.settings.compression * instance.settings.sync_every;
    instance.model.communication.clear();
    for (const Communication& term : terms->terms) {
      instance.model.communication.push_back({term.growth, term.cost / kMilli / rarer});
    }
    instance.settings.exchange = parts_at(instance.model, base).communication * rarer;
    if (said) continue;
    said = true;
    const std::string what = fmt::format("{} of {}", name_of(use.collective), size_text(use.bytes));
    console.note(fmt::format(
        "{}: {} takes {} on {} workers ({}) and {} on {} ({}); the law follows this within {}{}",
        printable(use.network.name), what, bounded_text(terms->at_first.seconds),
        significant(std::max(2.0, base), 7), terms->at_first.from,
        bounded_text(terms->at_last.seconds), significant(kNetworkReach * std::max(2.0, base), 7),
        evidence_text(terms->at_last), percent(terms->worst > 0 ? terms->worst : terms->beyond, 0),
        terms->worst > 0 && terms->beyond > 0
            ? fmt::format(", beyond the measured K within {}", percent(terms->beyond, 0))
            : ""));
  }
  return {};
}

}  // namespace kstar
