#include "report/html/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace kstar {

namespace {

/// The mark in words and, by the style, in colour and with a sign of its own.
std::string badge(const Items& items, std::size_t i) {
  if (i >= items.marks.size() || items.marks[i].empty()) return "";
  std::string kind = items.marks[i];
  std::replace(kind.begin(), kind.end(), ' ', '_');
  return fmt::format("<span class=\"badge {}\">{}</span> ", html(kind), html(items.marks[i]));
}

std::string items_html(const Items& items) {
  std::string text = items.marks.empty() ? "<ul>\n" : "<ul class=\"marked\">\n";
  for (std::size_t i = 0; i < items.items.size(); ++i) {
    text += fmt::format("<li>{}{}</li>\n", badge(items, i), unbroken(html(items.items[i])));
  }
  return text + "</ul>\n";
}

/// Several lines stay several.
std::string value_html(std::string_view value) {
  if (value.find('\n') == value.npos) return html(value);
  return fmt::format("<pre tabindex=\"0\">{}</pre>", html_lines(value));
}

std::string named_html(const Items& items) {
  std::string text = "<dl class=\"named\">\n";
  for (std::size_t i = 0; i < items.items.size(); ++i) {
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html(items.names[i]),
                        value_html(items.items[i]));
  }
  return text + "</dl>\n";
}

class Writer {
 public:
  Writer(int level, const ChartHtml& charts) : level_(level), charts_(charts) {}

  void operator()(const Heading& heading) {
    last_ = html(heading.text);
    below_heading_ = true;
    text_ += fmt::format("<h{0}>{1}</h{0}>\n", level_, last_);
  }
  void operator()(const Paragraph& paragraph) {
    if (!paragraph.text.empty() || paragraph.command.empty()) {
      text_ += fmt::format("<p>{}</p>\n", unbroken(html(paragraph.text)));
    }
    if (!paragraph.command.empty()) text_ += command_html(paragraph.command);
  }
  void operator()(const Items& items) {
    const std::string title = html(items.title);
    if (items.folded) {
      text_ += fmt::format("<details><summary>{} ({})</summary>\n", title, items.items.size());
    } else if (!items.title.empty()) {
      last_ = title;
      text_ += fmt::format("<h{0}>{1}</h{0}>\n", level_ + (below_heading_ ? 1 : 0), title);
    }
    text_ += !items.names.empty() ? named_html(items) : items_html(items);
    if (items.folded) text_ += "</details>\n";
  }
  void operator()(const Table& table) {
    text_ += to_html(table, last_.empty() ? html(columns_of(table)) : last_);
  }
  /// Charts that follow each other stand side by side.
  void operator()(const Chart& chart) {
    if (!charts_) return;
    constexpr std::string_view kEnd = "</div><!-- charts -->\n";
    if (text_.ends_with(kEnd)) {
      text_.resize(text_.size() - kEnd.size());
    } else {
      text_ += "<div class=\"charts\">\n";
    }
    text_ += charts_(chart);
    text_ += kEnd;
  }

  std::string take() { return std::move(text_); }

 private:
  int level_;
  const ChartHtml& charts_;
  static std::string columns_of(const Table& table) {
    std::string names;
    for (const TableColumn& column : table.columns) {
      if (!column.joined) names += (names.empty() ? "" : ", ") + column.name;
    }
    return names;
  }

  bool below_heading_ = false;
  std::string last_;  ///< the heading of what follows
  std::string text_;
};

bool is_of_flag(char c) {
  return c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// "--regime" is not broken behind its dashes.
std::string with_whole_flags(std::string_view text) {
  std::string whole;
  for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--")) {
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_of_flag) -
        text.begin());
    constexpr std::size_t kLong = 32;
    const bool flag = end - at > 2 && end - at < kLong && (at == 0 || !is_of_flag(text[at - 1]));
    whole += text.substr(0, at);
    whole += flag ? fmt::format("<span class=\"whole\">{}</span>", text.substr(at, end - at))
                  : std::string(text.substr(at, end - at));
    text.remove_prefix(end);
  }
  whole += text;
  return whole;
}

/// Blanks in front set a row below another one.
std::string cell_html(const std::string& text) {
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  std::string blanks;
  for (std::size_t i = 0; i < indent; ++i) blanks += "&ensp;";
  return blanks + html(text.substr(indent));
}

std::string classes(const TableColumn& column) {
  std::string names = column.left ? "words" : "";
  if (column.new_group) names += names.empty() ? "group" : " group";
  if (column.joined) names += names.empty() ? "joined" : " joined";
  return names.empty() ? "" : fmt::format(" class=\"{}\"", names);
}

}  // namespace

std::string html(std::string_view text) {
  return markup_escaped(printable(text));
}

std::string html_lines(std::string_view text) {
  std::string safe;
  for (const std::string_view line : split(text, '\n')) {
    if (!safe.empty()) safe += '\n';
    safe += html(line);
  }
  return safe;
}

std::string script_json(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

std::string json_text(std::string_view text) {
  std::string safe = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + "\"";
}

std::string file_address(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string address = "./";
  for (const char c : path.substr(slash == std::string_view::npos ? 0 : slash + 1)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '.' || c == '-' || c == '_');
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return address;
}

std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.ends_with('-')) name.pop_back();
  return name.empty() ? "study" : name;
}

std::string to_html(const Table& table, const std::string& caption) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table>\n"
      "<caption class=\"unseen\">{0}</caption>\n<thead><tr>",
      caption);
  for (const TableColumn& column : table.columns) {
    // A head without a name is no head.
    text += column.name.empty() ? fmt::format("<td{}></td>", classes(column))
                                : fmt::format("<th scope=\"col\"{}>{}</th>", classes(column),
                                              html(whole_name(column)));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TableColumn column = i < table.columns.size() ? table.columns[i] : TableColumn{};
      const char* tag = i == 0 ? "th" : "td";
      text += fmt::format("<{0}{1}{2}>{3}</{0}>", tag, i == 0 ? " scope=\"row\"" : "",
                          classes(column), cell_html(row[i]));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string to_html(const Document& document, int level, const ChartHtml& charts) {
  Writer writer(level, charts);
  for (const Block& block : document.blocks) std::visit(writer, block);
  return writer.take();
}

std::string heading(int level, std::string_view id, std::string_view text) {
  const std::string name = id.empty() ? "" : fmt::format(" id=\"{}\"", html(id));
  return fmt::format("<h{0}{1}><bdi>{2}</bdi></h{0}>\n", level, name, html(text));
}

std::string fold(std::string_view id, int level, std::string_view title, std::string_view about,
                 std::string_view content) {
  if (content.empty()) return "";
  return fmt::format(
      "<details class=\"fold\" id=\"{0}\"><summary><h{1}><bdi>{2}</bdi></h{1}>{3}</summary>\n{4}"
      "</details>\n",
      html(id), level, html(title),
      about.empty() ? "" : fmt::format(" <span class=\"about\">{}</span>", html(about)), content);
}

std::string command_html(std::string_view command) {
  constexpr std::size_t kLong = 32;  // a longer word may be broken anywhere
  std::string words;
  for (const std::string_view word : split(command, ' ')) {
    const bool whole = word.find('-') != word.npos && word.size() <= kLong;
    words += words.empty() ? "" : " ";
    words += whole ? fmt::format("<span>{}</span>", html(word)) : html(word);
  }
  return fmt::format(
      "<div class=\"command\"><code tabindex=\"0\">{}</code><button type=\"button\" "
      "class=\"scripted\" data-copy>Copy</button></div>\n",
      words);
}

std::string unbroken(std::string text) {
  constexpr std::string_view kBlank = "\xC2\xA0";
  for (std::size_t at = text.find(" = "); at != text.npos; at = text.find(" = ", at)) {
    text.replace(at, 3, fmt::format("{}={}", kBlank, kBlank));
  }
  return with_whole_flags(text);
}

}  // namespace kstar
