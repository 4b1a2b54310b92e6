#pragma once

#include <string>
#include <string_view>

#include "kstar/document.h"
#include "kstar/result.h"

namespace kstar {

class Arguments;

/// The two streams of the program and what each can show. Nothing else in kstar prints.
class Console {
 public:
  /// Reads the terminal, NO_COLOR, TERM, COLUMNS and the locale's character set.
  Console();

  /// Applies --color and --ascii.
  void apply(const Arguments& arguments);

  /// What standard output can show.
  const TerminalStyle& style() const { return style_; }
  /// What standard error can show now: a window may change while the program runs.
  TerminalStyle error_style() const;
  /// Whether a line on standard error can be drawn over.
  bool can_redraw() const;

  /// Collected and written at the end by flush(), so that a full disk is noticed.
  void print(std::string_view text);
  Result<void> flush();

  void print_error(const Error& error) const;
  /// One line on standard error: something the reader of the output should know.
  void note(std::string_view text) const;

 private:
  TerminalStyle style_;
  bool color_errors_ = false;
};

}  // namespace kstar
