#include "tools/kstar_train/shared_sum.h"

#include <algorithm>

namespace kstar::train {

// Until the second meeting piece n of every array belongs to worker n alone; from then on worker
// n's own piece n is read by all, and its others are written by itself alone.

void SharedSum::sum(int worker, std::span<double> values) {
  const auto own = static_cast<std::size_t>(worker);
  arrays_[own] = values;
  barrier_.arrive_and_wait();
  const std::span<double> to = piece(own, own);
  std::vector<double> sum(to.size());
  for (std::size_t from = 0; from < arrays_.size(); ++from) {
    const std::span<double> added = piece(from, own);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
  }
  std::copy(sum.begin(), sum.end(), to.begin());
  barrier_.arrive_and_wait();
  for (std::size_t from = 0; from < arrays_.size(); ++from) {
    if (from == own) continue;
    const std::span<double> done = piece(from, from);
    std::copy(done.begin(), done.end(), piece(own, from).begin());
  }
  barrier_.arrive_and_wait();
}

std::span<double> SharedSum::piece(std::size_t of, std::size_t number) const {
  const std::span<double> array = arrays_[of];
  const std::size_t begin = array.size() * number / arrays_.size();
  const std::size_t end = array.size() * (number + 1) / arrays_.size();
  return array.subspan(begin, end - begin);
}

}  // namespace kstar::train
