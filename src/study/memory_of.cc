#include "study/memory_of.h"

namespace kstar {

namespace {

/// The worst that a line of lists and maps becomes: "", of three bytes is a text of 32.
constexpr std::size_t kGrowth = 12;

std::size_t memory_of(const PerWorker& arrays) {
  const std::size_t numbers = arrays.compute.size() + arrays.communicate.size() +
                              arrays.wait.size() + arrays.load.size() + arrays.work.size() +
                              arrays.flops.size() + arrays.bytes.size();
  return sizeof arrays + numbers * sizeof(double) + arrays.host.size() * sizeof(std::string);
}

}  // namespace

std::size_t memory_of(const Run& run, std::size_t line) {
  std::size_t bytes =
      sizeof run + run.steps.size() * sizeof(double) + run.hosts.size() * sizeof(std::string);
  bytes += run.output.size() + run.failure.size() + run.job.size() + run.extra.size();
  if (run.per_worker) bytes += memory_of(*run.per_worker);
  if (run.inside || run.factors || run.settings || run.claim) bytes += kGrowth * line;
  return bytes;
}

std::size_t memory_of(const Note& note, std::size_t line) {
  return sizeof note + (note.values.empty() ? 1 : kGrowth) * line;
}

}  // namespace kstar
