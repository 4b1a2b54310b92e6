#include "models_series.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <utility>

namespace bench {

namespace {

using Row = std::map<std::string, std::string>;
using Times = std::map<double, std::vector<double>>;  // by K

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

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::vector<Row> rows;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> head = cells_of(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < std::min(head.size(), cells.size()); ++i) row[head[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

kstar::Curve curve_of(const Times& times, kstar::Regime regime) {
  kstar::Curve curve{.regime = regime, .points = {}};
  double more = 0;
  for (const auto& [workers, list] : times) {
    const auto n = static_cast<double>(list.size());
    double mean = 0, squares = 0;
    for (const double time : list) mean += time / n;
    for (const double time : list) squares += (time - mean) * (time - mean);
    curve.points.push_back({.workers = workers,
                            .time = mean,
                            .relative_error = std::sqrt(squares / (n - 1) / n) / mean,
                            .runs = list.size()});
    more += n - 1;
  }
  if (more < 3) curve.origin = kstar::CurveOrigin::kPublished;
  return curve;
}

}  // namespace

Series read_series(const std::string& shared, std::size_t fewest) {
  const std::string folder = shared + "/data/public/";
  std::map<std::string, std::map<std::string, Times>> all;
  for (Row& row : rows_of(folder + "mlperf_series_public.csv")) {
    if (row["olympic_mean_s"].empty()) continue;
    all["mlperf"][row["series"]][std::stod(row["accelerators"])] = {
        std::stod(row["olympic_mean_s"])};
  }
  for (Row& row : rows_of(folder + "hpc/fds_mpi_scaling.csv")) {
    all["fire-" + row["kind"]][row["date"]][std::stod(row["K"])].push_back(std::stod(row["T_s"]));
  }
  for (Row& row : rows_of(folder + "scaling_tables.csv")) {
    const bool rate = row["unit"].ends_with("/s");
    const double value = std::stod(row["value"]);
    all[row["regime"] == "weak" ? "tables-weak" : "tables-strong"][row["series"]]
       [std::stod(row["K"])]
           .push_back(rate ? 1000 / value : value);
  }
  Series series;
  std::set<Times> seen;  // unchanged resubmissions count once
  for (const auto& [domain, list] : all) {
    const bool weak = domain.ends_with("weak");
    for (const auto& [name, times] : list) {
      const bool enough = domain != "mlperf" || times.size() >= fewest;
      if (!enough || !seen.insert(times).second) continue;
      series[domain][name] = curve_of(times, weak ? kstar::Regime::kWeak : kstar::Regime::kStrong);
    }
  }
  return series;
}

}  // namespace bench
