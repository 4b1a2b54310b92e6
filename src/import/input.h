#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_line.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// What every importer is given, and how it talks about it.
namespace kstar {

/// A file's text, with FileText::kPadding readable bytes behind it.
struct Input {
  std::string_view text;
  std::string_view name;       ///< stands for the file in messages
  std::size_t first_line = 1;  ///< the number of its first line: it may be a part of a file
};

/// Takes the first line off `rest`, and gives it without the blanks around it.
std::string_view next_line(std::string_view& rest);

/// What stands between blanks in a line.
std::vector<std::string_view> words_in(std::string_view line);

/// The line that holds the byte `at` of the text. Lines are counted when somebody asks.
Line line_at(const Input& input, const char* at);

/// An error at that byte: file:line:column, the line and a caret.
Error error_at(const Input& input, const char* at, std::string message, std::string hint = {});

/// "expected <what>, got '<value>'" at the value, which is a part of the text.
Error expected_at(const Input& input, std::string_view value, std::string_view what,
                  std::string hint = {});

/// One word of a shell's command line that means this text: between apostrophes where that can be.
std::string shell_word(std::string_view text);
/// Letters, digits and marks that mean nothing to a shell: no quotes are needed.
bool is_plain_word(std::string_view text);

/// "file:line", for notes.
std::string place_of(const Input& input, const char* at);

/// A Study without runs that says where it comes from.
Study start_study(std::string_view name);

/// A label that is another at another K: kept, and noted. `many`: more than `count`.
void add_change(Study& study, ChangedSetting change, bool many = false);

void add_note(Study& study, Severity severity, std::string_view what, std::string where = {},
              NoteValues values = {});

}  // namespace kstar
