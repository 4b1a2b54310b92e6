#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/json_walk.h"
#include "dag/read/trace_events.h"

// Chrome's trace format. A task is a slice of a thread that lies in no other slice. Flows say which
// waits for which: from a moment of one slice to a moment of another. A slice that sends or
// receives in its midst is cut there, so that what it does meanwhile can run beside.
namespace kstar::dag {

namespace {

constexpr double kMicrosecond = 1e-6;

struct Cut {
  double at;
  std::uint32_t piece;  ///< that begins here
};

class TraceGraph {
 public:
  explicit TraceGraph(TraceEvents events) : events_(std::move(events)) {}

  TaskGraph build() {
    find_outer_slices();
    cut_slices();
    add_flows();
    graph_.ordered = !events_.flows.empty();
    set_edges(graph_, edges_);
    shift_record();
    add_trace_notes();
    return std::move(graph_);
  }

 private:
  /// The slices of a thread that lie in no other, in the order of time.
  struct Outer {
    double start, end;
    double free;  ///< when the slice before had ended
    std::string_view name;
    std::vector<Cut> pieces;  ///< the first begins with the slice
    std::vector<double> cuts;
  };

  void find_outer_slices() {
    std::stable_sort(events_.slices.begin(), events_.slices.end(),
                     [](const TraceSlice& a, const TraceSlice& b) {
                       if (a.thread != b.thread) return a.thread < b.thread;
                       return a.start != b.start ? a.start < b.start : a.end > b.end;
                     });
    for (const TraceSlice& slice : events_.slices) {
      std::vector<Outer>& thread = threads_[slice.thread];
      if (!thread.empty() && is_part(slice, thread.back().end)) {
        ++nested_;
        thread.back().end = std::max(thread.back().end, slice.end);
        continue;
      }
      const double free = thread.empty() ? slice.start : std::max(slice.start, thread.back().end);
      if (free > slice.start) ++overlapping_;
      thread.push_back({slice.start, slice.end, free, slice.name, {}, {}});
    }
  }

  /// Clocks jitter: what begins a little before the end of another follows it, and what ends a
  /// little behind it is still a part of it. The larger part of the slice decides.
  static bool is_part(const TraceSlice& slice, double end_of_other) {
    return 2 * (end_of_other - slice.start) > slice.end - slice.start;
  }

  /// The slice of the thread around that moment or, of a flow's end that asks for it, the next one.
  Outer* slice_at(const TraceFlowEnd& end) {
    const auto found = threads_.find(end.thread);
    if (found == threads_.end()) return nullptr;
    std::vector<Outer>& thread = found->second;
    auto after = std::upper_bound(thread.begin(), thread.end(), end.at,
                                  [](double at, const Outer& slice) { return at < slice.start; });
    if (after != thread.begin() && end.at <= (after - 1)->end) return &*(after - 1);
    return end.next && after != thread.end() ? &*after : nullptr;
  }

  void cut_slices() {
    for (const TraceFlow& flow : events_.flows) {
      for (const TraceFlowEnd& end : {flow.from, flow.to}) {
        Outer* slice = slice_at(end);
        if (slice != nullptr && end.at > slice->start && end.at < slice->end) {
          slice->cuts.push_back(end.at);
        }
      }
    }
    for (auto& [thread, slices] : threads_) {
      for (Outer& slice : slices) cut(slice);
    }
  }

  void cut(Outer& slice) {
    std::sort(slice.cuts.begin(), slice.cuts.end());
    slice.cuts.erase(std::unique(slice.cuts.begin(), slice.cuts.end()), slice.cuts.end());
    double start = slice.start;
    for (std::size_t i = 0; i <= slice.cuts.size(); ++i) {
      const double end = i == slice.cuts.size() ? slice.end : slice.cuts[i];
      const auto piece = static_cast<std::uint32_t>(graph_.size());
      slice.pieces.push_back({start, piece});
      graph_.names.push_back(slice.cuts.empty() ? std::string(slice.name)
                                                : fmt::format("{} ({})", slice.name, i + 1));
      graph_.times.push_back((end - start) * kMicrosecond);
      graph_.record.start.push_back(std::min(end, std::max(start, slice.free)) * kMicrosecond);
      graph_.record.end.push_back(end * kMicrosecond);
      if (i > 0) edges_.push_back({piece - 1, piece});
      start = end;
    }
  }

  /// The piece that ends at the moment, or contains it; that of a flow from the very beginning is
  /// the first one.
  static std::uint32_t piece_before(const Outer& slice, double at) {
    std::size_t i = 0;
    while (i + 1 < slice.pieces.size() && slice.pieces[i + 1].at < at) ++i;
    return slice.pieces[i].piece;
  }
  /// The piece that begins at the moment or, where none does, the next one.
  static std::uint32_t piece_from(const Outer& slice, double at) {
    for (const Cut& piece : slice.pieces) {
      if (piece.at >= at) return piece.piece;
    }
    return slice.pieces.back().piece;
  }

  void add_flows() {
    for (const TraceFlow& flow : events_.flows) {
      const Outer* from = slice_at(flow.from);
      const Outer* to = slice_at(flow.to);
      if (from == nullptr || to == nullptr) {
        ++loose_;
        continue;
      }
      const Edge edge{piece_before(*from, flow.from.at), piece_from(*to, flow.to.at)};
      if (edge.from != edge.to) edges_.push_back(edge);
    }
  }

  void shift_record() {
    if (graph_.record.start.empty()) return;
    const double first = *std::min_element(graph_.record.start.begin(), graph_.record.start.end());
    for (double& start : graph_.record.start) start -= first;
    for (double& end : graph_.record.end) end -= first;
  }

  void add_trace_notes() {
    if (events_.flows.empty()) {
      graph_.notes.emplace_back("the trace has no flows: which task waits for which is not in it");
    } else {
      graph_.notes.push_back(
          fmt::format("dependencies: {}; the order of the tasks of a thread is none",
                      count_text(events_.flows.size(), "flow")));
    }
    if (nested_ > 0) {
      graph_.notes.push_back(fmt::format("not counted, for it is a part of another: {}",
                                         count_text(nested_, "slice")));
    }
    if (overlapping_ > 0) {
      graph_.notes.push_back(
          fmt::format("begins before the end of another on its thread, counted by itself: {}",
                      count_text(overlapping_, "slice")));
    }
    if (loose_ + events_.open_flows > 0) {
      graph_.notes.push_back(fmt::format("{} without a slice at both ends, left out",
                                         count_text(loose_ + events_.open_flows, "flow")));
    }
    if (events_.endless > 0) {
      graph_.notes.push_back(
          fmt::format("{} without an end, or with one before the start, left out",
                      count_text(events_.endless, "slice")));
    }
    if (events_.cut_off) graph_.notes.emplace_back("the trace is cut off: its last event is lost");
  }

  TraceEvents events_;
  std::map<std::uint32_t, std::vector<Outer>> threads_;
  TaskGraph graph_;
  std::vector<Edge> edges_;
  std::size_t nested_ = 0, overlapping_ = 0, loose_ = 0;
};

}  // namespace

Result<TaskGraph> read_trace(const Source& source, const GraphReadOptions&) {
  KSTAR_TRY(TraceEvents events, read_trace_events(source));
  if (events.slices.empty()) {
    return fail(
        {.where = printable(source.name), .message = "the trace has no slice with a length"});
  }
  return TraceGraph(std::move(events)).build();
}

}  // namespace kstar::dag
