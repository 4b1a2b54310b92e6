#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "kstar/study_file.h"
#include "study/fields.h"
#include "study/records.h"

namespace kstar {

namespace {

/// A field as it stands in the file; "" when it is absent.
template <typename T>
std::string text_of(const Field<T>& field, const T& object) {
  JsonText text;
  text.open('{');
  field.write(text, field.key, object);
  const std::string member = text.take().value_or("{");
  const std::size_t colon = member.find("\":");
  return colon == std::string::npos ? "" : member.substr(colon + 2);
}

Error conflict(const Study& a, const Study& b, std::string_view key, std::string_view value_a,
               std::string_view value_b) {
  constexpr std::size_t kShown = 200;
  return {.where = printable(b.name),
          .message =
              fmt::format("{} is {} here, but {} in {}", key, shorten(printable(value_b), kShown),
                          shorten(printable(value_a), kShown), printable(a.name)),
          .hint = "only runs of the same job belong in one study"};
}

Note difference(const Study& a, const Study& b, std::string_view key, std::string_view value_a,
                std::string_view value_b) {
  const auto said = [](std::string_view value) { return value.empty() ? "absent" : value; };
  return {.severity = Severity::kWarning,
          .what = "merge-difference",
          .where = printable(b.name),
          .values = {{"key", key},
                     {"here", said(value_b)},
                     {"there", said(value_a)},
                     {"file", printable(a.name)}},
          .text = {},
          .extra = {}};
}

/// What every file must agree on; where `into` does not say, the other's word is taken over.
template <auto Member, typename T>
Result<void> agree(const Study& first, const Study& other, T& into, const T& from,
                   std::string_view key) {
  const auto field = kstar::field<Member>(key);
  const std::string value_a = text_of(field, into);
  const std::string value_b = text_of(field, from);
  if (value_a.empty()) into.*Member = from.*Member;
  if (value_a.empty() || value_b.empty() || value_a == value_b) return {};
  return fail(conflict(first, other, key, value_a, value_b));
}

/// The problem without the K it is said for.
std::string problem_text(const Workload* entry) {
  if (entry == nullptr) return {};
  StudyHeader only;
  only.workload.push_back(*entry);
  only.workload.back().workers.reset();
  return text_of(field<&StudyHeader::workload>("workload"), only);
}

const Workload* entry_of(const StudyHeader& header, std::optional<int> workers) {
  // No K is 0: that asks for the entry of every K.
  return workload_at(header, workers.value_or(0));
}

Result<void> agree_on_workload(const Study& first, const Study& other, StudyHeader& into) {
  std::set<std::optional<int>> named;
  for (const Workload& entry : into.workload) named.insert(entry.workers);
  for (const Workload& entry : other.header.workload) named.insert(entry.workers);
  for (const std::optional<int>& workers : named) {
    const std::string value_a = problem_text(entry_of(into, workers));
    const std::string value_b = problem_text(entry_of(other.header, workers));
    if (value_a.empty() || value_b.empty() || value_a == value_b) continue;
    const std::string key = workers ? fmt::format("workload at K = {}", *workers) : "workload";
    return fail(conflict(first, other, key, value_a, value_b));
  }
  for (const Workload& entry : other.header.workload) {
    const bool there = std::any_of(into.workload.begin(), into.workload.end(),
                                   [&](const Workload& w) { return w.workers == entry.workers; });
    if (!there) into.workload.push_back(entry);
  }
  std::stable_sort(into.workload.begin(), into.workload.end(),
                   [](const Workload& a, const Workload& b) { return a.workers < b.workers; });
  return {};
}

Result<void> agree_on_job(const Study& first, const Study& other, StudyHeader& into) {
  const StudyHeader& from = other.header;
  auto done = agree<&StudyHeader::regime>(first, other, into, from, "regime");
  if (done) done = agree<&StudyHeader::command>(first, other, into, from, "command");
  if (done) done = agree<&StudyHeader::launcher>(first, other, into, from, "launcher");
  if (done) {
    done = agree<&Baseline::kind>(first, other, into.baseline, from.baseline, "baseline kind");
  }
  if (done) {
    done =
        agree<&Baseline::command>(first, other, into.baseline, from.baseline, "baseline command");
  }
  if (done) {
    done = agree<&Baseline::text>(first, other, into.baseline, from.baseline, "baseline text");
  }
  if (done && into.time != from.time) {
    done = fail(conflict(first, other, "time", name_of(into.time), name_of(from.time)));
  }
  return done ? agree_on_workload(first, other, into) : done;
}

template <typename T>
void note_differences(const Study& first, const Study& other, const T& a, const T& b,
                      std::string_view group, std::vector<Note>& notes) {
  const auto name = [&](std::string_view key) {
    return group.empty() ? std::string(key) : fmt::format("{} {}", group, key);
  };
  for (const Field<T>& field : Fields<T>::kAll) {
    const std::string value_a = text_of(field, a), value_b = text_of(field, b);
    if (value_a != value_b) {
      notes.push_back(difference(first, other, name(field.key), value_a, value_b));
    }
  }
  if (a.extra != b.extra) {
    notes.push_back(difference(first, other, name("unknown keys"), a.extra, b.extra));
  }
}

/// Where the runs of both came from.
void join_sources(const StudyHeader& from, StudyHeader& into) {
  const auto add = [](const auto& more, auto& all) {
    for (const auto& one : more) {
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }
  };
  if (into.source.kind != from.source.kind) into.source.kind.reset();
  add(from.source.files, into.source.files);
  add(from.source.unused, into.source.unused);
  add(from.changes, into.changes);
}

/// Remembers the runs seen, and in which study, to find the same one twice.
class SeenRuns {
 public:
  Result<void> add(const Study& study, std::size_t index) {
    std::size_t known = 0;
    for (const Run& run : study.runs) {
      // The session's name is no part of it: an earlier merge may have changed it.
      Run same = run;
      same.session.clear();
      auto line = run_line(same);
      if (!line) return fail(std::move(line.error()));
      const auto [place, added] = owner_.try_emplace(std::move(*line), Owner{index, study.name});
      if (added || place->second.index == index) continue;
      if (run.start) return fail(twice(study, run, place->second.name));
      ++known;
      other_ = place->second.name;
    }
    // Without a start time equal runs may still be two; a whole file of them is not.
    if (known > 0 && known == study.runs.size()) return fail(all_twice(study));
    if (known > 0) notes_.push_back(perhaps_twice(study, known));
    return {};
  }
  std::vector<Note>& notes() { return notes_; }

 private:
  struct Owner {
    std::size_t index;
    std::string name;
  };

  static Error twice(const Study& study, const Run& run, std::string_view other) {
    return {.where = printable(study.name),
            .message = fmt::format("the run with {} workers that started at {:.6f} is also in {}",
                                   run.workers, *run.start, printable(other)),
            .hint = "give each file once"};
  }
  Error all_twice(const Study& study) const {
    return {.where = printable(study.name),
            .message = fmt::format("every run of it is also in {}", printable(other_)),
            .hint = "give each file once"};
  }
  Note perhaps_twice(const Study& study, std::size_t known) const {
    return {.severity = Severity::kWarning,
            .what = "merge-equal-runs",
            .where = printable(study.name),
            .values = {{"runs", known}},
            .text = {},
            .extra = {}};
  }

  std::unordered_map<std::string, Owner> owner_;
  std::string other_;
  std::vector<Note> notes_;
};

/// The file's name without folder and endings.
std::string stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, std::max<std::size_t>(path.find('.'), 1)));
}

/// For each study a text that tells its sessions from those of the others.
std::vector<std::string> prefixes_of(std::span<const Study> studies) {
  std::vector<std::string> prefixes;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    std::string prefix = stem_of(studies[i].name);
    if (prefix.empty() || std::count(prefixes.begin(), prefixes.end(), prefix) > 0) {
      prefix += fmt::format("#{}", i + 1);
    }
    prefixes.push_back(std::move(prefix));
  }
  return prefixes;
}

/// The session names that stand in more than one study.
std::set<std::string> shared_sessions(std::span<const Study> studies) {
  std::set<std::string> seen, shared;
  for (const Study& study : studies) {
    std::set<std::string> own;
    for (const Run& run : study.runs) own.insert(run.session);
    for (const std::string& session : own) {
      if (!seen.insert(session).second) shared.insert(session);
    }
  }
  return shared;
}

void add_runs(Study& merged, const Study& study, const std::set<std::string>& shared,
              const std::string& prefix) {
  for (const Run& run : study.runs) {
    Run& added = merged.runs.emplace_back(run);
    if (!shared.contains(run.session)) continue;
    added.session = run.session.empty() ? prefix : prefix + "/" + run.session.str();
  }
}

}  // namespace

Result<Study> merge_studies(std::span<const Study> studies) {
  if (studies.empty()) return fail(expected("merge", "one study or more", "none"));
  const Study& first = studies.front();
  Study merged{.header = first.header, .runs = {}, .notes = {}, .unknown = {}, .name = first.name};
  const std::vector<std::string> prefixes = prefixes_of(studies);
  const std::set<std::string> shared = shared_sessions(studies);
  SeenRuns seen;
  std::vector<Note> differences;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const Study& study = studies[i];
    if (i > 0) {
      if (auto done = agree_on_job(first, study, merged.header); !done) {
        return fail(std::move(done.error()));
      }
      note_differences(first, study, first.header.protocol, study.header.protocol, "protocol",
                       differences);
      note_differences(first, study, first.header.environment, study.header.environment,
                       "environment", differences);
      if (first.header.baseline.extra != study.header.baseline.extra) {
        differences.push_back(difference(first, study, "unknown baseline keys",
                                         first.header.baseline.extra, study.header.baseline.extra));
      }
      join_sources(study.header, merged.header);
      if (first.header.spec != study.header.spec) {
        differences.push_back(
            difference(first, study, "spec", first.header.spec, study.header.spec));
      }
      note_differences(first, study, first.header.mlperf, study.header.mlperf, "mlperf",
                       differences);
      if (first.header.extra != study.header.extra) {
        differences.push_back(difference(first, study, "unknown header keys", first.header.extra,
                                         study.header.extra));
      }
    }
    if (auto done = seen.add(study, i); !done) return fail(std::move(done.error()));
    add_runs(merged, study, shared, prefixes[i]);
    merged.notes.insert(merged.notes.end(), study.notes.begin(), study.notes.end());
    merged.unknown.insert(merged.unknown.end(), study.unknown.begin(), study.unknown.end());
  }
  std::vector<Note>& repeats = seen.notes();
  differences.insert(differences.end(), repeats.begin(), repeats.end());
  merged.notes.insert(merged.notes.end(), differences.begin(), differences.end());
  return merged;
}

}  // namespace kstar
