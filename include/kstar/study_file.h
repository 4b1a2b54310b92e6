#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// The Study's file: JSON Lines, a header and then one record a line (docs/study-format.md).
namespace kstar {

/// Reads a study, plain or gzipped. A last line that a crash left unfinished is dropped with a note
/// in the Study; anything else that is wrong is an error with file:line:column, the line and a
/// caret. A schema newer than kStudySchema is refused.
KSTAR_EXPORT Result<Study> load_study(const std::string& path);

/// The same from memory; `name` stands for the file in messages.
KSTAR_EXPORT Result<Study> parse_study(std::string_view text, std::string_view name);

/// The header alone, likewise: what stands behind it is not read.
KSTAR_EXPORT Result<StudyHeader> load_header(const std::string& path);

/// The file's content: the header, the runs, the notes, the unknown records. Fails where a value
/// could not be read back: a time that is not finite, K below 1, an `extra` that is no JSON object.
KSTAR_EXPORT Result<std::string> to_lines(const Study& study);

/// Writes the whole study, so that a reader sees the old file or the new one and never a part.
/// Refuses a file that a StudyWriter has open.
KSTAR_EXPORT Result<void> save_study(const Study& study, const std::string& path);

/// One study of all their runs and notes. The regime, the command, the launcher, the baseline and
/// the workload at every K must agree (where one study does not say, the other's word stands); a
/// different protocol or environment becomes a warning. The same run twice is refused. Sessions
/// that share a name in different files get the file's name in front.
KSTAR_EXPORT Result<Study> merge_studies(std::span<const Study> studies);

/// What to do about a file that is already there.
enum class Existing { kRefuse, kReplace };

struct ResumedStudy;

/// Appends records to a study's file while a measurement goes on. Every append is one write: when
/// it returns, the record survives the end of this process, whatever ends it. When it fails, the
/// file holds exactly the records before it. Only a sync makes records survive the end of the
/// machine: start_sync() does it beside what the caller does next, and when it failed, the next
/// append fails. The file is locked until the writer is gone; a second writer is refused.
class KSTAR_EXPORT StudyWriter {
 public:
  /// Starts a new file with `header`. One that replaces another is built beside it and takes its
  /// place with the first run that counts: a measurement that fails costs nothing.
  static Result<StudyWriter> create(const std::string& path, const StudyHeader& header,
                                    Existing existing = Existing::kRefuse);

  /// Opens an existing file to add to it, and loads it under the lock. An unfinished last line is
  /// cut off, with a note in the file that says how much. Where another writer has it, waits for
  /// `patience`: a kstar that was killed a moment ago may still be ending what it ran.
  static Result<ResumedStudy> resume(const std::string& path,
                                     std::chrono::milliseconds patience = {});

  StudyWriter(StudyWriter&&) noexcept;
  StudyWriter& operator=(StudyWriter&&) noexcept;
  ~StudyWriter();

  Result<void> append(const Run& run);
  Result<void> append(const Note& note);

  /// A thread brings what was appended onto the disk. Returns at once.
  void start_sync();

  /// The same, and waits for it.
  Result<void> sync();

  /// What replaces another file does so now. Done by the first run appended that counts.
  Result<void> put_in_place();
  bool is_in_place() const;
  /// The same before there is such a run: the other file is NAME.old until one is appended.
  Result<void> put_in_place_for_now();
  /// Where no run that counts was appended to what replaces another file: the other one stays, or
  /// is back. The name under which this one goes on beside it; empty where it has no run at all;
  /// nothing where no other file is to be kept.
  Result<std::optional<std::string>> give_way();

  /// Goes on elsewhere if somebody removed, renamed, cut or overwrote the file. Done before every
  /// append.
  Result<void> save_elsewhere_if_lost();

  /// The file becomes `study`, in one step and under the lock; the writer is done then. The name of
  /// the file.
  Result<std::string> replace(const Study& study) &&;

  /// Where the records are: beside the file that they will replace, until they do; elsewhere, once
  /// the file was found removed, renamed or overwritten by somebody else.
  const std::string& path() const;

 private:
  struct State;
  explicit StudyWriter(std::unique_ptr<State> state);
  static Result<StudyWriter> create_beside(const std::string& path, const StudyHeader& header);
  Result<void> begin(const StudyHeader& header, bool locked);
  Result<void> take_over();
  Result<bool> is_overwritten();
  Result<void> append_line(Result<std::string> line);
  Error sync_error(int number) const;
  std::unique_ptr<State> state_;
};

/// What StudyWriter::resume found, and the writer that goes on.
struct ResumedStudy {
  Study study;
  StudyWriter writer;
};

}  // namespace kstar
