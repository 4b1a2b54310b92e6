#include "exec/captured_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kstar {

void CapturedOutput::append(std::string_view bytes) {
  const std::size_t first = std::min(bytes.size(), head_limit_ - head_.size());
  head_.append(bytes.substr(0, first));
  tail_.append(bytes.substr(first));
  if (tail_.size() < 2 * tail_limit_) return;
  const std::size_t surplus = tail_.size() - tail_limit_;
  tail_.erase(0, surplus);
  dropped_ += surplus;
}

std::string left_out_line(std::size_t bytes) {
  return fmt::format("\n[kstar: {} bytes omitted]\n", bytes);
}

std::string but_left_out(std::size_t bytes) {
  if (bytes == 0) return {};
  return fmt::format("; {} bytes in the middle of its long output were omitted", bytes);
}

KeptText CapturedOutput::take() {
  const std::string kept_head = std::exchange(head_, {});
  const std::string kept_tail = std::exchange(tail_, {});
  std::string_view head = kept_head;
  std::string_view tail = kept_tail;
  const std::size_t dropped = std::exchange(dropped_, 0);
  if (dropped == 0 && tail.size() <= tail_limit_) return {kept_head + kept_tail, 0};
  const std::size_t kept = head.size() + tail.size();
  tail.remove_prefix(tail.size() - std::min(tail.size(), tail_limit_));
  if (const std::size_t end = head.rfind('\n'); end != head.npos) head = head.substr(0, end + 1);
  if (const std::size_t end = tail.find('\n'); end + 1 < tail.size()) tail.remove_prefix(end + 1);
  const std::size_t left_out = dropped + kept - head.size() - tail.size();
  return {fmt::format("{}{}{}", head, left_out_line(left_out), tail), left_out};
}

}  // namespace kstar
