#include "study/old_studies.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// What stands between the first `open` and the next `close`, or the end.
std::string between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open);
  if (at == text.npos) return "";
  const std::string_view behind = text.substr(at + open.size());
  return std::string(behind.substr(0, close.empty() ? behind.npos : behind.find(close)));
}

std::vector<std::string> list_in(std::string_view text) {
  std::vector<std::string> list;
  text = text.substr(0, text.find(" ..."));
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find(", ");
    list.emplace_back(text.substr(0, end));
    if (end != text.npos) text.remove_prefix(end + 2);
  }
  return list;
}

void take_imported(const Note& note, StudyHeader& header) {
  std::string format = between(note.text, "read as ", ":");
  header.source.kind = SourceKind::kImported;
  header.source.format = format.substr(0, format.find(','));
  if (!note.where.empty()) header.source.files.push_back(note.where);
}

void take_relative(const Note& note, StudyHeader& header) {
  const std::string column = lower_case(between(note.text, "'", "'"));
  const bool efficiency =
      column.find("eff") != std::string::npos && column.find("speed") == std::string::npos;
  header.time = efficiency ? TimeKind::kEfficiency : TimeKind::kSpeedup;
}

void take_summary(const Note& note, StudyHeader& header) {
  const std::string kind = between(note.text, "holds a ", " ");
  header.source.summary = kind.empty() ? "mean" : kind;
}

void take_change(const Note& note, StudyHeader& header) {
  header.changes.push_back({.name = between(note.text, "'", "' changes with K: "),
                            .values = list_in(between(note.text, "' changes with K: ", "")),
                            .count = {},
                            .extra = {}});
}

void take_unused(const Note& note, StudyHeader& header) {
  const std::string names = between(note.text, "columns that were not used: ", "");
  if (!names.empty()) header.source.unused = list_in(names);
}

void take_simulated(const Note&, StudyHeader& header) {
  header.source.kind = SourceKind::kSimulated;
}
void take_rate(const Note&, StudyHeader& header) {
  header.time = TimeKind::kRate;
}
void take_step(const Note&, StudyHeader& header) {
  header.time = TimeKind::kStep;
}

struct HeaderSentence {
  std::string_view code;
  void (*take)(const Note& note, StudyHeader& header);
};
constexpr HeaderSentence kOfHeader[] = {
    {"imported", take_imported}, {"relative", take_relative},  {"rate", take_rate},
    {"per-step", take_step},     {"summary", take_summary},    {"changes-with-k", take_change},
    {"left-out", take_unused},   {"simulated", take_simulated}};

/// "5 runs at each K", as measuring writes it.
std::optional<int> runs_in(std::string_view stopping) {
  const std::size_t end = stopping.find(" runs at each K");
  if (end == stopping.npos) return {};
  const std::string_view before = stopping.substr(0, end);
  const auto runs = parse_integer(before.substr(before.rfind(' ') + 1));
  return runs && *runs > 0 && *runs < 1'000'000'000 ? std::optional(static_cast<int>(*runs))
                                                    : std::nullopt;
}

void take_header(Study& study) {
  StudyHeader& header = study.header;
  for (const Note& note : study.notes) {
    for (const HeaderSentence& sentence : kOfHeader) {
      if (sentence.code == note.what && note.values.empty()) sentence.take(note, header);
    }
  }
  std::optional<SourceKind>& kind = header.source.kind;
  if (!kind && header.title.starts_with("imported: ")) kind = SourceKind::kImported;
  if (!kind && !header.spec.empty()) kind = SourceKind::kMeasured;
  header.protocol.runs = runs_in(header.protocol.stopping);
  // Settings that change with K stand in the workload.
  std::erase_if(header.environment.versions, [](const auto& version) {
    return version.second.find(" at K = ") != std::string::npos;
  });
}

/// The score's numbers stood beside the text.
void take_score(Note& note) {
  const std::optional<Json> extra = Json::parse(note.extra);
  if (!extra || extra->members() == nullptr) return;
  for (const auto& [name, value] : *extra->members()) {
    const std::optional<double> number = parse_double(value.dump());
    if (!number) return note.values.clear();
    if (name != "scaling" || *number != 1) note.values[name] = *number;
  }
  note.extra.clear();
}

void take_note(Note& note) {
  if (!note.values.empty()) return;
  if (note.what.starts_with("slurm-") && note.text.starts_with("job ")) {
    note.values = {{"job", between(note.text, "job ", ": ")},
                   {"part", between(note.text, ": ", "")}};
  } else if (note.what == "check-reference") {
    note.values = {{"answer", note.text}};
  } else if (note.what == "launch") {
    note.values = {{"warning", note.text}};
  } else if (note.what == "mlperf-score") {
    take_score(note);
  }
}

void take_run(Run& run) {
  constexpr std::string_view kJob = "slurm job ";
  if (run.job.empty() && run.session.starts_with(kJob))
    run.job = run.session.str().substr(kJob.size());
  run.lost = run.lost || run.failure.starts_with("the cluster lost the job");
}

}  // namespace

void take_old_sentences(Study& study) {
  if (!study.header.source.kind) take_header(study);
  for (Note& note : study.notes) {
    take_note(note);
    // Kept only where it says something else than the code and its values.
    Note bare = note;
    bare.text.clear();
    if (note_sentence(bare) == note.text) note.text.clear();
  }
  for (Run& run : study.runs) take_run(run);
}

}  // namespace kstar
