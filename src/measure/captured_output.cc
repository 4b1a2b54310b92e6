#include "measure/captured_output.h"

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

std::string CapturedOutput::take() {
  const std::string head = std::exchange(head_, {});
  const std::string tail = std::exchange(tail_, {});
  const std::size_t surplus = tail.size() - std::min(tail.size(), tail_limit_);
  const std::size_t missing = std::exchange(dropped_, 0) + surplus;
  if (missing == 0) return head + tail;
  return fmt::format("{}\n[kstar: {} bytes left out]\n{}", head, missing,
                     std::string_view(tail).substr(surplus));
}

}  // namespace kstar
