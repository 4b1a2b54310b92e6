#include "draw/svg_layout.h"

#include <algorithm>
#include <cmath>

#include "draw/scale.h"
#include "draw/svg_labels.h"
#include "draw/ticks.h"

namespace kstar {

namespace {

constexpr double kWidestEnds = 0.3;  ///< of the drawing, for the names beside the plot
constexpr double kWidestNames = 0.3;
constexpr double kLeastPlot = 40;  ///< how narrow and low a plot may become, beside letters of 8

/// Builds the layout from the outside to the inside: margins first, then what is left.
class Planner {
 public:
  Planner(const Chart& chart, const SvgStyle& style) : chart_(chart), style_(style) {}

  SvgLayout plan() {
    choose_faces();
    choose_axes();
    place_names();
    wrap_texts();
    const double top = plan_top();
    const double below = room_below();
    plan_sides(top, below);
    plan_bottom(below);
    return std::move(layout_);
  }

 private:
  double u(double points) const { return points * layout_.unit; }
  double line_height() const { return kLineHeight * layout_.letters.size; }
  double inner_width() const { return layout_.width - 2 * pad(); }
  double pad() const { return u(3); }

  void choose_faces();
  void choose_axes();
  void place_names();
  void wrap_texts();
  double plan_top();
  double room_below();
  double x_labels_height();
  double widest_x_name() const;
  void make_room_at_ends();
  void choose_x_ticks();
  double auto_plot_height() const;
  void plan_sides(double top, double below);
  void plan_plot(double left, double right, double top, double bottom);
  void plan_bottom(double below);
  void plan_scale();
  double scale_width();
  double left_margin(double top, double bottom);
  /// A label along the plot's height, in two lines where it is long.
  std::vector<std::string> upright_label(const std::string& label) const {
    return wrap_to(drawable(label), layout_.plot.height(), layout_.letters, 2);
  }
  double right_margin();
  void place_flags();
  void place_ends();

  const Chart& chart_;
  const SvgStyle& style_;
  SvgLayout layout_;
  ChartAxis x_, y_;
  int flag_rows_ = 0;
};

void Planner::choose_faces() {
  layout_.width = std::clamp(std::isfinite(style_.width) ? style_.width : kOneColumn, 72.0, 7200.0);
  const double font = std::clamp(std::isfinite(style_.font) ? style_.font : 8.0, 4.0, 72.0);
  layout_.unit = font / 8;
  layout_.letters = {font, false};
  layout_.title_face = {1.1 * font, true};
  layout_.small = {0.88 * font, false};
}

void Planner::choose_axes() {
  std::vector<double> xs, ys;
  for (const ChartSeries& series : chart_.series) {
    if (series.role != SeriesRole::kCurve && series.role != SeriesRole::kPredicted) continue;
    for (const ChartPoint& point : series.line) xs.push_back(point.x), ys.push_back(point.y);
    for (const ChartMark& mark : series.marks) xs.push_back(mark.x), ys.push_back(mark.y);
    for (const ChartSpan& span : series.stack) xs.push_back(span.x), ys.push_back(span.high);
  }
  x_ = drawn_axis(chart_.x, style_.log_x, xs);
  y_ = drawn_axis(chart_.y, style_.log_y, ys);
  layout_.has_scale = !chart_.cells.empty();
}

void Planner::place_names() {
  const double room = style_.height > 0 ? 0.5 * style_.height : auto_plot_height();
  SvgNaming naming =
      choose_names(chart_, x_, y_,
                   {layout_.letters, kWidestEnds * layout_.width, std::max(room, u(kLeastPlot))});
  layout_.flags = std::move(naming.flags);
  layout_.ends = std::move(naming.ends);
  std::vector<std::string> names;
  for (const SvgNamed& of : naming.legend) names.push_back(drawable(name_of(chart_, of)));
  const bool boxes = std::all_of(
      naming.legend.begin(), naming.legend.end(),
      [&](const SvgNamed& of) { return !of.rule && !chart_.series[of.index].stack.empty(); });
  layout_.legend = lay_out_legend(naming.legend, names, u(boxes ? kBoxKey : kLineKey),
                                  layout_.letters, inner_width());
}

void Planner::wrap_texts() {
  if (!style_.title) return;
  layout_.title = wrap_to(drawable(chart_.title), inner_width(), layout_.title_face, 4);
  std::string caption = drawable(chart_.caption);
  for (const std::string& note : chart_.notes)
    caption += (caption.empty() ? "" : " ") + drawable(note);
  layout_.caption = wrap_to(caption, inner_width(), layout_.small, 12);
}

/// Where the title ends.
double Planner::plan_top() {
  double y = pad();
  if (!layout_.title.empty()) {
    const double size = layout_.title_face.size;
    layout_.title_base = y + kAscent * size;
    y += static_cast<double>(layout_.title.size()) * kLineHeight * size + u(3);
  }
  return y;
}

double Planner::x_labels_height() {
  if (x_.names.empty()) return line_height();
  const double slot = 0.7 * layout_.width / static_cast<double>(x_.names.size());
  layout_.x_upright = widest_x_name() + u(3) > slot;
  if (!layout_.x_upright) return line_height();
  return std::min(widest_x_name(), kWidestNames * layout_.width) + u(3);
}

double Planner::room_below() {
  double room = u(5) + x_labels_height();
  if (!chart_.x.label.empty()) room += line_height();
  if (!layout_.legend.entries.empty()) room += u(4) + layout_.legend.height;
  if (!layout_.caption.empty()) {
    room += u(4) + static_cast<double>(layout_.caption.size()) * kLineHeight * layout_.small.size;
  }
  return room + pad();
}

double Planner::auto_plot_height() const {
  const double usual = 0.35 * layout_.width + u(48);
  if (chart_.cells.empty()) return usual;
  std::vector<double> rows;
  for (const ChartCell& cell : chart_.cells) rows.push_back(cell.y);
  std::sort(rows.begin(), rows.end());
  const auto count = std::unique(rows.begin(), rows.end()) - rows.begin();
  return std::clamp(static_cast<double>(count) * u(10), u(60), 1.2 * usual);
}

double Planner::scale_width() {
  if (!layout_.has_scale) return 0;
  std::vector<double> values;
  for (const ChartCell& cell : chart_.cells) values.push_back(cell.value);
  layout_.values.axis = drawn_axis(chart_.values, {}, values);
  layout_.values.start = layout_.plot.bottom;
  layout_.values.end = layout_.plot.top;
  layout_.value_ticks = fit_y_ticks(layout_.values, layout_.letters);
  double widest = 0;
  for (const Tick& tick : layout_.value_ticks) {
    widest = std::max(widest, text_width(tick.label, layout_.letters));
  }
  layout_.values_label = upright_label(chart_.values.label);
  const double label = static_cast<double>(layout_.values_label.size()) * line_height();
  return u(8) + u(8) + u(4) + widest + (label > 0 ? label + u(2) : 0);
}

/// The ticks of y are chosen here: their labels make the margin.
double Planner::left_margin(double top, double bottom) {
  Scale y{y_, bottom, top};
  if (y_.names.empty()) {
    layout_.y_ticks = fit_y_ticks(y, layout_.letters);
  } else {
    const double step = (bottom - top) / static_cast<double>(y_.names.size());
    const double left_over = layout_.width - right_margin() - 2 * line_height() - u(kLeastPlot);
    const double most = std::max(u(12), std::min(kWidestNames * layout_.width, left_over));
    layout_.y_ticks = fit_names(y_, step, 1.1 * layout_.letters.size, most, layout_.letters);
  }
  double widest = 0;
  for (const Tick& tick : layout_.y_ticks) {
    widest = std::max(widest, text_width(tick.label, layout_.letters));
  }
  layout_.y_label = upright_label(chart_.y.label);
  return pad() + static_cast<double>(layout_.y_label.size()) * line_height() + widest + u(7);
}

double Planner::right_margin() {
  if (layout_.has_scale) return pad() + scale_width();
  double widest = 0;
  for (const SvgEndLabel& end : layout_.ends) {
    for (const std::string& line : end.lines) {
      widest = std::max(widest, text_width(line, layout_.letters));
    }
  }
  // The last label of the x axis stands half beyond the plot.
  return pad() + (widest > 0 ? widest + u(10) : u(8));
}

/// The flags' rows take room above the plot, and their number depends on its width: plan it with
/// none, count them, and move the top down.
void Planner::plan_sides(double top, double below) {
  const double height = style_.height > 0 && std::isfinite(style_.height) ? style_.height : 0;
  const auto bottom_for = [&](double plot_top) {
    const double plot =
        height > 0 ? std::max(u(kLeastPlot), height - plot_top - below) : auto_plot_height();
    return plot_top + plot;
  };
  const bool labels_at_top = layout_.title.empty();
  double plot_top = top + (labels_at_top ? u(3) : 0);
  for (int pass = 0; pass < 2; ++pass) {
    const double bottom = bottom_for(plot_top);
    layout_.plot = {0, plot_top, layout_.width, bottom};
    const double left = left_margin(plot_top, bottom);
    plan_plot(left, layout_.width - right_margin(), plot_top, bottom);
    place_flags();
    plot_top = top + (flag_rows_ > 0  ? u(2) + flag_rows_ * line_height()
                      : labels_at_top ? u(3)
                                      : 0);
  }
  place_ends();
  plan_scale();
}

void Planner::plan_plot(double left, double right, double top, double bottom) {
  right = std::max(right, left + u(kLeastPlot));
  layout_.plot = {left, top, right, bottom};
  layout_.x = {x_, left, right};
  layout_.y = {y_, bottom, top};
  make_room_at_ends();
  choose_x_ticks();
}

/// Bars and cells stand within the plot as a whole, and marks do not stand on its border.
void Planner::make_room_at_ends() {
  std::vector<double> across, up;
  bool marks = false;
  for (const ChartSeries& series : chart_.series) {
    marks = marks || !series.marks.empty();
    for (const ChartSpan& span : series.stack) across.push_back(span.x);
  }
  for (const ChartCell& cell : chart_.cells) {
    across.push_back(cell.x);
    up.push_back(cell.y);
  }
  if (x_.names.empty()) {
    make_room(across, layout_.x);
    if (across.empty() && marks) {
      layout_.x.start += u(5);
      layout_.x.end -= u(5);
    }
  }
  if (y_.names.empty()) {
    make_room(up, layout_.y);
    if (up.empty()) layout_.y.end += u(3);
    if (up.empty() && marks && (y_.log || y_.low != 0)) layout_.y.start -= u(4);
  }
}

double Planner::widest_x_name() const {
  double widest = 0;
  for (const std::string& name : x_.names) {
    widest = std::max(widest, text_width(drawable(name), layout_.letters));
  }
  return widest;
}

void Planner::choose_x_ticks() {
  if (x_.names.empty()) {
    layout_.x_ticks = fit_x_ticks(layout_.x, layout_.letters);
    return;
  }
  const double step = layout_.plot.width() / static_cast<double>(x_.names.size());
  const double room = layout_.x_upright ? 1.15 * layout_.letters.size : widest_x_name() + u(3);
  layout_.x_ticks = fit_names(x_, step, room, kWidestNames * layout_.width, layout_.letters);
}

void Planner::place_flags() {
  const Scale shares{x_, 0, 1};
  for (SvgFlag& flag : layout_.flags) {
    const double share = flag.of.rule ? shares.at(chart_.rules[flag.of.index].at)
                                      : line_end_of(chart_.series[flag.of.index], x_, y_).at.x;
    flag.at = layout_.x.start + share * (layout_.x.end - layout_.x.start);
    flag.text = drawable(name_of(chart_, flag.of));
  }
  flag_rows_ = raise_flags(layout_.flags, layout_.letters, pad(), layout_.width - pad());
}

void Planner::place_ends() {
  for (SvgEndLabel& end : layout_.ends) {
    end.line_y = layout_.y.start + end.line_y * (layout_.y.end - layout_.y.start);
  }
  const double slack = layout_.letters.size / 2;
  push_apart(layout_.ends, line_height(), layout_.plot.top - slack, layout_.plot.bottom + slack);
}

void Planner::plan_scale() {
  if (!layout_.has_scale) return;
  scale_width();
  const Box& plot = layout_.plot;
  layout_.scale_box = {plot.right + u(8), plot.top, plot.right + u(16), plot.bottom};
  layout_.values_label_base = layout_.width - pad() - kDescent * layout_.letters.size -
                              static_cast<double>(layout_.values_label.size() - 1) * line_height();
}

void Planner::plan_bottom(double below) {
  double y = layout_.plot.bottom + u(5) + x_labels_height();
  layout_.x_label = shorten_to(drawable(chart_.x.label), inner_width(), layout_.letters);
  layout_.y_label_base = pad() + kAscent * layout_.letters.size;
  if (!layout_.x_label.empty()) {
    layout_.x_label_base = y + kAscent * layout_.letters.size;
    y += line_height();
  }
  if (!layout_.legend.entries.empty()) {
    layout_.legend_top = y + u(4);
    y = layout_.legend_top + layout_.legend.height;
  }
  if (!layout_.caption.empty()) layout_.caption_base = y + u(4) + kAscent * layout_.small.size;
  layout_.height = layout_.plot.bottom + below;
}

}  // namespace

SvgLayout svg_layout(const Chart& chart, const SvgStyle& style) {
  return Planner(chart, style).plan();
}

}  // namespace kstar
