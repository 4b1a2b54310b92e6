#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/measure_check.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// How the runs of one block come to be: one after the other on this machine, or as jobs of a
/// queue. The measuring loop decides which points a block has, and keeps what comes back.
namespace kstar {

struct MeasurePoint;

/// What a runner may ask and tell the loop. Points are known by their index.
class KSTAR_EXPORT BlockKeeper {
 public:
  virtual ~BlockKeeper() = default;
  /// Whether a run of this point should still start: nobody stopped kstar, there is budget left,
  /// and the point was not given up meanwhile.
  virtual bool wanted(std::size_t point) const = 0;
  /// A run of it is under way.
  virtual void started(std::size_t point) = 0;
  /// The next Run of a point, with what the loop knows of it: K, role, order, block, warm-up.
  virtual Run numbered(std::size_t point) = 0;
  /// Appends a run that has ended.
  virtual Result<void> take(std::size_t point, const Run& run) = 0;
  virtual Result<void> note(Note note) = 0;
  /// What was spent beside the runs, of the budget of this sitting.
  virtual void spent(double /*seconds*/, int /*workers*/) {}
  /// What is waited for, in words, for people.
  virtual void waits(const std::string& text) = 0;
};

/// The runs of a study that goes on, which a runner began and has not handed back.
struct BegunBlock {
  int number = -1;                  ///< of the block; -1: there is none
  std::vector<std::size_t> points;  ///< in the order in which they were begun
};

class KSTAR_EXPORT BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  /// Once, before anything runs: the points that there are, and the study that goes on.
  virtual Result<void> prepare(const std::vector<MeasurePoint>& points, const Study& earlier) = 0;
  /// Runs each of `points` once, as far as they are wanted. Returns when none of them is under way
  /// any more. An error means that nothing more can be run.
  virtual Result<void> run(int block, const std::vector<std::size_t>& points,
                           BlockKeeper& keeper) = 0;
  /// After the last run, also where the user stopped it.
  virtual Result<void> end() { return {}; }
  /// What a study that goes on has to finish first. A runner whose runs end with kstar has nothing.
  virtual BegunBlock begun() const { return {}; }
  /// What the user must know of a point before it runs.
  virtual std::vector<std::string> warnings(std::size_t) const { return {}; }
  /// After the last run, before the study is saved: what the runner learnt of it as a whole.
  virtual void complete(Study&) const {}
  /// The study is saved: what the runner kept beside it is not needed any more.
  virtual void clean_up(const Study&) const {}
  /// Knows the answer that all runs must agree with; null when there is nothing to check.
  virtual AnswerCheck* check() = 0;
};

}  // namespace kstar
