#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kstar/document.h"

/// Text from outside, made data for the places where a page has it.
namespace kstar {

/// For text, and for the value of an attribute in double quotes: no character of it is markup, and
/// what would be invisible or reorder its surroundings is shown.
std::string html(std::string_view text);

/// The same over several lines, for <pre>.
std::string html_lines(std::string_view text);

/// JSON for the inside of a <script>: no "<" can end it.
std::string script_json(std::string json);

/// A text as a JSON string, for script_json(). What is no UTF-8 is shown as printable() does.
std::string json_text(std::string_view text);

/// The address of a file in the page's own folder: never a scheme, a host or another folder.
std::string file_address(std::string_view path);

/// Lower-case letters, digits and dashes, for ids and names of files.
std::string plain_name(std::string_view text);

/// A chart as HTML.
using ChartHtml = std::function<std::string(const Chart&)>;

/// Headings come out as <h`level`>, titles of lists as well or, below a heading, one deeper.
/// Without `charts` those are left out: the page has its own.
std::string to_html(const Document& document, int level, const ChartHtml& charts = {});

/// `caption` is HTML; it names the table for who hears it.
std::string to_html(const Table& table, const std::string& caption);

/// <h`level`>, with an id where one is given.
std::string heading(int level, std::string_view id, std::string_view text);

/// What is read by who opens it: `about` says in a few words what it has. Nothing without content.
std::string fold(std::string_view id, int level, std::string_view title, std::string_view about,
                 std::string_view content);

/// A command line with a button that copies it. No word of it is broken at its dashes.
std::string command_html(std::string_view command);

/// HTML in which "K = 16" and "--regime" stay on one line.
std::string unbroken(std::string text);

}  // namespace kstar
