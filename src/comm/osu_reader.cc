#include "comm/osu_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "comm/lines.h"

namespace kstar::comm {

namespace {

constexpr double kOsuMicrosecond = 1e-6, kLargestSize = 1e18;

/// "All-to-All Personalized Exchange", "Allreduce", "Latency", with or without -CUDA before it.
std::optional<Collective> osu_collective(std::string_view title) {
  const std::string low = lower_case(title);
  const auto has = [&](std::string_view word) { return low.find(word) != low.npos; };
  if (has("non-blocking") || has("persistent") || has("multi") || has("one sided")) return {};
  if (has("put") || has("get") || has("accumulate") || has("fetch") || has("compare")) return {};
  if (has("reduce_scatter") || has("reduce-scatter")) return Collective::kReduceScatter;
  if (has("allreduce")) return Collective::kAllReduce;
  if (has("allgatherv") || has("alltoallv") || has("alltoallw")) return {};
  if (has("allgather")) return Collective::kAllGather;
  if (has("all-to-allv") || has("all-to-allw")) return {};
  if (has("all-to-all") || has("alltoall")) return Collective::kAllToAll;
  if (has("broadcast") || has("bcast")) return Collective::kBroadcast;
  if (has("reduce")) return Collective::kReduce;
  if (has("barrier") || has("gather") || has("scatter")) return {};
  return has("latency") ? std::optional(Collective::kPointToPoint) : std::nullopt;
}

std::optional<CommSample> osu_row(const std::vector<std::string_view>& words) {
  if (words.size() < 2) return std::nullopt;
  const auto bytes = parse_double(words[0]), time = parse_double(words[1]);
  if (!bytes || !time || *bytes < 0 || *bytes > kLargestSize || !(*time > 0)) return std::nullopt;
  if (*bytes != std::floor(*bytes)) return std::nullopt;
  return CommSample{*bytes, *time * kOsuMicrosecond};
}

/// A size, and where its time should be a number that is none: nan, inf, 1e400, 0 or negative.
bool is_wrong_row(const std::vector<std::string_view>& words, std::size_t column) {
  if (words.size() <= column) return false;
  const auto bytes = parse_integer(words[0]);
  if (!bytes || *bytes < 0) return false;
  const std::string time = lower_case(words[column]);
  const std::size_t digits = time.find_first_not_of("+-");
  if (digits == time.npos) return false;
  const std::string_view bare = std::string_view(time).substr(digits);
  if (bare == "nan" || bare == "inf" || bare == "infinity") return true;
  if (bare.find_first_not_of("0123456789.e+-") != bare.npos) return false;
  const auto number = parse_double(time);
  return !number || !(*number > 0);
}

void note_wrong_rows(std::size_t& wrong, LogContext& context) {
  if (wrong == 0) return;
  context.note(fmt::format("{}: {} left out, whose time is not a number above 0", context.place(),
                           count_text(wrong, "row")));
  wrong = 0;
}

}  // namespace

double whole_size(Collective collective, double bytes, double workers) {
  const bool per_worker =
      collective == Collective::kAllGather || collective == Collective::kAllToAll;
  return per_worker && workers > 0 ? bytes * workers : bytes;
}

bool OsuReader::see_title(std::string_view line, LogContext& context) {
  const std::size_t at = line.find("OSU ");
  const std::size_t test = line.find(" Test", at);
  if (at == line.npos || test == line.npos) return false;
  finish(context);
  title_ = std::string(trim(line.substr(at + 4, test - at - 4)));
  const std::string_view behind = trim(line.substr(test + 5));
  version_ = std::string(behind.substr(0, behind.find(' ')));
  latency_ = title_.find("atency") != std::string::npos;  // until columns say otherwise
  asked_ = context.asked;
  return true;
}

void OsuReader::next_table(LogContext& context) {
  if (samples_.empty()) return;
  const std::string title = title_;
  finish(context);
  title_ = title;
  asked_ = context.asked;
}

bool OsuReader::see(std::string_view line, LogContext& context) {
  if (line.empty()) return false;
  if (line[0] == '#') {
    if (line.find("OSU ") != line.npos) return see_title(line, context);
    if (line.find("MPI Benchmarks") != line.npos || line.find("Benchmarking ") != line.npos ||
        line.find("#bytes") != line.npos) {
      finish(context);  // what follows is a table of Intel's
      return false;
    }
    if (title_.empty() || line.find("Size") == line.npos) return false;
    next_table(context);
    latency_ = line.find("atency") != line.npos;
    return true;
  }
  if (title_.empty() || !is_digit(line[0])) return false;
  split_blanks(line, context.words);
  const auto row = osu_row(context.words);
  if (!row) {
    const bool wrong = latency_ && is_wrong_row(context.words, 1);
    wrong_ += wrong ? 1U : 0U;
    return wrong;
  }
  if (!samples_.empty() && row->bytes < samples_.back().bytes) next_table(context);
  if (lower_case(context.words.back()) == "fail") failed_.push_back(row->bytes);
  if (latency_ || line.find("MB") == line.npos) samples_.push_back(*row);
  return true;
}

void OsuReader::finish(LogContext& context) {
  const std::string title = std::move(title_);
  title_.clear();
  std::vector<CommSample> samples = std::move(samples_);
  samples_.clear();
  if (!title.empty()) note_wrong_rows(wrong_, context);
  if (title.empty() || samples.empty()) return;
  const std::vector<double> failed = std::move(failed_);
  failed_.clear();
  if (!failed.empty()) {
    context.fail(fmt::format("{}: OSU {} failed validation at {} ({} of {} sizes)", context.place(),
                             printable(title), size_text(failed.front()), failed.size(),
                             samples.size()));
  }
  const auto collective = osu_collective(title);
  if (!collective || !latency_) {
    context.skip(fmt::format("OSU {}", printable(title)));
    return;
  }
  CommSweep sweep{.collective = *collective, .tool = fmt::format("OSU {}", version_)};
  sweep.wrong = !failed.empty();
  const bool message = *collective == Collective::kPointToPoint;
  sweep.workers = message ? 2 : asked_.ranks;
  if (sweep.workers == asked_.ranks) sweep.nodes = asked_.nodes;
  for (const CommSample& one : samples) {
    if (one.bytes > 0 || message) {
      sweep.samples.push_back(one);  // sizes become whole ones when K is known
    }
  }
  keep(std::move(sweep), context);
}

bool ImbReader::see(std::string_view line, LogContext& context) {
  if (line.empty()) return false;
  if (line[0] == '#') {
    if (const std::size_t at = line.find("Benchmarking "); at != line.npos) {
      finish(context);
      title_ = std::string(trim(line.substr(at + 13)));
      return true;
    }
    if (title_.empty()) return false;
    if (const std::size_t at = line.find("#processes"); at != line.npos) {
      finish(context);
      const std::size_t equals = line.find('=', at);
      split_blanks(line.substr(equals == line.npos ? line.size() : equals + 1), context.words);
      processes_ = context.words.empty() ? 0 : parse_double(context.words[0]).value_or(0);
      return true;
    }
    if (line.find("#bytes") != line.npos && line.find("usec]") != line.npos) {
      split_blanks(line, context.words);
      const auto column = [&](std::string_view name) -> std::size_t {
        const auto found = std::find(context.words.begin(), context.words.end(), name);
        return found == context.words.end()
                   ? 0
                   : static_cast<std::size_t>(found - context.words.begin());
      };
      time_column_ = std::max(column("t_avg[usec]"), column("t[usec]"));
      return true;
    }
    return false;
  }
  if (time_column_ == 0 || !is_digit(line[0])) return false;
  split_blanks(line, context.words);
  if (context.words.size() <= time_column_) return false;
  const auto bytes = parse_double(context.words[0]);
  const auto time = parse_double(context.words[time_column_]);
  if (!bytes || !time || *bytes < 0 || *bytes > kLargestSize || !(*time > 0)) {
    const bool wrong = is_wrong_row(context.words, time_column_);
    wrong_ += wrong ? 1U : 0U;
    return wrong;
  }
  samples_.push_back({*bytes, *time * kOsuMicrosecond});
  return true;
}

void ImbReader::finish(LogContext& context) {
  time_column_ = 0;
  std::vector<CommSample> samples = std::move(samples_);
  samples_.clear();
  note_wrong_rows(wrong_, context);
  if (samples.empty()) return;
  const std::string low = lower_case(title_);
  const auto collective = low == "pingpong"   ? std::optional(Collective::kPointToPoint)
                          : low == "sendrecv" ? std::nullopt
                                              : collective_named(low);
  if (!collective) {
    context.skip(fmt::format("IMB {}", printable(title_)));
    return;
  }
  if (processes_ < 2) {
    context.alone = true;
    return;
  }
  CommSweep sweep{.collective = *collective, .workers = processes_, .tool = "IMB"};
  if (processes_ == context.asked.ranks) sweep.nodes = context.asked.nodes;
  const bool message = *collective == Collective::kPointToPoint;
  for (const CommSample& one : samples) {
    if (one.bytes > 0 || message) sweep.samples.push_back(one);
  }
  sweep.label = " ";
  keep(std::move(sweep), context);
}

}  // namespace kstar::comm
