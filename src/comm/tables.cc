#include "comm/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar::comm {

std::string LogContext::place() const {
  const std::size_t slash = name.find_last_of('/');
  return printable(slash == name.npos ? name : name.substr(slash + 1));
}

void LogContext::note(std::string text) {
  auto& notes = data.notes;
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

void LogContext::fail(std::string text) {
  auto& all = data.failed;
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
}

void LogContext::skip(std::string name_) {
  auto& all = data.skipped;
  if (std::find(all.begin(), all.end(), name_) == all.end()) all.push_back(std::move(name_));
}

void keep(CommSweep sweep, LogContext& context) {
  // Times that no collective takes are damage, not data.
  constexpr double kShortest = 1e-10, kLongest = 1e6;
  std::size_t wrong = 0;
  for (auto* samples : {&sweep.samples, &sweep.in_place}) {
    wrong += std::erase_if(*samples, [](const CommSample& one) {
      return !(one.seconds >= kShortest && one.seconds <= kLongest);
    });
  }
  if (wrong > 0) {
    context.note(fmt::format("{}: {} that no collective takes left out", context.place(),
                             count_text(wrong, "time")));
  }
  if (sweep.samples.empty() && sweep.in_place.empty()) return;
  sweep.source = std::string(context.name);
  if (sweep.label.empty()) sweep.label = context.above;
  context.data.sweeps.push_back(std::move(sweep));
}

}  // namespace kstar::comm
