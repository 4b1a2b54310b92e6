#include "support/planted_study.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace kstar::planted {

namespace {

/// One run in the making.
class Simulation {
 public:
  Simulation(const Job& job, int workers, Random& random)
      : job_(job), count_(static_cast<std::size_t>(workers)), random_(random) {
    run_.workers = workers;
    run_.exit_status = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      speed_.push_back(std::exp(job.run_noise * random.normal()));
      share_.push_back(share_of(i));
    }
    PerWorker& all = run_.per_worker.emplace();
    for (std::vector<double>* part :
         {&all.compute, &all.communicate, &all.wait, &all.load, &all.work}) {
      part->assign(count_, 0);
    }
    for (std::size_t i = 0; i < count_ && !job.hosts.empty(); ++i) {
      all.host.push_back(job.hosts[i % job.hosts.size()]);
    }
  }

  Run run() {
    for (std::size_t step = 0; step < job_.steps; ++step) add_step();
    run_.usage.cpu_stolen = stolen_;
    run_.wall = total_;
    PerWorker& all = *run_.per_worker;
    if (!job_.work_known) all.work.clear();
    if (!job_.wait_known) {
      for (std::size_t i = 0; i < count_; ++i) all.communicate[i] += all.wait[i];
      all.wait.clear();
    }
    if (!job_.workers_known) run_.per_worker.reset();
    return run_;
  }

 private:
  double whole() const { return job_.weak ? static_cast<double>(count_) : 1; }

  double share_of(std::size_t worker) const {
    const auto count = static_cast<double>(count_);
    if (count_ == 1) return whole();
    const double first = (1 + job_.imbalance) / count;
    return whole() * (worker == 0 ? first : (1 - first) / (count - 1));
  }

  double compute(std::size_t worker) {
    const double grown = 1 + job_.slowdown * std::log2(static_cast<double>(count_)) / 4;
    double time =
        share_[worker] * grown * speed_[worker] * std::exp(job_.step_noise * random_.normal());
    if (static_cast<int>(worker) == job_.slow_worker && count_ > 1) {
      time = time * (1 + job_.slow_share) + job_.delay;
    }
    if (random_.uniform() < job_.late_chance) time += job_.late;
    if (random_.uniform() < job_.stolen_chance) {
      time += job_.stolen;
      stolen_ += job_.stolen;
    }
    return time;
  }

  void add_step() {
    std::vector<double> times;
    for (std::size_t i = 0; i < count_; ++i) times.push_back(compute(i));
    const double last = *std::max_element(times.begin(), times.end());
    const double talk = count_ > 1 ? job_.communication : 0;
    PerWorker& all = *run_.per_worker;
    for (std::size_t i = 0; i < count_; ++i) {
      all.compute[i] += times[i];
      all.wait[i] += last - times[i];
      all.communicate[i] += talk;
      all.work[i] += share_[i];
      if (i > 0) all.wait[i] += job_.serial;
    }
    if (job_.serial_marked) all.compute[0] += job_.serial;
    run_.steps.push_back(last + job_.serial + talk);
    total_ += run_.steps.back();
  }

  const Job& job_;
  std::size_t count_;
  Random& random_;
  Run run_;
  std::vector<double> speed_, share_;
  double stolen_ = 0;
  double total_ = 0;
};

}  // namespace

Study simulate(const Job& job) {
  Study study;
  study.header.regime = job.weak ? Regime::kWeak : Regime::kStrong;
  Random random(job.seed);
  for (std::size_t block = 0; block < job.runs; ++block) {
    for (const int workers : job.workers) {
      study.runs.push_back(Simulation(job, workers, random).run());
      study.runs.back().block = static_cast<int>(block);
    }
  }
  return study;
}

}  // namespace kstar::planted
