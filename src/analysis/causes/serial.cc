#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "analysis/causes/words.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> serial_factor(const Findings& found) {
  if (!found.serial) return std::nullopt;
  const double others = 1 - 1 / static_cast<double>(found.here.workers);
  return one_less(scaled(found.serial->seconds, others / found.step));
}

void tell_serial(const Findings& found, Cause& cause) {
  const SerialPart& serial = *found.serial;
  cause.worker = serial.worker;
  cause.evidence.push_back(fmt::format(
      "in every one of {} from K = {} on there are at least {} a step in which no worker{} "
      "computes or communicates; {} in a prompt step, {} of it at K = {}",
      runs_text(serial.runs), (found.here.workers + 1) / 2, seconds_text(serial.least),
      serial.worker ? fmt::format(" but {}", *serial.worker) : " but one at most",
      seconds_text(serial.seconds.point), share_text(scaled(serial.seconds, 1 / found.step)),
      found.here.workers));
  if (serial.unmarked) {
    cause.evidence.push_back(
        fmt::format("worker {} spends that time in no marked phase", *serial.worker));
  }
  if (!serial.steps_known) {
    cause.or_else = {CauseKind::kStraggler};
    cause.evidence.push_back(
        "steps are not recorded: it may be in some of them only, as stragglers make it");
  }
  cause.advice = fmt::format(
      "find what {} does while the others wait (input, output, a central update), and divide it, "
      "overlap it or do it less often: it bounds the speedup, however many workers there are",
      serial.worker ? fmt::format("worker {}", *serial.worker) : "one worker alone");
}

}  // namespace

const CauseEntry kSerialCause = {
    .about = {CauseKind::kSerial, "serial", "the serial part", "the serial part"},
    .tested = true,
    .measured = {serial_factor, tell_serial},
    .suggested = {.constant = 1}};

}  // namespace kstar::causes
