#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "base/duration.h"
#include "base/text.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> serial_factor(const Findings& found) {
  if (!found.serial) return std::nullopt;
  const double others = 1 - 1 / static_cast<double>(found.here.workers);
  return one_less(scaled(found.serial->seconds, others / found.step));
}

void describe_serial(const Findings& found, Cause& cause) {
  const SerialPart& serial = *found.serial;
  cause.worker = serial.worker;
  cause.evidence.push_back(fmt::format(
      "in all of {} from K = {} on, there are at least {} per step in which no worker{} computes "
      "or communicates; {} in a fast step, {} of it at K = {}",
      count_text(serial.runs, "run"), (found.here.workers + 1) / 2, time_text(serial.least),
      serial.worker ? fmt::format(" except {}", *serial.worker) : " except at most one",
      time_text(serial.seconds.point), share_words(scaled(serial.seconds, 1 / found.step)),
      found.here.workers));
  if (serial.unmarked) {
    cause.evidence.push_back(
        fmt::format("worker {} spends that time outside of marked phases", *serial.worker));
  }
  if (!serial.steps_known) {
    cause.or_else = {CauseKind::kStraggler};
    cause.evidence.push_back(
        "steps are not recorded: it may be in some of them only, as with stragglers");
  }
  cause.advice = fmt::format(
      "find what {} does while the others wait (input, output, a central update), and divide it, "
      "overlap it or do it less often: it limits the speedup for any number of workers",
      serial.worker ? fmt::format("worker {}", *serial.worker) : "one worker alone");
}

}  // namespace

const CauseEntry kSerialCause = {
    .about = {CauseKind::kSerial, "serial", "the serial part", "the serial part"},
    .tested = true,
    .measured = {serial_factor, describe_serial},
    .suggested = {.constant = 1, .limit = 2}};

}  // namespace kstar::causes
