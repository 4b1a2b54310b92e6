#include <fmt/format.h>

#include "kstar/plan_report.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/verdict_json.h"

namespace kstar {

namespace {

Json question_json(const CheckedQuestion& one) {
  return {{"question", one.question}, {"given", one.given}, {"answer", one.answer}};
}

Json reconciled_json(const Reconciled& both) {
  return {{"missing", both.missing}, {"explained", both.explained}, {"text", both.text}};
}

}  // namespace

Document to_document(const ProposalCheck& check, const PlanView& /*view*/) {
  Document document;
  std::vector<Block>& blocks = document.blocks;
  blocks.emplace_back(Heading{check.proposal.title.empty() ? "Proposal" : check.proposal.title});
  blocks.emplace_back(Paragraph{
      check.by_verdict ? check.why + "."
                       : fmt::format("Decision: {}. {}.", name_of(check.decision), check.why)});
  if (check.reconciled) blocks.emplace_back(Paragraph{check.reconciled->text + "."});
  Items questions{"Five questions", {}};
  for (const CheckedQuestion& one : check.questions) {
    questions.items.push_back(
        fmt::format("{} {}{}.", one.question, one.given ? "" : "Not given; it needs ", one.answer));
  }
  blocks.emplace_back(std::move(questions));
  return document;
}

std::string to_csv(const ProposalCheck& check) {
  std::string text = "question,given,answer\n";
  for (const CheckedQuestion& one : check.questions) {
    text += csv_cell(one.question) + "," + (one.given ? "yes" : "no") + "," + csv_cell(one.answer) +
            "\n";
  }
  return text;
}

std::string to_json(const ProposalCheck& check) {
  return file_text({{"kstar", "plan_check"},
                    {"schema", 2},
                    {"title", check.proposal.title},
                    {"decision", name_of(check.decision)},
                    {"verdict", optional_of(check.proposal.verdict, to_json)},
                    {"why", check.why},
                    {"efficiency", check.efficiency},
                    {"questions", list_of(check.questions, question_json)},
                    {"reconciled", optional_of(check.reconciled, reconciled_json)}});
}

}  // namespace kstar
