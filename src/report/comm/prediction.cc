#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/comm_report.h"
#include "report/comm/words.h"

namespace kstar {

namespace comm_words {

namespace {

/// 7e9, 350e6.
std::string parameters_text(double count) {
  constexpr double kGiga = 1e9, kMega = 1e6;
  if (count >= kGiga) return significant(count / kGiga, 4) + "e9";
  return count >= kMega ? significant(count / kMega, 4) + "e6" : significant(count, 7);
}

std::string question_text(const CommQuestion& question) {
  const std::string what =
      fmt::format("{} of {}", name_of(question.collective), size_text(question.bytes));
  if (!question.gradient) return what;
  return fmt::format("the gradient of {} parameters in {}: {}",
                     parameters_text(question.gradient->parameters), question.gradient->precision,
                     what);
}

/// "recursive-doubling up to 31 kB, halving-doubling to 2 MB, then ring".
std::string cheapest_text(const std::vector<CheapestFrom>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 == all.size() ? ", then " : ", ";
    text += all[i].algorithm.name;
    if (i + 1 < all.size()) {
      text +=
          fmt::format("{}{}", i == 0 ? " up to " : " to ", size_text(std::round(all[i + 1].from)));
    }
  }
  return text;
}

/// An interval whose ends are that far apart says nothing of what is between them.
bool is_unknown(const Bounded& seconds) {
  constexpr double kApart = 100;
  return std::isfinite(seconds.high) && seconds.high > kApart * seconds.low;
}

std::string change_text(const CommPredictionRow& row) {
  const double now = row.cost.seconds.point;
  return fmt::format("On {} workers, half the latency saves {} of it, twice the bandwidth {}.",
                     workers(row.workers), percent(1 - row.half_latency / now, 0),
                     percent(1 - row.twice_bandwidth / now, 0));
}

std::string bucket_text(const CommPrediction& prediction) {
  const CommPredictionRow& row = prediction.rows.back();
  const BucketPlan& plan = row.bucket;
  if (!plan.overlaps) {
    if (plan.count < 2) return "";
    return fmt::format("Buckets of {} or more cost at most 5% more than one of all bytes (K = {}).",
                       size_text(std::round(plan.bytes)), workers(row.workers));
  }
  if (plan.count < 2) {
    return fmt::format("On {} workers one bucket is best: smaller ones cost more than they hide.",
                       workers(row.workers));
  }
  return fmt::format(
      "On {} workers, {} buckets of {} leave {} {} exposed behind {} of computation; one bucket, "
      "{}.",
      workers(row.workers), significant(plan.count, 4), size_text(std::round(plan.bytes)),
      time(plan.exposed.point), range(plan.exposed), time(*prediction.question.compute),
      time(plan.exposed_in_one));
}

}  // namespace

std::string prediction_answer(const CommPrediction& prediction) {
  const CommPredictionRow& row = prediction.rows.back();
  const Bounded& seconds = row.cost.seconds;
  const std::string what = question_text(prediction.question);
  if (row.workers < 2) return fmt::format("On one worker {} takes no time: nothing is sent.", what);
  constexpr double kFar = 1000;
  if (std::isinf(seconds.high) && row.cost.size_beyond && seconds.point > kFar * seconds.low) {
    return fmt::format("On {} workers nothing says what {} takes: the sizes seen are far from it.",
                       workers(row.workers), what);
  }
  if (is_unknown(seconds)) {
    return fmt::format("On {} workers nothing says what {} takes: {} to {}, {}.",
                       workers(row.workers), what, time(seconds.low), time(seconds.high),
                       basis_text(row.cost));
  }
  std::string text = std::isinf(seconds.high)
                         ? fmt::format("On {} workers {} takes at least {}", workers(row.workers),
                                       what, time(seconds.low))
                         : fmt::format("On {} workers {} takes {} {}", workers(row.workers), what,
                                       time(seconds.point), range(seconds));
  const std::string_view doubt = doubt_of(row.cost);
  return fmt::format("{}, {}{}{}.", text, basis_text(row.cost),
                     doubt.empty() ? "" : "; doubtful, as ", doubt);
}

void add_prediction(const CommPrediction& prediction, bool full, Document& document) {
  const CommQuestion& question = prediction.question;
  document.blocks.emplace_back(Heading{.text = question_text(question), .part = true});
  Table table;
  table.columns = {{.name = "K"}, {.name = "time"}, {.name = "", .left = true, .joined = true}};
  if (question.compute) table.columns.push_back({.name = "of compute"});
  if (full) {
    table.columns.push_back({.name = "half alpha"});
    table.columns.push_back({.name = "half beta"});
  }
  table.columns.push_back({.name = "from", .left = true});
  for (const CommPredictionRow& row : prediction.rows) {
    const Bounded& seconds = row.cost.seconds;
    std::vector<std::string> cells = {workers(row.workers), time(seconds.point), range(seconds)};
    if (is_unknown(seconds)) {
      cells[1] = "unknown";
      cells[2] = fmt::format("({} to {})", time(seconds.low), time(seconds.high));
    }
    if (question.compute) {
      cells.push_back(
          is_unknown(seconds) ? "?" : significant(seconds.point / *question.compute, 2) + "x");
    }
    if (full) {
      cells.push_back(time(row.half_latency));
      cells.push_back(time(row.twice_bandwidth));
    }
    // The sentence above says all of it.
    std::string from = row.cost.from;
    if (row.cost.irregular) from += ", irregular";
    if (row.cost.wrong) from += ", wrong results";
    if (row.cost.size_beyond && row.cost.basis != CostBasis::kMeasured) from += ", size not seen";
    cells.push_back(std::move(from));
    table.rows.push_back(std::move(cells));
  }
  document.blocks.emplace_back(std::move(table));
  std::vector<std::string> lines;
  const auto widest = std::find_if(prediction.rows.rbegin(), prediction.rows.rend(),
                                   [](const CommPredictionRow& row) { return row.workers >= 2; });
  const bool known = widest != prediction.rows.rend() && !is_unknown(widest->cost.seconds);
  if (known) lines.push_back(change_text(*widest));
  const bool sends = prediction.rows.back().workers >= 2;
  if (std::string text = sends ? bucket_text(prediction) : ""; !text.empty()) lines.push_back(text);
  if (prediction.cheapest.size() > 1 && question.collective != Collective::kPointToPoint) {
    lines.push_back(
        fmt::format("Cheapest by size at K = {}: {}{}.", workers(prediction.cheapest_workers),
                    cheapest_text(prediction.cheapest),
                    full && prediction.wire ? " (from " + prediction.wire->from + ")" : ""));
  }
  for (std::string& line : lines) document.blocks.emplace_back(Paragraph{std::move(line)});
}

}  // namespace comm_words

Document to_document(const CommPrediction& prediction, const CommView& view) {
  Document document;
  document.blocks.emplace_back(Paragraph{comm_words::prediction_answer(prediction)});
  comm_words::add_prediction(prediction, view.full, document);
  return document;
}

Document to_document(const AlgorithmTable& table, const CommView&) {
  Document document;
  const AlgorithmRow& last = table.rows.back();
  document.blocks.emplace_back(Heading{
      fmt::format("{} of {}, where a message takes {} + {} per GB", name_of(table.collective),
                  size_text(table.bytes), comm_words::time(table.wire.latency),
                  comm_words::time(table.wire.per_byte * 1e9))});
  if (last.workers >= 2) {
    const auto best = std::min_element(last.seconds.begin(), last.seconds.end());
    const auto at = static_cast<std::size_t>(best - last.seconds.begin());
    document.blocks.emplace_back(Paragraph{
        fmt::format("On {} workers {} is the cheapest: {}.", comm_words::workers(last.workers),
                    table.algorithms[at].name, comm_words::time(*best))});
  }
  Table rows;
  rows.columns = {{.name = "K"}};
  for (const Algorithm& algorithm : table.algorithms) {
    rows.columns.push_back({.name = std::string(algorithm.name)});
  }
  for (const AlgorithmRow& row : table.rows) {
    std::vector<std::string> cells = {comm_words::workers(row.workers)};
    for (const double seconds : row.seconds) {
      cells.push_back(significant(seconds * 1e6, 5) + " us");
    }
    rows.rows.push_back(std::move(cells));
  }
  document.blocks.emplace_back(std::move(rows));
  if (table.cheapest.size() > 1) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("Cheapest by size at K = {}: {}.", comm_words::workers(last.workers),
                              comm_words::cheapest_text(table.cheapest))});
  }
  Items pairs{"The same time at", {}};
  for (std::size_t i = 0; i < table.algorithms.size() && last.workers >= 2; ++i) {
    for (std::size_t j = i + 1; j < table.algorithms.size(); ++j) {
      const auto bytes =
          crossover(table.algorithms[i], table.algorithms[j], table.wire, last.workers);
      if (!bytes) continue;
      pairs.items.push_back(fmt::format("{} and {}: {} B", table.algorithms[i].name,
                                        table.algorithms[j].name, significant(*bytes, 5)));
    }
  }
  if (!pairs.items.empty()) document.blocks.emplace_back(std::move(pairs));
  return document;
}

}  // namespace kstar
