#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

/// Why nothing is named, and what the loss is made of instead.
void describe_nothing(const Findings& found, Cause& cause) {
  cause.evidence.push_back(
      fmt::format("nothing takes more than {} of the efficiency at K = {} beyond the noise of {}",
                  percent(kNegligible, 0), found.here.workers, count_text(found.here.runs, "run")));
  if (found.here.load_balance.point < 1 - kNegligible && found.noise.degrees > 0) {
    cause.evidence.push_back(fmt::format(
        "load balance is {}, and no worker is slow in most runs; single runs at K = {} vary by {}, "
        "and {} workers with that variation may have {} by chance",
        factor_words(found.here.load_balance), found.base.workers,
        percent(found.noise.deviation, 0), found.here.workers, fixed(found.chance_balance, 2)));
  }
  if (found.here.computation && found.here.computation->point < 1 - kNegligible) {
    cause.evidence.push_back(
        fmt::format("computation scaling is {}, not clearly below the {} of a machine whose cores "
                    "are all busy; single runs at K = {} vary by {}",
                    factor_words(*found.here.computation), fixed(1 - kBusyMachine, 2),
                    found.base.workers, percent(found.noise.deviation, 0)));
  }
  if (found.late.unexplained > kNegligible) {
    cause.evidence.push_back(
        fmt::format("all workers wait {} of the time in single steps; the hypervisor gave up to {} "
                    "of a core to others",
                    percent(found.late.unexplained, 0), percent(found.late.stolen, 0)));
  }
}

void describe_reported_nothing(const ReportedFactors& reported, Cause& cause) {
  cause.evidence.push_back(
      fmt::format("according to the factors in the file, nothing takes more than {} of the "
                  "efficiency at K = {}",
                  percent(kNegligible, 0), reported.here.workers));
}

void describe_counted_nothing(const CpuFacts& facts, Cause& cause) {
  cause.evidence.push_back(
      fmt::format("no factor of the processor time takes more than {} of the efficiency at K = {} "
                  "beyond the noise",
                  percent(kNegligible, 0), facts.here.workers));
}

}  // namespace

const CauseEntry kNoCause = {
    .about = {CauseKind::kNone, "none", "nothing beyond the noise", "none found"},
    .measured = {nullptr, describe_nothing},
    .reported = {nullptr, describe_reported_nothing},
    .counted = {nullptr, describe_counted_nothing}};

}  // namespace kstar::causes
