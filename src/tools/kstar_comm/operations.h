#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Collectives and messages of a size, called again and again.
namespace kstar::probe {

/// What one call does. Sizes are counted as kstar/network.h says: of an all-gather the result, of a
/// reduce-scatter the input, of an all-to-all all that one rank sends.
class Operation {
 public:
  /// `name` as in a network file: "all-reduce". Buffers are for up to `largest` bytes.
  Operation(const std::string& name, int rank, int ranks, std::size_t largest);

  static bool is_known(const std::string& name);

  /// `count` calls of `bytes`, one after the other. A call is over when its result is there; no
  /// call can begin on a rank before that rank has finished the one before it.
  void call(std::size_t bytes, long count);

  /// Whether one call of `bytes` gives the right result.
  bool is_right(std::size_t bytes);

 private:
  enum class Kind { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kAllToAll, kMessage };

  void once(std::size_t bytes, long number);
  /// Bytes of the part that each rank gets or gives; at least those of one number.
  std::size_t part(std::size_t bytes) const;

  Kind kind_;
  int rank_, ranks_;
  std::vector<float> in_, out_;
};

}  // namespace kstar::probe
