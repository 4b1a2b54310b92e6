#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"

/// Latencies, as load generators and servers write them down: kstar/tail.h says what they mean.
namespace kstar {

/// Counts of latencies in buckets of one relative width, for any number of them: the top ten bits
/// of a double's mantissa choose the bucket, so that two sketches of any ranges add up.
class KSTAR_EXPORT LatencySketch {
 public:
  /// A latency read from it differs by at most this share from one that was put in: half the width
  /// of the widest bucket, 2^-10.
  static constexpr double kRelativeError = 1.0 / 2048;

  void add(double seconds, std::uint64_t count = 1);
  void merge(const LatencySketch& other);

  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  double max() const { return max_; }
  /// The latency at this rank, from 1, ascending; the middle of its bucket.
  double at_rank(std::uint64_t rank) const;
  /// How many are in buckets above that of `seconds`.
  std::uint64_t above(double seconds) const;
  /// Every bucket's middle and its count, ascending.
  std::vector<std::pair<double, std::uint64_t>> buckets() const;

 private:
  friend class BatchedSketch;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets_;  ///< by index, ascending
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

/// Sketches of at most 256 equal stretches of a stream, in its order: what correlation there is
/// over time shows in how they differ. When all are full, neighbours become one.
class KSTAR_EXPORT BatchedSketch {
 public:
  BatchedSketch();
  void add(double seconds);
  /// All batches, the last one with what it has.
  std::vector<LatencySketch> take();

 private:
  void close();

  std::vector<std::uint32_t> open_;  ///< counts of the batch that is being filled, by bucket
  std::uint32_t lowest_ = 0, highest_ = 0;
  LatencySketch totals_;  ///< count, sum and maximum of that batch
  std::uint64_t size_ = 0;
  std::vector<LatencySketch> closed_;
};

/// A percentile that a file states.
struct StatedPercentile {
  double share = 0;  ///< 0.99 of p99
  double value = 0;  ///< seconds
  double step = 0;   ///< how far two neighbouring printed values are apart; 0: all digits
  std::string name;  ///< as the file has it: "p99_ttft_ms"
};

/// Who decides when the next request starts.
enum class LoopKind {
  kUnknown,
  kOpen,   ///< a schedule: latencies count from when a request was due
  kClosed  ///< the answer to the one before: what waits is not sent, and not measured
};

/// The latencies of one kind in one file.
struct LatencySet {
  std::string name;     ///< of the file
  std::string format;   ///< "wrk2", "hdr" ...
  std::string metric;   ///< "ttft", "http_req_duration", a tag; "" where there is only one
  bool seconds = true;  ///< else the numbers have no unit

  /// In the order of the file, one each. Empty where there are too many, or none in the file.
  std::vector<double> samples;
  /// When each request started (was due), seconds from the first; of all samples, or empty.
  std::vector<double> starts;
  /// Whether each sample's request is one of `unanswered`: it took at least so long.
  std::vector<bool> cut;
  /// Instead of samples: stretches of time, in their order.
  std::vector<LatencySketch> batches;
  /// Of batches: the upper ends of buckets, and their counts, as the file has them.
  std::vector<std::pair<double, std::uint64_t>> spectrum;
  /// Of a spectrum that is a table of percentiles: the latency that a share is within.
  std::vector<std::pair<double, double>> rows;
  double bucket_error = 0;  ///< relative, of what is in batches or spectrum
  bool ordered = true;      ///< the order of the samples is that of time
  double clock_step = 0;    ///< seconds: the starts are whole steps of it, often equal ones

  std::vector<StatedPercentile> stated;
  bool failures_stated = false;  ///< those include requests that failed
  std::uint64_t count = 0;       ///< of latencies, also where only percentiles are stated
  std::uint64_t failed = 0;      ///< requests that failed; not among the latencies
  std::uint64_t made = 0;        ///< requests in all; 0: those above, the file has no other total
  std::uint64_t unanswered = 0;  ///< requests without an answer at the end
  std::optional<double> mean;
  std::optional<double> max;
  std::optional<double> duration;  ///< seconds of the whole measurement
  std::optional<double> offered;   ///< requests per second that were asked for
  std::optional<double> served;    ///< requests per second that were answered
  bool served_all = false;         ///< `served` counts requests that failed, too
  std::optional<double> connections;
  /// Requests that the client kept in flight: the largest batch that an inference server had.
  std::optional<double> concurrency;
  std::optional<double> tokens;  ///< per second, of inference
  LoopKind loop = LoopKind::kUnknown;
  std::vector<std::string> notes;   ///< what was skipped, assumed or guessed
  std::vector<std::string> others;  ///< further metrics in the file
  bool whole = true;                ///< from the start of a request to its end: Little's law holds
  bool is_log = false;              ///< written by `kstar tail measure`

  std::uint64_t requests() const { return made > 0 ? made : count + failed; }
};

struct LatencyOptions {
  std::string format;                ///< "" : what the file looks like
  std::string metric;                ///< "": the format's main one
  std::string column;                ///< of a table
  std::string start_column;          ///< of a table
  std::optional<double> unit;        ///< seconds of one unit of the file's numbers
  std::size_t most_exact = 4000000;  ///< more than so many latencies are sketched
};

/// Reads a file, or standard input for "-".
KSTAR_EXPORT Result<LatencySet> read_latencies(const std::string& path,
                                               const LatencyOptions& options = {});
/// The same of a text; `name` stands for the file in messages.
KSTAR_EXPORT Result<LatencySet> parse_latencies(std::string_view text, std::string_view name,
                                                const LatencyOptions& options = {});

/// When requests are due, in seconds from the first: at equal intervals, or as a Poisson process.
KSTAR_EXPORT std::vector<double> arrival_times(double rate, bool poisson, std::uint64_t seed,
                                               std::size_t count);

/// A kind of file that latencies are read from.
struct LatencyFormatInfo {
  std::string_view name;
  std::string_view help;
};
KSTAR_EXPORT std::vector<LatencyFormatInfo> latency_formats();

}  // namespace kstar
