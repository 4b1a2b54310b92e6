#pragma once

#include <string>

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/document.h"
#include "kstar/study.h"

/// In which format results are written, and where to.
namespace kstar {

/// --format and -o, the same on every command that shows something.
Flag format_flag();

/// The same flags, --format with html among its choices: for a command whose documents are pages,
/// too. wanted_format() then takes .html.
std::vector<Flag> with_page(std::vector<Flag> flags);
Flag output_flag();

/// --force: the file of -o may be replaced.
Flag force_flag();

/// The format asked for by --format, or by the ending of -o, or "text".
/// `more` are further endings that the command takes.
Result<std::string> wanted_format(const Arguments& arguments, const std::string& more = "");

/// How text looks where the user asked for it: a file is for later, so it has no colours, and not
/// the width of today's window.
TerminalStyle output_style(const Arguments& arguments, const Console& console);

/// As Markdown for "md", as a page that is named by the first heading for "html", otherwise as a
/// terminal shows it.
std::string document_text(const Document& document, const std::string& format,
                          const TerminalStyle& style);

/// Puts a result where the user asked for it: the file of -o, or standard output. An older result
/// is replaced, a study is not.
Result<void> deliver(const Arguments& arguments, Console& console, const std::string& text);

/// The same for a further file, which that flag names.
Result<void> deliver_to(const char* flag, const std::string& path, Console& console,
                        const std::string& text);

/// The same with what to_csv(), to_json() or, for people, to_document() make of a result. `view` is
/// for people.
template <typename T, typename... View>
Result<void> deliver_as(const std::string& format, const Arguments& arguments, Console& console,
                        const T& result, const View&... view) {
  if (format == "csv") return deliver(arguments, console, to_csv(result));
  if (format == "json") return deliver(arguments, console, to_json(result));
  return deliver(
      arguments, console,
      document_text(to_document(result, view...), format, output_style(arguments, console)));
}

/// A study that only --force would replace.
Error already_there(const std::string& path);

/// Puts a Study where the user asked for it: the file of -o, or standard output. A file that is
/// there already is only replaced with --force: a study may be hours of measuring.
Result<void> deliver_study(const Arguments& arguments, Console& console, const Study& study);

}  // namespace kstar
