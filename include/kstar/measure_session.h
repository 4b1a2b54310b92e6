#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kstar/block_runner.h"
#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/measure.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/study.h"
#include "kstar/study_file.h"

/// One sitting of a study: its file is made or taken up again, measured into, judged and saved.
namespace kstar {

/// What becomes of a study that is there already.
enum class SessionStart : std::uint8_t {
  kNew,      ///< there must be none
  kReplace,  ///< it is replaced
  kResume    ///< it goes on
};

class KSTAR_EXPORT MeasureSession {
 public:
  /// Opens the file of spec.output. One that goes on must be of the same measurement
  /// (may_resume()); its seed is kept. `spec` must outlive the session.
  static Result<MeasureSession> open(const MeasureSpec& spec, StudyHeader header,
                                     SessionStart start);

  const StudyHeader& header() const { return header_; }
  /// What a study that goes on has; empty otherwise.
  const Study& earlier() const { return study_.study; }

  /// measure(), and everything on the disk. Without `blocks` the runs are made here; they must
  /// outlive the session. `found` before, the study tells with its first run.
  Result<MeasureResult> run(Executor& executor, const std::atomic<bool>& stop,
                            MeasureObserver& observer, BlockRunner* blocks = nullptr,
                            std::vector<Note> found = {});

  /// For run_interleaved() of kstar/measure_set.h, which is run() of several.
  MeasureTools tools(Executor& executor, const std::atomic<bool>& stop, MeasureObserver& observer,
                     std::vector<Note> found);
  const MeasureSpec& spec() const { return *spec_; }
  Result<void> sync() { return study_.writer.sync(); }

  /// After the last run: marks what the data show, lets `judge` add what it has to say, and saves.
  /// The session is over then.
  Result<Study> finish(const std::function<void(Study&)>& judge);

  /// The file: that of the spec, unless it was lost meanwhile (see StudyWriter::path()).
  const std::string& path() const { return path_.empty() ? study_.writer.path() : path_; }
  /// False while a study that is replaced is still there: the first run that counts replaces it.
  bool is_in_place() const { return study_.writer.is_in_place(); }
  Result<void> put_in_place_for_now() { return study_.writer.put_in_place_for_now(); }
  /// The study that was to be replaced stays where no run counts: see StudyWriter::give_way().
  Result<std::optional<std::string>> give_way() { return study_.writer.give_way(); }

  /// A study that could not begin leaves nothing behind: the same command line works when it can.
  /// One that goes on stays as it is.
  void forget_if_empty() const;

 private:
  MeasureSession(const MeasureSpec& spec, StudyHeader header, SessionStart start,
                 ResumedStudy study)
      : spec_(&spec), header_(std::move(header)), start_(start), study_(std::move(study)) {}

  const MeasureSpec* spec_;
  StudyHeader header_;
  SessionStart start_;
  ResumedStudy study_;
  const BlockRunner* blocks_ = nullptr;  ///< of the last run()
  std::string path_;                     ///< once it is finished
};

}  // namespace kstar
