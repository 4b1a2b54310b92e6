#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "comm/json_reader.h"
#include "comm/lines.h"
#include "comm/nccl_reader.h"
#include "comm/osu_reader.h"
#include "comm/tables.h"
#include "kstar/comm.h"

namespace kstar {

namespace {

using comm::LogContext;

/// "all_reduce_perf" of a path or a word.
std::string program_on(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == line.npos) return {};
  std::size_t begin = end;
  while (begin > 0 &&
         (line[begin - 1] == '_' || (line[begin - 1] >= 'a' && line[begin - 1] <= 'z')))
    --begin;
  const std::string name(line.substr(begin, end + 5 - begin));
  return begin == end ? std::string() : name;
}

/// What holds for the tables below it.
void see_prose(std::string_view line, LogContext& context) {
  if (line.empty()) return;
  if (const std::size_t at = line.find("nranks "); at != line.npos) {
    comm::split_blanks(line.substr(at + 7, 16), context.words);
    if (!context.words.empty()) {
      context.ranks_told = parse_double(context.words[0]).value_or(context.ranks_told);
    }
    return;
  }
  if (line.find("NCCL INFO") != line.npos) return;
  std::string program = program_on(line);
  const bool named =
      !program.empty() || line.find("osu_") != line.npos || line.find("IMB-") != line.npos;
  if (!program.empty()) context.program = std::move(program);
  if (named) {
    bool starts = false;
    const comm::Launch launch = comm::launch_on(line, context.words, starts);
    if (starts) context.asked = launch;  // also where it does not say: the one before is over
  }
  constexpr std::size_t kShort = 100;
  if (line[0] != '#' && line.size() <= kShort) context.above = printable(line);
}

std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

}  // namespace

bool is_collective_output(std::string_view head) {
  for (const std::string_view mark :
       {"# OSU ", "nThread 1 nGpus", "Intel(R) MPI Benchmarks", "Intel (R) MPI Benchmarks",
        "Collective test starting", "\"out_of_place\"", "\"average_bus_bandwidth\""}) {
    if (head.find(mark) != head.npos) return true;
  }
  return (head.find("busbw") != head.npos && head.find("algbw") != head.npos) ||
         (head.find("nThread") != head.npos && head.find("nGpus") != head.npos) ||
         (head.find("\"busBw\"") != head.npos && head.find("\"ranks\"") != head.npos);
}

Result<void> read_collectives(std::string_view text, std::string_view name, CommData& data) {
  LogContext context{.name = name, .data = data};
  const std::size_t before = data.sweeps.size() + data.skipped.size() + data.notes.size();
  text = without_mark(text);
  const std::string_view start = trim(text.substr(0, 4096));
  if (start.empty()) return fail({.where = printable(name), .message = "is empty"});
  const bool json = start[0] == '{' || (start[0] == '[' && trim(start.substr(1)).starts_with('{'));
  if (!json || !comm::read_json(text, context)) {
    comm::NcclReader nccl;
    comm::OsuReader osu;
    comm::ImbReader imb;
    const std::array<comm::TableReader*, 3> readers = {&nccl, &osu, &imb};
    std::string buffer;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line =
          comm::bare_line(text.substr(0, std::min(end, text.size())), buffer);
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
      ++context.line;
      bool taken = false;
      for (comm::TableReader* reader : readers) taken = taken || reader->see(line, context);
      if (!taken) see_prose(line, context);
    }
    for (comm::TableReader* reader : readers) reader->finish(context);
  }
  if (data.sweeps.size() + data.skipped.size() + data.notes.size() > before) return {};
  if (context.alone) {
    return fail({.where = printable(name),
                 .message = "has tables of one process alone, which sends nothing",
                 .hint = "run it on two or more: mpirun -n 2 IMB-MPI1"});
  }
  return fail({.where = printable(name),
               .message = "has no table of nccl-tests, rccl-tests, OSU or Intel MPI benchmarks",
               .hint = "a study of times by K goes to 'kstar analyze'"});
}

void apply_given(const CommGiven& given, CommData& data) {
  std::map<std::string, std::size_t> silent;  // tables that do not say K, by file
  for (const CommSweep& sweep : data.sweeps) silent[sweep.source] += sweep.workers == 0 ? 1U : 0U;
  for (const auto& [source, tables] : silent) {
    if (!given.workers || tables < 2) continue;
    data.notes.push_back(fmt::format(
        "{} tables of {} do not say their workers: {} is taken for all", tables,
        printable(source.substr(source.find_last_of('/') + 1)), shortest(*given.workers)));
  }
  for (CommSweep& sweep : data.sweeps) {
    if (given.workers && sweep.workers == 0) sweep.workers = *given.workers;
    if (given.nodes && sweep.nodes == 0) sweep.nodes = *given.nodes;
    if (given.node_workers && sweep.nodes == 0 && sweep.workers > 0) {
      sweep.nodes = std::ceil(sweep.workers / *given.node_workers);
    }
    if (sweep.workers > 0 && sweep.nodes == sweep.workers && sweep.workers == 1) sweep.nodes = 1;
    if (given.in_place && !sweep.in_place.empty()) sweep.samples = sweep.in_place;
    if (sweep.samples.empty()) sweep.samples = sweep.in_place;
    const bool mpi = sweep.tool.starts_with("OSU") || sweep.tool == "IMB";
    if (!mpi) continue;
    for (CommSample& sample : sweep.samples) {
      sample.bytes = comm::whole_size(sweep.collective, sample.bytes, sweep.workers);
    }
  }
}

}  // namespace kstar
