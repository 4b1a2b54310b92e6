#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/comm_report.h"
#include "kstar/network_cost.h"
#include "report/comm/words.h"

namespace kstar {

namespace {

namespace say = comm_words;

/// Whether the largest size says what bandwidth there is, by the line or by itself.
bool bandwidth_told(const CommFit& fit) {
  NetworkCurve curve;
  for (const CommPoint& point : fit.points) {
    curve.bytes.push_back(point.bytes);
    curve.seconds.push_back(point.seconds);
  }
  return tells_bandwidth(fit.pieces) || tells_rate(curve);
}

/// What the largest size measured reaches; 0 where latency still rules it.
double largest_bandwidth(const CommFit& fit) {
  if (!fit.pieces.empty() && !bandwidth_told(fit)) return 0;
  return fit.points.back().bytes / fit.points.back().seconds;
}

double largest_bus(const CommFit& fit) {
  return fit.workers >= 2 ? largest_bandwidth(fit) * bus_factor(fit.collective, fit.workers) : 0;
}

std::string link_cell(const CommFit& fit, const CommAnalysis& analysis, double bus) {
  return analysis.link && fit.workers >= 2 && bus > 0 ? percent(bus / *analysis.link, 0) : "";
}

/// "198.6 (195..202)" of a slope, times a factor.
std::string bandwidth_range(const Bounded& beta, double factor) {
  if (!(beta.point > 0)) return "-";
  const std::string high = beta.low > 0 ? say::gigabytes(factor / beta.low) : "?";
  return fmt::format("({}..{})", say::gigabytes(factor / beta.high), high);
}

/// One row for each piece, and one for a single line.
Table piece_table(const CommFit& fit, const CommAnalysis& analysis, bool compare) {
  const bool known = fit.workers >= 2;
  const double factor = known ? bus_factor(fit.collective, fit.workers) : 1;
  Table table;
  table.columns = {{.name = "sizes", .left = true},
                   {.name = "alpha"},
                   {.name = "", .left = true, .joined = true},
                   {.name = "GB/s"},
                   {.name = "", .left = true, .joined = true}};
  if (known && factor != 1) table.columns.push_back({.name = "bus"});
  if (analysis.link && known) table.columns.push_back({.name = "of link"});
  table.columns.push_back({.name = "miss"});
  const auto row = [&](const std::string& name, const NetworkPiece& piece, double worst) {
    const bool moves = piece.beta.low > 0;  // else the sizes show no slope
    std::vector<std::string> cells = {name, say::time(piece.alpha.point), say::range(piece.alpha),
                                      moves ? say::gigabytes(1 / piece.beta.point) : "-",
                                      moves ? bandwidth_range(piece.beta, 1) : ""};
    const double bus = moves ? factor / piece.beta.point : 0;
    if (known && factor != 1) cells.push_back(moves ? say::gigabytes(bus) : "-");
    if (analysis.link && known) {
      cells.push_back(&piece == &fit.pieces.back() ? link_cell(fit, analysis, bus) : "-");
    }
    cells.push_back(percent(worst, 0));
    table.rows.push_back(std::move(cells));
  };
  for (const NetworkPiece& piece : fit.pieces) {
    double worst = 0;
    for (const CommPoint& point : fit.points) {
      if (point.bytes < piece.from || point.bytes > piece.to) continue;
      worst = std::max(worst, std::abs(point.fitted / point.seconds - 1));
    }
    row(fmt::format("{}..{}", size_text(piece.from), size_text(piece.to)), piece, worst);
  }
  if (compare && fit.pieces.size() > 1) row("one line", *fit.one_line, fit.one_line_worst);
  return table;
}

/// One row for each collective, K and number of nodes.
Table sweep_table(const CommAnalysis& analysis, std::size_t most) {
  const bool several = std::any_of(
      analysis.fits.begin(), analysis.fits.end(),
      [&](const CommFit& fit) { return fit.collective != analysis.fits[0].collective; });
  Table table;
  if (several) table.columns.push_back({.name = "collective", .left = true});
  for (const char* name : {"K", "nodes", "small", "bus GB/s"}) {
    table.columns.push_back({.name = name});
  }
  if (analysis.link) table.columns.push_back({.name = "of link"});
  table.columns.push_back({.name = "half at"});
  table.columns.push_back({.name = "miss", .left = true});
  for (std::size_t i = 0; i < std::min(most, analysis.fits.size()); ++i) {
    const CommFit& fit = analysis.fits[i];
    std::vector<std::string> cells;
    if (several) cells.emplace_back(name_of(fit.collective));
    cells.push_back(fit.workers >= 2 ? say::workers(fit.workers) : "?");
    cells.push_back(fit.nodes >= 1 ? say::workers(fit.nodes) : "?");
    const bool fitted = !fit.pieces.empty();
    cells.push_back(say::time(fit.points.front().seconds));
    const double bus = largest_bus(fit);
    cells.push_back(bus > 0 ? say::gigabytes(bus) : "?");
    if (analysis.link) cells.push_back(link_cell(fit, analysis, bus));
    cells.push_back(
        fit.half_size && tells_bandwidth(fit.pieces) ? size_text(std::round(*fit.half_size)) : "-");
    cells.push_back(
        fitted ? fmt::format("{}{}", percent(fit.worst_miss, 0), fit.irregular ? " irregular" : "")
               : "not fitted");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// The size with the most bandwidth, where the largest has far less of it.
const CommPoint* before_collapse(const CommFit& fit) {
  constexpr double kFar = 1.5;
  const auto rate = [](const CommPoint& point) { return point.bytes / point.seconds; };
  const auto best =
      std::max_element(fit.points.begin(), fit.points.end(),
                       [&](const CommPoint& a, const CommPoint& b) { return rate(a) < rate(b); });
  return rate(*best) > kFar * rate(fit.points.back()) ? &*best : nullptr;
}

/// "Bandwidth falls with size: 29.5 GB/s of bus bandwidth at 32 MiB, 5.27 at 64 MiB, 5.31 ..."
std::string collapse_text(const CommFit& fit, const CommPoint& best) {
  const double factor = fit.workers >= 2 ? bus_factor(fit.collective, fit.workers) : 1;
  const auto reached = [&](const CommPoint& point) {
    return say::gigabytes(factor * point.bytes / point.seconds);
  };
  const CommPoint &next = *(&best + 1), &largest = fit.points.back();
  const std::string then =
      &next == &largest ? "" : fmt::format("{} at {}, ", reached(next), size_text(next.bytes));
  return fmt::format("Bandwidth falls with size: {} GB/s{} at {}, {}{} at the largest, {}",
                     reached(best), fit.workers >= 2 ? " of bus bandwidth" : "",
                     size_text(best.bytes), then, reached(largest), size_text(largest.bytes));
}

/// Why the largest size says no bandwidth.
std::string no_bandwidth_text(const CommFit& fit) {
  const CommPoint &smallest = fit.points.front(), &largest = fit.points.back();
  constexpr double kFalls = 1.25, kFlat = 2, kLarge = 64.0 * (1 << 20);
  const auto slowest = std::max_element(
      fit.points.begin(), fit.points.end(),
      [](const CommPoint& a, const CommPoint& b) { return a.seconds < b.seconds; });
  if (fit.points.size() > 1 && slowest->seconds > kFalls * largest.seconds &&
      (slowest != fit.points.begin() || largest.bytes >= kLarge)) {
    return fmt::format("Times fall with size ({} takes {}, {} only {}): they tell no bandwidth",
                       size_text(slowest->bytes), say::time(slowest->seconds),
                       size_text(largest.bytes), say::time(largest.seconds));
  }
  if (largest.seconds < kFlat * smallest.seconds && largest.bytes >= kLarge) {
    return fmt::format(
        "Time hardly grows with size (the largest, {}, takes {}): no bandwidth can be told; check "
        "that the test waits until all is sent",
        size_text(largest.bytes), say::time(largest.seconds));
  }
  return "The sizes are too small to tell a bandwidth";
}

/// "Large messages move at 198.6 GB/s of bus bandwidth, 99% of ...; small ones take 38 us."
std::string network_answer(const CommFit& fit, const CommAnalysis& analysis) {
  if (fit.pieces.empty()) {
    const CommPoint& point = fit.points.back();
    const std::string bus =
        fit.workers >= 2 ? fmt::format(", bus bandwidth {} GB/s",
                                       say::gigabytes(bus_factor(fit.collective, fit.workers) *
                                                      point.bytes / point.seconds))
                         : "";
    return fmt::format("{} of {} takes {} ({} GB/s{}).", name_of(fit.collective),
                       size_text(point.bytes), say::time(point.seconds),
                       say::gigabytes(point.bytes / point.seconds), bus);
  }
  const CommPoint &smallest = fit.points.front(), &largest = fit.points.back();
  const double bus = largest_bus(fit), factor = bus > 0 ? bus / largest_bandwidth(fit) : 1;
  const auto reached = [&](const CommPoint& point) {
    const std::string middle = say::gigabytes(factor * point.bytes / point.seconds);
    if (point.low == point.high) return middle;
    return fmt::format("{} ({}..{})", middle, say::gigabytes(factor * point.bytes / point.high),
                       say::gigabytes(factor * point.bytes / point.low));
  };
  std::string text;
  if (const CommPoint* best = before_collapse(fit)) {
    text = collapse_text(fit, *best);
  } else if (!(largest_bandwidth(fit) > 0)) {
    text = no_bandwidth_text(fit);
  } else {
    text = fmt::format("The largest, {}, reaches {}{} GB/s", size_text(largest.bytes),
                       bus > 0 ? "a bus bandwidth of " : "", reached(largest));
  }
  if (analysis.link && bus > 0) {
    text += fmt::format(", {} of the stated {}", percent(bus / *analysis.link, 0),
                        printable(analysis.link_text));
  }
  return fmt::format(
      "{}; the smallest, {}, takes {}.", text, size_text(smallest.bytes),
      smallest.low == smallest.high
          ? say::time(smallest.seconds)
          : fmt::format("{} {}", say::time(smallest.seconds),
                        say::range({smallest.seconds, smallest.low, smallest.high})));
}

std::string above_link(const CommAnalysis& analysis) {
  for (const CommFit& fit : analysis.fits) {
    if (!analysis.link || largest_bus(fit) <= 1.02 * *analysis.link) continue;
    return fmt::format(
        "{}: more than the stated link. No error where the network itself reduces (SHARP, NVLS); "
        "otherwise the link is faster than stated.",
        say::subject(fit));
  }
  return "";
}

std::string irregular_text(const CommAnalysis& analysis) {
  std::vector<const CommFit*> all;
  for (const CommFit& fit : analysis.fits) {
    if (fit.irregular) all.push_back(&fit);
  }
  if (all.empty()) return "";
  const CommFit& first = *all.front();
  std::string sizes;
  constexpr std::size_t kNamed = 3;
  const std::size_t count = first.irregular_sizes.size();
  for (std::size_t i = 0; i < std::min(kNamed, count); ++i) {
    sizes += fmt::format("{}{}", i > 0 ? ", " : "", size_text(first.irregular_sizes[i]));
  }
  if (count > kNamed) sizes += fmt::format(" and {} more", count - kNamed);
  const std::string more = all.size() > 1 ? fmt::format("; {} more such", all.size() - 1) : "";
  return fmt::format(
      "irregular: no line holds {} at {} (off by up to {}){}. Measure again, or look for noise on "
      "these nodes",
      say::subject(first), sizes, percent(first.worst_miss, 0), more);
}

std::string odd_text(const CommFit& fit) {
  std::string text;
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(kNamed, fit.odd_sweeps.size()); ++i) {
    const OddSweep& one = fit.odd_sweeps[i];
    text += fmt::format("{}{} ({}x)", i > 0 ? ", " : "", shorten(one.label, 48),
                        significant(one.factor, 3));
  }
  if (text.empty()) return "";
  return fmt::format("{} of {} sweeps of {} are out of line: {}", fit.odd_sweeps.size(), fit.sweeps,
                     say::subject(fit), text);
}

std::string differ_text(const CommFit& fit) {
  if (fit.sweeps_differ <= 1 || !fit.odd_sweeps.empty()) return "";
  return fmt::format(
      "the {} sweeps of {} differ by up to {} times, more than their noise: the "
      "intervals hold all of them",
      fit.sweeps, say::subject(fit), significant(fit.sweeps_differ, 2));
}

/// How many sizes at an end of a sweep are out of line together: two are another regime, with too
/// few sizes for a piece of its own.
template <class Iterator>
std::ptrdiff_t odd_at_end(Iterator first, Iterator last) {
  const auto slower = [](const CommPoint& point) { return point.seconds > point.fitted; };
  const Iterator end = std::find_if(first, last, [&](const CommPoint& point) {
    return !point.odd || slower(point) != slower(*first);
  });
  return end - first;
}

std::string end_text(const CommFit& fit) {
  constexpr std::ptrdiff_t kTogether = 2;
  const auto times = [](const CommPoint& point) {
    return significant(point.seconds / point.fitted, 2);
  };
  if (const auto count = odd_at_end(fit.points.rbegin(), fit.points.rend()); count >= kTogether) {
    const CommPoint& first = *(fit.points.rbegin() + (count - 1));
    return fmt::format(
        "{}: from {} on it takes {} times what the line of the smaller sizes says. Larger sizes "
        "cannot be predicted from it: measure more of them",
        say::subject(fit), size_text(first.bytes), times(fit.points.back()));
  }
  if (const auto count = odd_at_end(fit.points.begin(), fit.points.end()); count >= kTogether) {
    return fmt::format("{}: up to {} it takes {} times what the line of the larger sizes says",
                       say::subject(fit),
                       size_text(fit.points[static_cast<std::size_t>(count - 1)].bytes),
                       times(fit.points.front()));
  }
  return "";
}

/// A first size that is far slower than the second says nothing of the network.
std::string warm_up_text(const CommAnalysis& analysis) {
  constexpr double kFar = 2;
  const CommFit* worst = nullptr;
  double most = kFar;
  for (const CommFit& fit : analysis.fits) {
    if (fit.points.size() < 2) continue;
    const double times = fit.points[0].seconds / fit.points[1].seconds;
    if (times > most) worst = &fit, most = times;
  }
  if (worst == nullptr) return "";
  return fmt::format(
      "{}: {} takes {} times as long as {}, as where nothing was warmed up: it is no latency",
      say::subject(*worst), size_text(worst->points[0].bytes), significant(most, 2),
      size_text(worst->points[1].bytes));
}

Items comm_warnings(const CommReport& report, bool all) {
  const CommAnalysis& analysis = report.analysis;
  std::vector<std::string> lines;
  const auto rest = analysis.notes.begin() + static_cast<std::ptrdiff_t>(analysis.grave_notes);
  lines.insert(lines.end(), analysis.notes.begin(), rest);
  if (std::string text = irregular_text(analysis); !text.empty()) lines.push_back(text);
  if (std::string text = warm_up_text(analysis); !text.empty()) lines.push_back(text);
  if (analysis.fits.size() > 1) {
    for (const CommFit& fit : analysis.fits) {
      const CommPoint* best = before_collapse(fit);
      if (best != nullptr) lines.push_back(say::subject(fit) + ": " + collapse_text(fit, *best));
    }
  }
  for (const CommFit& fit : analysis.fits) {
    if (std::string text = end_text(fit); !text.empty()) lines.push_back(text);
    if (std::string text = differ_text(fit); !text.empty()) lines.push_back(text);
  }
  for (const CommFit& fit : analysis.fits) {
    if (std::string text = odd_text(fit); !text.empty()) lines.push_back(text);
  }
  lines.insert(lines.end(), rest, analysis.notes.end());
  constexpr std::size_t kMost = 3;
  if (!all && lines.size() > kMost) {
    const std::size_t more = lines.size() - kMost;
    lines.resize(kMost);
    lines.push_back(fmt::format("{} more with --full", more));
  }
  return Items{"Before relying on it", std::move(lines)};
}

/// "ring", "tree or ring", "tree, ring or halving".
std::string either(const AlgorithmGuess& guess) {
  std::string names = guess.name;
  for (std::size_t i = 0; i < guess.others.size(); ++i) {
    names += (i + 1 == guess.others.size() ? " or " : ", ") + guess.others[i];
  }
  return names;
}

std::string guess_text(const AlgorithmGuess& guess, std::string_view what) {
  if (guess.name.empty()) {
    if (guess.unknown.empty()) return "";
    return fmt::format("{}: which algorithm cannot be told ({})", what, guess.unknown);
  }
  return fmt::format("{} look like {} ({}{}{})", what, either(guess), percent(guess.together, 0),
                     guess.others.empty() ? "" : ", not told apart", "; from " + guess.from);
}

/// One line where both ends say the same.
void add_guesses(const CommFit& fit, std::vector<std::string>& lines) {
  const bool same = fit.small.name == fit.large.name && fit.small.unknown == fit.large.unknown &&
                    fit.small.others == fit.large.others;
  if (same && fit.small.name.empty()) {
    if (std::string text = guess_text(fit.small, "all sizes"); !text.empty()) lines.push_back(text);
    return;
  }
  if (std::string text = guess_text(fit.small, "small ones"); !text.empty()) lines.push_back(text);
  if (std::string text = guess_text(fit.large, "large ones"); !text.empty()) lines.push_back(text);
}

/// What one sweep says beside its table.
std::vector<std::string> comm_further(const CommFit& fit) {
  std::vector<std::string> lines;
  if (fit.half_size && tells_bandwidth(fit.pieces) && before_collapse(fit) == nullptr) {
    lines.push_back(
        fmt::format("latency bound below {} (half of the bandwidth): fuse smaller messages",
                    size_text(std::round(*fit.half_size))));
  }
  constexpr std::size_t kSeveral = 3;
  if (fit.stated_average && fit.points.size() >= kSeveral) {
    lines.push_back(
        fmt::format("\"Avg bus bandwidth {}\" is a mean over all sizes: it says nothing",
                    say::gigabytes(*fit.stated_average)));
  }
  std::string odd;
  for (const CommPoint& point : fit.points) {
    if (!point.odd) continue;
    odd += fmt::format("{}{} ({:+.0f}%)", odd.empty() ? "" : ", ", size_text(point.bytes),
                       100 * (point.seconds / point.fitted - 1));
  }
  if (!odd.empty()) lines.push_back("sizes out of line with their piece: " + odd);
  add_guesses(fit, lines);
  return lines;
}

/// "8 workers on each node: 12 us inside a node, then 18 us for each doubling of the nodes."
std::string levels_text(const CommAnalysis& analysis, const CommFit& fit) {
  for (const NetworkLevels& both : analysis.network.levels) {
    // Where the interval includes 0, the sweeps do not show what nodes add.
    if (both.collective != fit.collective || !(both.between_alpha.low > 0)) continue;
    const std::string inside =
        fmt::format("{} {}", say::time(both.inside_alpha.point), say::range(both.inside_alpha));
    const std::string between =
        fmt::format("{} {}", say::time(both.between_alpha.point), say::range(both.between_alpha));
    const char* grows = both.rounds == "ring" ? "for each further node"
                        : both.rounds.empty() ? "for a second one (these numbers of nodes do "
                                                "not tell how it goes on)"
                                              : "for each doubling of the nodes";
    return fmt::format(
        "two levels, {} workers on each node: small ones take {} inside a node and "
        "{} more {}",
        say::workers(both.node_workers), inside, between, grows);
  }
  return "";
}

std::string hindcast_text(const CommHindcast& cast) {
  return fmt::format(
      "{}: from the smaller K alone, K = {} would have been predicted with a median error of {} "
      "(worst {}), {} of {} sizes in their intervals",
      name_of(cast.collective), say::workers(cast.workers), percent(cast.middle_error, 0),
      percent(cast.worst_error, 0), cast.covered, cast.sizes);
}

Items comm_definitions(const CommAnalysis& analysis) {
  Items items{"How to read it", {}};
  items.items = {
      "time = alpha + beta x bytes in each piece; GB/s is 1/beta, the algorithm bandwidth",
      "bus bandwidth is the algorithm bandwidth times what every link must carry at least: "
      "2(K-1)/K of an all-reduce, (K-1)/K of all-gather, reduce-scatter and all-to-all, 1 of a "
      "broadcast. It does not depend on K, and compares with the link; reduction inside the "
      "network can exceed it",
      "bytes: of an all-gather the result, of a reduce-scatter the input, of an all-to-all all "
      "that one worker sends",
      "small: the time of the smallest size; bus: in the table of sweeps what the largest size "
      "reaches, in that of pieces the slope; half at: the size that reaches half of the last "
      "piece's bandwidth; miss: the worst of the pieces, at any size"};
  for (const CommHindcast& cast : analysis.hindcasts) items.items.push_back(hindcast_text(cast));
  return items;
}

}  // namespace

Document to_document(const CommReport& report, const CommView& view) {
  const CommAnalysis& analysis = report.analysis;
  const CommFit& first = analysis.fits.front();
  const bool one = analysis.fits.size() == 1;
  Document document;
  auto& blocks = document.blocks;
  blocks.emplace_back(Heading{
      one ? fmt::format("{} ({})", say::subject(first), say::evidence(first)) : report.title});
  if (!analysis.failed.empty()) {
    const std::size_t more = analysis.failed.size() - 1;
    blocks.emplace_back(Paragraph{
        fmt::format("Wrong results: {}{}. What a broken run takes says nothing of the network.",
                    analysis.failed.front(), more > 0 ? fmt::format("; {} more such", more) : "")});
  }
  if (report.prediction) {
    blocks.emplace_back(Paragraph{say::prediction_answer(*report.prediction)});
  }
  // The largest K that was fitted speaks for all.
  const CommFit* best = &first;
  for (const CommFit& fit : analysis.fits) {
    const bool same = fit.collective == first.collective;
    if (same && !fit.pieces.empty() && fit.workers >= best->workers) best = &fit;
  }
  std::string answer = network_answer(*best, analysis);
  if (!one) {
    answer.replace(0, 1, lower_case(answer.substr(0, 1)));
    answer = say::subject(*best) + ": " + answer;
  }
  blocks.emplace_back(Paragraph{std::move(answer)});
  if (Items known = comm_warnings(report, view.full); !known.items.empty()) {
    blocks.emplace_back(std::move(known));
  }
  constexpr std::size_t kMostRows = 14;
  if (one && !first.pieces.empty()) {
    blocks.emplace_back(piece_table(first, analysis, view.full));
  } else {
    blocks.emplace_back(sweep_table(analysis, view.full ? analysis.fits.size() : kMostRows));
    if (!view.full && analysis.fits.size() > kMostRows) {
      blocks.emplace_back(
          Paragraph{fmt::format("{} more with --full.", analysis.fits.size() - kMostRows)});
    }
  }
  if (const std::string text = above_link(analysis); !text.empty()) {
    blocks.emplace_back(Paragraph{text});
  }
  Items also{"Also", comm_further(*best)};
  if (std::string text = levels_text(analysis, *best); !text.empty()) also.items.push_back(text);
  if (!also.items.empty()) blocks.emplace_back(std::move(also));
  if (report.prediction) say::add_prediction(*report.prediction, view.full, document);
  if (view.chart) blocks.emplace_back(to_chart(analysis, CommChartKind::kTime));
  if (view.chart && view.full) {
    blocks.emplace_back(to_chart(analysis, CommChartKind::kBandwidth));
  }
  if (!view.full) return document;
  if (!one) {
    for (const CommFit& fit : analysis.fits) {
      if (fit.pieces.empty()) continue;
      blocks.emplace_back(Heading{
          .text = fmt::format("{} ({})", say::subject(fit), say::evidence(fit)), .part = true});
      blocks.emplace_back(piece_table(fit, analysis, true));
      if (Items beside{"", comm_further(fit)}; !beside.items.empty()) {
        blocks.emplace_back(std::move(beside));
      }
    }
  }
  blocks.emplace_back(comm_definitions(analysis));
  return document;
}

}  // namespace kstar
