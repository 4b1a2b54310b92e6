#include "study/study_reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "kstar/study_file.h"
#include "study/fields.h"
#include "study/memory_of.h"
#include "study/old_studies.h"
#include "study/study_pieces.h"

namespace kstar {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// So much of a file is in memory at a time, unless a line is longer.
constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr std::string_view kHeaderWanted = R"(the header of a study, {"kstar":"study","schema":1})";

/// The text of the member `key`, or an empty view with `found` false.
bool text_member(const JsonObject& object, std::string_view key, std::string_view& text) {
  JsonValue value;
  return !object.find(key, value) && !value.get(text);
}

class StudyReader {
 public:
  explicit StudyReader(std::string_view name) : name_(name) { result_.study.name = name; }

  void limit_memory(std::size_t most) { most_memory_ = most; }

  /// Takes the whole lines at the beginning of `text`, and with `last` what stands behind them,
  /// too; how many bytes. `bytes` is how long the file is, as far as that is known.
  Result<std::size_t> take_lines(std::string_view text, bool last, std::size_t bytes) {
    text_ = text;
    at_ = 0;
    if (taken_ == 0) reserve(bytes);
    if (taken_ == 0 && text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    while (at_ < text_.size() && (last || text_.find('\n', at_) != text_.npos)) {
      const Line line = next_line();
      if (trim(line.text).empty()) {
        whole(line);
      } else if (!take(line)) {
        if (!is_torn(line)) return fail(values_.take_error());
        note_torn(line);
      } else {
        whole(line);
      }
    }
    taken_ += at_;
    return at_;
  }

  Result<ReadStudy> finish() {
    if (!have_header_) return fail(no_header());
    take_old_sentences(result_.study);
    return std::move(result_);
  }

 private:
  /// As many runs as the file has when its lines are as long as these first ones. A file of empty
  /// lines must not reserve gigabytes: the shortest run has 28 bytes.
  void reserve(std::size_t bytes) {
    constexpr double kShortestRun = 28, kMore = 1.1;
    const auto here = static_cast<double>(std::max<std::size_t>(text_.size(), 1));
    const auto all = static_cast<double>(std::max(bytes, text_.size()));
    const auto lines = static_cast<double>(std::count(text_.begin(), text_.end(), '\n'));
    const double share = bytes > text_.size() ? kMore * all / here : 1;
    result_.study.runs.reserve(
        static_cast<std::size_t>(std::min(lines * share, all / kShortestRun)));
  }

  Line next_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const Line line{name_, ++number_, text_.substr(at_, end - at_)};
    terminated_ = end < text_.size();
    at_ = end + (terminated_ ? 1 : 0);
    return line;
  }

  void whole(const Line& line) {
    // Blanks behind the last newline belong to no record; a writer may cut them.
    if (!terminated_ && trim(line.text).empty()) return;
    result_.whole_bytes = taken_ + at_;
    result_.ends_with_newline = terminated_;
  }

  bool take(const Line& line) {
    if (line.text.size() > kLongestStudyLine) {
      too_long_ = true;
      return values_.refuse_line(
          line, fmt::format("the line is longer than {} MiB", kLongestStudyLine >> 20U));
    }
    if (!have_header_) return take_header(line);
    JsonObject object;
    if (!values_.start(line) || !values_.object(object)) return false;
    std::string_view kind;
    if (!text_member(object, "record", kind)) return no_kind(line);
    if (kind == RunMark::kText) return take_record(line, result_.study.runs);
    if (kind == NoteMark::kText) return take_record(line, result_.study.notes);
    if (!values_.check_all()) return false;
    const std::string& text =
        result_.study.unknown.emplace_back(json_escaped(std::string(trim(line.text))));
    return fits(line, sizeof text + text.size());
  }

  template <typename Record>
  bool take_record(const Line& line, std::vector<Record>& records) {
    JsonObject object;
    if (!values_.object(object)) return false;
    if (read_object(values_, object, records.emplace_back()) && values_.finish()) {
      return fits(line, memory_of(records.back(), line.text.size()));
    }
    records.pop_back();
    return false;
  }

  bool fits(const Line& line, std::size_t bytes) {
    memory_ += bytes;
    if (memory_ <= most_memory_) return true;
    return values_.refuse_line(
        line, fmt::format("the file expands to more than {} MB in memory", most_memory_ / 1000000),
        "a file that was packed that well is no study; unpack it with gunzip if you trust it");
  }

  bool take_header(const Line& line) {
    JsonObject object;
    std::string_view kind;
    const bool is_header = values_.start(line) && values_.object(object) &&
                           text_member(object, "kstar", kind) && kind == "study";
    if (!is_header) return not_a_study(line);
    if (!known_schema() || !values_.object(object)) return false;
    if (!read_object(values_, object, result_.study.header) || !values_.finish()) return false;
    have_header_ = true;
    return true;
  }

  /// Asked before anything else: a newer header may differ in ways that look like mistakes.
  bool known_schema() {
    JsonObject object;
    JsonValue value;
    std::int64_t schema = 0;
    if (!values_.object(object)) return false;
    // What is wrong with it, if anything, shows when the header is read.
    if (object.find("schema", value)) return true;
    const char* at = value.token().data();
    if (value.get(schema) || schema <= kStudySchema) return true;
    return values_.refuse(
        at,
        fmt::format("the study has schema {}, but this kstar supports schemas up to {}", schema,
                    kStudySchema),
        "a newer kstar wrote it: update kstar, or convert the file with the kstar that wrote it");
  }

  bool not_a_study(const Line& line) {
    return values_.refuse_line(line,
                               fmt::format("expected {}, got '{}'", kHeaderWanted,
                                           shorten(printable(line.text.substr(0, 200)), 60)),
                               "a study starts with a line {\"kstar\":\"study\", ...}");
  }

  /// Nothing says what the record is: it is broken, or a header in the wrong place.
  bool no_kind(const Line& line) {
    JsonObject object;
    std::string_view kind;
    if (!values_.check_all() || !values_.object(object)) return false;
    if (text_member(object, "kstar", kind)) {
      return values_.refuse_line(line, "there is a second header inside the study",
                                 "join files with kstar merge, not with cat");
    }
    return values_.refuse_line(line, R"(expected a record with the key "record" and a text)");
  }

  /// Only what a crash can leave: an end without newline that is no JSON. A whole record that is
  /// wrong is wrong at the end of a file, too.
  bool is_torn(const Line& line) {
    return !terminated_ && have_header_ && !too_long_ && !values_.is_json(line.text);
  }

  void note_torn(const Line& line) {
    result_.torn_bytes = line.text.size();
    Note note;
    note.severity = Severity::kWarning;
    note.what = "torn-line";
    note.where = fmt::format("{}:{}", printable(name_), line.number);
    note.values = {{"dropped", line.text.size()}};
    result_.study.notes.push_back(std::move(note));
  }

  Error no_header() const {
    return {.where = printable(name_),
            .message = fmt::format("expected {}, got an empty file", kHeaderWanted)};
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;  ///< bytes of the file before `text_`
  std::size_t number_ = 0;
  bool terminated_ = true;
  bool have_header_ = false;
  bool too_long_ = false;
  std::size_t memory_ = 0;  ///< about so much the records take
  std::size_t most_memory_ = std::numeric_limits<std::size_t>::max();
  ValueReader values_;
  ReadStudy result_;
};

}  // namespace

Result<ReadStudy> read_study(const FileText& text, std::string_view name) {
  StudyReader reader(name);
  KSTAR_CHECK(reader.take_lines(text.view(), true, text.view().size()));
  return reader.finish();
}

Result<ReadStudy> read_study_file(const FileHandle& file, const std::string& path) {
  StudyReader reader(path);
  StudyPieces pieces(file, path);
  FileText buffer(kPiece);
  std::size_t begin = 0, end = 0;
  for (bool last = false; !last;) {
    if (begin > 0) std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= std::exchange(begin, 0);
    if (end == buffer.view().size()) buffer.resize(2 * end, end);  // a long line
    while (!last && end < buffer.view().size()) {                  // a pipe gives little at a time
      KSTAR_TRY(const auto got, pieces.read(buffer.data() + end, buffer.view().size() - end));
      end += got;
      last = got == 0;
    }
    reader.limit_memory(pieces.most_memory());
    std::memset(buffer.data() + end, 0, std::min(FileText::kPadding, buffer.view().size() - end));
    const auto taken = reader.take_lines({buffer.data(), end}, last, pieces.size());
    if (!taken) KSTAR_CHECK(pieces.check_rest());  // a damaged file explains a damaged line
    KSTAR_TRY(begin, taken);
  }
  return reader.finish();
}

Result<Study> parse_study(std::string_view text, std::string_view name) {
  auto read = read_study(FileText(text), name);
  if (!read) return fail(std::move(read.error()));
  return std::move(read->study);
}

Result<Study> load_study(const std::string& path) {
  KSTAR_TRY(const FileHandle file, open_file(path, O_RDONLY, "read"));
  auto read = read_study_file(file, path);
  if (!read) return fail(std::move(read.error()));
  return std::move(read->study);
}

Result<StudyHeader> load_header(const std::string& path) {
  KSTAR_TRY(const FileHandle file, open_file(path, O_RDONLY, "read"));
  StudyPieces pieces(file, path);
  std::string text;
  std::size_t end = text.npos;
  for (std::size_t got = 1; got > 0 && end == text.npos && text.size() < kLongestStudyLine;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    KSTAR_TRY(got, pieces.read(text.data() + before, kPiece));
    text.resize(before + got);
    end = text.find('\n', before);
  }
  KSTAR_TRY(Study study, parse_study(std::string_view(text).substr(0, end), path));
  return std::move(study.header);
}

}  // namespace kstar
