#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "kstar/document.h"
#include "report/html/figure.h"
#include "report/html/frame.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// What stands below one heading.
struct PageSection {
  Heading heading;
  Document content;
};

std::vector<PageSection> sections_of(const Document& document) {
  std::vector<PageSection> sections;
  for (const Block& block : document.blocks) {
    const auto* heading = std::get_if<Heading>(&block);
    if (heading != nullptr && (!heading->part || heading->folded)) {
      sections.push_back({*heading, {}});
      continue;
    }
    if (sections.empty()) sections.emplace_back();
    sections.back().content.blocks.push_back(block);
  }
  return sections;
}

/// The figures of one page have numbers.
class Figures {
 public:
  std::string operator()(const Chart& chart) {
    const std::string id = figure_id(chart, ++count_);
    return figure_html(chart, id, drawn_html(chart, id));
  }

 private:
  std::size_t count_ = 0;
};

/// Where the first sentence ends: behind a dot, before a capital letter.
std::size_t end_of_sentence(const std::string& text) {
  for (std::size_t at = text.find(". "); at != text.npos; at = text.find(". ", at + 1)) {
    const bool capital =
        at + 2 < text.size() && std::isupper(static_cast<unsigned char>(text[at + 2])) != 0;
    if (capital) return at + 1;
  }
  return text.size();
}

/// The first sentence large, unless it is no sentence but a page of its own.
std::string lead_html(const std::string& text) {
  constexpr std::size_t kMost = 260;
  const std::size_t end = end_of_sentence(text);
  if (end > kMost) return fmt::format("<p>{}</p>\n", unbroken(html(text)));
  const std::string rest = end < text.size() ? text.substr(end + 1) : "";
  return fmt::format("<p class=\"answer\">{}</p>\n{}", unbroken(html(text.substr(0, end))),
                     rest.empty() ? "" : fmt::format("<p>{}</p>\n", unbroken(html(rest))));
}

bool is_said(const Block& block) {
  return std::holds_alternative<Paragraph>(block) || std::holds_alternative<Items>(block);
}

/// What is said before anything is shown in numbers.
std::string said_html(std::vector<Block>& blocks) {
  const auto end = std::find_if_not(blocks.begin(), blocks.end(), is_said);
  Document said;
  std::string text;
  for (auto block = blocks.begin(); block != end; ++block) {
    const auto* paragraph = std::get_if<Paragraph>(&*block);
    if (block == blocks.begin() && paragraph != nullptr) {
      text = lead_html(whole_text(*paragraph));
    } else {
      said.blocks.push_back(*block);
    }
  }
  blocks.erase(blocks.begin(), end);
  text += to_html(said, 3);
  return text.empty() ? "" : "<div class=\"say\">\n" + text + "</div>\n";
}

/// The first chart, taken out: it stands beside the answer.
std::string seen_html(std::vector<Block>& blocks, Figures& figures) {
  const auto at = std::find_if(blocks.begin(), blocks.end(), [](const Block& block) {
    return std::holds_alternative<Chart>(block);
  });
  if (at == blocks.end()) return "";
  const std::string figure = figures(std::get<Chart>(*at));
  blocks.erase(at);
  return "<div class=\"seen\">\n" + figure + "</div>\n";
}

std::string first_section(PageSection section, const std::string& title, Figures& figures) {
  std::vector<Block>& blocks = section.content.blocks;
  const std::string said = said_html(blocks);
  const std::string seen = seen_html(blocks, figures);
  const std::string& name = section.heading.text;
  const bool shown = !name.empty() && name != title;
  std::string text = fmt::format(
      "<section id=\"answer\" aria-labelledby=\"answer-title\">\n"
      "<h2 id=\"answer-title\"{}><bdi>{}</bdi></h2>\n",
      shown ? "" : " class=\"unseen\"", html(shown ? name : "The answer"));
  if (!said.empty() || !seen.empty()) {
    text += fmt::format("<div class=\"first\">\n{}{}</div>\n", said, seen);
  }
  return text + to_html(section.content, 3, std::ref(figures)) + "</section>\n";
}

std::string further_section(const PageSection& section, const std::string& id, Figures& figures) {
  const std::string content = to_html(section.content, 3, std::ref(figures));
  if (section.heading.folded) return fold(id, 2, section.heading.text, "", content);
  return page_section(id, section.heading.text, content);
}

std::string document_body(const Document& document, const std::string& title) {
  Figures figures;
  PageBody body;
  const std::vector<PageSection> sections = sections_of(document);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::string id = fmt::format("section-{}", i + 1);
    if (i == 0) {
      body.add("answer", "Answer", first_section(sections[i], title, figures));
    } else {
      body.add(id, sections[i].heading.text, further_section(sections[i], id, figures));
    }
  }
  return body.take();
}

}  // namespace

std::string document_page(const Document& document, const std::string& title) {
  return framed({.kind = "kstar", .title = title, .body = document_body(document, title)});
}

}  // namespace kstar
