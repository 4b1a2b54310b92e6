#include "comm/json_reader.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/json_document.h"
#include "base/number.h"
#include "base/text.h"
#include "comm/nccl_reader.h"

namespace kstar::comm {

namespace {

constexpr double kJsonMicrosecond = 1e-6, kJsonGiga = 1e9;

std::string text_of(const JsonValue& value) {
  std::string_view text;
  return value.get(text) ? std::string() : std::string(text);
}

/// A number, also where a careful writer put it in quotes.
std::optional<double> number_of(const JsonValue& value) {
  double number = 0;
  if (!value.get(number)) return number;
  return parse_double(text_of(value));
}

void read_place(const JsonValue& value, double& time, double& algorithm, double& bus,
                std::optional<double>& wrong) {
  JsonObject object;
  if (value.get(object)) return;
  static_cast<void>(object.each([&](const JsonMember& member) {
    const auto number = number_of(member.value);
    if (member.key == "time" || member.key == "cpu_time") time = number.value_or(0);
    if (member.key == "alg_bw" || member.key == "algbw") algorithm = number.value_or(0);
    if (member.key == "bus_bw" || member.key == "busbw") bus = number.value_or(0);
    if (member.key == "nwrong" || member.key == "wrong") wrong = number;
    return true;
  }));
}

struct Parsed {
  std::vector<NcclReader::Row> rows;
  std::set<std::string> hosts;
  std::size_t devices = 0;
  double each = 1;  ///< workers of each process: threads x GPUs
  std::string program;
  std::optional<double> average;
};

NcclReader::Row row_of(const JsonObject& object) {
  NcclReader::Row row;
  static_cast<void>(object.each([&](const JsonMember& member) {
    if (member.key == "size") row.bytes = number_of(member.value).value_or(0);
    if (member.key == "root") row.root = number_of(member.value).value_or(-1);
    if (member.key == "redop") row.sums = text_of(member.value) != "none";
    double time = 0, algorithm = 0, bus = 0;
    std::optional<double> wrong = 0;  // none where it was not checked
    if (member.key == "out_of_place") {
      read_place(member.value, time, algorithm, bus, wrong);
      row.time = time * kJsonMicrosecond;
      row.algorithm = algorithm * kJsonGiga;
      row.bus = bus * kJsonGiga;
      row.wrong = wrong.value_or(0);
    } else if (member.key == "in_place") {
      read_place(member.value, time, algorithm, bus, wrong);
      if (time > 0) row.in_place = time * kJsonMicrosecond;
      row.in_place_unchecked = !wrong;
      row.wrong_in_place = wrong.value_or(0);
    }
    return true;
  }));
  return row;
}

void read_devices(const JsonValue& value, Parsed& parsed) {
  JsonArray array;
  if (value.get(array)) return;
  static_cast<void>(array.each([&](JsonValue element) {
    JsonObject device;
    if (element.get(device)) return true;
    ++parsed.devices;
    static_cast<void>(device.each([&](const JsonMember& member) {
      if (member.key == "hostname" || member.key == "host") {
        parsed.hosts.insert(text_of(member.value));
      }
      return true;
    }));
    return true;
  }));
}

void read_member(const JsonMember& member, Parsed& parsed) {
  JsonObject object;
  JsonArray array;
  if (member.key == "results" && !member.value.get(array)) {
    static_cast<void>(array.each([&](JsonValue element) {
      JsonObject row;
      if (!element.get(row)) parsed.rows.push_back(row_of(row));
      return true;
    }));
  } else if (member.key == "devices") {
    read_devices(member.value, parsed);
  } else if (member.key == "config" && !member.value.get(object)) {
    static_cast<void>(object.each([&](const JsonMember& inner) {
      if (inner.key == "devices") read_devices(inner.value, parsed);
      if (inner.key == "nthreads" || inner.key == "ngpus") {
        parsed.each *= number_of(inner.value).value_or(1);
      }
      return true;
    }));
  } else if (member.key == "average_bus_bandwidth" && !member.value.get(object)) {
    static_cast<void>(object.each([&](const JsonMember& inner) {
      if (inner.key == "bandwidth") parsed.average = number_of(inner.value);
      return true;
    }));
  }
}

/// "all_reduce_perf" anywhere in the text: among the arguments, or as the program's name.
std::string program_in(std::string_view text) {
  const std::size_t end = text.find("_perf");
  if (end == text.npos) return {};
  std::size_t begin = end;
  const auto in_name = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
  while (begin > 0 && in_name(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

bool keep_parsed(const Parsed& parsed, LogContext& context) {
  if (parsed.rows.empty()) return false;
  const double told = static_cast<double>(parsed.devices) * parsed.each;
  std::optional<Collective> collective = collective_named(parsed.program);
  if (!collective && !parsed.program.empty()) {
    context.skip(parsed.program);
    return true;
  }
  if (!collective) collective = implied_collective(parsed.rows, told);
  if (!collective) {
    context.note(fmt::format("{}: which collective it is of does not stand in it; left out",
                             context.place()));
    return true;
  }
  CommSweep sweep{.collective = *collective, .tool = "nccl-tests"};
  sweep.wrong = note_wrong(parsed.rows, *collective, context);
  sweep.workers = told > 0 ? told : implied_workers(parsed.rows, *collective);
  if (parsed.devices > 0) sweep.nodes = static_cast<double>(parsed.hosts.size());
  for (const NcclReader::Row& row : parsed.rows) {
    if (!(row.bytes > 0)) continue;
    if (row.time > 0) sweep.samples.push_back({row.bytes, row.time});
    if (row.in_place) sweep.in_place.push_back({row.bytes, *row.in_place});
  }
  if (parsed.average) sweep.stated_average = *parsed.average * kJsonGiga;
  sweep.label = " ";
  keep(std::move(sweep), context);
  return true;
}

/// rccl-tests: rows of all collectives and numbers of ranks in one list.
bool read_rows(const JsonArray& array, LogContext& context) {
  struct Key {
    std::string name;
    double ranks, nodes;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, CommSweep> sweeps;
  std::map<Key, std::map<double, NcclReader::Row>> checked;  // by size
  bool any = false;
  static_cast<void>(array.each([&](JsonValue element) {
    JsonObject row;
    if (element.get(row)) return true;
    Key key{{}, 0, 0};
    double bytes = 0, time = 0, wrong = 0;
    bool in_place = false;
    static_cast<void>(row.each([&](const JsonMember& member) {
      const auto number = number_of(member.value);
      if (member.key == "name") key.name = text_of(member.value);
      if (member.key == "ranks") key.ranks = number.value_or(0);
      if (member.key == "nodes") key.nodes = number.value_or(0);
      if (member.key == "size") bytes = number.value_or(0);
      if (member.key == "time") time = number.value_or(0);
      if (member.key == "wrong") wrong = number.value_or(0);  // none where it was not checked
      if (member.key == "inPlace") in_place = number.value_or(0) == 1;
      return true;
    }));
    const auto collective = collective_named(key.name);
    if (key.name.empty() || !(bytes > 0) || !(time > 0)) return true;
    any = true;
    if (!collective) {
      context.skip(key.name);
      return true;
    }
    CommSweep& sweep = sweeps[key];
    sweep.collective = *collective;
    sweep.workers = key.ranks;
    sweep.nodes = key.nodes;
    (in_place ? sweep.in_place : sweep.samples).push_back({bytes, time * kJsonMicrosecond});
    NcclReader::Row& check = checked[key][bytes];
    check.bytes = bytes;
    (in_place ? check.wrong_in_place : check.wrong) += wrong;
    return true;
  }));
  for (auto& [key, sweep] : sweeps) {
    sweep.tool = "rccl-tests";
    sweep.label = " ";
    std::vector<NcclReader::Row> sizes;
    for (const auto& [bytes, check] : checked[key]) sizes.push_back(check);
    sweep.wrong = note_wrong(sizes, sweep.collective, context);
    keep(std::move(sweep), context);
  }
  return any;
}

}  // namespace

bool read_json(std::string_view text, LogContext& context) {
  // One object for both: the reader starts with objects alone.
  const bool list = trim(text).starts_with('[');
  const FileText padded(list ? fmt::format("{{\"rows\":{}}}", text) : std::string(text));
  JsonDocument document;
  JsonObject root;
  if (document.start(padded.view()) || document.get(root)) return false;
  if (list) {
    JsonValue rows;
    JsonArray array;
    if (root.find("rows", rows) || rows.get(array)) return false;
    return read_rows(array, context);
  }
  Parsed parsed;
  static_cast<void>(root.each([&](const JsonMember& member) {
    read_member(member, parsed);
    return true;
  }));
  parsed.program = program_in(text);
  return keep_parsed(parsed, context);
}

}  // namespace kstar::comm
