#include "import/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

using Problems = std::map<int, Workload>;

Error differ(const Study& a, const Study& b, std::string what) {
  return {.where = printable(b.name),
          .message = fmt::format("{} differs from that in {}", what, printable(a.name)),
          .hint = "only runs of the same job belong in one study; import the files one by one"};
}

Result<void> take_problems(const Study& first, const Study& study, Problems& problems) {
  std::set<int> seen;
  for (const Run& run : study.runs) {
    const Workload* const said = workload_at(study.header, run.workers);
    if (said == nullptr || !seen.insert(run.workers).second) continue;
    Workload problem = *said;
    problem.workers = run.workers;
    const auto [place, is_new] = problems.emplace(run.workers, problem);
    if (is_new || place->second == problem) continue;
    return fail(differ(first, study, fmt::format("the problem at K = {}", run.workers)));
  }
  return {};
}

template <typename T>
void take_new(std::vector<T>& into, const std::vector<T>& from) {
  for (const T& one : from) {
    if (std::find(into.begin(), into.end(), one) == into.end()) into.push_back(one);
  }
}

void take_notes(std::vector<Note>& into, const std::vector<Note>& from) {
  for (const Note& note : from) {
    const bool there = std::any_of(into.begin(), into.end(), [&](const Note& other) {
      return other.what == note.what && other.what != "imported" &&
             note_sentence(other) == note_sentence(note);
    });
    if (!there) into.push_back(note);
  }
}

}  // namespace

std::vector<Workload> workload_list(std::vector<Workload> by_workers) {
  if (by_workers.empty()) return by_workers;
  const auto at_any_k = [](Workload problem) {
    problem.workers.reset();
    return problem;
  };
  const Workload first = at_any_k(by_workers.front());
  const bool same = std::all_of(by_workers.begin(), by_workers.end(), [&](const Workload& problem) {
    return at_any_k(problem) == first;
  });
  return same ? std::vector{first} : by_workers;
}

Result<Study> join(std::vector<Study> studies) {
  if (studies.size() == 1) return std::move(studies.front());
  Study joined;
  joined.header = studies.front().header;
  const std::size_t others = studies.size() - 1;
  joined.header.title =
      fmt::format("{} and {} more file{}", joined.header.title, others, others == 1 ? "" : "s");
  joined.name = studies.front().name;
  Problems problems;
  for (Study& study : studies) {
    if (study.header.regime != joined.header.regime) {
      return fail(differ(studies.front(), study, "the regime"));
    }
    const Mlperf &ours = joined.header.mlperf, &theirs = study.header.mlperf;
    if (ours != Mlperf{} && theirs != Mlperf{} && ours != theirs) {
      return fail(differ(studies.front(), study, "the benchmark, or its submitter,"));
    }
    KSTAR_CHECK(take_problems(studies.front(), study, problems));
    take_notes(joined.notes, study.notes);
    take_new(joined.header.source.files, study.header.source.files);
    take_new(joined.header.source.unused, study.header.source.unused);
    take_new(joined.header.changes, study.header.changes);
    joined.header.time = std::max(joined.header.time, study.header.time);
    std::move(study.runs.begin(), study.runs.end(), std::back_inserter(joined.runs));
  }
  // What a file says of the order of its runs says nothing about those of the others.
  for (Run& run : joined.runs) {
    run.order.reset();
    run.block.reset();
  }
  joined.header.workload.clear();
  for (const auto& [workers, problem] : problems) joined.header.workload.push_back(problem);
  joined.header.workload = workload_list(std::move(joined.header.workload));
  return joined;
}

}  // namespace kstar
