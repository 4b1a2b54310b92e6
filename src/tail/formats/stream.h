#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/gzip.h"
#include "base/source_line.h"
#include "kstar/latency.h"

/// What the readers of latencies read from, and what they put them into.
namespace kstar::tail {

/// Seconds.
inline constexpr double kMilli = 1e-3, kMicro = 1e-6, kNano = 1e-9;

/// A file, plain or gzipped, or a text: in blocks of whole lines, so that a file may be larger than
/// the memory.
class LineStream {
 public:
  static constexpr std::size_t kHead = std::size_t{64} << 10U;
  static constexpr std::size_t kBlock = std::size_t{1} << 20U;
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20U;
  static constexpr std::size_t kMostWhole = std::size_t{256} << 20U;

  LineStream(FileHandle file, std::string name);
  LineStream(std::string_view text, std::string_view name);

  const std::string& name() const { return name_; }
  /// The beginning; asked before anything is taken.
  Result<std::string_view> head();
  /// Lines, whole ones, with their ends; empty at the end of the file. Good until the next call.
  Result<std::string_view> next_block();
  /// The number of the first line of the last block.
  std::size_t first_line() const { return first_line_; }
  /// All of it, padded for JSON.
  Result<FileText> whole();

 private:
  Result<bool> fill();

  std::string name_;
  FileHandle file_;
  std::optional<GunzipStream> gzip_;
  std::string packed_;
  std::string_view packed_left_;
  std::string buffer_;
  std::size_t taken_ = 0;
  bool started_ = false, ended_ = false;
  std::size_t first_line_ = 1, next_line_ = 1;
};

/// Calls take(Line) for each line of the file, without its end; stops at the first error.
template <typename Take>
Result<void> each_line(LineStream& stream, const Take& take) {
  while (true) {
    Result<std::string_view> block = stream.next_block();
    if (!block) return fail(std::move(block).error());
    if (block->empty()) return {};
    std::size_t number = stream.first_line();
    std::string_view rest = *block;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      std::string_view text = rest.substr(0, end);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (Result<void> taken = take(Line{stream.name(), number++, text}); !taken) return taken;
    }
  }
}

/// Takes latencies in: as they are, or as sketches once there are many.
class LatencySink {
 public:
  explicit LatencySink(const LatencyOptions& options) : options_(options) {}

  void add(double latency) {
    if (sketch_) {
      sketch_->add(latency);
    } else {
      set.samples.push_back(latency);
      if (set.samples.size() > options_.most_exact) start_sketch();
    }
  }
  /// With when it started, in seconds of any clock.
  void add(double latency, double start, bool cut = false);

  /// Everything but what the format says of itself.
  LatencySet finish(std::string_view name, std::string_view format);

  LatencySet set;
  bool ends = false;  ///< the clock of the file is that of the ends of requests

 private:
  void start_sketch();
  /// Starts of a coarse clock are whole steps of it, and what is equal stays in its order.
  void find_clock_step();

  const LatencyOptions& options_;
  std::optional<BatchedSketch> sketch_;
  std::vector<double> starts_;
  std::vector<bool> cut_;
  double first_ = 0, last_ = 0;  ///< the first start and the last end
  std::uint64_t count_ = 0, started_ = 0;
};

/// A kind of file.
struct LatencyFormat {
  std::string_view name;
  std::string_view help;
  bool (*matches)(std::string_view head);
  Result<LatencySet> (*read)(LineStream& stream, const LatencyOptions& options);
};

extern const LatencyFormat kLinesFormat, kCsvFormat, kHdrFormat, kWrkFormat, kHeyFormat,
    kSpectrumFormat, kLocustFormat, kVegetaFormat, kVegetaLinesFormat, kK6Format, kK6LinesFormat,
    kVllmFormat, kLlmperfFormat, kLogFormat, kAbFormat, kVegetaTextFormat, kK6TextFormat,
    kServingTextFormat, kOhaFormat, kAutocannonFormat, kBombardierFormat, kFortioFormat,
    kArtilleryFormat, kGhzFormat, kGatlingFormat;

/// The words of a line.
std::vector<std::string_view> tokens(std::string_view line);

/// "12.5ms", "3.35m", "0.96 ms", "12.5 secs": seconds. Nothing without a unit.
std::optional<double> read_duration(std::string_view text);

/// Half a printed step of the number at the beginning of `text`, times two: 0.01 of "12.82ms", in
/// its unit.
double printed_step(std::string_view text);

/// Seconds since 1970 of "2026-01-13T14:48:15.63+05:30"; nothing of any other text.
std::optional<double> read_date(std::string_view text);

/// Of a clock whose unit its size shows: seconds, milliseconds, microseconds or nanoseconds since
/// 1970.
double epoch_seconds(double clock);

/// A metric that the file does not have.
Error no_such_metric(std::string_view file, const std::string& metric,
                     const std::vector<std::string>& known);

}  // namespace kstar::tail
