#include "import/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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

/// The same run in two files. With a start it is the same one, and would count twice; without, two
/// may well be equal: that is said.
Result<void> look_for_equal_runs(const std::vector<Study>& studies, std::vector<Note>& notes) {
  using Place = std::pair<const Study*, const Run*>;
  std::multimap<std::tuple<int, double, double>, Place> known;
  const auto place_of = [](const Run& run) {
    return std::tuple(run.workers, run.start.value_or(-1), run.wall.value_or(-1));
  };
  for (const Study& study : studies) {
    std::size_t equal = 0;
    std::string other;
    for (const Run& run : study.runs) {
      const auto [from, to] = known.equal_range(place_of(run));
      const auto same = std::find_if(from, to, [&](const auto& entry) {
        return entry.second.first != &study && *entry.second.second == run;
      });
      if (same == to) continue;
      if (run.start) {
        return fail(
            {.where = printable(study.name),
             .message = fmt::format("the run with {} workers that started at {:.6f} is "
                                    "also in {}",
                                    run.workers, *run.start, printable(same->second.first->name)),
             .hint = "give each file once"});
      }
      ++equal;
      other = same->second.first->name;
    }
    for (const Run& run : study.runs) known.emplace(place_of(run), Place{&study, &run});
    if (equal == 0) continue;
    notes.push_back({.severity = Severity::kWarning,
                     .what = "merge-equal-runs",
                     .where = printable(study.name),
                     .values = {{"runs", equal}, {"all", study.runs.size()}, {"file", other}}});
  }
  return {};
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
  for (const Study& study : studies) {
    if (study.header.regime != joined.header.regime) {
      return fail(differ(studies.front(), study, "the regime"));
    }
    const Mlperf &ours = joined.header.mlperf, &theirs = study.header.mlperf;
    if (ours != Mlperf{} && theirs != Mlperf{} && ours != theirs) {
      return fail(differ(studies.front(), study, "the benchmark, or its submitter,"));
    }
    KSTAR_CHECK(take_problems(studies.front(), study, problems));
  }
  std::vector<Note> equal;
  KSTAR_CHECK(look_for_equal_runs(studies, equal));
  for (Study& study : studies) {
    take_notes(joined.notes, study.notes);
    take_new(joined.header.source.files, study.header.source.files);
    take_new(joined.header.source.unused, study.header.source.unused);
    take_new(joined.header.changes, study.header.changes);
    joined.header.time = std::max(joined.header.time, study.header.time);
    std::move(study.runs.begin(), study.runs.end(), std::back_inserter(joined.runs));
  }
  take_notes(joined.notes, equal);
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
