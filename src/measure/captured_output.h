#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kstar {

/// Text of any length in bounded memory: its head and its tail are kept.
class CapturedOutput {
 public:
  CapturedOutput(std::size_t head, std::size_t tail) : head_limit_(head), tail_limit_(tail) {}

  void append(std::string_view bytes);
  /// What was kept, which is empty afterwards; a line between head and tail says how many bytes
  /// are missing.
  std::string take();

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  std::string tail_;  ///< up to two times its limit, cut back when that is reached
  std::size_t dropped_ = 0;
};

}  // namespace kstar
