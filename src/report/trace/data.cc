#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "kstar/trace_report.h"
#include "report/csv.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

constexpr int kTraceSchema = 1;

std::string_view steps_name(TraceSteps steps) {
  switch (steps) {
    case TraceSteps::kProfiler:
      return "profiler";
    case TraceSteps::kNamed:
      return "named";
    case TraceSteps::kAnnotation:
      return "annotation";
    case TraceSteps::kNumbered:
      return "numbered";
    case TraceSteps::kRepetition:
      return "repetition";
    case TraceSteps::kWhole:
      break;
  }
  return "whole";
}

std::string_view path_kind_name(TracePathPiece::Kind kind) {
  static constexpr std::string_view kNames[] = {"compute", "transfer", "copy", "host", "idle"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json times_json(const TraceTimes& times, bool split) {
  const auto known = [&](double value) { return split ? Json(value) : Json(); };
  return {{"step", times.step},
          {"compute", times.compute},
          {"communication", times.communication},
          {"exposed", times.exposed},
          {"copies", times.copies},
          {"idle", times.idle},
          {"waiting", known(times.waiting)},
          {"transfer", known(times.transfer)},
          {"exposed_waiting", known(times.exposed_waiting)},
          {"exposed_transfer", known(times.exposed_transfer)}};
}

Json rank_json(const TraceRank& rank, bool split) {
  Json json = times_json(rank.times, split);
  json["rank"] = rank.rank;
  json["title"] = rank.title;
  json["file"] = rank.file;
  json["last"] = static_cast<std::int64_t>(rank.last);
  json["matched"] = static_cast<std::int64_t>(rank.matched);
  json["clock"] = rank.clock;
  json["made_wait"] = rank.made_wait;
  return json;
}

Json operation_json(const TraceOperation& one) {
  return {{"collective", one.collective}, {"group", one.group},
          {"library", one.library},       {"ranks", one.size},
          {"bytes", one.bytes},           {"count", static_cast<std::int64_t>(one.count)},
          {"seconds", one.seconds},       {"exposed", one.exposed},
          {"waiting", one.waiting},       {"transfer", one.transfer}};
}

Json piece_json(const TracePathPiece& piece) {
  return {{"kind", path_kind_name(piece.kind)},
          {"rank", piece.rank},
          {"name", piece.name},
          {"count", static_cast<std::int64_t>(piece.count)},
          {"start", piece.start},
          {"seconds", piece.seconds}};
}

Json change_json(const TraceChange& change) {
  return {{"name", change.name},
          {"ceiling", change.ceiling},
          {"usable", change.usable},
          {"speedups", change.speedups}};
}

Json trace_json(const TraceAnalysis& one) {
  Json json = Json::object();
  json["workers"] = one.workers;
  json["workers_assumed"] = one.workers_assumed;
  json["backend"] = one.backend;
  json["device"] = one.device;
  json["steps_found_by"] = steps_name(one.step_source);
  json["steps"] = one.steps;
  json["step_seconds"] = one.step_seconds;
  json["step_time"] = to_json(one.step_time);
  json["s"] = to_json(one.serial);
  json["s_is_bound"] = one.serial_is_bound;
  json["split"] = one.split;
  json["mean"] = times_json(one.mean, one.split);
  json["load_balance"] = one.load_balance;
  json["transfer_efficiency"] = one.transfer_efficiency;
  json["collectives"] = static_cast<std::int64_t>(one.collectives);
  json["matched"] = static_cast<std::int64_t>(one.matched);
  json["clock_spread"] = one.clock_spread;
  json["clock_error"] = one.clock_error;
  json["missing_ranks"] = one.missing;
  Json ranks = Json::array();
  for (const TraceRank& rank : one.ranks) ranks.push_back(rank_json(rank, one.split));
  json["ranks"] = ranks;
  json["operations"] = list_of(one.operations, operation_json);
  json["waits"] = Json::array();
  for (const std::vector<double>& row : one.waits) json["waits"].push_back(row);
  if (one.path) {
    json["critical_path"] = Json{{"step", one.path->step},
                                 {"seconds", one.path->seconds},
                                 {"largest", list_of(one.path->largest, piece_json)},
                                 {"pieces", list_of(one.path->pieces, piece_json)}};
  } else {
    json["critical_path"] = Json();
  }
  json["predicted"] = one.predicted;
  json["changes"] = list_of(one.changes, change_json);
  json["unclassified_share"] = one.unclassified_share;
  Json names = Json::array();
  for (const TraceUnclassified& name : one.unclassified) {
    names.push_back({{"name", name.name}, {"share", name.share}});
  }
  json["unclassified"] = names;
  Json explained = Json::array();
  for (const TraceExplained& row : one.explained) {
    explained.push_back({{"base", row.base},
                         {"workers", row.workers},
                         {"missing", row.missing},
                         {"explained", row.explained},
                         {"usable", row.usable}});
  }
  json["rates"] = explained;
  json["events"] = one.events;
  json["bytes"] = one.bytes;
  json["notes"] = one.notes;
  return json;
}

/// How HTA names what is active together.
std::string hta_name(unsigned mask) {
  std::string name;
  for (const auto& [bit, word] :
       {std::pair{1U, "COMPUTATION"}, std::pair{2U, "COMMUNICATION"}, std::pair{4U, "MEMORY"}}) {
    if ((mask & bit) != 0) name += (name.empty() ? "" : " overlapping ") + std::string(word);
  }
  return name;
}

std::array<std::int64_t, 8> hta_kinds(const std::vector<TraceAnalysis>& analyses) {
  std::array<std::int64_t, 8> kinds{};
  for (const TraceAnalysis& analysis : analyses) {
    for (const TraceRank& rank : analysis.ranks) {
      for (std::size_t mask = 0; mask < kinds.size(); ++mask) kinds[mask] += rank.hta.kinds[mask];
    }
  }
  return kinds;
}

std::string overlap_text(const TraceHtaRank& hta) {
  if (hta.communication == 0) return "None";
  return fixed(100 * static_cast<double>(hta.overlap) / static_cast<double>(hta.communication), 2);
}

}  // namespace

std::string to_json(const std::vector<TraceAnalysis>& analyses) {
  return file_text(
      {{"kstar", "trace"}, {"schema", kTraceSchema}, {"jobs", list_of(analyses, trace_json)}});
}

std::string to_csv(const std::vector<TraceAnalysis>& analyses) {
  std::string text =
      "workers,step,rank,step_seconds,compute,communication,exposed,copies,idle,waiting,transfer,"
      "exposed_waiting,exposed_transfer\n";
  for (const TraceAnalysis& one : analyses) {
    for (std::size_t step = 0; step < one.by_step.size(); ++step) {
      for (std::size_t rank = 0; rank < one.ranks.size(); ++rank) {
        const TraceTimes& times = one.by_step[step][rank];
        text +=
            fmt::format("{},{},{}", one.workers, csv_cell(one.steps[step]), one.ranks[rank].rank);
        for (const double value : {times.step, times.compute, times.communication, times.exposed,
                                   times.copies, times.idle}) {
          text += "," + csv_number(value);
        }
        for (const double value :
             {times.waiting, times.transfer, times.exposed_waiting, times.exposed_transfer}) {
          text += "," + (one.split ? csv_number(value) : std::string());
        }
        text += "\n";
      }
    }
  }
  return text;
}

Document hta_document(const std::vector<TraceAnalysis>& analyses) {
  Document document;
  document.blocks.emplace_back(
      Heading{"By the definitions of HolisticTraceAnalysis, microseconds"});
  Table table;
  table.columns = {{.name = "rank"},        {.name = "idle"},        {.name = "compute"},
                   {.name = "non-compute"}, {.name = "kernel time"}, {.name = "overlap %"}};
  for (const TraceAnalysis& analysis : analyses) {
    for (const TraceRank& rank : analysis.ranks) {
      const TraceHtaRank& hta = rank.hta;
      table.rows.push_back({fmt::format("{}", rank.rank), fmt::format("{}", hta.idle),
                            fmt::format("{}", hta.compute), fmt::format("{}", hta.non_compute),
                            fmt::format("{}", hta.kernel_time), overlap_text(hta)});
    }
  }
  document.blocks.emplace_back(std::move(table));
  const auto kinds = hta_kinds(analyses);
  std::int64_t all = 0;
  for (const std::int64_t time : kinds) all += time;
  Table types;
  types.columns = {
      {.name = "kernel types, all ranks", .left = true}, {.name = "time"}, {.name = "%"}};
  for (unsigned mask = 1; mask < kinds.size(); ++mask) {
    if (kinds[mask] == 0) continue;
    types.rows.push_back(
        {hta_name(mask), fmt::format("{}", kinds[mask]),
         fixed(100 * static_cast<double>(kinds[mask]) / static_cast<double>(all), 1)});
  }
  document.blocks.emplace_back(std::move(types));
  return document;
}

std::string hta_csv(const std::vector<TraceAnalysis>& analyses) {
  std::string text = "rank,idle_us,compute_us,non_compute_us,kernel_time_us,overlap_percent\n";
  for (const TraceAnalysis& analysis : analyses) {
    for (const TraceRank& rank : analysis.ranks) {
      const TraceHtaRank& hta = rank.hta;
      text += fmt::format("{},{},{},{},{},{}\n", rank.rank, hta.idle, hta.compute, hta.non_compute,
                          hta.kernel_time, hta.communication == 0 ? "" : overlap_text(hta));
    }
  }
  return text;
}

std::string hta_json(const std::vector<TraceAnalysis>& analyses) {
  Json ranks = Json::array();
  for (const TraceAnalysis& analysis : analyses) {
    for (const TraceRank& rank : analysis.ranks) {
      const TraceHtaRank& hta = rank.hta;
      ranks.push_back({{"rank", rank.rank},
                       {"idle_us", hta.idle},
                       {"compute_us", hta.compute},
                       {"non_compute_us", hta.non_compute},
                       {"kernel_time_us", hta.kernel_time},
                       {"overlap_percent", hta.communication == 0
                                               ? Json()
                                               : Json(100 * static_cast<double>(hta.overlap) /
                                                      static_cast<double>(hta.communication))}});
    }
  }
  Json types = Json::object();
  const auto kinds = hta_kinds(analyses);
  for (unsigned mask = 1; mask < kinds.size(); ++mask) {
    if (kinds[mask] != 0) types[hta_name(mask)] = kinds[mask];
  }
  return file_text({{"kstar", "trace-hta"},
                    {"schema", kTraceSchema},
                    {"ranks", ranks},
                    {"kernel_types_us", types}});
}

}  // namespace kstar
