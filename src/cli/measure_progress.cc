#include "cli/measure_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

std::string seconds_text(double seconds) {
  if (seconds < 90) return fmt::format("{} s", significant(seconds, seconds < 10 ? 3 : 2));
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.1f} h", seconds / 3600);
}

std::string name_of_point(Role role, int workers) {
  return role == Role::kBaseline ? "baseline" : fmt::format("K={}", workers);
}

const MeasurePoint* find_point(const std::vector<MeasurePoint>& all, const Run& run) {
  for (const MeasurePoint& point : all) {
    if (point.role == run.role && point.workers == run.workers) return &point;
  }
  return nullptr;
}

std::string precision_text(const MeasurePoint& point) {
  if (!point.verdict || !std::isfinite(point.verdict->relative_half_width)) return "";
  return fmt::format(" T={} +-{}", seconds_text(point.verdict->estimate.point),
                     percent(point.verdict->relative_half_width, 1));
}

std::string why_failed(const Run& run) {
  if (!run.failure.empty()) return run.failure;
  if (run.timed_out) return "still running at its time limit";
  if (run.signal) return fmt::format("ended by signal {}", *run.signal);
  return fmt::format("exit status {}", run.exit_status.value_or(-1));
}

void write_error(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

}  // namespace

MeasureProgress::MeasureProgress(const MeasureSpec& spec, const Console& console)
    : spec_(spec), console_(console), live_(isatty(STDERR_FILENO) == 1) {}

MeasureProgress::~MeasureProgress() {
  clear_line();
}

void MeasureProgress::clear_line() {
  if (drawn_) write_error("\r\x1b[K");
  drawn_ = false;
}

std::string MeasureProgress::time_left(const std::vector<MeasurePoint>& all) const {
  std::size_t made = 0, wanted = 0;
  for (const MeasurePoint& point : all) {
    if (point.given_up) continue;
    std::size_t expected = spec_.runs ? static_cast<std::size_t>(*spec_.runs) : 10;
    if (!spec_.runs && point.verdict)
      expected = std::max<std::size_t>(10, point.verdict->runs_expected);
    made += std::min(point.times.size(), expected);
    wanted += point.done ? std::min(point.times.size(), expected) : expected;
  }
  if (wanted == 0 || runs_ == 0) return "";
  const double each = seconds_ / static_cast<double>(runs_);
  return fmt::format("{}, about {} left",
                     percent(static_cast<double>(made) / static_cast<double>(wanted), 0),
                     seconds_text(each * static_cast<double>(wanted - made)));
}

void MeasureProgress::noted(const Note& note) {
  if (note.severity == Severity::kInfo) return;
  clear_line();
  console_.note(fmt::format("{}: {}: {}", name_of(note.severity), printable(note.where),
                            printable(note.text)));
}

void MeasureProgress::starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) {
  if (!live_) return;
  const std::string line =
      fmt::format("{} run {}{}  [{}]", name_of_point(point.role, point.workers),
                  point.times.size() + point.failures + 1, precision_text(point), time_left(all));
  draw(line);
}

void MeasureProgress::waits(const std::string& text) {
  if (live_) {
    draw(text);
  } else if (text != waited_for_) {
    console_.note(printable(text));
  }
  waited_for_ = text;
}

void MeasureProgress::draw(const std::string& line) {
  write_error("\r" +
              shorten(printable(line), static_cast<std::size_t>(console_.style().width - 1)) +
              "\x1b[K");
  drawn_ = true;
}

void MeasureProgress::ended(const Run& run, const std::vector<MeasurePoint>& all) {
  seconds_ += run.wall.value_or(0);
  ++runs_;
  const bool bad = failed(run);
  if (live_ && !bad) return;
  clear_line();
  const MeasurePoint* point = find_point(all, run);
  const std::string how =
      bad ? "failed: " + why_failed(run) : seconds_text(steady_time(run).value_or(0));
  console_.note(fmt::format("run {} {}: {}{}", run.order.value_or(0),
                            name_of_point(run.role, run.workers), printable(how),
                            point != nullptr && !bad ? precision_text(*point) : ""));
}

}  // namespace kstar
