#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kstar/measure.h"

/// The loop of one study, for what runs the blocks of several studies together.
namespace kstar {

class BlockLoop {
 public:
  virtual ~BlockLoop() = default;
  /// Plans every point; nothing has run yet.
  virtual Result<void> prepare() = 0;
  /// Which points the next block runs, in order; none when the study is done.
  virtual std::vector<std::size_t> next_block() const = 0;
  /// Whether a point can have one more run: it was not given up, and has not all runs.
  virtual bool may_run(std::size_t point) const = 0;
  /// One run of it, in the block that the session is at, where it is still wanted.
  virtual Result<void> run_point(std::size_t point) = 0;
  /// By the user, or by the budget.
  virtual bool is_stopped() const = 0;
  /// Brings the verdicts up to date.
  virtual Result<void> judge() = 0;
  /// What the last run leaves to do that the next one need not wait for.
  virtual void tell_last() = 0;
  virtual MeasureResult result() const = 0;
};

/// The spec, the header and what the tools refer to must outlive it.
std::unique_ptr<BlockLoop> block_loop(const MeasureSpec& spec, const StudyHeader& header,
                                      MeasureTools tools);

/// A name for the session that begins now.
std::string session_now();

}  // namespace kstar
