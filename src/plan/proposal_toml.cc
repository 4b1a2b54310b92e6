#include <fmt/format.h>

#include "base/try.h"
#include "kstar/plan_check.h"
#include "spec/toml_keys.h"

namespace kstar {

namespace {

constexpr double kMostProposed = 1e9;

/// Of two that are given together, or neither.
Result<std::optional<double>> ratio(const TomlKeys& keys, const char* name,
                                    const std::optional<double>& here, const char* other,
                                    const std::optional<double>& there) {
  if (here.has_value() != there.has_value()) {
    return fail(keys.error_at(here ? name : other,
                              fmt::format("expected {} and {}, or neither", name, other)));
  }
  return here ? std::optional(*here / *there) : std::nullopt;
}

}  // namespace

Result<Proposal> parse_proposal(std::string_view text, std::string_view name) {
  const TomlSource source(text, name);
  KSTAR_TRY(const toml::table root, source.parse());
  TomlKeys keys(source, root);
  Proposal proposal;
  proposal.title = keys.text("title").value_or("");
  proposal.workers = keys.whole("workers", 1, kMostProposed);
  proposal.today = keys.whole("today", 1, kMostProposed);
  proposal.serial = keys.number("serial", 0, 1);
  proposal.communication = keys.number("communication", 0, 1);
  const auto problem = keys.choice("problem", {"fixed", "grows"});
  const auto rate = keys.positive("rate"), rate_today = keys.positive("rate_today");
  const auto time = keys.duration("time"), time_today = keys.duration("time_today");
  const auto flops = keys.positive("flops"), bytes = keys.positive("bytes");
  const auto peak = keys.positive("peak_flops"), bandwidth = keys.positive("bandwidth");
  const auto price = keys.text("price");
  proposal.efficiency = keys.number("efficiency", 0, 1).value_or(proposal.efficiency);
  KSTAR_CHECK(keys.finish());
  if (problem) proposal.grows = *problem == "grows";
  KSTAR_TRY(const auto by_rate, ratio(keys, "rate", rate, "rate_today", rate_today));
  KSTAR_TRY(const auto slower, ratio(keys, "time", time, "time_today", time_today));
  if (by_rate && slower) {
    return fail(keys.error_at("time", "expected rates or times, got both"));
  }
  KSTAR_TRY(proposal.intensity, ratio(keys, "flops", flops, "bytes", bytes));
  KSTAR_TRY(proposal.ridge, ratio(keys, "peak_flops", peak, "bandwidth", bandwidth));
  proposal.speedup = by_rate;
  if (slower) {  // a run of a problem that grows does more
    const bool grows = proposal.grows.value_or(false) && proposal.workers && proposal.today;
    proposal.speedup = (grows ? *proposal.workers / *proposal.today : 1) / *slower;
  }
  proposal.step = time;
  if (price) {
    CostRates rates;
    if (const Result<void> read = read_price(*price, "", rates); !read) {
      return fail(keys.error_at("price", read.error().message));
    }
    proposal.price = rates.price;
    proposal.currency = rates.currency;
  }
  return proposal;
}

}  // namespace kstar
