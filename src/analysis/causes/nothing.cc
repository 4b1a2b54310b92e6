#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "analysis/causes/words.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

/// Why nothing is named, and what the loss is made of instead.
void tell_nothing(const Findings& found, Cause& cause) {
  cause.evidence.push_back(
      fmt::format("nothing takes more than {} of the efficiency at K = {} beyond the noise of {}",
                  percent(kNegligible, 0), found.here.workers, runs_text(found.here.runs)));
  if (found.here.load_balance.point < 1 - kNegligible && found.noise.degrees > 0) {
    cause.evidence.push_back(fmt::format(
        "load balance is {}, and no worker is slow in most runs; single runs at K = {} differ by "
        "{}, and {} workers that do may have {} by chance",
        factor_text(found.here.load_balance), found.base.workers, percent(found.noise.deviation, 0),
        found.here.workers, fixed(found.chance_balance, 2)));
  }
  if (found.here.computation && found.here.computation->point < 1 - kNegligible) {
    cause.evidence.push_back(fmt::format(
        "computation scaling is {}, not clearly below the {} that a machine leaves when "
        "all of its cores are busy; single runs at K = {} differ by {}",
        factor_text(*found.here.computation), fixed(1 - kBusyMachine, 2), found.base.workers,
        percent(found.noise.deviation, 0)));
  }
  if (found.late.unexplained > kNegligible) {
    cause.evidence.push_back(fmt::format(
        "{} of the time all wait in single steps; the hypervisor gave up to {} of a core to "
        "others meanwhile",
        percent(found.late.unexplained, 0), percent(found.late.stolen, 0)));
  }
}

void tell_said_nothing(const SaidFactors& said, Cause& cause) {
  cause.evidence.push_back(fmt::format(
      "by the factors in the file nothing takes more than {} of the efficiency at K = {}",
      percent(kNegligible, 0), said.here.workers));
}

}  // namespace

const CauseEntry kNoCause = {
    .about = {CauseKind::kNone, "none", "nothing beyond the noise", "none seen"},
    .measured = {nullptr, tell_nothing},
    .said = {nullptr, tell_said_nothing}};

}  // namespace kstar::causes
