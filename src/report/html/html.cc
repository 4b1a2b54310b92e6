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
    text += fmt::format("<li>{}{}</li>\n", badge(items, i), html(items.items[i]));
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
  for (const std::string_view item : items.items) {
    const std::size_t colon = std::min(item.find(": "), item.size());
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html(item.substr(0, colon)),
                        value_html(item.substr(std::min(colon + 2, item.size()))));
  }
  return text + "</dl>\n";
}

class Writer {
 public:
  explicit Writer(int level) : level_(level) {}

  void operator()(const Heading& heading) {
    last_ = html(heading.text);
    below_heading_ = true;
    text_ += fmt::format("<h{0}>{1}</h{0}>\n", level_, last_);
  }
  void operator()(const Paragraph& paragraph) {
    text_ += fmt::format("<p>{}</p>\n", html(paragraph.text));
  }
  void operator()(const Items& items) {
    const std::string title = html(items.title);
    if (items.folded) {
      text_ += fmt::format("<details><summary>{} ({})</summary>\n", title, items.items.size());
    } else if (!items.title.empty()) {
      last_ = title;
      text_ += fmt::format("<h{0}>{1}</h{0}>\n", level_ + (below_heading_ ? 1 : 0), title);
    }
    text_ += items.named ? named_html(items) : items_html(items);
    if (items.folded) text_ += "</details>\n";
  }
  void operator()(const Table& table) {
    text_ += to_html(table, last_.empty() ? html(columns_of(table)) : last_);
  }
  void operator()(const Chart&) {}

  std::string take() { return std::move(text_); }

 private:
  int level_;
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
    text += fmt::format("<th scope=\"col\"{}>{}</th>", classes(column), html(whole_name(column)));
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

std::string to_html(const Document& document, int level) {
  Writer writer(level);
  for (const Block& block : document.blocks) std::visit(writer, block);
  return writer.take();
}

std::string heading(int level, std::string_view id, std::string_view text) {
  const std::string name = id.empty() ? "" : fmt::format(" id=\"{}\"", html(id));
  return fmt::format("<h{0}{1}><bdi>{2}</bdi></h{0}>\n", level, name, html(text));
}

}  // namespace kstar
