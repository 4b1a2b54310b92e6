#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <thread>

#include "base/duration.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/source.h"
#include "dag/word_text.h"

// A table with commas, semicolons, tabs or blanks, in one of two forms:
//   from,to[,cost]             an edge in every row; a second table may have the times
//   task,seconds[,after]       a task in every row, with those that it waits for
// Ten million edges are read in some seconds, so that a row is looked at once.
namespace kstar::dag {

namespace {

/// kBefore is an end of an edge where the other end is there, and in a row of a task what it waits
/// for.
enum class Meaning : std::uint8_t { kNothing, kFrom, kTo, kBefore, kCost, kTask, kTime, kAfter };

/// In small letters, without blanks, hyphens and underscores.
struct Heading {
  std::string_view name;
  Meaning meaning;
};
constexpr Heading kHeadings[] = {{"from", Meaning::kFrom},
                                 {"source", Meaning::kFrom},
                                 {"src", Meaning::kFrom},
                                 {"parent", Meaning::kBefore},
                                 {"predecessor", Meaning::kBefore},
                                 {"pred", Meaning::kBefore},
                                 {"before", Meaning::kFrom},
                                 {"fromnodeid", Meaning::kFrom},
                                 {"to", Meaning::kTo},
                                 {"target", Meaning::kTo},
                                 {"dst", Meaning::kTo},
                                 {"destination", Meaning::kTo},
                                 {"child", Meaning::kTo},
                                 {"successor", Meaning::kTo},
                                 {"tonodeid", Meaning::kTo},
                                 {"cost", Meaning::kCost},
                                 {"communication", Meaning::kCost},
                                 {"comm", Meaning::kCost},
                                 {"transfer", Meaning::kCost},
                                 {"task", Meaning::kTask},
                                 {"name", Meaning::kTask},
                                 {"id", Meaning::kTask},
                                 {"taskname", Meaning::kTask},
                                 {"taskid", Meaning::kTask},
                                 {"activity", Meaning::kTask},
                                 {"job", Meaning::kTask},
                                 {"node", Meaning::kTask},
                                 {"time", Meaning::kTime},
                                 {"seconds", Meaning::kTime},
                                 {"duration", Meaning::kTime},
                                 {"runtime", Meaning::kTime},
                                 {"weight", Meaning::kTime},
                                 {"after", Meaning::kAfter},
                                 {"depends", Meaning::kAfter},
                                 {"dependson", Meaning::kAfter},
                                 {"dependency", Meaning::kAfter},
                                 {"dep", Meaning::kAfter},
                                 {"requires", Meaning::kAfter},
                                 {"prerequisites", Meaning::kAfter},
                                 {"waitsfor", Meaning::kAfter},
                                 {"preds", Meaning::kAfter},
                                 {"dependencies", Meaning::kAfter},
                                 {"deps", Meaning::kAfter},
                                 {"needs", Meaning::kAfter},
                                 {"predecessors", Meaning::kAfter},
                                 {"parents", Meaning::kAfter}};

struct Column {
  Meaning meaning = Meaning::kNothing;
  double unit = 1;    ///< of times and costs, in seconds
  bool said = false;  ///< the unit
  bool id = false;    ///< of several columns that name a task, the one that others refer to
};

/// "time_ms", "time (ms)", "time [ms]": the name and the unit.
Column column_named(std::string_view heading) {
  std::string name = lower_case(trim(heading));
  Column column;
  const std::size_t open = name.find_first_of("([");
  std::string unit;
  if (open != name.npos) {
    unit = name.substr(open + 1, name.find_first_of(")]", open) - open - 1);
    name = std::string(trim(name.substr(0, open)));
  } else if (const std::size_t low = name.rfind('_'); low != name.npos) {
    unit = name.substr(low + 1);
  }
  if (const auto seconds = seconds_in_unit(unit)) {
    column.unit = *seconds;
    column.said = true;
    if (open == name.npos && name.ends_with("_" + unit)) name.resize(name.size() - unit.size() - 1);
  }
  if (const auto seconds = seconds_in_unit(name); seconds && name != "h" && name != "m") {
    return {.meaning = Meaning::kTime, .unit = *seconds, .said = true};  // "ms"
  }
  std::erase_if(name, [](char c) { return c == ' ' || c == '_' || c == '-'; });
  column.id = name == "id" || name == "taskid";
  for (const Heading& known : kHeadings) {
    if (name == known.name) column.meaning = known.meaning;
  }
  if (name == "seconds") column.said = true;
  return column;
}

char separator_of(std::string_view line) {
  for (const char sign : {'\t', ',', ';'}) {
    if (line.find(sign) != line.npos) return sign;
  }
  return ' ';
}

class TableReader {
 public:
  TableReader(const Source& source, GraphBuilder& builder, std::deque<std::string>& kept)
      : source_(source), builder_(builder), kept_(kept), rest_(source.text) {}

  /// `times`: a table that must have tasks and times.
  Result<void> read(bool times) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    KSTAR_CHECK(read_head(times));
    KSTAR_CHECK(has_halves() ? read_halves() : read_rows());
    return take_waits(times);
  }

  bool has_edges() const { return edges_; }
  bool has_times() const { return has(Meaning::kTime); }
  bool has_seconds() const { return seconds_; }
  bool has_order() const { return edges_ || has(Meaning::kAfter); }
  const std::vector<std::string>& notes() const { return notes_; }

  /// By people, where every task has a label of its own.
  void name_by_labels(TaskGraph& graph) const {
    if (labels_.empty()) return;
    std::vector<std::string> names(graph.size());
    std::size_t named = 0;
    for (const auto& [label, task] : labels_) {
      if (task == NameTable::kNone) return;
      if (names[task].empty()) ++named;
      names[task] = label;
    }
    if (named < graph.size()) return;
    graph.ids = std::move(graph.names);
    graph.names = std::move(names);
  }

  std::vector<std::string> unread_columns() const { return {unread_.begin(), unread_.end()}; }

  /// "'cpu_time' is", "'cpu' and 'wall' are": the columns that mean nothing here.
  std::string unread() const {
    if (unread_.empty()) return "";
    std::string text = quoted(unread_.front());
    for (std::size_t i = 1; i < unread_.size(); ++i) {
      text += (i + 1 < unread_.size() ? ", " : " and ") + quoted(unread_[i]);
    }
    return text + (unread_.size() == 1 ? " is" : " are");
  }

 private:
  /// The same columns, for other rows of the same table.
  TableReader(const TableReader& head, GraphBuilder& builder, std::string_view rows)
      : source_(head.source_),
        builder_(builder),
        kept_(head.kept_),
        rest_(rows),
        columns_(head.columns_),
        separator_(head.separator_),
        edges_(head.edges_),
        headless_(head.headless_) {}

  Result<void> read_rows() {
    if (edges_) builder_.reserve_edges(rest_.size() / 12);
    while (take_pairs(), !rest_.empty()) {
      if (rest_[0] == '#' || rest_[0] == '\n' || rest_[0] == '\r') {
        take_line(rest_);
      } else {
        KSTAR_CHECK(edges_ ? read_edge() : read_task());
      }
    }
    take_edges();
    return {};
  }

  /// Many edges, of which every line is a row: no line ends within quotes.
  bool has_halves() const {
    constexpr std::size_t kWorthAThread = std::size_t{32} << 20U;
    return edges_ && rest_.size() > kWorthAThread && std::thread::hardware_concurrency() > 1 &&
           rest_.find('"') == rest_.npos;
  }

  /// Both at the same time; tasks have the numbers that they have in one.
  Result<void> read_halves() {
    const std::size_t half = std::min(rest_.find('\n', rest_.size() / 2), rest_.size() - 1) + 1;
    GraphBuilder edges_behind;
    TableReader behind(*this, edges_behind, rest_.substr(half));
    rest_ = rest_.substr(0, half);
    Result<void> read_behind;
    std::thread helper([&] { read_behind = behind.read_rows(); });
    const Result<void> read_before = read_rows();
    helper.join();
    KSTAR_CHECK(read_before);
    KSTAR_CHECK(read_behind);
    builder_.append_edges(edges_behind);
    return {};
  }

  bool has(Meaning meaning) const {
    return std::any_of(columns_.begin(), columns_.end(),
                       [&](const Column& column) { return column.meaning == meaning; });
  }

  /// The first line that is no comment; a comment may be the head, as in SNAP's files.
  Result<void> read_head(bool times) {
    std::string_view line, head;
    while (!rest_.empty() && (trim(line).empty() || line.starts_with('#'))) {
      head = rest_;
      line = take_line(rest_);
    }
    if (trim(line).empty() || line.starts_with('#')) {
      return fail({.where = printable(source_.name), .message = "is empty"});
    }
    if (const std::size_t zero = line.find('\0'); zero != line.npos) {
      return fail(error_at(source_, line.data() + zero, "is not text: it contains zero bytes"));
    }
    separator_ = separator_of(line);
    std::vector<std::string_view> cells =
        separator_ == ' ' ? words_of(line) : split(line, separator_);
    for (std::string_view& cell : cells) cell = unquoted(trim(cell));
    for (const std::string_view cell : cells) columns_.push_back(column_named(cell));
    set_default_meanings();
    edges_ = has(Meaning::kFrom) && has(Meaning::kTo);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_used(columns_[i].meaning)) unread_.push_back(cells[i]);
    }
    if ((edges_ && !times) || (has(Meaning::kTask) && (has(Meaning::kTime) || !times))) {
      note_units();
      return {};
    }
    rest_ = head;  // it has no head
    return guess_columns(cells, times);
  }

  /// A "weight" in a table of edges is a cost, a "predecessor" an end of the edge.
  void set_default_meanings() {
    const bool edges = has(Meaning::kTo) && (has(Meaning::kFrom) || has(Meaning::kBefore));
    for (Column& column : columns_) {
      if (edges && column.meaning == Meaning::kTime) column.meaning = Meaning::kCost;
      if (column.meaning == Meaning::kBefore) {
        column.meaning = edges ? Meaning::kFrom : Meaning::kAfter;
      }
    }
    key_ = columns_.size();
    for (std::size_t i = columns_.size(); i-- > 0;) {
      const bool id = key_ < columns_.size() && columns_[key_].id;
      if (columns_[i].meaning == Meaning::kTask && (!id || columns_[i].id)) key_ = i;
    }
  }

  bool is_used(Meaning meaning) const {
    if (meaning == Meaning::kNothing) return false;
    const bool of_edge =
        meaning == Meaning::kFrom || meaning == Meaning::kTo || meaning == Meaning::kCost;
    return edges_ == of_edge;
  }

  void note_units() {
    for (const Column& column : columns_) {
      if (column.meaning == Meaning::kTime && column.said) seconds_ = true;
      if (column.meaning == Meaning::kCost && column.said) seconds_ = true;
    }
  }

  static std::string quoted(std::string_view name) {
    constexpr std::size_t kName = 30;
    return fmt::format("'{}'", shorten(printable(name), kName));
  }

  static std::string_view unquoted(std::string_view cell) {
    return cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')
               ? cell.substr(1, cell.size() - 2)
               : cell;
  }

  Result<void> guess_columns(const std::vector<std::string_view>& cells, bool times) {
    columns_.assign(cells.size(), {});
    unread_.clear();
    key_ = 0;
    const bool third = cells.size() == 3 && parse_double(cells[2]).has_value();
    constexpr const char* kForms =
        "give the columns names: from,to,cost for edges, or task,seconds,after for tasks";
    if (times) {
      if (cells.size() == 2 && parse_double(cells[1])) {
        columns_ = {{Meaning::kTask}, {Meaning::kTime}};
        return {};
      }
      return fail(error_at(source_, rest_.data(), "expected two columns, task and seconds"));
    }
    const bool plain = (cells.size() == 2 || third) && (separator_ != ' ' || all_numbers(cells)) &&
                       std::all_of(cells.begin(), cells.begin() + 2, is_plain_name);
    if (!plain) {
      return fail(
          error_at(source_, rest_.data(), "this is no graph of tasks that kstar knows", kForms));
    }
    columns_[0].meaning = Meaning::kFrom;
    columns_[1].meaning = Meaning::kTo;
    if (third) columns_[2].meaning = Meaning::kCost;
    edges_ = headless_ = true;
    notes_.emplace_back(third
                            ? "the columns have no names: from, to and the cost of the edge assumed"
                            : "the columns have no names: from and to assumed");
    return {};
  }

  /// In a table without a head, words with blanks are prose, and fractions are measurements.
  static bool is_plain_name(std::string_view cell) {
    const bool fraction = cell.find('.') != cell.npos && parse_double(cell).has_value();
    return !cell.empty() && !fraction && cell.find_first_of(" \t<>{}[]") == cell.npos;
  }

  static bool all_numbers(const std::vector<std::string_view>& cells) {
    return std::all_of(cells.begin(), cells.end(),
                       [](std::string_view cell) { return parse_double(cell).has_value(); });
  }

  /// The next cell of the row; `last` becomes true at the end of the line, which is taken off.
  std::string_view next_cell(bool& last) {
    const char* at = rest_.data();
    const char* end = at + rest_.size();
    while (at < end && (*at == ' ' || (*at == '\t' && separator_ != '\t'))) ++at;
    if (at < end && *at == '"') return quoted_cell(at, last);
    const char* begin = at;
    while (at < end && *at != separator_ && *at != '\n') ++at;
    std::string_view cell(begin, static_cast<std::size_t>(at - begin));
    end_cell(at, last);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\r')) cell.remove_suffix(1);
    return cell;
  }

  void end_cell(const char* at, bool& last) {
    const char* end = rest_.data() + rest_.size();
    if (separator_ == ' ') {  // blanks at the end of a line separate nothing
      while (at < end && (*at == ' ' || *at == '\r')) ++at;
    }
    last = at == end || *at == '\n';
    if (at < end && (*at == '\n' || separator_ != ' ')) ++at;
    rest_.remove_prefix(static_cast<std::size_t>(at - rest_.data()));
  }

  /// "a ""b""" is a "b".
  std::string_view quoted_cell(const char* at, bool& last) {
    const char* end = rest_.data() + rest_.size();
    std::string text;
    for (++at; at < end; ++at) {
      if (*at == '"' && (at + 1 == end || at[1] != '"')) break;
      if (*at == '"') ++at;
      text += *at;
    }
    while (at < end && *at != separator_ && *at != '\n') ++at;
    end_cell(at, last);
    kept_.push_back(std::move(text));
    return kept_.back();
  }

  /// The first character from there on that is none of a plain name: a blank, a quote, a separator,
  /// the end of the line or of the text.
  const char* end_of_name(const char* at) const {
    for (;; at += sizeof(std::uint64_t)) {
      const auto word = load_word<std::uint64_t>(at);
      const std::uint64_t ends =
          bytes_below(word, ' ' + 1) | bytes_equal(word, '"') | bytes_equal(word, separator_);
      if (ends != 0) return at + std::countr_zero(ends) / 8;
    }
  }

  /// Rows of two plain names and nothing else, as all rows of most large tables are; the first
  /// other row is left.
  void take_pairs() {
    const bool pairs = edges_ && separator_ != ' ' && columns_.size() == 2 &&
                       columns_[0].meaning == Meaning::kFrom && columns_[1].meaning == Meaning::kTo;
    const char* const end = rest_.data() + rest_.size();
    for (const char* row = rest_.data(); pairs && row < end;) {
      const char* const from_end = end_of_name(row);
      if (*row == '#' || from_end == row || from_end >= end || *from_end != separator_) return;
      const char* const to = from_end + 1;
      const char* const to_end = end_of_name(to);
      const char* const line_end = *to_end == '\r' ? to_end + 1 : to_end;
      if (to_end == to || line_end >= end || *line_end != '\n') return;
      names_[2 * edge_count_] = {row, static_cast<std::size_t>(from_end - row)};
      names_[2 * edge_count_ + 1] = {to, static_cast<std::size_t>(to_end - to)};
      costs_[edge_count_] = 0;
      if (++edge_count_ == kEdgesAtOnce) take_edges();
      row = line_end + 1;
      rest_.remove_prefix(static_cast<std::size_t>(row - rest_.data()));
    }
  }

  Result<void> read_edge() {
    const char* row = rest_.data();
    std::string_view from, to;
    double cost = 0;
    bool last = false;
    for (std::size_t i = 0; !last; ++i) {
      const std::string_view cell = next_cell(last);
      const Meaning meaning = i < columns_.size() ? columns_[i].meaning : Meaning::kNothing;
      if (meaning == Meaning::kFrom) from = cell;
      if (meaning == Meaning::kTo) to = cell;
      if (meaning == Meaning::kCost && !cell.empty()) {
        KSTAR_TRY(cost, read_amount(source_, cell, "a cost"));
        cost *= columns_[i].unit;
      }
    }
    if (from.empty() && to.empty()) {
      return fail(error_at(source_, row, "expected a task in the row of an edge"));
    }
    if (from.empty() || to.empty()) {  // a task that waits for nobody
      if (headless_)
        return fail(error_at(source_, row, "expected two tasks in the row of an edge"));
      take_edges();
      builder_.task(from.empty() ? to : from);
      return {};
    }
    names_[2 * edge_count_] = from;
    names_[2 * edge_count_ + 1] = to;
    costs_[edge_count_] = cost;
    if (++edge_count_ == kEdgesAtOnce) take_edges();
    return {};
  }

  void take_edges() {
    builder_.add_edges({names_.data(), 2 * edge_count_}, {costs_.data(), edge_count_});
    edge_count_ = 0;
  }

  Result<void> read_task() {
    const char* row = rest_.data();
    std::string_view name, label;
    std::vector<std::string_view> after;
    std::optional<double> time;
    bool last = false;
    for (std::size_t i = 0; !last; ++i) {
      const std::string_view cell = next_cell(last);
      const Meaning meaning = i < columns_.size() ? columns_[i].meaning : Meaning::kNothing;
      if (meaning == Meaning::kTask) (i == key_ ? name : label) = cell;
      if (meaning == Meaning::kAfter && !cell.empty()) after.push_back(cell);
      if (meaning == Meaning::kTime && !cell.empty()) {
        KSTAR_TRY(const double value, read_amount(source_, cell, "a time"));
        time = value * columns_[i].unit;
      }
    }
    if (name.empty()) return fail(error_at(source_, row, "expected the name of a task"));
    const std::uint32_t task = builder_.task(name);
    if (time && !builder_.set_time(task, *time)) {
      return fail(
          error_at(source_, row, fmt::format("task '{}' has a time already", printable(name))));
    }
    if (task >= listed_.size()) listed_.resize(std::size_t{task} + 1);
    listed_[task] = true;
    for (const std::string_view cell : after) waits_.push_back({task, cell});  // rows may come yet
    if (label.empty()) return {};
    const auto [place, is_new] = labels_.try_emplace(label, task);
    if (!is_new && place->second != task) place->second = NameTable::kNone;  // of several tasks
    return {};
  }

  /// The task of that name or, where a second column names it, of that label.
  std::uint32_t listed_task(std::string_view name) const {
    const std::uint32_t task = builder_.find(name);
    if (is_listed(task)) return task;
    const auto label = labels_.find(name);
    return label == labels_.end() ? NameTable::kNone : label->second;
  }

  bool is_listed(std::uint32_t task) const { return task < listed_.size() && listed_[task]; }

  /// A cell is the name of one task where there is one of that name, blanks and commas and all.
  Result<void> take_waits(bool times) {
    for (const Wait& wait : waits_) {
      if (const std::uint32_t before = listed_task(wait.after); is_listed(before)) {
        builder_.add_edge(before, wait.task);
        continue;
      }
      if (is_none(wait.after)) continue;
      std::string_view missing;
      for_each_name(wait.after, [&](std::string_view name) {
        const std::uint32_t before = times ? builder_.task(name) : listed_task(name);
        if (times || is_listed(before)) {
          builder_.add_edge(before, wait.task);
        } else if (missing.empty()) {
          missing = name;
        }
      });
      if (!missing.empty()) return fail(missing_row(missing));
    }
    return {};
  }

  /// As tables write that there is nothing.
  static bool is_none(std::string_view cell) {
    constexpr std::string_view kNone[] = {"na", "n/a", "nan", "none", "null", "-", "--"};
    return std::find(std::begin(kNone), std::end(kNone), lower_case(cell)) != std::end(kNone);
  }

  Error missing_row(std::string_view name) const {
    std::string message =
        fmt::format("a task waits for {}, which has no row in the table", quoted(name));
    const bool inside = name.data() >= source_.text.data() &&
                        name.data() < source_.text.data() + source_.text.size();
    if (inside) return error_at(source_, name.data(), std::move(message));
    return {.where = printable(source_.name), .message = std::move(message)};
  }

  /// Several tasks in one cell are parted by blanks, semicolons, bars or (in quotes) commas.
  template <typename Take>
  static void for_each_name(std::string_view list, const Take& take) {
    constexpr std::string_view kSigns = " ;|,";
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find_first_of(kSigns, begin), list.size());
      if (end > begin) take(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  const Source& source_;
  GraphBuilder& builder_;
  std::deque<std::string>& kept_;
  std::string_view rest_;
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  std::vector<std::string_view> unread_;  ///< columns
  /// A task and the cell of what it waits for.
  struct Wait {
    std::uint32_t task = 0;
    std::string_view after;
  };
  std::vector<Wait> waits_;
  std::map<std::string_view, std::uint32_t> labels_;  ///< by the second column that names a task
  std::vector<bool> listed_;                          ///< tasks that have a row
  static constexpr std::size_t kEdgesAtOnce = 64;
  std::array<std::string_view, 2 * kEdgesAtOnce> names_;  ///< of edges that the builder has not yet
  std::array<double, kEdgesAtOnce> costs_{};
  std::size_t edge_count_ = 0;
  char separator_ = ',';
  std::size_t key_ = 0;  ///< the column of names
  bool edges_ = false;
  bool headless_ = false;  ///< the columns have no names
  bool seconds_ = false;
};

Result<FileText> times_file(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 30U;
  return read_file(path, kLargest);
}

/// Of rows that name no task of the graph.
void note_other_tasks(std::size_t count, std::string_view times, std::string_view name,
                      TaskGraph& graph) {
  if (count == 0) return;
  graph.notes.push_back(fmt::format("{} of {} {} not in {}", count_text(count, "task"),
                                    printable(times), count == 1 ? "is" : "are", printable(name)));
}

}  // namespace

Result<void> set_times_of(const std::string& path, TaskGraph& graph) {
  KSTAR_TRY(const FileText text, times_file(path));
  const Source source{text.view(), path};
  GraphBuilder builder;
  std::deque<std::string> kept;
  TableReader reader(source, builder, kept);
  KSTAR_CHECK(reader.read(true));
  std::map<std::string_view, std::uint32_t> task_of;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    task_of.try_emplace(graph.names[task], task);
    if (!graph.ids.empty()) task_of.insert_or_assign(graph.ids[task], task);
  }
  const TaskGraph table = builder.finish(std::nan(""));
  std::vector<double> times(graph.size(), std::nan(""));
  std::size_t others = 0, untimed = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto place = task_of.find(table.names[row]);
    if (place == task_of.end()) {
      ++others;
    } else {
      times[place->second] = table.times[row];
    }
  }
  if (others == table.size()) {
    return fail({.where = printable(path),
                 .message = fmt::format("none of its {} is in {}", count_text(table.size(), "task"),
                                        printable(graph.name))});
  }
  for (std::size_t task = 0; task < graph.size(); ++task) {
    if (std::isnan(times[task]) && graph.times[task] > 0) ++untimed;
    graph.times[task] = std::isnan(times[task]) ? 0 : times[task];
  }
  graph.timed = graph.seconds = true;
  std::erase_if(graph.notes, [](const std::string& note) {
    return note.find("counts 1") != note.npos;  // they do no more
  });
  if (untimed > 0) {
    graph.notes.push_back(fmt::format("without a time in {}, counted as 0: {} of {} tasks",
                                      printable(path), untimed, graph.size()));
    doubt_missing_times(graph, untimed, graph.size());
  }
  note_other_tasks(others, path, graph.name, graph);
  return {};
}

/// Columns that are not read, but would make another answer.
void note_meant_columns(TaskGraph& graph) {
  constexpr std::string_view kCores[] = {"cores", "cpus", "threads", "ncpus", "ncores", "slots"};
  constexpr std::string_view kUnits[] = {"unit", "units", "time_unit", "time unit"};
  const auto is_one_of = [](const std::string& column, const auto& names) {
    return std::find(std::begin(names), std::end(names), lower_case(column)) != std::end(names);
  };
  for (const std::string& column : graph.unread) {
    if (is_one_of(column, kCores)) {
      graph.wide = true;
      graph.notes.push_back(fmt::format("K counts tasks at a time, not their '{}'", column));
    }
    if (is_one_of(column, kUnits) && graph.timed) {
      graph.undecided = fmt::format(
          "'{}' may have the unit of each time (write it into the name of the column: time_ms)",
          column);
    }
  }
}

Result<TaskGraph> read_table(const Source& source, const GraphReadOptions& options) {
  GraphBuilder builder;
  std::deque<std::string> kept;
  TableReader reader(source, builder, kept);
  KSTAR_CHECK(reader.read(false));
  bool timed = reader.has_times(), seconds = reader.has_seconds();
  const std::size_t tasks = builder.size();
  FileText times_text;
  if (!options.times.empty()) {
    KSTAR_TRY(times_text, times_file(options.times));
    const Source times{times_text.view(), options.times};
    TableReader second(times, builder, kept);
    KSTAR_CHECK(second.read(true));
    timed = true;
    seconds = seconds || second.has_seconds();
  }
  std::size_t untimed = 0;
  for (std::uint32_t task = 0; task < builder.size(); ++task) {
    if (!builder.has_time(task)) ++untimed;
  }
  const std::size_t added = builder.size() - tasks;
  const bool ordered = reader.has_order();
  const std::string unread = reader.unread();
  TaskGraph graph = builder.finish(timed ? 0 : 1);
  graph.ordered = ordered;
  graph.timed = timed;
  graph.seconds = timed && (seconds || !options.times.empty());
  if (!timed && seconds && !graph.costs.empty()) {
    graph.undecided = "the edges have costs in seconds, but the tasks have no times (--times FILE)";
  }
  graph.notes = reader.notes();
  graph.unread = reader.unread_columns();
  reader.name_by_labels(graph);
  if (!timed) {
    graph.notes.push_back(
        unread.empty() || reader.has_edges()
            ? "the table has no times: every task counts 1 (--times FILE)"
            : fmt::format("no column of times is known, every task counts 1: {} not read; call the "
                          "times 'seconds' or 'time'",
                          unread));
  } else if (untimed > 0) {
    graph.notes.push_back(
        fmt::format("without a time, counted as 0: {} of {} tasks", untimed, graph.size()));
    doubt_missing_times(graph, untimed, graph.size());
  }
  if ((timed || reader.has_edges()) && !unread.empty()) {
    graph.notes.push_back(fmt::format("{} not read", unread));
  }
  note_meant_columns(graph);
  note_other_tasks(added, options.times, source.name, graph);
  return graph;
}

}  // namespace kstar::dag
