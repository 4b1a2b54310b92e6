#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/rank.h"

namespace kstar::tracing {

/// The operations of one step, in at most so many pieces: neighbours of a lane and a kind that are
/// close together become one, those closest first. They come in the order of their starts.
class Stretches {
 public:
  Stretches(const RankStep& step, std::size_t most) : step_(step), most_(most) {}

  void add(const Work& work, std::int64_t operation);
  /// Of communication, which is never joined, the longest where they are too many.
  std::vector<Stretch> take();

 private:
  void join(const Stretch& one, std::int64_t longest);
  std::int64_t wider() const;
  void widen();

  RankStep step_;
  std::size_t most_;
  std::int64_t gap_ = 0;  ///< what is closer is joined; 0: nothing
  std::vector<Stretch> list_;
  std::vector<std::int64_t> longest_;          ///< of each: its longest operation, which names it
  std::map<std::uint32_t, std::size_t> last_;  ///< of each lane
};

}  // namespace kstar::tracing
