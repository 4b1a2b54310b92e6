#include <fmt/format.h>

#include "kstar/words.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

std::string next_part(const Subject& subject) {
  const Verdict& verdict = subject.analysis.verdict;
  const std::string text = next_step_words(verdict);
  if (text.empty()) return "";
  return fmt::format("<div class=\"next\">\n<h3>What to do next</h3>\n<p>{}</p>\n{}</div>\n",
                     unbroken(html(text)),
                     verdict.next.command.empty() ? "" : command_html(verdict.next.command));
}

}  // namespace kstar
