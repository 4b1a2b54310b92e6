#include "kstar/trace_totals.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "trace/rules.h"

// A kernel is in such a table twice: in its own row, and in the row of the operation that launched
// it. So only rows of one sort are summed up: kernels, which have no time on the CPU; where the
// table shows none that communicates, the operations.
namespace kstar {

namespace {

using tracing::Kind;
using tracing::Rule;
using tracing::Rules;

/// The cells of a line: two blanks or more are between them.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trim(line);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    cells.push_back(line.substr(0, end));
    line = trim(line.substr(end));
  }
  return cells;
}

/// "1.902s", "438.366us".
std::optional<double> seconds_of(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr double kMost = 1e15;
  static constexpr std::array kUnits = {Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"ns", 1e-9},
                                        Unit{"s", 1}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto value = parse_double(trim(text.substr(0, text.size() - unit.name.size())));
    if (value && *value >= 0 && *value < kMost) return *value * unit.seconds;
  }
  return std::nullopt;
}

/// Where the columns are that anybody asks for; -1: not there.
struct Columns {
  std::size_t count = 0;
  int self_cpu = -1, cpu_total = -1, self_device = -1, device_share = -1, cpu_share = -1,
      calls = -1;
  std::string device;
};

std::optional<Columns> columns_of(std::string_view line) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() < 3 || cells.front() != "Name") return std::nullopt;
  Columns columns;
  columns.count = cells.size();
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::string_view cell = cells[i];
    const int at = static_cast<int>(i);
    if (cell == "Self CPU") columns.self_cpu = at;
    if (cell == "Self CPU %") columns.cpu_share = at;
    if (cell == "CPU total") columns.cpu_total = at;
    if (cell == "# of Calls") columns.calls = at;
    if (!cell.starts_with("Self ") || cell.starts_with("Self CPU") || cell.ends_with("Mem")) {
      continue;
    }
    if (cell.ends_with(" %")) {
      columns.device_share = at;
    } else {
      columns.self_device = at;
      columns.device = cell.substr(5);
    }
  }
  const bool usable = columns.self_cpu > 0 || columns.self_device > 0;
  return usable ? std::optional(columns) : std::nullopt;
}

struct TableRow {
  std::string name;
  double self_cpu = 0, cpu_total = 0, self_device = 0;
  double share = 0;  ///< of all, as the table says it; 0: it does not
  std::int64_t calls = 0;
};

/// Nothing for a line that is no row.
std::optional<TableRow> row_of(std::string_view line, const Columns& columns) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != columns.count) return std::nullopt;
  const auto cell = [&](int at) {
    return at < 0 ? std::string_view() : cells[static_cast<std::size_t>(at)];
  };
  const bool device = columns.self_device > 0;
  const auto own = seconds_of(cell(device ? columns.self_device : columns.self_cpu));
  if (!own) return std::nullopt;
  TableRow row;
  row.name = cells.front();
  row.self_device = device ? *own : 0;
  row.self_cpu = seconds_of(cell(columns.self_cpu)).value_or(0);
  row.cpu_total = seconds_of(cell(columns.cpu_total)).value_or(0);
  std::string_view share = cell(device ? columns.device_share : columns.cpu_share);
  if (share.ends_with('%')) share.remove_suffix(1);
  row.share = std::max(0.0, parse_double(share).value_or(0) / 100);
  row.calls = std::max<std::int64_t>(0, parse_integer(cell(columns.calls)).value_or(0));
  return row;
}

/// An operation of the host, or a mark, by its name: where the table does not show times on the
/// CPU, or marks on the device have none.
bool is_no_kernel(const std::string& name) {
  static constexpr std::array<std::string_view, 14> kStarts = {
      "aten::", "c10d::", "torch::", "autograd::", "nccl:", "gloo:",     "record_param_comms",
      "cuda",   "hip",    "prims::", "inductor::", "_",     "Optimizer", "ProfilerStep"};
  return name.find('#') != std::string::npos || name.ends_with('*') ||
         std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

struct ReadTable {
  Columns columns;
  std::vector<TableRow> rows;
  double total = 0;
  std::size_t tables = 0;
};

/// The first table of the text, with the total below it.
ReadTable read_table(std::string_view text) {
  ReadTable table;
  for (const std::string_view line : split(text, '\n')) {
    if (const auto columns = columns_of(line)) {
      if (table.tables++ == 0) table.columns = *columns;
      continue;
    }
    if (table.tables != 1) continue;
    if (auto row = row_of(line, table.columns)) table.rows.push_back(std::move(*row));
    const std::string device = table.columns.device.empty() ? "CPU" : table.columns.device;
    const std::string wanted = "Self " + device + " time total:";
    const std::string_view words = trim(line);
    if (words.starts_with(wanted)) {
      table.total = seconds_of(trim(words.substr(wanted.size()))).value_or(0);
    }
  }
  return table;
}

/// Where the line below the table is missing: the largest row by its share.
double total_by_share(const ReadTable& table) {
  const bool device = table.columns.self_device > 0;
  double largest = 0, total = 0;
  for (const TableRow& row : table.rows) {
    const double own = device ? row.self_device : row.self_cpu;
    if (row.share <= 0 || own <= largest) continue;
    largest = own;
    total = own / row.share;
  }
  return total;
}

void add_row(const TableRow& row, double seconds, TraceTotals& totals) {
  totals.rows.push_back({row.name, seconds, row.calls});
  totals.communication += seconds;
}

void add_communication(const ReadTable& table, const Rules& rules, TraceTotals& totals) {
  const bool device = table.columns.self_device > 0;
  double listed = 0, launched = 0;
  for (const TableRow& row : table.rows) {
    const Rule* rule = rules.find(row.name);
    const bool communicates = rule != nullptr && rule->kind == Kind::kCommunication;
    if (!device) {
      listed += row.self_cpu;
      if (communicates && rule->host) add_row(row, row.self_cpu, totals);
      continue;
    }
    const bool kernel = row.self_cpu <= 0 && row.cpu_total <= 0 && !is_no_kernel(row.name);
    if (row.self_cpu > 0) launched += row.self_device;
    if (!kernel) continue;
    listed += row.self_device;
    if (communicates) add_row(row, row.self_device, totals);
  }
  for (const TableRow& row : table.rows) {
    if (!device || totals.communication > 0) break;
    const Rule* rule = rules.find(row.name);
    if (rule == nullptr || rule->kind != Kind::kCommunication || row.self_device <= 0) continue;
    totals.rows.push_back({row.name, row.self_device, row.calls});
  }
  if (totals.communication <= 0) {
    for (const TraceTotals::Row& row : totals.rows) totals.communication += row.seconds;
  }
  totals.total = std::max(totals.total, totals.communication);
  totals.unlisted =
      std::max(0.0, totals.total - std::max({listed, launched, totals.communication}));
  std::stable_sort(totals.rows.begin(), totals.rows.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
}

}  // namespace

TraceTotalsBounds exposed_bounds(const TraceTotals& totals) {
  TraceTotalsBounds bounds;
  const double most = totals.communication + totals.unlisted;
  const double rest = totals.total - totals.communication;
  if (totals.steps_seconds <= 0) {  // idle time only makes the share smaller
    bounds.high = totals.total > 0 ? most / totals.total : 1;
    return bounds;
  }
  const double hidden = std::max(0.0, totals.total - totals.steps_seconds);
  bounds.high = std::clamp((most - hidden) / totals.steps_seconds, 0.0, 1.0);
  bounds.low = std::clamp((totals.communication - rest) / totals.steps_seconds, 0.0, bounds.high);
  return bounds;
}

Result<std::optional<TraceTotals>> read_trace_totals(std::string_view text,
                                                     const std::string& rules_file) {
  const ReadTable table = read_table(text);
  if (table.tables == 0 || table.rows.empty()) return std::optional<TraceTotals>();
  KSTAR_TRY(const Rules rules, Rules::load(rules_file));
  TraceTotals totals;
  totals.device = table.columns.device.empty() ? "CPU" : table.columns.device;
  totals.total = table.total > 0 ? table.total : total_by_share(table);
  totals.tables = table.tables;
  for (const TableRow& row : table.rows) {
    if (!row.name.starts_with("ProfilerStep") || row.cpu_total <= totals.steps_seconds) continue;
    totals.steps_seconds = row.cpu_total;
    totals.steps = row.calls;
  }
  add_communication(table, rules, totals);
  return std::optional(std::move(totals));
}

Result<std::optional<TraceTotals>> load_trace_totals(const std::string& path,
                                                     const std::string& rules) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 24;
  std::ifstream file(path, std::ios::binary);
  char first = ' ';
  while ((first == ' ' || first == '\n' || first == '\r') && file.get(first)) {
  }
  const bool is_text = first > ' ' && first <= '~' && first != '{';
  std::error_code error;
  if (!file || !is_text || std::filesystem::file_size(path, error) > kMostBytes || error) {
    return std::optional<TraceTotals>();
  }
  KSTAR_TRY(const FileText text, read_regular_file(path, kMostBytes));
  return read_trace_totals(text.view(), rules);
}

}  // namespace kstar
