// The log that `kstar tail measure` writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/stats.h"
#include "tail/formats/flat_json.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

/// A header, and a line per request.
bool looks_like_log(std::string_view head) {
  return trim(head).starts_with("{\"kstar\":\"tail-log\"");
}

/// What is read of a log.
struct LogReader {
  LatencySink& sink;
  std::optional<Flat> header;
  std::vector<bool> seen;
  double last = 0;  ///< when anything was last known to happen
  double sent = 0;
  bool closed = false;
  std::vector<double> lateness;  ///< how late each request was sent
  std::vector<double> answered;  ///< how long after that it had an answer

  Result<void> take(const Line& line, const Flat& flat) {
    if (!header) {
      header = flat;
      return {};
    }
    constexpr double kMostRequests = 1e8;
    if (const auto count = flat.number("sent"); count && flat.number("t")) {  // how far it had come
      sent = std::clamp(std::max(sent, *count), 0.0, kMostRequests);
      last = std::max(last, *flat.number("t"));
      closed = closed || flat.number("end").has_value();
      return {};
    }
    const auto index = flat.number("i"), start = flat.number("due");
    const auto latency = flat.number("latency");
    if (!index || !start || !latency || *index < 0 || *index >= kMostRequests || *latency < 0) {
      return fail(line_error(line, 0, "expected i, due and latency of a request"));
    }
    const auto place = static_cast<std::size_t>(*index);
    if (seen.size() <= place) seen.resize(place + 1);
    if (seen[place]) return fail(line_error(line, 0, "the same request a second time"));
    seen[place] = true;
    last = std::max(last, *start + *latency);
    const auto sent_at = flat.number("sent");
    if (sent_at) lateness.push_back(*sent_at - *start);
    if (flat.number("failed").value_or(0) > 0) {
      ++sink.set.failed;
    } else {
      if (sent_at) answered.push_back(std::max(0.0, *start + *latency - *sent_at));
      sink.add(*latency, *start, flat.number("unanswered").value_or(0) > 0);
    }
    return {};
  }

  /// The delay of the generator itself is part of the latencies: said where it matters.
  void note_lateness(double median) {
    if (lateness.empty()) return;
    const auto p99 = [](std::vector<double>& all) {
      const auto place = static_cast<std::ptrdiff_t>(static_cast<double>(all.size()) * 0.99);
      std::nth_element(all.begin(), all.begin() + place, all.end());
      return all[static_cast<std::size_t>(place)];
    };
    const double late = p99(lateness);
    constexpr double kMatters = 0.2;
    if (late < kMatters * median || answered.empty()) return;
    sink.set.notes.push_back(fmt::format(
        "1% of the requests were sent {} late or more, by kstar itself (a busy machine?): that is "
        "in the latencies; counted from when each was sent, p99 is {}",
        time_text(late), time_text(p99(answered))));
  }

  /// Those that were sent and have no line had no answer when it was killed.
  std::size_t add_lost() {
    const double rate = header ? header->number("rate").value_or(0) : 0;
    if (rate <= 0) return 0;
    const auto arrivals = header->texts.find("arrivals");
    const bool poisson = arrivals != header->texts.end() && arrivals->second == "poisson";
    const auto seed = static_cast<std::uint64_t>(std::max(0.0, header->number("seed").value_or(1)));
    seen.resize(std::max(seen.size(), static_cast<std::size_t>(sent)));
    const std::vector<double> due = arrival_times(rate, poisson, seed, seen.size());
    std::size_t lost = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) continue;
      ++lost;
      sink.add(std::max(0.0, last - due[i]), due[i], true);
    }
    return lost;
  }
};

Result<LatencySet> read_log(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  LogReader reader{sink};
  KSTAR_CHECK(each_object(
      stream, true, [&](const Line& line, const Flat& flat) { return reader.take(line, flat); }));
  const std::size_t lost = reader.closed ? 0 : reader.add_lost();
  if (!sink.set.samples.empty()) {
    reader.note_lateness(upper_median_of(sink.set.samples));
  }
  LatencySet set = sink.finish(stream.name(), "kstar");
  set.is_log = true;
  set.loop = LoopKind::kOpen;
  if (const auto rate = reader.header->number("rate"); rate && *rate > 0) set.offered = rate;
  set.duration = reader.last;
  if (!reader.closed) {
    set.notes.push_back(fmt::format("the measurement was cut off: {} without an answer by then",
                                    count_text(lost, "request")));
  }
  return set;
}

}  // namespace

const LatencyFormat kLogFormat = {.name = "kstar",
                                  .help = "the log of kstar tail measure",
                                  .matches = looks_like_log,
                                  .read = read_log};

}  // namespace kstar::tail
