#pragma once

#include <string>

/// What every page has around its content: the policy, the styles and the scripts.
namespace kstar {

struct PageFrame {
  std::string kind;  ///< what the page is: "kstar report"
  std::string title;
  std::string subtitle;  ///< may be empty
  std::string footer;    ///< starts with a blank; may be empty
  std::string head;      ///< HTML
  std::string reload;    ///< in seconds; empty: it does not load itself anew
  std::string body;      ///< HTML
};

/// One file that asks the network for nothing. Texts are escaped.
std::string framed(const PageFrame& frame);

}  // namespace kstar
