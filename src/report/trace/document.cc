#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number.h"
#include "base/text.h"
#include "kstar/questions.h"
#include "kstar/trace_report.h"
#include "kstar/words.h"
#include "report/trace/words.h"

namespace kstar {

namespace {

using tracing::bytes_cell;
using tracing::rank_name;
using tracing::speed_text;
using tracing::Times;
using tracing::workers_number;

constexpr double kLittle = 0.005;

std::string steps_text(const TraceAnalysis& analysis) {
  const std::string count = count_text(analysis.steps.size(), "step");
  switch (analysis.step_source) {
    case TraceSteps::kProfiler:
    case TraceSteps::kNumbered:
      return count;
    case TraceSteps::kNamed:
    case TraceSteps::kAnnotation:
      return fmt::format("{} ({})", count, printable(shorten(analysis.step_name, 30)));
    case TraceSteps::kRepetition:
      return fmt::format("{} (found: the operations repeat)", count);
    case TraceSteps::kWhole:
      break;
  }
  return "the whole trace as one step";
}

/// How many ranks have no trace.
std::int64_t unseen_ranks(const TraceAnalysis& analysis) {
  return std::max<std::int64_t>(
      0, analysis.workers - static_cast<std::int64_t>(analysis.ranks.size()));
}

/// Whether there is an interval to show: several values, and not all the same.
bool has_width(const Estimate& value) {
  return value.n > 1 && is_bounded(value) &&
         significant(value.low, 3) != significant(value.high, 3);
}

/// "8 ranks, 1 step, 16.1 ms per step (NCCL)".
std::string question_text(const TraceAnalysis& analysis) {
  std::string ranks = count_text(analysis.ranks.size(), "rank");
  if (unseen_ranks(analysis) > 0) {
    ranks = fmt::format("{} of {} ranks", analysis.ranks.size(), analysis.workers);
  }
  const Estimate& time = analysis.step_time;
  std::string text = fmt::format("{}, {}, {} per step", ranks, steps_text(analysis),
                                 has_width(time) ? time_value_text(time) : time_text(time.point));
  if (!analysis.device) text += ", on the CPU";
  if (!analysis.backend.empty()) text += fmt::format(", {}", printable(analysis.backend));
  return text;
}

/// The share of the step, with its interval.
std::string serial_text(const TraceAnalysis& analysis) {
  const Estimate& s = analysis.serial;
  return has_width(s) ? fmt::format("{} ({})", significant(s.point, 3),
                                    range_words(std::max(0.0, s.low), s.high, 3))
                      : significant(s.point, 3);
}

std::string no_communication(const TraceAnalysis& analysis) {
  if (analysis.collectives > 0) return "";
  return analysis.workers > 1 || !analysis.backend.empty()
             ? fmt::format(
                   "No communication was found in the traces{}: they say nothing about "
                   "more workers.",
                   analysis.workers == 1 ? " (one worker)" : "")
             : "No communication was found: a trace of one worker says nothing about more.";
}

constexpr double kLarge = 0.2, kBalanced = 0.95;

/// The change in which idle time stays, where there is much of it.
const TraceChange* idle_stays(const TraceAnalysis& analysis) {
  const auto found = std::find_if(
      analysis.changes.begin(), analysis.changes.end(),
      [](const TraceChange& change) { return change.kind == TraceChangeKind::kIdleStays; });
  return found != analysis.changes.end() ? &*found : nullptr;
}

/// Of the critical path, what the host launched late.
double host_share(const TraceAnalysis& analysis) {
  if (!analysis.path || analysis.path->seconds <= 0) return 0;
  return analysis.path->by_kind[static_cast<std::size_t>(TracePathPiece::Kind::kHost)] /
         analysis.path->seconds;
}

/// What s is made of.
std::string serial_words(const TraceAnalysis& analysis) {
  if (analysis.workers < 2 && !analysis.serial_is_bound) return "exposed communication";
  if (!analysis.split) {
    return "exposed communication, in which waiting for other ranks is not told apart";
  }
  if (!analysis.serial_is_bound) return "the exposed transfer, which every rank pays";
  const std::int64_t unseen = unseen_ranks(analysis);
  if (unseen > 0) {
    return fmt::format(
        "exposed communication, in which waiting for the {} without a trace is not told apart",
        count_text(static_cast<std::size_t>(unseen), "rank"));
  }
  return "exposed communication, in which waiting is told apart for some collectives only";
}

/// Rates show that the step's communication is not what keeps the job from scaling.
bool rates_contradict(const TraceAnalysis& analysis) {
  return std::any_of(analysis.explained.begin(), analysis.explained.end(),
                     [](const TraceExplained& row) { return row.missing > 1.1 * row.explained; });
}

/// The answer: s, the ceiling, where it comes from.
std::string answer_text(const TraceAnalysis& analysis) {
  if (analysis.changes.empty()) return no_communication(analysis);
  const TraceChange& as_is = analysis.changes.front();
  const bool bound = analysis.serial_is_bound;
  const bool contradicted = rates_contradict(analysis);
  std::string text = fmt::format(
      "{}s {} {} of the step at K = {}: {}. ", contradicted ? "Of the step alone: " : "",
      bound ? "is at most" : "=", serial_text(analysis), analysis.workers, serial_words(analysis));
  if (contradicted) {
    return text + fmt::format(
                      "By s alone, more workers would give up to {} the speed of K = {}: the rates "
                      "do not follow that (--full has the curve).",
                      speed_text(as_is.ceiling), analysis.workers);
  }
  const std::string_view more = bound ? "If none of that is waiting, more" : "More";
  const TraceChange* idle = idle_stays(analysis);
  const std::string share = percent(analysis.mean.idle / analysis.mean.step, 0);
  if (idle != nullptr && host_share(analysis) > kLarge) {
    // The host is the limit: more workers do not launch faster.
    return text + fmt::format(
                      "{} workers give at most {} the speed of K = {}: {} of the step "
                      "is idle, and the host is what it waits for. If that shrank as "
                      "computation does, it would be {}.",
                      more, speed_text(idle->ceiling), analysis.workers, share,
                      speed_text(as_is.ceiling));
  }
  if (!std::isfinite(as_is.ceiling)) return text;
  text += fmt::format("{} workers give at most {} the speed of K = {}", more,
                      speed_text(as_is.ceiling), analysis.workers);
  const auto most = first_reaching(as_is.model, 0.9 * as_is.ceiling);
  if (most && *most < 1e9) text += fmt::format("; 90% of that takes K = {}", workers_number(*most));
  return text + (idle != nullptr ? fmt::format(", and {} if the {} idle time does not shrink.",
                                               speed_text(idle->ceiling), share)
                                 : ".");
}

/// Who is late, where waiting is a part of the time that counts.
std::string waiting_text(const TraceAnalysis& analysis) {
  if (!analysis.split || analysis.mean.step <= 0) {
    if (analysis.split || analysis.collectives == 0 || analysis.workers < 2) return "";
    return analysis.ranks.size() == 1
               ? fmt::format(
                     "One rank of {}: how much of its communication is waiting only the "
                     "traces of the others can tell.",
                     analysis.workers)
               : "No collective could be matched between ranks: waiting is not told apart.";
  }
  const double share = analysis.mean.exposed_waiting / analysis.mean.step;
  const auto late = std::max_element(
      analysis.ranks.begin(), analysis.ranks.end(),
      [](const TraceRank& a, const TraceRank& b) { return a.made_wait < b.made_wait; });
  const double all =
      std::accumulate(analysis.ranks.begin(), analysis.ranks.end(), 0.0,
                      [](double sum, const TraceRank& rank) { return sum + rank.made_wait; });
  std::string text =
      unseen_ranks(analysis) > 0
          ? fmt::format("The {} ranks seen wait for each other {} of the step",
                        analysis.ranks.size(), percent(share, 1))
          : fmt::format("Waiting for late ranks is {} of the step", percent(share, 1));
  if (share < kLittle || all <= 0 || analysis.matched == 0) return text + ".";
  text += fmt::format("; {} of it for rank {}, last in {} of {} collectives",
                      percent(late->made_wait / all, 0), rank_name(*late), late->last,
                      analysis.matched);
  text += fmt::format(". Load balance is {}", fixed(analysis.load_balance, 2));
  return text + (analysis.load_balance < kBalanced
                     ? ": ranks compute unequally."
                     : ": they compute equally long, and start late.");
}

std::string slowdown_text(const TraceSlowdown& slowdown) {
  const auto words = [](const Estimate& ratio) {
    return is_bounded(ratio) && ratio.n > 1 ? fmt::format("{} ({} to {})", fixed(ratio.point, 3),
                                                          fixed(ratio.low, 3), fixed(ratio.high, 3))
                                            : fixed(ratio.point, 3);
  };
  if (!slowdown.active) {
    return fmt::format("Slowdown against the ideal: a step takes {} times as long, over {}.",
                       words(slowdown.ratio), count_text(slowdown.steps, "common step"));
  }
  return fmt::format(
      "Slowdown against the ideal: {} times, over {}, without the time in which no rank does "
      "anything (which the ideal does not have); {} with it.",
      words(*slowdown.active), count_text(slowdown.steps, "common step"),
      fixed(slowdown.ratio.point, 3));
}

std::string explained_text(const TraceAnalysis& analysis) {
  std::string text;
  for (const TraceExplained& row : analysis.explained) {
    if (text.empty() && rates_contradict(analysis)) {
      text = fmt::format("By the rates, run on {}, the last K with E at or above {}.", row.usable,
                         significant(analysis.threshold, 3));
    }
    text += fmt::format(
        "{}Rates: from K = {} to {} {}x of the speed in proportion is missing; exposed "
        "communication ({} of the step) explains {}x of it.",
        text.empty() ? "" : " ", row.base, row.workers, significant(row.missing, 3),
        percent(analysis.mean.exposed / analysis.mean.step, 0), significant(row.explained, 3));
    if (row.missing > 1.1 * row.explained) {
      text +=
          " The rest is not exposed communication: smaller batches per worker, waiting before "
          "the step, or input.";
    }
  }
  return text;
}

/// Which ranks a screen shows: all, or those that differ most.
std::vector<std::size_t> shown_ranks(const TraceAnalysis& analysis, std::size_t most) {
  std::vector<std::size_t> order(analysis.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::max(analysis.ranks[i].made_wait, analysis.ranks[i].times.exposed);
    };
    return key(a) > key(b);
  });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::string hidden_cell(const TraceTimes& times) {
  if (times.communication <= 0) return "-";
  return percent(1 - times.exposed / times.communication, 0);
}

Table rank_table(const TraceAnalysis& analysis, const Times& times, std::size_t most, bool full) {
  Table table;
  const bool titled = !analysis.ranks.front().title.empty();
  table.columns = {{.name = "rank", .left = titled},
                   {.name = times.unit() + " per step"},
                   {.name = "com- pute"},
                   {.name = "com- muni- cate"},
                   {.name = "hid- den"},
                   {.name = "ex- posed"},
                   {.name = "of step"},
                   {.name = "idle"}};
  if (full) table.columns.push_back({.name = "copies"});
  if (analysis.split) {
    table.columns.push_back({.name = "wait- ing", .new_group = true});
    table.columns.push_back({.name = "trans- fer"});
    table.columns.push_back({.name = "last"});
  }
  const auto row_of = [&](std::string name, const TraceTimes& row, std::string last) {
    std::vector<std::string> cells = {std::move(name),
                                      times.cell(row.step),
                                      times.cell(row.compute),
                                      times.cell(row.communication),
                                      hidden_cell(row),
                                      times.cell(row.exposed),
                                      row.step > 0 ? percent(row.exposed / row.step, 1) : "-",
                                      times.cell(row.idle)};
    if (full) cells.push_back(times.cell(row.copies));
    if (analysis.split) {
      cells.push_back(times.cell(row.waiting));
      cells.push_back(times.cell(row.transfer));
      cells.push_back(std::move(last));
    }
    table.rows.push_back(std::move(cells));
  };
  for (const std::size_t i : shown_ranks(analysis, most)) {
    const TraceRank& rank = analysis.ranks[i];
    row_of(rank_name(rank), rank.times, fmt::format("{}", rank.last));
  }
  if (analysis.ranks.size() > 1) row_of("mean", analysis.mean, "");
  return table;
}

Table change_table(const TraceAnalysis& analysis, bool full) {
  Table table;
  table.columns = {{.name = "if you ...", .left = true}, {.name = "ceiling"}, {.name = "K*"}};
  const std::size_t most = full ? analysis.predicted.size() : 4;
  for (std::size_t i = 0; i < std::min(most, analysis.predicted.size()); ++i) {
    table.columns.push_back(
        {.name = fmt::format("S({})", analysis.predicted[i]), .new_group = i == 0});
  }
  for (const TraceChange& change : analysis.changes) {
    std::vector<std::string> row = {
        change.name, speed_text(change.ceiling),
        std::isfinite(change.usable) ? workers_number(change.usable) : "no limit"};
    for (std::size_t i = 0; i + 3 < table.columns.size(); ++i) {
      row.push_back(fixed(change.speedups[i], 3));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table operation_table(const TraceAnalysis& analysis, const Times& times, std::size_t most) {
  Table table;
  table.columns = {{.name = "collective", .left = true},
                   {.name = "group", .left = true},
                   {.name = "ranks"},
                   {.name = "size"},
                   {.name = "per step"},
                   {.name = "time " + times.unit(), .new_group = true},
                   {.name = "exposed"}};
  if (analysis.split) {
    table.columns.push_back({.name = "waiting"});
    table.columns.push_back({.name = "transfer"});
  }
  for (std::size_t i = 0; i < std::min(most, analysis.operations.size()); ++i) {
    const TraceOperation& row = analysis.operations[i];
    const double per_step =
        static_cast<double>(row.count) / static_cast<double>(analysis.steps.size());
    std::vector<std::string> cells = {printable(row.collective),
                                      row.group.empty() ? "-" : printable(shorten(row.group, 20)),
                                      row.size > 0 ? fmt::format("{}", row.size) : "-",
                                      bytes_cell(row.bytes),
                                      significant(per_step, 3),
                                      times.cell(row.seconds),
                                      times.cell(row.exposed)};
    if (analysis.split) {
      cells.push_back(times.cell(row.waiting));
      cells.push_back(times.cell(row.transfer));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string_view kind_words(TracePathPiece::Kind kind) {
  switch (kind) {
    case TracePathPiece::Kind::kCompute:
      return "compute";
    case TracePathPiece::Kind::kTransfer:
      return "transfer";
    case TracePathPiece::Kind::kCopy:
      return "copy";
    case TracePathPiece::Kind::kHost:
      return "host";
    case TracePathPiece::Kind::kIdle:
      break;
  }
  return "idle";
}

/// What would help, by the largest of what is no computation.
std::string advice_text(const TraceAnalysis& analysis) {
  constexpr double kWaitingCounts = 0.05;
  const TracePath& path = *analysis.path;
  const auto share = [&](TracePathPiece::Kind kind) {
    return path.seconds > 0 ? path.by_kind[static_cast<std::size_t>(kind)] / path.seconds : 0;
  };
  const double host = share(TracePathPiece::Kind::kHost);
  const double transfer = share(TracePathPiece::Kind::kTransfer);
  const double idle = share(TracePathPiece::Kind::kIdle);
  const double most = std::max({host, transfer, idle});
  const double waiting = analysis.split && analysis.mean.step > 0
                             ? analysis.mean.exposed_waiting / analysis.mean.step
                             : 0;
  if (waiting > kWaitingCounts && waiting > most) {
    return analysis.load_balance < kBalanced
               ? "Balancing the ranks would shorten it: the others wait for those that compute "
                 "longest."
               : "Ranks that start late make the others wait: look at their input and their host.";
  }
  if (most <= kLarge) return "Faster computation on these ranks would shorten it.";
  if (host >= most) {
    return "The host launches too late: fewer, larger kernels, CUDA graphs or a compiled model "
           "would shorten it.";
  }
  if (transfer >= most) return "Faster or better hidden collectives would shorten it.";
  return "Time in which nothing runs is the largest gain: synchronisation, input, or the end of "
         "the step.";
}

std::string path_text(const TraceAnalysis& analysis) {
  const TracePath& path = *analysis.path;
  std::string text =
      fmt::format("Critical path of step {}, {}:", printable(path.step), time_text(path.seconds));
  bool first = true;
  for (std::size_t i = 0; i < path.by_kind.size(); ++i) {
    const double share = path.seconds > 0 ? path.by_kind[i] / path.seconds : 0;
    if (share < kLittle) continue;
    text += fmt::format("{} {} {}", first ? "" : ",",
                        kind_words(static_cast<TracePathPiece::Kind>(i)), percent(share, 0));
    first = false;
  }
  if (analysis.ranks.size() > 1 && !path.by_rank.empty()) {
    text +=
        fmt::format("; {} of it on rank {}", percent(path.by_rank.front().second / path.seconds, 0),
                    path.by_rank.front().first);
  }
  return text + ". " + advice_text(analysis);
}

Table path_table(const TracePath& path, std::size_t most) {
  Table table;
  table.columns = {{.name = "on the critical path", .left = true},
                   {.name = "kind", .left = true},
                   {.name = "times"},
                   {.name = "time"},
                   {.name = "of path"}};
  for (std::size_t i = 0; i < std::min(most, path.largest.size()); ++i) {
    const TracePathPiece& piece = path.largest[i];
    table.rows.push_back({shorten(printable(piece.name), 44), std::string(kind_words(piece.kind)),
                          fmt::format("{}", piece.count), time_text(piece.seconds),
                          percent(piece.seconds / path.seconds, 1)});
  }
  return table;
}

Table clock_table(const TraceAnalysis& analysis) {
  Table table;
  table.columns = {{.name = "rank"},
                   {.name = "clock ahead"},
                   {.name = "last in"},
                   {.name = "others waited for it, per step"},
                   {.name = "file", .left = true}};
  for (const TraceRank& rank : analysis.ranks) {
    table.rows.push_back({rank_name(rank), time_text(rank.clock < 0 ? -rank.clock : rank.clock),
                          fmt::format("{} of {}", rank.last, rank.matched),
                          time_text(rank.made_wait), shorten(printable(rank.file), 60)});
    if (rank.clock < 0) table.rows.back()[1] = "-" + table.rows.back()[1];
  }
  return table;
}

std::string unclassified_text(const TraceAnalysis& analysis, bool full) {
  if (analysis.unclassified_share <= 0) return "";
  std::string text = fmt::format(
      "Unclassified: {} of the time of all operations, counted as compute",
      analysis.unclassified_share < 0.001 ? "under 0.1%" : percent(analysis.unclassified_share, 1));
  if (!full && analysis.unclassified_share >= 0.01 && !analysis.unclassified.empty()) {
    text += fmt::format("; most in {}", shorten(printable(analysis.unclassified.front().name), 50));
  }
  return text + (full ? "." : " (--unclassified lists the names).");
}

void add_unclassified(const TraceAnalysis& analysis, Document& document) {
  if (analysis.unclassified.empty()) return;
  Items items;
  items.title = "Names that no rule knows (--rules adds yours)";
  for (const TraceUnclassified& one : analysis.unclassified) {
    items.items.push_back(
        fmt::format("{}  {}", percent(one.share, 2), shorten(printable(one.name), 66)));
  }
  document.blocks.emplace_back(std::move(items));
}

void add_charts(const TraceAnalysis& analysis, Document& document) {
  document.blocks.emplace_back(breakdown_chart(analysis));
  if (auto chart = wait_chart(analysis)) document.blocks.emplace_back(std::move(*chart));
  if (auto chart = lane_chart(analysis)) document.blocks.emplace_back(std::move(*chart));
}

void add_paragraph(Document& document, std::string text) {
  if (!text.empty()) document.blocks.emplace_back(Paragraph{std::move(text)});
}

void add_analysis(const TraceAnalysis& analysis, const TraceView& view, Document& document) {
  document.blocks.emplace_back(Heading{question_text(analysis)});
  const bool contradicted = rates_contradict(analysis);
  if (contradicted) add_paragraph(document, explained_text(analysis));
  add_paragraph(document, answer_text(analysis));
  add_paragraph(document, waiting_text(analysis));
  if (view.slowdown) add_paragraph(document, slowdown_text(*view.slowdown));
  if (!contradicted) add_paragraph(document, explained_text(analysis));
  std::string notes;
  for (const std::string& note : analysis.notes) notes += fmt::format("{}. ", note);
  if (analysis.workers_assumed && analysis.collectives > 0) {
    notes += fmt::format(
        "The traces do not say how many workers there were: K = {}, {}, is assumed "
        "(--workers K). ",
        analysis.workers,
        unseen_ranks(analysis) > 0 ? "the largest group of a collective" : "the files");
  }
  if (analysis.steps.size() == 1) notes += "One step: there is no interval. ";
  if (!notes.empty()) add_paragraph(document, "Note: " + notes.substr(0, notes.size() - 1));
  const Times times(analysis.mean.step);
  document.blocks.emplace_back(rank_table(analysis, times, view.full ? 1024 : 8, view.full));
  if (!view.full && analysis.ranks.size() > 8) {
    add_paragraph(document, fmt::format("8 of {} ranks: those that wait or are waited for most.",
                                        analysis.ranks.size()));
  }
  if (!analysis.changes.empty() && (view.full || !contradicted)) {
    document.blocks.emplace_back(change_table(analysis, view.full));
  }
  if (analysis.path) add_paragraph(document, path_text(analysis));
  add_paragraph(document, unclassified_text(analysis, view.unclassified || view.full));
  if (view.chart) add_charts(analysis, document);
  if (view.full) {
    if (!analysis.operations.empty()) {
      document.blocks.emplace_back(Heading{"Communication", true});
      document.blocks.emplace_back(operation_table(analysis, times, 40));
    }
    if (analysis.path) {
      document.blocks.emplace_back(Heading{"Critical path", true});
      document.blocks.emplace_back(path_table(*analysis.path, 20));
    }
    if (analysis.split) {
      document.blocks.emplace_back(Heading{"Ranks and clocks", true});
      add_paragraph(document,
                    fmt::format("Clocks differ by up to {}; after correction the ends of a "
                                "collective differ by {} (median).",
                                time_text(analysis.clock_spread), time_text(analysis.clock_error)));
      document.blocks.emplace_back(clock_table(analysis));
    }
  }
  if (view.full || view.unclassified) add_unclassified(analysis, document);
}

}  // namespace

Document to_document(const std::vector<TraceAnalysis>& analyses, const TraceView& view) {
  Document document;
  if (analyses.size() > 1 && !view.full) {
    Table table;
    table.columns = {{.name = "K"},       {.name = "ranks"},   {.name = "steps"},
                     {.name = "step"},    {.name = "compute"}, {.name = "exposed"},
                     {.name = "waiting"}, {.name = "idle"},    {.name = "s"}};
    for (const TraceAnalysis& one : analyses) {
      table.rows.push_back({fmt::format("{}", one.workers), fmt::format("{}", one.ranks.size()),
                            fmt::format("{}", one.steps.size()), time_text(one.mean.step),
                            time_text(one.mean.compute), time_text(one.mean.exposed),
                            one.split ? time_text(one.mean.exposed_waiting) : "-",
                            time_text(one.mean.idle), significant(one.serial.point, 3)});
    }
    document.blocks.emplace_back(Heading{fmt::format("Traces of {} jobs", analyses.size())});
    document.blocks.emplace_back(std::move(table));
    add_paragraph(document, view.study.empty()
                                ? "-o study.jsonl makes a study of them, which 'kstar analyze' "
                                  "reads; --full shows each."
                                : fmt::format("To find where it bends and why: kstar analyze {}",
                                              printable(view.study)));
    add_analysis(analyses.back(), {.chart = view.chart}, document);
    return document;
  }
  for (const TraceAnalysis& analysis : analyses) add_analysis(analysis, view, document);
  if (!view.full) {
    add_paragraph(document, "--full shows the collectives, the critical path and the clocks.");
  }
  return document;
}

}  // namespace kstar
