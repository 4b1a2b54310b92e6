#include "tools/kstar_train/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>

namespace kstar::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// So many multiplications, each of which needs the one before: bound by latency, not by memory or
/// by units that hardware threads share.
std::uint64_t chain(std::uint64_t value, std::int64_t operations) {
  for (std::int64_t i = 0; i < operations; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
  }
  return value;
}

}  // namespace

Job::Job(const Options& wanted)
    : options(wanted),
      network(Dataset::kInputs, static_cast<std::size_t>(wanted.width),
              static_cast<std::size_t>(wanted.depth)),
      data(wanted.seed),
      shares(split_batch(wanted.batch, wanted.workers, wanted.planted.imbalance)) {}

Worker::Worker(const Job& job, Team& team)
    : job_(job),
      team_(team),
      share_(static_cast<std::size_t>(job.shares[static_cast<std::size_t>(team.number())])),
      offset_(static_cast<std::uint64_t>(std::accumulate(
          job.shares.begin(), job.shares.begin() + team.number(), std::int64_t{0}))),
      parameters_(job.network.initial_parameters(job.options.seed + 1)),
      sums_(job.network.parameter_count() + 1),
      layers_(job.network.layer_spans()),
      gradient_(job.network,
                job.options.all_reduce == AllReduce::kOverlapped ? share_ : Gradient::kTile),
      optimizer_(job.network.parameter_count(), job.options.rate, job.options.momentum) {}

void Worker::run() {
  const Options& options = job_.options;
  mark_ = kstar_mark_open(team_.number());
  if (options.planted.stream_mib > 0) {  // here, so that the memory is near the thread that uses it
    const auto whole = static_cast<double>(options.batch) / (options.weak ? options.workers : 1);
    stream_.emplace(options.planted.stream_mib, static_cast<double>(share_) / whole);
  }
  team_.meet();
  kstar_mark_setup_end(mark_);
  Clock::time_point start = Clock::now();
  for (int i = 0; i < options.steps; ++i) {
    if (i == options.warm_up) {
      kstar_mark_warm_up_end(mark_);
      start = Clock::now();
    }
    step(i);
  }
  seconds_per_step_ = seconds_since(start) / (options.steps - options.warm_up);
  kstar_mark_close(mark_);
}

Outcome Worker::outcome() const {
  Outcome outcome{.losses = losses_,
                  .gradient = sums_,
                  .parameters = parameters_,
                  .shares = job_.shares,
                  .seconds_per_step = seconds_per_step_};
  outcome.gradient.pop_back();
  for (double& slope : outcome.gradient) slope /= static_cast<double>(job_.options.batch);
  return outcome;
}

template <typename Part>
void Worker::phase(kstar_mark_phase phase, Part part) {
  kstar_mark_begin(mark_, phase);
  part();
  kstar_mark_end(mark_, phase);
}

void Worker::step(int index) {
  kstar_mark_step_begin(mark_);
  phase(KSTAR_MARK_LOAD, [&] { load(index); });
  if (job_.options.planted.serial > 0) serial_part();
  phase(KSTAR_MARK_COMPUTE, [&] { compute(index); });
  phase(KSTAR_MARK_WAIT, [&] { team_.meet(); });
  phase(KSTAR_MARK_COMMUNICATE, [&] { communicate(); });
  phase(KSTAR_MARK_COMPUTE, [&] { update(); });
  kstar_mark_work(mark_, static_cast<double>(share_));
  kstar_mark_flops(mark_, flops_per_step());
  kstar_mark_bytes(mark_, bytes_per_step());
  kstar_mark_step_end(mark_);
}

/// Forward two operations per parameter and sample, backward twice that; two per streamed word.
double Worker::flops_per_step() const {
  const auto samples = static_cast<double>(share_);
  const auto streamed = static_cast<double>(stream_ ? stream_->words() : 0);
  return 6 * static_cast<double>(job_.network.parameter_count()) * samples + 2 * streamed;
}

/// What does not stay in a cache: the batch, written and read, and the stream, updated in place.
double Worker::bytes_per_step() const {
  const auto batch = static_cast<double>(share_ * (Dataset::kInputs + 1));
  const auto streamed = static_cast<double>(stream_ ? stream_->words() : 0);
  return 2 * sizeof(double) * (batch + streamed);
}

void Worker::load(int index) {
  const auto first =
      static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(job_.options.batch);
  job_.data.load(first + offset_, share_, batch_);
}

void Worker::serial_part() {
  if (team_.number() == 0) phase(KSTAR_MARK_COMPUTE, [&] { spend(job_.options.planted.serial); });
  phase(KSTAR_MARK_WAIT, [&] { team_.meet(); });
}

void Worker::compute(int index) {
  const Options& options = job_.options;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  Meanwhile meanwhile;
  if (options.all_reduce == AllReduce::kOverlapped) {
    meanwhile.layer_done = [this](std::size_t layer) { team_.start_sum(layer_sums(layer)); };
    meanwhile.now_and_then = [this] { team_.progress(); };
  }
  gradient_.add(parameters_, batch_, sums_, meanwhile);
  if (stream_) streamed_ += stream_->pass();
  chained_ = chain(chained_, options.chain * static_cast<std::int64_t>(share_));
  spend(planted_delay(options.planted, options.seed, index, team_.number(), options.workers));
}

std::span<double> Worker::layer_sums(std::size_t layer) {
  const std::size_t loss = layer + 1 == layers_.size() ? 1 : 0;
  return std::span(sums_).subspan(layers_[layer].begin, layers_[layer].count + loss);
}

void Worker::communicate() {
  const Planted& planted = job_.options.planted;
  const auto start = Clock::now();
  sum_gradients();
  if (job_.options.workers == 1) return;
  spend((planted.all_reduce_factor - 1) * seconds_since(start) + planted.all_reduce_seconds);
}

void Worker::sum_gradients() {
  switch (job_.options.all_reduce) {
    case AllReduce::kFused:
      return team_.sum(sums_);
    case AllReduce::kLayered:
      for (std::size_t layer = layers_.size(); layer-- > 0;) team_.sum(layer_sums(layer));
      return;
    case AllReduce::kOverlapped:
      return team_.finish_sums();
  }
}

void Worker::update() {
  const double scale = 1 / static_cast<double>(job_.options.batch);
  optimizer_.step(parameters_, std::span(sums_).first(parameters_.size()), scale);
  losses_.push_back(sums_.back() * scale);
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

Error replica_differs(int worker) {
  return {.where = fmt::format("worker {}", worker),
          .message = "its replica of the network differs from that of worker 0"};
}

}  // namespace kstar::train
