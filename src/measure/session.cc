#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/try.h"
#include "kstar/measure_session.h"
#include "measure/named_files.h"

namespace kstar {

namespace {

Result<ResumedStudy> resume_study(const MeasureSpec& spec, StudyHeader& header) {
  constexpr std::chrono::seconds kPatience{2};
  Result<ResumedStudy> resumed = StudyWriter::resume(spec.output, kPatience);
  if (!resumed) return resumed;
  KSTAR_CHECK(may_resume(resumed->study, header, spec.output));
  header.protocol.seed = resumed->study.header.protocol.seed;
  return resumed;
}

Result<ResumedStudy> create_study(const MeasureSpec& spec, const StudyHeader& header,
                                  Existing existing) {
  Result<StudyWriter> writer = StudyWriter::create(spec.output, header, existing);
  if (writer) return ResumedStudy{Study{}, std::move(*writer)};
  std::error_code ignored;
  if (existing == Existing::kRefuse && std::filesystem::is_regular_file(spec.output, ignored)) {
    writer.error().hint = "--resume continues a study, --force replaces it";
  }
  return fail(writer.error());
}

/// Once: a study that went on after it may have the note.
void note_program(Study& study) {
  std::optional<Note> note = program_changed(study);
  const bool is_said =
      note && std::any_of(study.notes.begin(), study.notes.end(), [&](const Note& one) {
        return one.what == note->what && one.where == note->where;
      });
  if (note && !is_said) study.notes.push_back(std::move(*note));
}

}  // namespace

Result<MeasureSession> MeasureSession::open(const MeasureSpec& spec, StudyHeader header,
                                            SessionStart start) {
  KSTAR_TRY(
      ResumedStudy study,
      start == SessionStart::kResume
          ? resume_study(spec, header)
          : create_study(spec, header,
                         start == SessionStart::kReplace ? Existing::kReplace : Existing::kRefuse));
  return MeasureSession(spec, std::move(header), start, std::move(study));
}

MeasureTools MeasureSession::tools(Executor& executor, const std::atomic<bool>& stop,
                                   MeasureObserver& observer, std::vector<Note> found) {
  return {executor, study_.writer, study_.study, stop, observer, nullptr, std::move(found)};
}

Result<MeasureResult> MeasureSession::run(Executor& executor, const std::atomic<bool>& stop,
                                          MeasureObserver& observer, BlockRunner* blocks,
                                          std::vector<Note> found) {
  blocks_ = blocks;
  Result<MeasureResult> result =
      measure(*spec_, header_,
              {executor, study_.writer, study_.study, stop, observer, blocks, std::move(found)});
  if (const Result<void> synced = study_.writer.sync(); result && !synced) {
    return fail(synced.error());
  }
  return result;
}

Result<Study> MeasureSession::finish(const std::function<void(Study&)>& judge) {
  KSTAR_CHECK(study_.writer.save_elsewhere_if_lost());
  Result<Study> study = load_study(study_.writer.path());
  if (!study) return study;
  mark_findings(*spec_, *study);
  note_program(*study);
  judge(*study);
  std::vector<Host>& hosts = study->header.environment.hosts;
  if (hosts.empty()) hosts = header_.environment.hosts;  // it was begun elsewhere
  if (blocks_ != nullptr) blocks_->complete(*study);
  KSTAR_TRY(path_, std::move(study_.writer).replace(*study));
  if (blocks_ != nullptr) blocks_->clean_up(*study);
  return study;
}

void MeasureSession::forget_if_empty() const {
  if (start_ == SessionStart::kResume || !is_in_place()) return;
  const std::string& path = spec_->output;
  const Result<Study> study = load_study(path);
  if (!study || !study->runs.empty() || !study->notes.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(path + ".jobs", ignored);  // where it is empty
}

}  // namespace kstar
