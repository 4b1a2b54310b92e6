#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"

/// What collectives cost on a network, as measured: one file, network.toml, that `kstar comm`
/// writes and that predictions, plans and analyses read (kstar/network_cost.h asks it).
namespace kstar {

enum class Collective {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce,
  kAllToAll,
  kPointToPoint  ///< one way, from one worker to another
};

/// "all-reduce", "point-to-point": in files, on the command line, in sentences.
KSTAR_EXPORT std::string_view name_of(Collective collective);
/// By that name, or as MPI, NCCL and PyTorch write it: allreduce, all_reduce, AllReduce, alltoall.
KSTAR_EXPORT std::optional<Collective> collective_named(std::string_view name);
KSTAR_EXPORT std::span<const Collective> all_collectives();

/// Bus bandwidth is this times the algorithm bandwidth (bytes / time): what every link carries in
/// the best algorithm that does not compute in the network. 2(K-1)/K, (K-1)/K or 1.
KSTAR_EXPORT double bus_factor(Collective collective, double workers);

/// A number and where it may lie, with 95% confidence. `high` is infinite where nothing is known.
struct Bounded {
  double point = 0;
  double low = 0;
  double high = 0;
};

/// time = alpha + beta bytes, for sizes from `from` to `to`.
///
/// Bytes are those that nccl-tests counts: what one worker holds before or after, whichever is
/// more. Of an all-reduce, a broadcast and a message, the buffer; of an all-gather, the result; of
/// a reduce-scatter, the input; of an all-to-all, all that one worker sends.
struct NetworkPiece {
  double from = 0;        ///< bytes, the smallest and
  double to = 0;          ///< the largest size seen
  Bounded alpha;          ///< seconds
  Bounded beta;           ///< seconds per byte
  double spread = 0;      ///< standard deviation of log(time) around it
  std::string algorithm;  ///< that its times look like; empty where nothing says so
};

/// The sizes seen, for times between them. There the time is above a straight line between two
/// neighbours in log(bytes) and log(time), and below one in bytes and time, which alpha and beta
/// would be: the geometric mean of both is taken.
struct NetworkCurve {
  std::vector<double> bytes;  ///< ascending
  std::vector<double> seconds;
  std::vector<double> fastest, slowest;  ///< of several measurements; empty where each size has one
};

/// One collective on one number of workers.
struct NetworkSweep {
  Collective collective = Collective::kAllReduce;
  double workers = 2;
  double nodes = 0;  ///< 0 where it is not known
  std::size_t sizes = 0;
  bool irregular = false;            ///< times that no smooth curve holds: a prediction is doubtful
  bool wrong = false;                ///< the benchmark found its results wrong: likewise
  std::string source;                ///< the file that it is from
  std::vector<NetworkPiece> pieces;  ///< by size
  NetworkCurve curve;                ///< may be empty: then the pieces say all
};

/// Inside and between nodes, from sweeps on several numbers of full nodes:
/// time = (inside_alpha + rounds(N) between_alpha) + (inside_beta + v(N) between_beta) bytes, where
/// v is the bus factor of N nodes. A level whose traffic hides behind the other's has a beta of 0;
/// where sizes on one node were too large to tell a latency, both alphas are unknown.
struct NetworkLevels {
  Collective collective = Collective::kAllReduce;
  double node_workers = 1;            ///< workers on each node
  Bounded inside_alpha, inside_beta;  ///< on one node
  Bounded between_alpha;              ///< of one round between nodes
  Bounded between_beta;
  std::string rounds;  ///< "doubling" (log2 N), "ring" (N - 1); empty where two N do not tell
};

struct Network {
  std::string title;
  std::optional<double> node_workers;  ///< workers that share a node, where it is known
  std::optional<double> link;          ///< stated bytes per second of each worker's link
  std::vector<NetworkSweep> sweeps;    ///< by collective, then by workers
  std::vector<NetworkLevels> levels;   ///< where sweeps show them
  std::string name;                    ///< the file that it was read from
};

/// In the order of files: by collective, nodes and workers.
KSTAR_EXPORT void sort_sweeps(Network& network);

/// An error stands at its place in the file `name`.
KSTAR_EXPORT Result<Network> parse_network(std::string_view text, std::string_view name);
KSTAR_EXPORT Result<Network> load_network(const std::string& path);
KSTAR_EXPORT std::string to_toml(const Network& network);

}  // namespace kstar
