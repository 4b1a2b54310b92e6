#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/plan.h"
#include "kstar/svg.h"
#include "kstar/view.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/html/figure.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// More drawings of one chart, one for each K, would make the page of it.
constexpr std::size_t kMostSteps = 40;
/// More studies than this have no K* drawn, and nothing to move.
constexpr std::size_t kMostMoved = 3;

/// One drawing for each K; the chart's own is shown.
std::string drawings_by_workers(const Chart& chart, std::span<const Chart> steps,
                                const std::string& id) {
  std::string text;
  for (const Chart& step : steps) {
    text += fmt::format("<div class=\"drawing\" data-at=\"{}\"{}>\n{}</div>\n",
                        shortest(*step.at_workers),
                        step.at_workers == chart.at_workers ? "" : " hidden",
                        to_svg(step, page_style(fmt::format("{}-{}", id, *step.at_workers))));
  }
  return text;
}

/// All of them or, of very many, as many as may be, evenly: the chart's own among them.
std::vector<Chart> some_of(std::vector<Chart> steps, const Chart& chart) {
  if (steps.size() <= kMostSteps) return steps;
  std::vector<Chart> some;
  const std::size_t every = (steps.size() + kMostSteps - 1) / kMostSteps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool own = steps[i].at_workers == chart.at_workers;
    if (own || i % every == 0 || i + 1 == steps.size()) some.push_back(std::move(steps[i]));
  }
  return some;
}

std::string workers_stepper(const Chart& chart, std::span<const Chart> charts,
                            const std::string& id) {
  if (charts.size() < 2) return "";
  Slider slider{"places", id + "-step", "At K", charts.size()};
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (charts[i].at_workers == chart.at_workers) slider.first = i;
    slider.json += fmt::format("{}{{\"at\":{},\"title\":{},\"summary\":{}}}", i == 0 ? "" : ",",
                               *charts[i].at_workers, json_text(charts[i].title),
                               json_text(charts[i].summary));
  }
  slider.words = fmt::format("K = {}", *chart.at_workers);
  return to_html(slider);
}

/// Where costs are worker-hours, a price makes them money. What it does not scale has no box.
std::string price_box(const Plan& plan, const std::string& id) {
  const CostRates& rates = plan.options.rates;
  if (!plan.seconds || rates.price || rates.fixed > 0 || rates.power.price > 0) return "";
  std::string goals;
  for (const PlanAnswer& answer : plan.answers) {
    if (!answer.best || !std::isfinite(answer.best->cost)) continue;
    goals += fmt::format("{}{{\"name\":{},\"workers\":{},\"time\":{},\"cost\":{}}}",
                         goals.empty() ? "" : ",", json_text(name_of(answer.goal.kind)),
                         answer.best->workers, json_text(time_text(answer.best->time)),
                         shortest(answer.best->cost));
  }
  return fmt::format(
      "<div class=\"stepper price\"><label for=\"{0}-price\">Price of one worker-hour</label> "
      "<input type=\"number\" id=\"{0}-price\" min=\"0\" step=\"any\" inputmode=\"decimal\">"
      "<output for=\"{0}-price\"></output>"
      "<script type=\"application/json\">{1}</script></div>\n",
      id, script_json(fmt::format("{{\"unit\":\"worker-hours\",\"goals\":[{}]}}", goals)));
}

/// K* and the bend of one study at one threshold: where the script draws them.
std::string place_json(double at, double low, double high) {
  const auto end = [](double value) { return std::isfinite(value) ? shortest(value) : "1e300"; };
  return fmt::format("{{\"at\":{},\"low\":{},\"high\":{}}}", shortest(at), end(low), end(high));
}

std::string threshold_json(const Subject& subject, const ThresholdAnswer& answer,
                           std::size_t number, bool alone) {
  const Analysis moved = with_answer(subject.analysis, answer);
  const Verdict& verdict = moved.verdict;
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const auto& bend = answer.bend;
  const std::string kstar =
      verdict.is_decided()
          ? place_json(*verdict.workers, *verdict.low, verdict.high ? *verdict.high : kEndless)
          : "null";
  const double high = bend && bend->high ? *bend->high : kEndless;
  return fmt::format("{{\"name\":{},\"color\":\"{}\",\"text\":{},\"kstar\":{},\"bend\":{}}}",
                     json_text(alone ? "" : subject.name),
                     alone ? "" : fmt::format("k-c{}", number % 8), json_text(advice_text(moved)),
                     kstar,
                     bend && verdict.state != VerdictState::kUndecided
                         ? place_json(bend->first_bad, bend->low, high)
                         : "null");
}

/// All studies at every threshold that all of them have an answer for.
std::string threshold_box(std::span<const Subject> subjects) {
  std::vector<const Subject*> able;
  for (const Subject& subject : subjects) {
    if (!subject.thresholds.empty() && !subject.analysis.verdict.reading_in_question)
      able.push_back(&subject);
  }
  if (able.empty() || able.size() > kMostMoved) return "";
  const double now = able[0]->analysis.table.threshold;
  Slider slider{"threshold", "threshold", fmt::format("Threshold of E: <b>{}</b>", shortest(now)),
                able[0]->thresholds.size(), able[0]->thresholds.size()};
  for (std::size_t i = 0; i < slider.places; ++i) {
    const double threshold = able[0]->thresholds[i].threshold;
    if (std::fabs(threshold - now) < 1e-9) slider.first = i;
    std::string studies;
    for (std::size_t n = 0; n < able.size(); ++n) {
      studies +=
          (n == 0 ? "" : ",") + threshold_json(*able[n], able[n]->thresholds[i],
                                               static_cast<std::size_t>(able[n] - subjects.data()),
                                               subjects.size() == 1);
    }
    slider.json += fmt::format("{}{{\"value\":\"{}\",\"studies\":[{}]}}", i == 0 ? "" : ",",
                               shortest(threshold), studies);
  }
  // The page's own threshold is one of them, or there is no place to start from.
  return slider.first < slider.places ? to_html(slider) : "";
}

/// What is drawn and how it is moved.
std::string drawn_part(const Chart& chart, std::span<const Subject> subjects,
                       const std::string& id) {
  const auto subject = std::find_if(subjects.begin(), subjects.end(), [&](const Subject& one) {
    return subjects.size() == 1 || (!chart.study.empty() && chart.study == one.name);
  });
  if (chart.kind == "waterfall" && subject != subjects.end()) {
    std::vector<Chart> steps = some_of(waterfalls_of(*subject), chart);
    for (Chart& step : steps) step.title += subjects.size() > 1 ? ": " + subject->name : "";
    return drawings_by_workers(chart, steps, id) + workers_stepper(chart, steps, id);
  }
  const bool priced = chart.kind == "cost" && subject != subjects.end() && subject->plan;
  return drawn_html(chart, id) + (priced ? price_box(*subject->plan, id) : "");
}

/// Of many studies, one for each of them would be most of the page.
bool is_of_one_study(const Chart& chart) {
  return chart.kind == "waterfall" || chart.kind == "cost";
}

std::string figure(const Chart& chart, std::span<const Subject> subjects, std::size_t number) {
  const std::string id = figure_id(chart, number);
  return figure_html(chart, id, drawn_part(chart, subjects, id));
}

/// Where a kind of chart stands. Those that no place names are folded.
std::string* place_of(const Chart& chart, PageCharts& places) {
  for (const std::string_view kind : {"split", "efficiency", "speedup"}) {
    if (chart.kind == kind) return &places.curves;
  }
  for (const std::string_view kind : {"waterfall", "breakdown"}) {
    if (chart.kind == kind) return &places.causes;
  }
  return &places.more;
}

/// The curve of the first screen: the split of time to train, or E with its threshold.
std::size_t main_chart(const std::vector<Chart>& charts) {
  for (const std::string_view kind : {"split", "efficiency", "speedup"}) {
    for (std::size_t i = 0; i < charts.size(); ++i) {
      if (charts[i].kind == kind) return i;
    }
  }
  return charts.size();
}

}  // namespace

PageCharts charts_part(std::span<const Subject> subjects) {
  std::vector<Chart> charts = charts_of(subjects);
  if (subjects.size() > kMostMoved) std::erase_if(charts, is_of_one_study);
  const std::size_t main = main_chart(charts);
  PageCharts places;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    std::string* place = i == main ? &places.main : place_of(charts[i], places);
    *place += figure(charts[i], subjects, i + 1);
    if (place == &places.more && places.more_kinds.find(charts[i].kind) == std::string::npos) {
      places.more_kinds += (places.more_kinds.empty() ? "" : ", ") + charts[i].kind;
    }
  }
  if (!charts.empty()) places.threshold = threshold_box(subjects);
  return places;
}

}  // namespace kstar
