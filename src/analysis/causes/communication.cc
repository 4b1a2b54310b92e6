#include <fmt/format.h>

#include <algorithm>

#include "analysis/causes/registry.h"
#include "base/duration.h"
#include "base/number.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> communication_factor(const Findings& found) {
  return found.transfer ? *found.transfer : found.here.communication;
}

std::string share_at_base(const Findings& found) {
  if (!found.base.transfer) return "";
  return fmt::format(", and {} at K = {}",
                     percent(std::max(0.0, 1 - found.base.transfer->point), 0), found.base.workers);
}

void describe_communication(const Findings& found, Cause& cause) {
  if (!found.transfer) {
    cause.evidence.push_back(fmt::format(
        "the worker with the most work is busy {} of the time at K = {}; the rest is not recorded",
        share_words(found.here.communication), found.here.workers));
    cause.or_else = {CauseKind::kSerial, CauseKind::kStraggler};
    cause.advice = "mark communication and waiting, or measure with --inside";
    return;
  }
  const Estimate share = one_less(*found.here.transfer);
  cause.evidence.push_back(
      fmt::format("communication takes {} of the time at K = {}, {} per step{}", share_words(share),
                  found.here.workers, time_text(share.point * found.step), share_at_base(found)));
  if (!found.has_wait) {
    cause.evidence.push_back(
        "waiting is not recorded: this is the communication of the worker with the least, and some "
        "of it may be waiting");
  }
  cause.advice =
      "send less or less often (larger batches, fused or compressed messages), overlap it with "
      "computation, or use a faster network or algorithm for the collective";
}

std::optional<Estimate> reported_communication(const ReportedFactors& reported) {
  return scaled(reported.here.communication, 1 / reported.base.communication.point);
}

void describe_reported_communication(const ReportedFactors& reported, Cause& cause) {
  const FactorPoint& here = reported.here;
  cause.evidence.push_back(both_text("communication efficiency", reported, here.communication,
                                     reported.base.communication));
  if (here.transfer && here.serialization) {
    cause.evidence.push_back(
        fmt::format("its factors are {} (transfer) and {} (serialization: waiting for each other)",
                    factor_words(*here.transfer), factor_words(*here.serialization)));
  } else {
    cause.or_else = {CauseKind::kSerial};
  }
  cause.advice =
      "if transfer is smaller: send fewer and larger messages, or overlap communication with "
      "computation; if serialization is smaller: find which worker the others wait for (kstar "
      "measure --inside)";
}

}  // namespace

const CauseEntry kCommunicationCause = {
    .about = {CauseKind::kCommunication, "communication", "communication", "communication"},
    .measured = {communication_factor, describe_communication},
    .reported = {reported_communication, describe_reported_communication},
    .suggested = {.constant = 2, .growing = 1, .share = 4, .weak_growing = 1, .weak_filling = 5}};

}  // namespace kstar::causes
