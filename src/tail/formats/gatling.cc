// Gatling's simulation.log, as text (before version 3.12): words with tabs between them. A request
// has its times in milliseconds before its status: start and end, or in version 2.0 two of each.
#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "tail/formats/stream.h"

namespace kstar::tail {

namespace {

bool looks_like_gatling(std::string_view head) {
  const std::string_view first = head.substr(0, head.find('\n'));
  return (first.starts_with("RUN\t") || first.find("\tRUN\t") != first.npos) &&
         (head.find("\nREQUEST\t") != head.npos || head.find("\nUSER\t") != head.npos ||
          head.find("\tREQUEST\t") != head.npos);
}

/// Milliseconds since 1970, of this century.
std::optional<double> clock_of(std::string_view word) {
  constexpr std::int64_t kLeast = 900000000000, kMost = 5000000000000;
  const std::optional<std::int64_t> ms = parse_integer(word);
  if (!ms || *ms < kLeast || *ms > kMost) return std::nullopt;
  return static_cast<double>(*ms) * 1e-3;
}

struct GatlingReader {
  LatencySink& sink;
  const std::string& metric;
  std::vector<std::string> names;

  Result<void> take(const Line& line) {
    const std::vector<std::string_view> words = split(line.text, '\t');
    if (std::find(words.begin(), words.end(), "REQUEST") == words.end()) return {};
    std::size_t status = words.size();
    for (std::size_t i = 2; i < words.size() && status == words.size(); ++i) {
      const bool is_status = words[i] == "OK" || words[i] == "KO";
      if (is_status && clock_of(words[i - 1]) && clock_of(words[i - 2])) status = i;
    }
    if (status == words.size()) {
      return fail(line_error(line, 0, "expected a request with its start, its end and OK or KO"));
    }
    std::size_t first = status - 1;
    while (first > 1 && clock_of(words[first - 1])) --first;
    const std::string name(words[first - 1]);
    if (names.size() < 100 && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
    if (!metric.empty() && name != metric) return {};
    const double start = *clock_of(words[first]), end = *clock_of(words[status - 1]);
    if (end < start) return fail(line_error(line, 0, "the request ends before it starts"));
    if (words[status] == "KO") {
      ++sink.set.failed;
    } else {
      sink.add(end - start, start);
    }
    return {};
  }
};

Result<LatencySet> read_gatling(LineStream& stream, const LatencyOptions& options) {
  LatencySink sink(options);
  GatlingReader reader{sink, options.metric, {}};
  // A log that is still written, or was killed, ends within a line.
  std::optional<Error> torn;
  KSTAR_CHECK(each_line(stream, [&](const Line& line) -> Result<void> {
    if (torn) return fail(*torn);
    if (Result<void> taken = reader.take(line); !taken) torn = std::move(taken).error();
    return {};
  }));
  LatencySet set = sink.finish(stream.name(), "gatling");
  set.metric = options.metric;
  set.others = reader.names;
  if (!options.metric.empty() && set.count + set.failed == 0) {
    return fail(no_such_metric(stream.name(), options.metric, reader.names));
  }
  std::erase(set.others, options.metric);
  if (set.others.size() == 1 && options.metric.empty()) set.others.clear();
  return set;
}

}  // namespace

const LatencyFormat kGatlingFormat = {.name = "gatling",
                                      .help = "Gatling's simulation.log (text)",
                                      .matches = looks_like_gatling,
                                      .read = read_gatling};

}  // namespace kstar::tail
