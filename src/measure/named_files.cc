#include "measure/named_files.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "exec/program.h"

namespace kstar {

namespace {

constexpr std::string_view kNoFile = "-";

std::string mark_of(const std::string& file) {
  constexpr std::size_t kMost = std::size_t{1} << 28U;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::string(kNoFile);
  const Result<FileText> text = read_regular_file(file, kMost);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text ? text->view() : std::string_view("too large")) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("fnv1a-{:016x}", hash);
}

std::string program_of(const StudyHeader& header) {
  const auto found = header.environment.versions.find("program");
  return found == header.environment.versions.end() ? std::string() : found->second;
}

bool is_written(const Study& study, const std::string& file) {
  return std::any_of(study.notes.begin(), study.notes.end(), [&](const Note& note) {
    return note.what == kJobWrites && note.where == file;
  });
}

std::optional<std::filesystem::file_time_type> time_of(const std::string& file) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(file, missing)) return std::nullopt;
  const auto time = std::filesystem::last_write_time(file, missing);
  return missing ? std::nullopt : std::optional(time);
}

}  // namespace

std::vector<std::string> named_words(const std::vector<std::string>& command,
                                     const std::vector<std::string>& baseline) {
  std::vector<std::string> words;
  for (const std::vector<std::string>* line : {&command, &baseline}) {
    if (line->empty()) continue;
    words.push_back(find_program(line->front()));
    words.insert(words.end(), line->begin() + 1, line->end());
  }
  return words;
}

std::string marks_of_files(const std::vector<std::string>& words) {
  std::vector<std::string> marks;
  for (const std::string& word : words) marks.push_back(mark_of(word));
  return fmt::format("{}", fmt::join(marks, " "));
}

std::string changed_file(const Study& old, const StudyHeader& now) {
  const std::string before = program_of(old.header);
  const std::string after = program_of(now);
  if (before == after || old.runs.empty()) return "";
  const std::vector<std::string> words = named_words(now.command, now.baseline.command);
  const std::vector<std::string_view> old_marks = split(before, ' ');
  const std::vector<std::string_view> new_marks = split(after, ' ');
  if (old_marks.size() != new_marks.size() || words.size() != new_marks.size()) {
    return "a file that the command names";
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (old_marks[i] != new_marks[i] && !is_written(old, words[i])) return words[i];
  }
  return "";
}

std::optional<Note> program_changed(const Study& study) {
  const StudyHeader& header = study.header;
  if (program_of(header).empty()) return std::nullopt;  // it does not tell its files
  StudyHeader now;
  now.command = header.command;
  now.baseline.command = header.baseline.command;
  now.environment.versions["program"] =
      marks_of_files(named_words(header.command, header.baseline.command));
  const std::string file = changed_file(study, now);
  if (file.empty()) return std::nullopt;
  return Note{.severity = Severity::kWarning, .what = "program-changed", .where = printable(file)};
}

WrittenFiles::WrittenFiles(const StudyHeader& header) {
  for (const std::string& word : named_words(header.command, header.baseline.command)) {
    if (::access(word.c_str(), X_OK) != 0) files_.emplace(word, time_of(word));
  }
}

std::vector<std::string> WrittenFiles::changed() {
  std::vector<std::string> found;
  for (const auto& [file, time] : std::exchange(files_, {})) {
    if (time_of(file) != time) found.push_back(file);
  }
  return found;
}

}  // namespace kstar
