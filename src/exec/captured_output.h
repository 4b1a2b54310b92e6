#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kstar {

/// What is left of a text.
struct KeptText {
  std::string text;          ///< where something is missing, a line says so
  std::size_t left_out = 0;  ///< bytes, in the middle
};

/// The line that stands for `bytes` bytes, with line ends around it.
std::string left_out_line(std::size_t bytes);

/// For messages, behind what was not found: "; 12 bytes were left out of the middle
/// of its long output". Empty when there are none.
std::string but_left_out(std::size_t bytes);

/// Text of any length in bounded memory: its head and its tail are kept.
class CapturedOutput {
 public:
  CapturedOutput(std::size_t head, std::size_t tail) : head_limit_(head), tail_limit_(tail) {}

  void append(std::string_view bytes);
  /// What was kept, which is empty afterwards. Between head and tail whole lines are missing: half
  /// a number is another number.
  KeptText take();

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  std::string tail_;  ///< up to two times its limit, cut back when that is reached
  std::size_t dropped_ = 0;
};

}  // namespace kstar
