#include <cmath>

#include "base/number.h"
#include "kstar/comm_report.h"
#include "report/csv.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kCommSchema = 1;

Json to_json(const Bounded& value) {
  return {{"point", value.point},
          {"low", value.low},
          {"high", std::isfinite(value.high) ? Json(value.high) : Json()}};
}

Json to_json(const NetworkPiece& piece) {
  return {{"from", piece.from},
          {"to", piece.to},
          {"alpha", to_json(piece.alpha)},
          {"beta", to_json(piece.beta)},
          {"spread", piece.spread}};
}

Json to_json(const CommPoint& point) {
  return {{"bytes", point.bytes},    {"seconds", point.seconds},
          {"fastest", point.low},    {"slowest", point.high},
          {"times", point.times},    {"fitted", point.fitted > 0 ? Json(point.fitted) : Json()},
          {"out_of_line", point.odd}};
}

Json to_json(const AlgorithmGuess& guess) {
  return {{"name", guess.name.empty() ? Json() : Json(guess.name)},
          {"probability", guess.probability},
          {"others", guess.others},
          {"together", guess.together},
          {"excluded", guess.excluded},
          {"unknown", guess.unknown.empty() ? Json() : Json(guess.unknown)},
          {"from", guess.from}};
}

Json to_json(const OddSweep& sweep) {
  return {{"label", sweep.label}, {"factor", sweep.factor}};
}

Json to_json(const CommFit& fit) {
  const bool known = fit.workers >= 2;
  return {{"collective", name_of(fit.collective)},
          {"workers", known ? Json(fit.workers) : Json()},
          {"nodes", fit.nodes >= 1 ? Json(fit.nodes) : Json()},
          {"tool", fit.tool},
          {"sources", fit.sources},
          {"sweeps", fit.sweeps},
          {"pieces", list_of(fit.pieces, to_json)},
          {"one_line", optional_of(fit.one_line, to_json)},
          {"worst_miss", fit.worst_miss},
          {"median_miss", fit.middle_miss},
          {"one_line_worst_miss", fit.one_line_worst},
          {"irregular", fit.irregular},
          {"irregular_sizes", fit.irregular_sizes},
          {"half_bandwidth_bytes", fit.half_size},
          {"best_bus_bandwidth", known ? Json(fit.best_bus) : Json()},
          {"best_bytes", known ? Json(fit.best_bytes) : Json()},
          {"bus_factor", known ? Json(bus_factor(fit.collective, fit.workers)) : Json()},
          {"stated_average_bus_bandwidth", fit.stated_average},
          {"out_of_line", list_of(fit.odd_sweeps, to_json)},
          {"small_look_like", to_json(fit.small)},
          {"large_look_like", to_json(fit.large)},
          {"points", list_of(fit.points, to_json)}};
}

Json to_json(const NetworkLevels& both) {
  return {{"collective", name_of(both.collective)},
          {"node_workers", both.node_workers},
          {"rounds", both.rounds.empty() ? Json() : Json(both.rounds)},
          {"inside_alpha", to_json(both.inside_alpha)},
          {"inside_beta", to_json(both.inside_beta)},
          {"between_alpha", to_json(both.between_alpha)},
          {"between_beta", to_json(both.between_beta)}};
}

Json to_json(const CommHindcast& cast) {
  return {{"collective", name_of(cast.collective)},
          {"workers", cast.workers},
          {"from_workers", cast.from_workers},
          {"median_error", cast.middle_error},
          {"worst_error", cast.worst_error},
          {"sizes", cast.sizes},
          {"covered", cast.covered}};
}

std::string_view basis_name(CostBasis basis) {
  switch (basis) {
    case CostBasis::kMeasured:
      return "measured";
    case CostBasis::kBetween:
      return "between";
    case CostBasis::kBeyond:
      return "beyond";
    case CostBasis::kDerived:
      break;
  }
  return "derived";
}

Json to_json(const CommPredictionRow& row) {
  return {{"workers", row.workers},
          {"seconds", to_json(row.cost.seconds)},
          {"basis", basis_name(row.cost.basis)},
          {"from", basis_text(row.cost)},
          {"irregular", row.cost.irregular},
          {"wrong_results", row.cost.wrong},
          {"size_beyond", row.cost.size_beyond},
          {"leaves_node", row.cost.leaves_node},
          {"half_latency", row.half_latency},
          {"twice_bandwidth", row.twice_bandwidth},
          {"bucket",
           {{"bytes", row.bucket.bytes},
            {"count", row.bucket.count},
            {"exposed", row.bucket.overlaps ? to_json(row.bucket.exposed) : Json()},
            {"exposed_in_one", row.bucket.exposed_in_one}}}};
}

Json to_json(const CheapestFrom& one) {
  return {{"from", one.from}, {"algorithm", one.algorithm.name}};
}

Json prediction_json(const CommPrediction& prediction) {
  const CommQuestion& question = prediction.question;
  return {{"collective", name_of(question.collective)},
          {"bytes", question.bytes},
          {"compute", question.compute},
          {"rows", list_of(prediction.rows, to_json)},
          {"cheapest", list_of(prediction.cheapest, to_json)},
          {"cheapest_workers", prediction.cheapest_workers}};
}

}  // namespace

std::string to_json(const CommReport& report) {
  const CommAnalysis& analysis = report.analysis;
  const Json json = {
      {"kstar", "comm"},
      {"schema", kCommSchema},
      {"title", report.title},
      {"link", analysis.link},
      {"fits", list_of(analysis.fits, to_json)},
      {"levels", list_of(analysis.network.levels, to_json)},
      {"hindcasts", list_of(analysis.hindcasts, to_json)},
      {"prediction", report.prediction ? prediction_json(*report.prediction) : Json()},
      {"failed", analysis.failed},
      {"notes", analysis.notes}};
  return file_text(json);
}

std::string to_csv(const CommReport& report) {
  std::string text =
      "collective,workers,nodes,bytes,seconds,fitted_seconds,algorithm_bandwidth,bus_bandwidth\n";
  for (const CommFit& fit : report.analysis.fits) {
    const double factor = fit.workers >= 2 ? bus_factor(fit.collective, fit.workers) : NAN;
    for (const CommPoint& point : fit.points) {
      const double bandwidth = point.bytes / point.seconds;
      text += std::string(name_of(fit.collective)) + "," +
              (fit.workers >= 2 ? shortest(fit.workers) : "") + "," +
              (fit.nodes >= 1 ? shortest(fit.nodes) : "") + "," + shortest(point.bytes) + "," +
              csv_number(point.seconds) + "," + (point.fitted > 0 ? csv_number(point.fitted) : "") +
              "," + csv_number(bandwidth) + "," + csv_number(factor * bandwidth) + "\n";
    }
  }
  return text;
}

std::string to_json(const CommPrediction& prediction) {
  Json json = {{"kstar", "comm-prediction"}, {"schema", kCommSchema}};
  json["prediction"] = prediction_json(prediction);
  return file_text(json);
}

std::string to_csv(const CommPrediction& prediction) {
  std::string text = "K,seconds,low,high,from\n";
  for (const CommPredictionRow& row : prediction.rows) {
    const Bounded& seconds = row.cost.seconds;
    const std::string_view doubt = doubt_of(row.cost);
    text += shortest(row.workers) + "," + csv_number(seconds.point) + "," +
            csv_number(seconds.low) + "," + csv_number(seconds.high) + "," +
            csv_cell(basis_text(row.cost) + (doubt.empty() ? "" : "; doubtful, as ") +
                     std::string(doubt)) +
            "\n";
  }
  return text;
}

std::string to_json(const AlgorithmTable& table) {
  Json rows = Json::array();
  for (const AlgorithmRow& row : table.rows) {
    Json times = Json::object();
    for (std::size_t i = 0; i < row.seconds.size(); ++i) {
      times[table.algorithms[i].name] = row.seconds[i];
    }
    rows.push_back({{"workers", row.workers}, {"seconds", std::move(times)}});
  }
  const Json json = {{"kstar", "comm-algorithms"},
                     {"schema", kCommSchema},
                     {"collective", name_of(table.collective)},
                     {"bytes", table.bytes},
                     {"latency", table.wire.latency},
                     {"seconds_per_byte", table.wire.per_byte},
                     {"rows", std::move(rows)},
                     {"cheapest", list_of(table.cheapest, to_json)}};
  return file_text(json);
}

std::string to_csv(const AlgorithmTable& table) {
  std::string text = "K";
  for (const Algorithm& algorithm : table.algorithms) {
    text += "," + csv_cell(std::string(algorithm.name));
  }
  text += "\n";
  for (const AlgorithmRow& row : table.rows) {
    text += shortest(row.workers);
    for (const double seconds : row.seconds) text += "," + csv_number(seconds);
    text += "\n";
  }
  return text;
}

}  // namespace kstar
