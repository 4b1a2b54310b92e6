// What the average of models predicts, and whether its intervals hold: on published MLPerf series,
// on a fire simulator's campaigns, and on curves whose truth is known. Real data is read from
// ../shared; without it only the last part runs.
//
//   bench_models [--quick] [SHARED]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/fit/curve_check.h"
#include "analysis/fit/curve_predict.h"
#include "kstar/models.h"

namespace {

using kstar::Curve;
using kstar::CurveOrigin;
using kstar::CurvePoint;

struct Series {
  std::string family;
  Curve known;
  CurvePoint asked;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.push_back(std::exchange(cell, ""));
    } else if (c != '\r') {
      cell += c;
    }
  }
  cells.push_back(cell);
  return cells;
}

/// The rows of a table with a head, as maps.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::vector<std::map<std::string, std::string>> rows;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> head = cells_of(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < std::min(head.size(), cells.size()); ++i) row[head[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

/// All but the largest K, which is asked for; series with four K or more.
std::vector<Series> mlperf(const std::string& shared) {
  std::map<std::string, std::vector<CurvePoint>> curves;
  std::map<std::string, std::string> families;
  for (auto& row : rows_of(shared + "/data/public/mlperf_series_public.csv")) {
    const std::string time = row["olympic_mean_s"].empty() ? row["mean_s"] : row["olympic_mean_s"];
    const double runs = std::stod(row["runs"]);
    const double cv = row["cv"].empty() ? std::nan("") : std::stod(row["cv"]);
    curves[row["series"]].push_back({std::stod(row["accelerators"]), std::stod(time),
                                     cv / std::sqrt(runs), static_cast<std::size_t>(runs)});
    families[row["series"]] = row["submitter"] + "|" + row["benchmark"] + "|" + row["acc"];
  }
  std::vector<Series> list;
  for (auto& [name, points] : curves) {
    if (points.size() < 4) continue;
    std::sort(points.begin(), points.end(),
              [](const CurvePoint& a, const CurvePoint& b) { return a.workers < b.workers; });
    Series series{families[name], {.origin = CurveOrigin::kPublished}, points.back()};
    series.known.points.assign(points.begin(), points.end() - 1);
    list.push_back(std::move(series));
  }
  return list;
}

/// K up to 96 known, 432 asked for.
std::vector<Series> fire(const std::string& shared) {
  std::map<std::string, Series> campaigns;
  for (auto& row : rows_of(shared + "/data/public/hpc/fds_mpi_scaling.csv")) {
    if (row["kind"] != "strong") continue;
    Series& series = campaigns[row["date"] + row["commit"]];
    series.known.origin = CurveOrigin::kPublished;
    const CurvePoint point{std::stod(row["K"]), std::stod(row["T_s"]), std::nan(""), 1};
    if (point.workers <= 96) series.known.points.push_back(point);
    if (point.workers == 432) series.asked = point;
  }
  std::vector<Series> list;
  for (auto& [name, series] : campaigns) list.push_back(series);
  return list;
}

/// One predicted time over the true one: median and 90% interval.
struct Answer {
  double low = 0, point = 0, high = 0;
  double log_density = 0;  ///< of the truth, on the logarithm
};

struct Figures {
  double median = 0, ninetieth = 0, score = 0;
  int held = 0;
};

/// The interval score of Gneiting and Raftery (2007), relative to the truth.
double score_of(const Answer& a) {
  constexpr double kOutside = 2 / 0.10;
  return a.high - a.low + kOutside * (std::max(a.low - 1, 0.0) + std::max(1 - a.high, 0.0));
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  const double next = values[std::min(i + 1, values.size() - 1)];
  return values[i] + (place - static_cast<double>(i)) * (next - values[i]);
}

Figures figures_of(const std::vector<Answer>& answers) {
  Figures figures;
  std::vector<double> errors;
  for (const Answer& answer : answers) {
    errors.push_back(std::abs(answer.point - 1));
    figures.held += answer.low <= 1 && answer.high >= 1 ? 1 : 0;
    figures.score += score_of(answer) / static_cast<double>(answers.size());
  }
  figures.median = quantile(errors, 0.5);
  figures.ninetieth = quantile(errors, 0.9);
  return figures;
}

std::vector<Answer> answers_of(const std::vector<Series>& list, const std::string& model) {
  std::vector<Answer> answers;
  for (const Series& series : list) {
    const auto fit = kstar::fit_models(
        series.known, {.confidence = 0.90, .model = model, .predict = {series.asked.workers}});
    const kstar::Estimate& time = fit.value().predictions[0].time;
    answers.push_back({time.low / series.asked.time, time.point / series.asked.time,
                       time.high / series.asked.time});
  }
  return answers;
}

/// A straight line through the logarithms: what people do by hand.
double power_law_error(const Series& series) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const CurvePoint& point : series.known.points) {
    const double u = std::log(point.workers), v = std::log(point.time);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  const double at = (y - slope * x) / n + slope * std::log(series.asked.workers);
  return std::abs(std::exp(at) / series.asked.time - 1);
}

void print(const std::string& name, const Figures& figures, std::size_t count) {
  fmt::print(
      "  {:<10} median error {:5.1f}%   90th percentile {:5.1f}%   90% interval holds "
      "{:2}/{}   interval score {:.3f}\n",
      name, 100 * figures.median, 100 * figures.ninetieth, figures.held, count, figures.score);
}

void real_series(const std::string& title, const std::vector<Series>& list) {
  fmt::print("{}: {} series, the largest K predicted from the others\n", title, list.size());
  const auto start = std::chrono::steady_clock::now();
  const Figures all = figures_of(answers_of(list, ""));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print("average", all, list.size());
  for (const std::string model : {"shrinking", "amdahl", "log2", "linear", "power"}) {
    print(model, figures_of(answers_of(list, model)), list.size());
  }
  std::vector<double> errors;
  for (const Series& series : list) errors.push_back(power_law_error(series));
  fmt::print("  a straight line through the logarithms: median error {:.1f}%\n",
             100 * quantile(errors, 0.5));
  fmt::print("  {:.2f} s for the average over all series\n", took.count());
}

/// Other beliefs that might have been learnt from the series, around those of curve_prior.cc.
std::vector<kstar::curves::Prior> candidate_priors() {
  std::vector<kstar::curves::Prior> list;
  for (const double overhead : {2., 3., 4.5}) {
    for (const double exponent : {1.5, 2., 2.5}) {
      for (const double fade : {1.5, 2., 2.5}) {
        kstar::curves::Prior prior = kstar::curves::prior_of(CurveOrigin::kPublished);
        prior.overhead_q = overhead;
        prior.exponent_q = exponent;
        prior.fade = fade;
        list.push_back(prior);
      }
    }
  }
  return list;
}

Answer answer_of(const Series& series, const kstar::curves::Prior& prior) {
  const auto samples = kstar::curves::samples_of(series.known).value();
  const auto average = kstar::curves::average_of(kstar::curves::forms_of_fixed_work(),
                                                 prior.fixed_work, samples, prior);
  const auto time =
      kstar::curves::Mixture(log_time_at(average, series.asked.workers)).estimate(0.9);
  const double truth = series.asked.time;
  return {time.low / truth, time.point / truth, time.high / truth};
}

/// Each family (submitter, benchmark, accelerator) is predicted with the beliefs that serve the
/// other families best, by the density that they gave to the truth.
void cross_validated(const std::vector<Series>& list) {
  const std::vector<kstar::curves::Prior> priors = candidate_priors();
  std::vector<std::vector<Answer>> answers;  // by prior, by series
  for (const auto& prior : priors) {
    answers.emplace_back();
    for (const Series& series : list) answers.back().push_back(answer_of(series, prior));
  }
  std::vector<Answer> chosen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < priors.size(); ++p) {
      double sum = 0;
      for (std::size_t j = 0; j < list.size(); ++j) {
        if (list[j].family != list[i].family) sum += answers[p][j].log_density;
      }
      if (sum > most) {
        most = sum;
        best = p;
      }
    }
    chosen.push_back(answers[best][i]);
  }
  fmt::print("cross-validated by family, over {} sets of beliefs:\n", priors.size());
  print("average", figures_of(chosen), list.size());
}

double truth(char which, double k) {
  if (which == 'a') return 0.05 + 0.95 / k;
  if (which == 'b') return 0.05 + 0.95 / k + 0.01 * std::log2(k);
  return 0.04 + 0.96 / k + 0.01 * std::log2(k + 1);
}

Curve noisy(char which, std::uint64_t seed) {
  constexpr int kRuns = 5;
  constexpr double kNoise = 0.02;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Curve curve;
  for (const double k : {1., 2., 4., 8., 16.}) {
    std::vector<double> times;
    double mean = 0, squares = 0;
    for (int i = 0; i < kRuns; ++i) {
      times.push_back(truth(which, k) * (1 + kNoise * normal(random)));
      mean += times.back() / kRuns;
    }
    for (const double time : times) squares += (time - mean) * (time - mean);
    const double error = std::sqrt(squares / (kRuns - 1) / kRuns) / mean;
    curve.points.push_back({k, mean, error, kRuns});
  }
  return curve;
}

void known_curves(int seeds) {
  fmt::print("known curves: 2% noise, 5 repeats, fitted on K <= 16, {} seeds\n", seeds);
  for (const char which : {'a', 'b', 'c'}) {
    std::map<double, std::vector<double>> errors;
    std::map<double, int> held;
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
      const auto fit = kstar::fit_models(noisy(which, 3 * seed + static_cast<std::uint64_t>(which)),
                                         {.predict = {64, 128}});
      for (const auto& predicted : fit.value().predictions) {
        const double wanted = truth(which, predicted.workers);
        errors[predicted.workers].push_back(std::abs(predicted.time.point / wanted - 1));
        held[predicted.workers] +=
            predicted.time.low <= wanted && wanted <= predicted.time.high ? 1 : 0;
      }
    }
    for (const double k : {64., 128.}) {
      fmt::print("  {} at K = {:<3}: median error {:4.1f}%, the 95% interval holds {:.1f}%\n",
                 which, k, 100 * quantile(errors[k], 0.5), 100. * held[k] / seeds);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  bool quick = false;
  std::string shared = "../shared";
  for (int i = 1; i < count; ++i) {
    if (std::string(words[i]) == "--quick") {
      quick = true;
    } else {
      shared = words[i];
    }
  }
  const std::vector<Series> published = mlperf(shared);
  if (published.empty()) fmt::print("no {}/data/public: the real series are left out\n", shared);
  if (!published.empty()) real_series("MLPerf Training", published);
  if (!published.empty() && !quick) cross_validated(published);
  if (!published.empty()) real_series("fire simulator", fire(shared));
  known_curves(quick ? 100 : 2000);
}
