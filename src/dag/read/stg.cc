#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/source.h"

// Standard Task Graphs (Kasahara, Tobita): the number of tasks, without a first and a last one that
// take no time, then a line for each task:
//   number  time  predecessors  predecessor ...
// and comments, one of which states the length of the critical path. With communication, a cost
// follows every predecessor.
namespace kstar::dag {

namespace {

class StgReader {
 public:
  explicit StgReader(const Source& source) : source_(source) {}

  Result<TaskGraph> read() {
    std::string_view rest = source_.text;
    std::string_view line = next_filled(rest);
    const std::optional<std::int64_t> tasks = parse_integer(trim(line));
    constexpr std::int64_t kMostTasks = 100'000'000;
    if (!tasks || *tasks < 1 || *tasks > kMostTasks) {
      return fail(wrong_value(source_, trim(line), "the number of tasks"));
    }
    while (!(line = next_filled(rest)).empty()) KSTAR_CHECK(read_task(line));
    if (rows_ != *tasks && rows_ != *tasks + 2) {
      return fail(
          error_at(source_, source_.text.data() + source_.text.size(),
                   fmt::format("expected {} tasks, or {} with a first and a last one, got {}",
                               *tasks, *tasks + 2, rows_),
                   "the file may be cut off"));
    }
    TaskGraph graph = builder_.finish(0);
    graph.seconds = false;
    graph.stated_depth = stated_;
    return graph;
  }

 private:
  /// The next line that has something; what a comment states is kept.
  std::string_view next_filled(std::string_view& rest) {
    while (!rest.empty()) {
      const std::string_view line = trim(take_line(rest));
      if (line.starts_with('#')) {
        note_comment(line);
      } else if (!line.empty()) {
        return line;
      }
    }
    return {};
  }

  void note_comment(std::string_view line) {
    if (line.find("CP Length") == line.npos) return;
    stated_ = parse_double(trim(line.substr(std::min(line.find(':'), line.size() - 1) + 1)));
  }

  Result<void> read_task(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 3) {
      return fail(error_at(source_, line.data(),
                           "expected a task: its number, its time, how many predecessors it has, "
                           "and their numbers"));
    }
    if (!parse_integer(words[0])) return fail(wrong_value(source_, words[0], "a task's number"));
    const std::uint32_t task = builder_.task(words[0]);
    KSTAR_TRY(const double time, read_amount(source_, words[1], "a time"));
    if (!builder_.set_time(task, time)) {
      return fail(error_at(source_, words[0].data(), "this task was listed before"));
    }
    ++rows_;
    return read_predecessors(task, words);
  }

  Result<void> read_predecessors(std::uint32_t task, const std::vector<std::string_view>& words) {
    const std::optional<std::int64_t> count = parse_integer(words[2]);
    const auto given = static_cast<std::int64_t>(words.size()) - 3;
    const bool costs = count && *count > 0 && given == 2 * *count;
    if (!count || *count < 0 || (given != *count && !costs)) {
      return fail(
          wrong_value(source_, words[2], fmt::format("{} predecessors, as many as follow", given)));
    }
    for (std::size_t i = 3; i < words.size(); i += costs ? 2 : 1) {
      if (!parse_integer(words[i])) return fail(wrong_value(source_, words[i], "a task's number"));
      const std::uint32_t before = builder_.task(words[i]);
      if (!builder_.has_time(before)) {
        return fail(error_at(source_, words[i].data(),
                             "expected a predecessor that was listed before its successor"));
      }
      double cost = 0;
      if (costs) {
        KSTAR_TRY(cost, read_amount(source_, words[i + 1], "a cost"));
      }
      builder_.add_edge(before, task, cost);
    }
    return {};
  }

  const Source& source_;
  GraphBuilder builder_;
  std::int64_t rows_ = 0;
  std::optional<double> stated_;
};

}  // namespace

Result<TaskGraph> read_stg(const Source& source, const GraphReadOptions&) {
  return StgReader(source).read();
}

}  // namespace kstar::dag
