#include "trace/stretches.h"

#include <algorithm>
#include <utility>

namespace kstar::tracing {

void Stretches::add(const Work& work, std::int64_t operation) {
  if (work.end <= step_.start || work.start >= step_.end || work.end <= work.start) return;
  const Stretch one{std::max(work.start, step_.start),
                    std::min(work.end, step_.end),
                    work.launch,
                    operation,
                    work.lane,
                    work.name,
                    1,
                    work.kind == Kind::kUnclassified ? Kind::kCompute : work.kind};
  join(one, one.end - one.start);
  while (list_.size() > most_ && wider() < step_.end - step_.start) widen();
}

void Stretches::join(const Stretch& one, std::int64_t longest) {
  const auto at = last_.find(one.lane);
  if (at != last_.end()) {
    Stretch& before = list_[at->second];
    if (gap_ > 0 && before.kind == one.kind && one.operation < 0 && one.start - before.end < gap_) {
      if (longest > longest_[at->second]) {
        longest_[at->second] = longest;
        before.name = one.name;
      }
      before.end = std::max(before.end, one.end);
      before.count += one.count;
      return;
    }
  }
  last_[one.lane] = list_.size();
  list_.push_back(one);
  longest_.push_back(longest);
}

std::int64_t Stretches::wider() const {
  constexpr std::int64_t kSmallest = 1000, kTimes = 4;
  return gap_ == 0 ? kSmallest : kTimes * gap_;
}

/// Joining what was joined at a smaller gap gives what joining all at once would.
void Stretches::widen() {
  gap_ = wider();
  const std::vector<Stretch> list = std::exchange(list_, {});
  const std::vector<std::int64_t> longest = std::exchange(longest_, {});
  last_.clear();
  for (std::size_t i = 0; i < list.size(); ++i) join(list[i], longest[i]);
}

std::vector<Stretch> Stretches::take() {
  if (list_.size() > most_) {
    std::stable_sort(list_.begin(), list_.end(), [](const Stretch& a, const Stretch& b) {
      return a.end - a.start > b.end - b.start;
    });
    list_.resize(most_);
    std::stable_sort(list_.begin(), list_.end(),
                     [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  }
  return std::move(list_);
}

}  // namespace kstar::tracing
