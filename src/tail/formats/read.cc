#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <numeric>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

constexpr const LatencyFormat* kFormats[] = {
    &kLogFormat,         &kHdrFormat,     &kWrkFormat,         &kHeyFormat,        &kSpectrumFormat,
    &kLocustFormat,      &kVegetaFormat,  &kVegetaLinesFormat, &kK6Format,         &kK6LinesFormat,
    &kVllmFormat,        &kLlmperfFormat, &kAbFormat,          &kVegetaTextFormat, &kK6TextFormat,
    &kServingTextFormat, &kOhaFormat,     &kAutocannonFormat,  &kBombardierFormat, &kFortioFormat,
    &kArtilleryFormat,   &kGhzFormat,     &kGatlingFormat,     &kCsvFormat,        &kLinesFormat};

/// What other tools print, by a text that is in it: not read, and what to give instead.
struct OtherTool {
  std::string_view mark, name, hint;
};
constexpr OtherTool kOtherTools[] = {
    {"clat percentiles", "fio's summary",
     "fio --write_lat_log writes every latency, in ns, into a second column: cut -d, -f2 FILE "
     "makes "
     "one per line (--unit ns)"},
    {"---- Global Information", "Gatling's summary", "its simulation.log is read"},
    {"\"percentiles1\"", "Gatling's statistics",
     "they do not say which percentiles they are; its simulation.log is read"},
    {"Bombarding ", "bombardier's output",
     "bombardier --latencies -o json writes JSON, which is read"},
    {"\u2502 Latency \u2502", "autocannon's table", "autocannon -j writes JSON, which is read"},
    {"http.response_time:", "artillery's output",
     "artillery run -o FILE writes JSON, which is read"},
    {"# target 50%", "fortio's output", "fortio load -json FILE writes JSON, which is read"},
    {"<testResults", "JMeter's XML",
     "jmeter -Jjmeter.save.saveservice.output_format=csv writes CSV, which is read"},
    {"Percentage served,Time in ms", "the percentiles of ab -e", "what ab prints is read"},
    {"90% Line", "JMeter's aggregate report",
     "its results file (.jtl) has a row per request, and is read"},
    {"shortest_transaction", "siege's output",
     "it has no percentiles: measure with kstar tail measure, wrk2 or vegeta"},
    {"Shortest transaction:", "siege's output",
     "it has no percentiles: measure with kstar tail measure, wrk2 or vegeta"},
    {"time for request:", "h2load's output",
     "h2load --log-file=FILE writes every latency in us: cut -f3 FILE makes one per line "
     "(--unit us)"},
    {" requests completed in ", "redis-benchmark's output",
     "measure each command as a process: kstar tail measure --rate R -- redis-cli ..."},
    {"icmp_seq=", "ping's output",
     "sed -n 's/.*time=//p' FILE makes one latency per line, with its unit"},
    {"\"avg_latency\"", "the JSON of vllm bench latency",
     "jq '.latencies[]' FILE makes one latency per line (--unit s)"},
    {" # reqs ", "Locust's screen", "locust --csv NAME writes NAME_stats.csv, which is read"}};

constexpr std::size_t kMostUnpacked = std::size_t{1} << 40U;

/// Brackets that are open at the end of a JSON text.
std::size_t open_brackets(std::string_view text) {
  std::size_t open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      ++open;
    } else if (!quoted && (c == '}' || c == ']') && open > 0) {
      --open;
    }
  }
  return open;
}

Result<const LatencyFormat*> format_of(LineStream& stream, const LatencyOptions& options) {
  if (!options.format.empty()) {
    for (const LatencyFormat* one : kFormats) {
      if (one->name == options.format) return one;
    }
    std::vector<std::string> names;
    for (const LatencyFormat* one : kFormats) names.emplace_back(one->name);
    return fail(expected("--input-format", fmt::format("one of {}", fmt::join(names, ", ")),
                         options.format, did_you_mean(options.format, names)));
  }
  KSTAR_TRY(const std::string_view head, stream.head());
  if (head.find('\0') != head.npos) {
    return fail({.where = stream.name(),
                 .message = "this is no text: latencies are read from text, JSON and HdrHistogram "
                            "logs"});
  }
  if (trim(head).empty()) {
    return fail({.where = stream.name(), .message = "the file is empty: there are no latencies"});
  }
  for (const OtherTool& one : kOtherTools) {
    if (head.find(one.mark) == head.npos) continue;
    return fail({.where = stream.name(),
                 .message = fmt::format("this looks like {}, which is not read", one.name),
                 .hint = std::string(one.hint)});
  }
  for (const LatencyFormat* one : kFormats) {
    if (one->matches(head)) return one;
  }
  const std::string_view text = trim(head);
  const bool all = head.size() < LineStream::kHead;
  if ((text.starts_with('{') || text.starts_with('[')) && all && open_brackets(text) > 0) {
    return fail({.where = stream.name(),
                 .message = fmt::format("the JSON ends early: {} not closed",
                                        count_text(open_brackets(text), "bracket"))});
  }
  const bool json = text.starts_with('{') || text.starts_with('[');
  return fail({.where = stream.name(),
               .message = "no format that latencies are read from",
               .hint = json ? "'kstar tail --help' lists them; jq may make one latency per line, "
                              "such as jq '.latency_ms' FILE, with --unit"
                            : "'kstar tail --help' lists them; one latency per line always works"});
}

/// A larger percentile is not less: otherwise they are something else.
Result<void> check_stated(const LatencySet& set) {
  std::vector<StatedPercentile> all = set.stated;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.share < b.share; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].value >= all[i - 1].value) continue;
    return fail({.where = set.name,
                 .message = fmt::format("the percentile '{}' is less than '{}': {} and {}",
                                        printable(all[i].name), printable(all[i - 1].name),
                                        time_text(all[i].value), time_text(all[i - 1].value))});
  }
  return {};
}

Result<LatencySet> read(LineStream& stream, const LatencyOptions& options) {
  KSTAR_CHECK(stream.head());
  KSTAR_TRY(const LatencyFormat* const format, format_of(stream, options));
  KSTAR_TRY(LatencySet set, format->read(stream, options));
  if (set.name.empty()) set.name = stream.name();
  KSTAR_CHECK(check_stated(set));
  const bool has_metrics = !set.metric.empty() || format == &kLocustFormat;
  if (!options.metric.empty() && !has_metrics) {
    return fail({.where = "--metric",
                 .message = fmt::format("{} has latencies of one kind alone", stream.name())});
  }
  const bool sampled = !set.samples.empty() || !set.batches.empty() || !set.spectrum.empty();
  if (set.stated.empty() && (set.count == 0 || !sampled)) {
    const char* const what = set.count > 0 ? "percentiles" : "latencies";
    return fail(
        {.where = stream.name(),
         .message = fmt::format("no {} in it (read as {}{})", what, format->name,
                                set.count == 0 && set.failed > 0 ? "; every request failed" : "")});
  }
  return set;
}

}  // namespace

LineStream::LineStream(FileHandle file, std::string name)
    : name_(std::move(name)), file_(std::move(file)) {}

LineStream::LineStream(std::string_view text, std::string_view name)
    : name_(name), buffer_(text), started_(true), ended_(true) {}

/// Reads more into the buffer; false at the end of the file.
Result<bool> LineStream::fill() {
  if (ended_) return false;
  const std::size_t before = buffer_.size();
  const auto read_into = [&](std::string& to, std::size_t at) -> Result<std::size_t> {
    to.resize(at + kBlock);
    ssize_t got = 0;
    do got = ::read(file_.get(), to.data() + at, kBlock);
    while (got < 0 && errno == EINTR);
    if (got < 0) return fail(file_error(name_, "read", errno));
    to.resize(at + static_cast<std::size_t>(got));
    return static_cast<std::size_t>(got);
  };
  if (!started_) {
    started_ = true;
    KSTAR_TRY(const std::size_t got, read_into(buffer_, 0));
    if (is_gzip(buffer_)) {
      gzip_.emplace(name_, kMostUnpacked);
      packed_ = std::move(buffer_);
      packed_left_ = packed_;
      buffer_.clear();
    } else {
      ended_ = got == 0;
      return got > 0;
    }
  }
  if (!gzip_) {
    KSTAR_TRY(const std::size_t got, read_into(buffer_, before));
    ended_ = got == 0;
    return got > 0;
  }
  while (true) {
    buffer_.resize(before + kBlock);
    KSTAR_TRY(const std::size_t put, gzip_->unpack(packed_left_, buffer_.data() + before, kBlock));
    buffer_.resize(before + put);
    if (put > 0) return true;
    KSTAR_TRY(const std::size_t got, read_into(packed_, 0));
    packed_left_ = packed_;
    if (got > 0) continue;
    ended_ = true;
    KSTAR_CHECK(gzip_->finish());
    return false;
  }
}

Result<std::string_view> LineStream::head() {
  while (buffer_.size() < kHead) {
    KSTAR_TRY(const bool more, fill());
    if (!more) break;
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (buffer_.starts_with(kByteOrderMark)) buffer_.erase(0, kByteOrderMark.size());
  return std::string_view(buffer_).substr(0, kHead);
}

Result<std::string_view> LineStream::next_block() {
  buffer_.erase(0, taken_);
  taken_ = 0;
  first_line_ = next_line_;
  std::size_t end = buffer_.rfind('\n');
  while (end == buffer_.npos) {
    if (buffer_.size() > kLongestLine) {
      return fail({.where = fmt::format("{}:{}", name_, first_line_),
                   .message = "a line of more than 64 MiB"});
    }
    KSTAR_TRY(const bool more, fill());
    if (!more) break;
    end = buffer_.rfind('\n');
  }
  taken_ = end == buffer_.npos ? buffer_.size() : end + 1;
  const std::string_view block(buffer_.data(), taken_);
  next_line_ += static_cast<std::size_t>(std::count(block.begin(), block.end(), '\n'));
  return block;
}

Result<FileText> LineStream::whole() {
  while (true) {
    if (buffer_.size() > kMostWhole) {
      return fail({.where = name_, .message = "more than 256 MiB in one piece"});
    }
    KSTAR_TRY(const bool more, fill());
    if (!more) return FileText(buffer_);
  }
}

void LatencySink::start_sketch() {
  sketch_.emplace();
  for (const double latency : set.samples) sketch_->add(latency);
  set.samples = {};
  starts_ = {};
  cut_ = {};
}

void LatencySink::add(double latency, double start, bool cut) {
  if (started_ == 0 || start < first_) first_ = start;
  last_ = started_ == 0 ? start + latency : std::max(last_, start + latency);
  ++started_;
  if (!sketch_) {
    starts_.push_back(start);
    cut_.push_back(cut);
  }
  if (cut) ++set.unanswered;
  add(latency);
}

void LatencySink::find_clock_step() {
  constexpr double kFewEqual = 0.05, kNear = 0.01;
  std::vector<double> clocks = starts_;
  for (std::size_t i = 0; ends && i < clocks.size(); ++i) clocks[i] += set.samples[i];
  std::vector<double> sorted = clocks;
  std::sort(sorted.begin(), sorted.end());
  std::size_t equal = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    equal += sorted[i] - sorted[i - 1] < 1e-6 ? 1U : 0U;
  if (static_cast<double>(equal) < kFewEqual * static_cast<double>(sorted.size())) return;
  for (const double step : {1.0, 0.1, 0.01, 0.001}) {
    const bool whole = std::all_of(clocks.begin(), clocks.end(), [&](double clock) {
      return std::fabs(clock / step - std::round(clock / step)) < kNear;
    });
    if (!whole) continue;
    set.clock_step = step;
    for (std::size_t i = 0; ends && i < clocks.size(); ++i) {
      starts_[i] = std::round(clocks[i] / step) * step - std::floor(set.samples[i] / step) * step;
    }
    return;
  }
}

LatencySet LatencySink::finish(std::string_view name, std::string_view format) {
  set.name = name;
  set.format = format;
  if (sketch_) {
    set.batches = sketch_->take();
    set.bucket_error = LatencySketch::kRelativeError;
    double sum = 0, most = 0;
    for (const LatencySketch& batch : set.batches) {
      set.count += batch.count();
      sum += batch.sum();
      most = std::max(most, batch.max());
    }
    set.mean = sum / static_cast<double>(set.count);
    set.max = most;
    if (started_ > 0) {
      set.notes.emplace_back("so many latencies are kept as a sketch, without their start times");
    }
  } else {
    set.count = set.samples.size();
  }
  if (started_ > 0 && !set.duration && set.seconds) set.duration = last_ - first_;
  if (!sketch_ && starts_.size() == set.samples.size() && !starts_.empty()) {
    find_clock_step();
    first_ = *std::min_element(starts_.begin(), starts_.end());
    std::vector<std::size_t> order(starts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return starts_[a] < starts_[b]; });
    std::vector<double> samples;
    samples.reserve(order.size());
    for (const std::size_t i : order) {
      samples.push_back(set.samples[i]);
      set.starts.push_back(starts_[i] - first_);
      if (set.unanswered > 0) set.cut.push_back(cut_[i]);
    }
    set.samples = std::move(samples);
  } else if (set.samples.size() > 2) {
    // Somebody sorted them: their order says nothing about time.
    const bool up = std::is_sorted(set.samples.begin(), set.samples.end());
    const bool down = std::is_sorted(set.samples.rbegin(), set.samples.rend());
    const bool differ = set.samples.front() != set.samples.back();
    if ((up || down) && differ) {
      set.ordered = false;
      set.notes.emplace_back("the latencies are sorted: their order in time is lost");
    }
  }
  return std::move(set);
}

std::vector<std::string_view> tokens(std::string_view line) {
  std::vector<std::string_view> found;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t", at);
    if (at == line.npos) return found;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    found.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::optional<double> read_duration(std::string_view text) {
  text = trim(text);
  const std::size_t last = text.find_last_of("0123456789.");
  if (last == text.npos) return std::nullopt;
  const std::optional<double> number = parse_double(text.substr(0, last + 1));
  std::string unit = lower_case(trim(text.substr(last + 1)));
  if (unit == "\xc2\xb5s" || unit == "\xce\xbcs") unit = "us";
  if (unit == "secs" || unit == "sec" || unit == "seconds" || unit == "second") unit = "s";
  if (unit == "msec" || unit == "millis" || unit == "milliseconds") unit = "ms";
  const std::optional<double> size = seconds_in_unit(unit);
  if (!number || !size || *number < 0) return std::nullopt;
  return *number * *size;
}

double printed_step(std::string_view text) {
  text = trim(text);
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, end);
  const std::size_t point = number.find('.');
  const std::size_t decimals = point == number.npos ? 0 : number.size() - point - 1;
  const std::optional<double> unit = read_duration(fmt::format("1{}", text.substr(number.size())));
  return std::pow(10.0, -static_cast<double>(decimals)) * unit.value_or(1);
}

std::optional<double> read_date(std::string_view text) {
  // 2026-01-13T14:48:15.630158+05:30, or with blanks, and Z, UTC or nothing at the end.
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(parse_integer(text.substr(at, size)).value_or(-1));
  };
  std::tm date{};
  date.tm_year = number(0, 4) - 1900;
  date.tm_mon = number(5, 2) - 1;
  date.tm_mday = number(8, 2);
  date.tm_hour = number(11, 2);
  date.tm_min = number(14, 2);
  date.tm_sec = number(17, 2);
  if (date.tm_year < 0 || date.tm_mon < 0 || date.tm_mon > 11 || date.tm_mday < 1 ||
      date.tm_mday > 31 || date.tm_hour < 0 || date.tm_hour > 23 || date.tm_min < 0 ||
      date.tm_min > 59 || date.tm_sec < 0 || date.tm_sec > 60) {
    return std::nullopt;
  }
  double seconds = static_cast<double>(::timegm(&date));
  std::size_t at = 19;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
    std::size_t end = at + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    seconds += parse_double("0." + std::string(text.substr(at + 1, end - at - 1))).value_or(0);
    at = end;
  }
  std::string_view zone = trim(text.substr(at));
  if (zone.empty() || zone == "Z" || zone == "UTC" || zone == "GMT") return seconds;
  zone = zone.substr(0, zone.find(' '));  // Go writes "+0000 UTC m=+0.5"
  if (zone.size() < 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const int hours = number(at + 1, 2);
  const int minutes = number(at + (zone.size() > 5 && zone[3] == ':' ? 4 : 3), 2);
  if (hours < 0 || minutes < 0) return std::nullopt;
  return seconds - (zone[0] == '-' ? -1 : 1) * (hours * 3600.0 + minutes * 60.0);
}

double epoch_seconds(double clock) {
  for (const double unit : {1e-9, 1e-6, 1e-3}) {
    if (clock * unit > 1e8) return clock * unit;  // from 1973 on
  }
  return clock;
}

Error no_such_metric(std::string_view file, const std::string& metric,
                     const std::vector<std::string>& known) {
  if (known.empty()) {
    return {.where = std::string(file),
            .message = fmt::format("no latencies or percentiles of '{}' in it", printable(metric))};
  }
  return expected("--metric",
                  fmt::format("a metric of {}: {}", printable(file),
                              printable(fmt::format("{}", fmt::join(known, ", ")))),
                  metric);
}

}  // namespace kstar::tail

namespace kstar {

Result<LatencySet> read_latencies(const std::string& path, const LatencyOptions& options) {
  if (path == "-") {
    tail::LineStream stream(FileHandle(::dup(STDIN_FILENO)), "standard input");
    return tail::read(stream, options);
  }
  KSTAR_TRY(FileHandle file, open_file(path, O_RDONLY, "open"));
  tail::LineStream stream(std::move(file), path);
  return tail::read(stream, options);
}

Result<LatencySet> parse_latencies(std::string_view text, std::string_view name,
                                   const LatencyOptions& options) {
  tail::LineStream stream(text, name);
  return tail::read(stream, options);
}

std::vector<LatencyFormatInfo> latency_formats() {
  std::vector<LatencyFormatInfo> all;
  for (const tail::LatencyFormat* one : tail::kFormats) all.push_back({one->name, one->help});
  return all;
}

}  // namespace kstar
