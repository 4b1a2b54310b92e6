#include "report/html/document_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/html.h"

namespace kstar {

namespace {

class Writer {
 public:
  explicit Writer(int level) : level_(level) {}

  void operator()(const Heading& heading) {
    last_ = html(heading.text);
    text_ += fmt::format("<h{0}>{1}</h{0}>\n", level_, last_);
  }
  void operator()(const Paragraph& paragraph) {
    text_ += fmt::format("<p>{}</p>\n", html(paragraph.text));
  }
  void operator()(const Items& items) {
    if (!items.title.empty()) {
      last_ = html(items.title);
      text_ += fmt::format("<h{0}>{1}</h{0}>\n", level_ + 1, last_);
    }
    text_ += "<ul>\n";
    for (const std::string& item : items.items) text_ += fmt::format("<li>{}</li>\n", html(item));
    text_ += "</ul>\n";
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

}  // namespace kstar
