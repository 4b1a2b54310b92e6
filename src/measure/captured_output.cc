#include "measure/captured_output.h"

#include <fmt/format.h>

#include <algorithm>

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

void CapturedOutput::clear() {
  head_.clear();
  tail_.clear();
  dropped_ = 0;
}

std::string CapturedOutput::text() const {
  const std::size_t surplus = tail_.size() - std::min(tail_.size(), tail_limit_);
  if (dropped_ + surplus == 0) return head_ + tail_;
  return fmt::format("{}\n[kstar: {} bytes left out]\n{}", head_, dropped_ + surplus,
                     std::string_view(tail_).substr(surplus));
}

}  // namespace kstar
