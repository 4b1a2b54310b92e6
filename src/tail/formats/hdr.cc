// HdrHistogram interval logs: a line per interval with its histogram, encoded (V0, V1, V2),
// compressed with zlib and written in base64 (github.com/HdrHistogram/HdrHistogram, public domain:
// the layout of its encodings and of its buckets).
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/base64.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/distribution.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

constexpr std::uint32_t kV0 = 0x1c849308, kV1 = 0x1c849301, kV2 = 0x1c849303;
constexpr std::uint32_t kV0Compressed = 0x1c849309, kV1Compressed = 0x1c849302,
                        kV2Compressed = 0x1c849304;
constexpr std::uint32_t kWordMask = 0xf0;
constexpr std::size_t kMostUnpackedHistogram = std::size_t{64} << 20U;
constexpr std::size_t kMostIntervals = 2000000;

/// Big-endian numbers, one after the other; false at the end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  template <typename T>
  bool take(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) return false;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      all = all << 8U | static_cast<unsigned char>(bytes_[at_++]);
    }
    value = static_cast<T>(all);
    return true;
  }
  /// ZigZag LEB128 in at most nine bytes.
  bool take_zigzag(std::int64_t& value) {
    std::uint64_t all = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      std::uint8_t byte = 0;
      if (!take(byte)) return false;
      if (shift == 56) {
        all |= static_cast<std::uint64_t>(byte) << 56U;
        break;
      }
      all |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) break;
    }
    value = static_cast<std::int64_t>(all >> 1U) ^ -static_cast<std::int64_t>(all & 1U);
    return true;
  }
  std::string_view rest() const { return bytes_.substr(at_); }
  bool ended() const { return at_ >= bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Which values a histogram's counts are of.
struct Layout {
  int digits = 3;
  std::int64_t lowest = 1, highest = 2;
  int unit = 0;        ///< lowest is 2^unit or a little more
  int half_bits = 10;  ///< half of the values of a bucket are 2^half_bits

  void finish() {
    unit = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(lowest))) - 1;
    const double largest_single = 2 * std::pow(10, digits);
    half_bits = std::max(1, static_cast<int>(std::ceil(std::log2(largest_single)))) - 1;
  }
  double lowest_step() const { return std::ldexp(1.0, unit); }
  double lower_end(std::uint64_t index) const {
    const auto [place, width] = place_of(index);
    return static_cast<double>(place) * width;
  }
  /// The value that HdrHistogram's own log tools report for this index: they put the lower end of a
  /// bucket into a histogram of three digits, and take the upper end there.
  double value(std::uint64_t index) const {
    const auto [place, width] = place_of(index);
    const double low = static_cast<double>(place) * width;
    constexpr int kBitsOfThreeDigits = 11;
    const double fine =
        std::ldexp(1.0, std::max(unit, std::ilogb(std::max(low, 1.0)) + 1 - kBitsOfThreeDigits));
    return low + std::min(width, fine) - 1;
  }

 private:
  /// The lower end of a bucket is its place times its width.
  std::pair<std::uint64_t, double> place_of(std::uint64_t index) const {
    const std::uint64_t half = std::uint64_t{1} << static_cast<unsigned>(half_bits);
    std::int64_t bucket = static_cast<std::int64_t>(index >> static_cast<unsigned>(half_bits)) - 1;
    std::uint64_t place = (index & (half - 1)) + half;
    if (bucket < 0) {
      place -= half;
      bucket = 0;
    }
    return {place, std::ldexp(1.0, static_cast<int>(bucket) + unit)};
  }
};

/// One interval of a log, in the unit of its values.
struct Histogram {
  std::map<double, std::uint64_t> counts;
  double top_low = 0, top_high = 0;  ///< the ends of the bucket with the largest value
  double error = 0;                  ///< relative, of large values
  double step = 1;                   ///< the width of the lowest buckets
};

/// What is wrong, or nothing.
using Fault = std::string;

Fault read_layout(Bytes& bytes, std::uint32_t base, Layout& layout, std::string_view& counts) {
  std::int32_t payload = 0, offset = 0, digits = 0;
  double ratio = 1;
  bool good = true;
  if (base == kV0) {
    std::int64_t total = 0;
    good = bytes.take(digits) && bytes.take(layout.lowest) && bytes.take(layout.highest) &&
           bytes.take(total);
    counts = bytes.rest();
  } else {
    std::uint64_t raw = 0;
    good = bytes.take(payload) && bytes.take(offset) && bytes.take(digits) &&
           bytes.take(layout.lowest) && bytes.take(layout.highest) && bytes.take(raw);
    ratio = std::bit_cast<double>(raw);
    counts = bytes.rest();
    if (payload < 0 || static_cast<std::size_t>(payload) > counts.size()) return "is cut off";
    counts = counts.substr(0, static_cast<std::size_t>(payload));
  }
  if (!good) return "is cut off";
  if (digits < 0 || digits > 5 || layout.lowest < 1) return "has a header that makes no sense";
  if (offset != 0) return "has shifted counts, which are not supported";
  if (ratio != 1) return "is one of doubles, which is not supported";
  layout.digits = digits;
  layout.finish();
  return {};
}

Fault read_counts(std::string_view text, std::uint32_t cookie, const Layout& layout,
                  Histogram& histogram) {
  const std::uint32_t base = cookie & ~kWordMask;
  const std::uint32_t word = base == kV2 ? 9 : (cookie & kWordMask) >> 4U & 0xeU;
  Bytes bytes(text);
  std::uint64_t index = 0;
  constexpr std::uint64_t kMostIndex = 1U << 24U;
  while (!bytes.ended()) {
    std::int64_t count = 0;
    bool good = false;
    if (word == 9) {
      good = bytes.take_zigzag(count);
    } else if (word == 2) {
      std::uint16_t small = 0;
      good = bytes.take(small);
      count = small;
    } else if (word == 4) {
      std::uint32_t small = 0;
      good = bytes.take(small);
      count = small;
    } else if (word == 8) {
      good = bytes.take(count);
    } else {
      return "has counts of an unknown size";
    }
    if (!good) return "is cut off";
    if (count < 0 && word == 9) {  // so many zeros
      const std::uint64_t zeros = static_cast<std::uint64_t>(-(count + 1)) + 1;
      if (zeros > kMostIndex) return "has more counts than values";
      index += zeros;
    } else {
      if (count < 0) return "has a negative count";
      if (count > 0) {
        const double value = layout.value(index);
        if (!std::isfinite(value)) return "has values that are too large";
        histogram.counts[value] += static_cast<std::uint64_t>(count);
        histogram.top_low = layout.lower_end(index);
        histogram.top_high = layout.lower_end(index + 1);
      }
      ++index;
    }
    if (index > kMostIndex) return "has more counts than values";
  }
  return {};
}

Fault unpack(std::string_view packed, std::string& bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return "cannot be unpacked";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int status = Z_OK;
  std::vector<char> piece(std::size_t{1} << 14U);
  while (status == Z_OK && bytes.size() < kMostUnpackedHistogram) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? Fault() : "is damaged";
}

Fault read_histogram(std::string_view text, Histogram& histogram) {
  const std::optional<std::string> decoded = from_base64(text);
  if (!decoded) return "is no base64";
  std::string bytes = *decoded;
  std::uint32_t cookie = 0;
  if (!Bytes(bytes).take(cookie)) return "is cut off";
  const std::uint32_t outer = cookie & ~kWordMask;
  if (outer == kV0Compressed || outer == kV1Compressed || outer == kV2Compressed) {
    Bytes head(bytes);
    std::int32_t length = 0;
    if (!head.take(cookie) || !head.take(length)) return "is cut off";
    if (length < 0 || static_cast<std::size_t>(length) > head.rest().size()) return "is cut off";
    std::string unpacked;
    if (Fault fault = unpack(head.rest().substr(0, static_cast<std::size_t>(length)), unpacked);
        !fault.empty()) {
      return fault;
    }
    bytes = std::move(unpacked);
  }
  Bytes inner(bytes);
  if (!inner.take(cookie)) return "is cut off";
  const std::uint32_t base = cookie & ~kWordMask;
  if (base != kV0 && base != kV1 && base != kV2) {
    return fmt::format("has an unknown encoding, 0x{:08x}", cookie);
  }
  Layout layout;
  std::string_view counts;
  if (Fault fault = read_layout(inner, base, layout, counts); !fault.empty()) return fault;
  histogram.error = std::pow(10.0, -layout.digits);
  histogram.step = layout.lowest_step();
  return read_counts(counts, cookie, layout, histogram);
}

struct HdrReader {
  const LatencyOptions& options;
  std::map<std::string, std::vector<LatencySketch>> by_tag;
  std::map<std::string, std::map<double, std::uint64_t>> values;
  std::map<std::string, std::pair<double, double>> spans;  ///< from the first start to the last end
  std::size_t stated = 0, in_nanoseconds = 0;  ///< maxima, and those that fit nanoseconds
  double error = 0, step = 0;
  std::size_t intervals = 0;
  bool ends = false;  ///< the second column has when an interval ended, not its length

  Result<void> take(const Line& line) {
    const std::string_view text = trim(line.text);
    if (text.find("EndTimestamp") != text.npos) ends = true;
    if (text.empty() || text.starts_with('#') || text.starts_with('"')) return {};
    if (lower_case(text.substr(0, 14)) == "starttimestamp") return {};
    std::vector<std::string_view> cells = split(text, ',');
    std::string tag;
    if (cells[0].starts_with("Tag=")) {
      tag = std::string(cells[0].substr(4));
      cells.erase(cells.begin());
    }
    if (cells.size() != 4) {
      return fail(line_error(line, 0,
                             fmt::format("expected start, length, maximum and histogram, got {}",
                                         count_text(cells.size(), "value"))));
    }
    auto start = parse_double(cells[0]);
    if (!start) start = read_date(cells[0]);
    auto length = parse_double(cells[1]);
    if (ends && start && length) *length -= *start;
    const auto most = parse_double(cells[2]);
    if (!start || !length || !most || *length < 0) {
      return fail(line_error(line, 0, "expected three numbers before the histogram"));
    }
    if (++intervals > kMostIntervals) {
      return fail(line_error(line, 0, "more than two million intervals"));
    }
    Histogram histogram;
    const double unit = options.unit.value_or(1);
    if (const Fault fault = read_histogram(cells[3], histogram); !fault.empty()) {
      return fail(line_error(line, static_cast<std::size_t>(cells[3].data() - line.text.data()),
                             "the histogram " + fault));
    }
    error = std::max(error, histogram.error);
    step = std::max(step, histogram.step * unit);
    if (*most > 0 && !histogram.counts.empty()) {
      // Printed with three decimals; V0 stated the lower end of the bucket, later ones the upper.
      constexpr double kNanosecondsPerMs = 1e6, kPrinted = 0.0006;
      ++stated;
      in_nanoseconds += histogram.top_low <= (*most + kPrinted) * kNanosecondsPerMs &&
                                histogram.top_high >= (*most - kPrinted) * kNanosecondsPerMs
                            ? 1U
                            : 0U;
    }
    auto& span = spans.try_emplace(tag, *start, *start).first->second;
    span.first = std::min(span.first, *start);
    span.second = std::max(span.second, *start + *length);
    LatencySketch sketch;
    for (const auto& [value, count] : histogram.counts) {
      sketch.add(value * unit, count);
      values[tag][value * unit] += count;
    }
    by_tag[tag].push_back(std::move(sketch));
    return {};
  }
};

/// At most 256 stretches, of about the same number of intervals each.
std::vector<LatencySketch> stretches_of(std::vector<LatencySketch> all) {
  constexpr std::size_t kMost = 256;
  if (all.size() <= kMost) return all;
  std::vector<LatencySketch> fewer(kMost);
  for (std::size_t i = 0; i < all.size(); ++i) fewer[i * kMost / all.size()].merge(all[i]);
  return fewer;
}

bool looks_like_hdr(std::string_view head) {
  if (head.find("[Histogram log format version") != head.npos) return true;
  return head.find(",HIST") != head.npos;
}

Result<LatencySet> read_hdr(LineStream& stream, const LatencyOptions& options) {
  HdrReader reader{options};
  // A log that is still written, or was killed, ends within a line.
  std::optional<Error> last;
  std::size_t last_line = 0;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    if (last) return fail(*last);
    if (Result<void> taken = reader.take(line); !taken) {
      last = std::move(taken).error();
      last_line = line.number;
    }
    return {};
  }));
  if (last && reader.by_tag.empty()) return fail(*last);
  if (reader.by_tag.empty()) {
    return fail({.where = stream.name(), .message = "the log has no intervals"});
  }
  std::vector<std::string> tags;
  for (const auto& [tag, all] : reader.by_tag) tags.push_back(tag);
  const std::string wanted =
      !options.metric.empty() || reader.by_tag.count("") > 0 ? options.metric : tags.front();
  const auto found = reader.by_tag.find(wanted);
  if (found == reader.by_tag.end()) return fail(no_such_metric(stream.name(), wanted, tags));
  LatencySet set{.name = stream.name(), .format = "hdr", .metric = wanted};
  // jHiccup and most others record nanoseconds, and state the maximum in milliseconds.
  const bool nanoseconds =
      !options.unit && reader.stated > 0 && reader.in_nanoseconds == reader.stated;
  const double unit = nanoseconds ? 1e-9 : 1;
  set.seconds = nanoseconds || options.unit;
  if (nanoseconds) {
    set.notes.emplace_back(
        "values are assumed to be nanoseconds, as the stated maxima suggest (--unit)");
  }
  if (last) {
    set.notes.push_back(fmt::format("line {}, the last, is left out: {} (a log that was cut off?)",
                                    last_line, last->message));
  }
  const std::pair<double, double> span = reader.spans[wanted];
  set.duration = span.second - span.first;
  for (const auto& [value, count] : reader.values[wanted]) {
    set.spectrum.emplace_back(value * unit, count);
    set.count += count;
  }
  if (nanoseconds) {
    for (LatencySketch& sketch : found->second) {
      LatencySketch scaled;
      for (const auto& [value, count] : sketch.buckets()) scaled.add(value * unit, count);
      sketch = std::move(scaled);
    }
  }
  set.batches = stretches_of(std::move(found->second));
  set.bucket_error = reader.error;
  if (!set.spectrum.empty()) {
    set.max = set.spectrum.back().first;
    // Small values are in buckets of one width.
    const double median = Distribution(set.spectrum).quantile(0.5);
    if (median > 0) set.bucket_error = std::max(reader.error, reader.step * unit / median);
  }
  std::erase(tags, wanted);
  for (const std::string& tag : tags) set.others.push_back(tag.empty() ? "(no tag)" : tag);
  return set;
}

}  // namespace

const LatencyFormat kHdrFormat = {.name = "hdr",
                                  .help = "an HdrHistogram log, compressed or not",
                                  .matches = looks_like_hdr,
                                  .read = read_hdr};

}  // namespace kstar::tail
