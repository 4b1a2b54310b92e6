#pragma once

#include <span>

namespace kstar::train {

/// The workers of a job, as one of them sees them: threads, ranks. All workers make the same calls
/// in the same order.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  /// This worker's, from 0.
  virtual int number() const = 0;

  /// Returns when every worker has come.
  virtual void meet() = 0;

  /// Replaces `values` by their sum over the workers, the same bits for each of them.
  virtual void sum(std::span<double> values) = 0;

  /// Begins a sum that goes on in the background where the team can do that, and is made at once
  /// where it cannot. `values` is the team's until finish_sums() returns.
  virtual void start_sum(std::span<double> values) { sum(values); }
  /// To be called now and then: many a background makes progress only while somebody looks at it.
  virtual void progress() {}
  virtual void finish_sums() {}
};

}  // namespace kstar::train
