#include "comm/nccl_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "comm/lines.h"

namespace kstar::comm {

namespace {

constexpr double kMicrosecond = 1e-6, kGiga = 1e9;

bool is_type(std::string_view word) {
  static constexpr std::array<std::string_view, 24> kTypes = {
      "float",    "half",     "double", "bfloat16", "int8",    "uint8",   "int32",    "uint32",
      "int64",    "uint64",   "char",   "int",      "float16", "float32", "float64",  "bf16",
      "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2",   "fp8e4m3", "fp8e5m2", "ncclInt8", "uchar"};
  return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
}

/// Bytes of a type; 0 where its name does not say.
double width_of(std::string_view type) {
  const auto has = [&](std::string_view part) { return type.find(part) != type.npos; };
  if (has("64") || type == "double") return 8;
  if (has("bf16") || has("bfloat16") || has("float16") || type == "half") return 2;
  if (has("f8") || has("fp8") || has("int8") || has("Int8") || has("char")) return 1;
  return has("32") || type == "float" || type == "int" ? 4 : 0;
}

/// size / (count x width) where it is whole and above 1: every worker has a part of the size.
double parts_of(double bytes, double count, std::string_view type) {
  const double one = count * width_of(type);
  const double parts = one > 0 ? bytes / one : 0;
  return parts >= 2 && parts == std::floor(parts) ? parts : 0;
}

bool is_number(std::string_view word) {
  return parse_double(word).has_value();
}

/// The words of a row behind the type: times and what goes with them begin at the first of eight or
/// four numbers. Wrong values may be N/A.
std::optional<std::size_t> first_time(const std::vector<std::string_view>& words,
                                      std::size_t after_type) {
  std::size_t numbers = after_type;
  while (numbers < words.size() && !is_number(words[numbers])) ++numbers;  // sum, none
  const std::size_t left = words.size() - numbers;
  if (left == 8 || left == 4) return numbers;
  if (left == 9 || left == 5) return numbers + 1;  // a root stands before them
  return std::nullopt;
}

}  // namespace

bool is_alone(const std::vector<NcclReader::Row>& rows) {
  constexpr double kTelling = 0.1 * kGiga;
  bool moved = false;
  for (const NcclReader::Row& row : rows) {
    if (row.bus > 0) return false;
    moved = moved || row.algorithm >= kTelling;
  }
  return moved;
}

void NcclReader::begin_run() {
  hosts_.clear();
  rank_lines_ = 0;
  last_rank_ = last_device_ = -1;
}

bool NcclReader::see(std::string_view line, LogContext& context) {
  if (line.empty()) return false;
  if (line[0] == '#') return see_comment(line, context);
  if (is_digit(line[0]) || !head_.empty()) return see_row(line, context);
  return false;
}

bool NcclReader::see_comment(std::string_view line, LogContext& context) {
  if (line.find("Rank") != line.npos && line.find(" on ") != line.npos) {
    auto& words = context.words;
    split_blanks(line, words);
    const auto behind = [&](std::string_view name) -> std::string_view {
      const auto at = std::find(words.begin(), words.end(), name);
      return at == words.end() || at + 1 == words.end() ? std::string_view() : *(at + 1);
    };
    const auto rank = parse_double(behind("Rank"));
    if (!rank) return false;
    if (*rank <= last_rank_ && !rows_.empty()) finish(context);
    if (*rank == 0 && rank_lines_ > 0) begin_run();
    ++rank_lines_;
    last_rank_ = std::max(last_rank_, *rank);
    last_device_ = parse_double(behind("device")).value_or(-1);
    hosts_.emplace(behind("on"));
    return true;
  }
  if (line.find("nThread") != line.npos && line.find("nGpus") != line.npos) {
    finish(context);
    begin_run();
    return true;
  }
  if (const std::size_t at = line.find("Collective test starting:"); at != line.npos) {
    finish(context);
    begin_run();
    collective_ = std::string(trim(line.substr(at + 25)));
    return true;
  }
  if (line.find("Avg bus bandwidth") != line.npos) {
    const std::size_t colon = line.find(':');
    split_blanks(line.substr(std::min(line.size(), colon == line.npos ? 0 : colon + 1)),
                 context.words);
    if (rows_.empty()) return true;
    finish(context);
    const auto average = context.words.empty() ? std::nullopt : parse_double(context.words[0]);
    if (average && !context.data.sweeps.empty()) {
      context.data.sweeps.back().stated_average = *average * kGiga;
    }
    return true;
  }
  if (line.find("Collective test concluded") != line.npos) return true;
  if (line.find("rccl") != line.npos) rccl_ = true;
  if (line.find("size") != line.npos && line.find("busbw") != line.npos) {
    if (!rows_.empty()) finish(context);
    split_blanks(line.substr(1), context.words);
    columns_.assign(context.words.begin(), context.words.end());
    return true;
  }
  if (const std::size_t at = line.find("Out of bounds values"); at != line.npos) {
    if (line.find("FAILED") != line.npos) {
      failed_ = true;
      context.fail(fmt::format("{}: nccl-tests found values out of bounds", context.place()));
    }
    return true;
  }
  return false;
}

std::optional<NcclReader::Row> NcclReader::read_row(
    const std::vector<std::string_view>& words) const {
  if (words.size() < 7 || !is_type(words[2])) return std::nullopt;
  const auto bytes = parse_double(words[0]), count = parse_double(words[1]);
  if (!bytes || !count || *bytes < 0 || *bytes > 1e18) return std::nullopt;
  std::optional<std::size_t> first = first_time(words, 3);
  std::size_t second_at = 4;  // behind the first: time, algbw, busbw and wrong values
  std::vector<std::size_t> times;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == "time" || columns_[i] == "cputime") times.push_back(i);
  }
  if (!times.empty() && words.size() >= columns_.size()) {
    first = times[0];
    if (times.size() > 1) second_at = times[1] - times[0];
  }
  if (!first) return std::nullopt;
  const auto value = [&](std::size_t i) {
    return *first + i < words.size() ? parse_double(words[*first + i]) : std::nullopt;
  };
  const auto time = value(0), algorithm = value(1), bus = value(2);
  if (!time || !algorithm || !bus || !(*time > 0)) return std::nullopt;
  // Tables of others look alike: here the second number is bytes over the first, as printed.
  constexpr double kPrinted = 0.006, kClose = 0.05;
  const double expected = *bytes / (*time * kMicrosecond) / kGiga;
  const double parts = parts_of(*bytes, *count, words[2]);
  // nccl-tests 2.0 left a worker's own part out of an all-gather's.
  const double older = parts > 0 ? expected * (parts - 1) / parts : expected;
  const auto is = [&](double rate) {
    return std::abs(*algorithm - rate) <= kPrinted + kClose * rate;
  };
  if (!is(expected) && !is(older)) return std::nullopt;
  Row row{.bytes = *bytes,
          .time = *time * kMicrosecond,
          .algorithm = (is(expected) ? *algorithm : expected) * kGiga,
          .bus = *bus * kGiga};
  if (const auto second = value(second_at); second && *second > 0)
    row.in_place = *second * kMicrosecond;
  // An all-to-all is wrong in place: newer versions do not check it, older ones print the error.
  constexpr double kWrong = 1e-3;
  row.in_place_unchecked =
      words.back() == "N/A" ||
      (value(3).value_or(1) == 0 && parse_double(words.back()).value_or(0) >= kWrong);
  row.workers = parts;
  const bool counts_wrong = std::find(columns_.begin(), columns_.end(), "#wrong") != columns_.end();
  if (counts_wrong) {
    row.wrong = value(3).value_or(0);
    row.wrong_in_place = value(second_at + 3).value_or(0);
  }
  row.sums = words[3] != "none" && !is_number(words[3]);
  if (*first >= 5) row.root = parse_double(words[*first - 1]).value_or(-1);
  return row;
}

bool NcclReader::see_row(std::string_view line, LogContext& context) {
  auto& words = context.words;
  split_blanks(line, words);
  std::string joined;
  if (!head_.empty()) {
    const bool goes_on = words.size() >= 4 && words.size() <= 9 &&
                         std::all_of(words.begin(), words.end(), [](std::string_view word) {
                           return is_number(word) || word == "N/A";
                         });
    if (goes_on) {
      joined = head_ + " " + std::string(line);
      split_blanks(joined, words);
    } else if (words.size() < 3 || !is_type(words[2])) {
      return false;  // a line of the library's own between the halves of a row
    }
  }
  if (words.size() < 3 || !is_type(words[2])) return false;
  const bool begins = words.size() <= 5;
  if (auto row = read_row(words)) {
    head_.clear();
    // Back at the first size a table begins again, also where its head was not copied or is no
    // comment.
    constexpr std::size_t kFew = 3;
    if (rows_.size() >= kFew && row->bytes <= rows_[0].bytes && row->bytes < rows_.back().bytes) {
      const std::string collective = collective_;
      finish(context);
      collective_ = collective;
    }
    rows_.push_back(*row);
    return true;
  }
  if (!head_.empty() || !begins) ++damaged_;
  head_ = begins ? std::string(line) : std::string();
  return true;
}

double NcclReader::workers_of(Collective collective, LogContext& context) const {
  const double told = last_rank_ >= 0 ? last_rank_ + 1 : context.ranks_told;
  const bool in_parts = collective == Collective::kAllGather ||
                        collective == Collective::kReduceScatter ||
                        collective == Collective::kAllToAll;
  const double counted = in_parts ? counted_workers(rows_) : 0;
  const double implied = counted > 0 ? counted : implied_workers(rows_, collective);
  if (told > 0 && implied > 0 && std::abs(implied - told) > 0.5) {
    context.note(fmt::format(
        "{}: the log names {} workers, its bus bandwidths are those of {}: the first is taken",
        context.place(), shortest(told), shortest(implied)));
  }
  return told > 0 ? told : implied;
}

bool note_wrong(const std::vector<NcclReader::Row>& rows, Collective collective,
                LogContext& context) {
  const bool placed = collective != Collective::kAllToAll;  // in place it is always wrong
  const NcclReader::Row* first = nullptr;
  std::size_t sizes = 0;
  for (const NcclReader::Row& row : rows) {
    if (!(row.wrong >= 1) && !(placed && row.wrong_in_place >= 1)) continue;
    if (first == nullptr) first = &row;
    ++sizes;
  }
  if (first == nullptr) return false;
  context.fail(fmt::format("{}: {} has {} wrong values at {} ({} of {} sizes)", context.place(),
                           name_of(collective),
                           shortest(first->wrong >= 1 ? first->wrong : first->wrong_in_place),
                           size_text(first->bytes), sizes, rows.size()));
  return true;
}

double NcclReader::nodes_of(double workers) const {
  if (rank_lines_ > 0 && static_cast<double>(rank_lines_) == workers) {
    return static_cast<double>(hosts_.size());
  }
  // Some lines are missing: the last worker is the last of its node.
  const double on_a_node = last_device_ + 1;
  if (last_rank_ + 1 == workers && on_a_node > 0 && std::fmod(workers, on_a_node) == 0) {
    return workers / on_a_node;
  }
  return 0;
}

void NcclReader::finish(LogContext& context) {
  head_.clear();
  const bool failed = std::exchange(failed_, false);
  std::vector<Row> rows = std::move(rows_);
  rows_.clear();
  const std::string place = context.place();
  if (damaged_ > 0) {
    context.note(
        fmt::format("{}: {} of its tables left out: no time above 0, a bandwidth that is not size "
                    "over time, or "
                    "other lines run through them",
                    place, count_text(damaged_, "row")));
    damaged_ = 0;
  }
  if (rows.empty()) return;
  const std::string program = collective_.empty() ? context.program : collective_;
  collective_.clear();
  rows_ = rows;  // for what follows from them
  std::optional<Collective> collective;
  if (const std::size_t end = program.find("_perf"); end != program.npos) {
    const std::string name = program.substr(0, end);
    collective = collective_named(name);
    if (!collective) {
      context.skip(name);
      rows_.clear();
      return;
    }
  }
  if (!collective && is_alone(rows_)) collective = Collective::kAllReduce;
  if (!collective) {
    collective =
        context.data.unnamed ? context.data.unnamed : implied_collective(rows_, last_rank_ + 1);
    if (!collective) {
      context.note(
          fmt::format("{}: which collective a table is of does not stand in it; left out "
                      "(--collective names it)",
                      place));
      rows_.clear();
      return;
    }
  }
  if (is_alone(rows_)) {
    context.note(
        fmt::format("{}: a table of one worker left out, whose bus bandwidth is 0: nothing was "
                    "sent. nccl-tests "
                    "built without MPI=1 starts every process alone",
                    place));
    rows_.clear();
    return;
  }
  CommSweep sweep{.collective = *collective, .tool = rccl_ ? "rccl-tests" : "nccl-tests"};
  sweep.wrong = note_wrong(rows_, *collective, context) || failed;
  sweep.workers = workers_of(*collective, context);
  sweep.nodes = nodes_of(sweep.workers);
  if (sweep.nodes == 0 && sweep.workers == context.asked.ranks) sweep.nodes = context.asked.nodes;
  std::size_t empty = 0;
  for (const Row& row : rows_) {
    if (row.bytes <= 0) {
      ++empty;
      continue;
    }
    sweep.samples.push_back({row.bytes, row.time});
    if (row.in_place) sweep.in_place.push_back({row.bytes, *row.in_place});
  }
  if (empty > 0) {
    context.note(fmt::format("{}: {} of 0 bytes left out: nothing was sent", place,
                             count_text(empty, "row")));
  }
  rows_.clear();
  sweep.label = hosts_.size() == 2 ? fmt::format("{} {}", *hosts_.begin(), *hosts_.rbegin()) : " ";
  keep(std::move(sweep), context);
}

namespace {

/// bus / algorithm bandwidth at the size with the most digits, and how far off it may be.
bool bus_ratio(const std::vector<NcclReader::Row>& rows, double& ratio, double& error) {
  const auto best = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.algorithm < b.algorithm;
  });
  constexpr double kRounded = 0.005 * kGiga;
  if (best == rows.end() || best->algorithm < 20 * kRounded) return false;
  ratio = best->bus / best->algorithm;
  error = ratio * (kRounded / best->algorithm + kRounded / std::max(best->bus, kRounded));
  return true;
}

}  // namespace

std::optional<Collective> implied_collective(const std::vector<NcclReader::Row>& rows,
                                             double workers) {
  double ratio = 0, error = 0;
  if (!rows.empty() && rows.back().sums && counted_workers(rows) >= 2) {
    return Collective::kReduceScatter;
  }
  if (!bus_ratio(rows, ratio, error)) return std::nullopt;
  const bool one = std::abs(ratio - 1) <= 3 * error + 1e-3;
  const auto& row = rows.back();
  if (row.sums) {
    if (row.root >= 0) return Collective::kReduce;
    if (ratio > 1 && !one) return Collective::kAllReduce;
    if (!one) return Collective::kReduceScatter;
    if (row.in_place_unchecked || workers > 2) return Collective::kPointToPoint;
    return Collective::kAllReduce;  // on two workers
  }
  if (row.root >= 0) return one ? std::optional(Collective::kBroadcast) : std::nullopt;
  return row.in_place_unchecked ? Collective::kAllToAll : Collective::kAllGather;
}

double counted_workers(const std::vector<NcclReader::Row>& rows) {
  double workers = 0;
  for (const NcclReader::Row& row : rows) {
    if (row.bytes <= 0) continue;
    if (row.workers < 2 || (workers > 0 && row.workers != workers)) return 0;
    workers = row.workers;
  }
  return workers;
}

double implied_workers(const std::vector<NcclReader::Row>& rows, Collective collective) {
  double ratio = 0, error = 0;
  if (bus_factor(collective, 2) == 1 && collective != Collective::kAllReduce) return 0;
  if (!bus_ratio(rows, ratio, error)) return 0;
  const double top = collective == Collective::kAllReduce ? 2 : 1;
  // ratio = top (n - 1) / n
  const double workers = top / (top - ratio);
  const double off = workers * workers / top * error;
  return workers > 1.5 && off < 0.5 ? std::round(workers) : 0;
}

}  // namespace kstar::comm
