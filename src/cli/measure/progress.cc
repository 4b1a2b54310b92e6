#include "cli/measure/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace kstar {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{1000};
/// Very short runs do not wait for the terminal.
constexpr milliseconds kLeastRedraw{50};

std::string name_of_point(Role role, int workers, bool inside) {
  return role == Role::kBaseline ? "baseline"
                                 : fmt::format("K={}{}", workers, inside ? " inside" : "");
}

/// The last line that says something, of what a failed run printed.
std::string last_words(const Run& run) {
  constexpr std::size_t kMost = 160;
  std::vector<std::string_view> lines = split(run.output.str(), '\n');
  std::reverse(lines.begin(), lines.end());
  for (const std::string_view line : lines) {
    const std::string_view words = trim(line);
    const bool rule = words.find_first_not_of("-=*_ ") == std::string_view::npos;
    if (!words.empty() && !rule) return ": " + shorten(printable(words), kMost);
  }
  return "";
}

std::string why_failed(const Run& run, double time_limit) {
  if (!run.failure.empty()) return run.failure;
  const std::string limit = run.timed_out ? ", " + measured_text(time_limit) : "";
  return failure_text(run) + limit + last_words(run);
}

void write_error(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

}  // namespace

MeasureProgress::MeasureProgress(const MeasureSpec& spec, const Study& earlier,
                                 const Console& console, std::optional<std::string> variant)
    : spec_(spec),
      console_(console),
      outlook_(spec, earlier),
      variant_(variant && !variant->empty() ? " " + *variant : ""),
      live_(!variant && console.can_redraw()) {
  if (live_) ticker_ = std::thread([this] { keep_alive(); });
}

MeasureProgress::~MeasureProgress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    clear_line();
  }
  ends_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

/// Of thousands of K they take longer than a short run: then the last ones do for a while.
const std::vector<RunPrecision>& MeasureProgress::recent_verdicts(
    const std::vector<MeasurePoint>& all) {
  constexpr int kPauses = 20;  // of what they took
  const Clock::time_point start = Clock::now();
  if (start < next_verdicts_ && verdicts_.size() == all.size()) return verdicts_;
  verdicts_ = verdicts_now(spec_, all);
  const Clock::time_point end = Clock::now();
  next_verdicts_ = end + kPauses * (end - start);
  return verdicts_;
}

ProgressState MeasureProgress::state_of(const MeasurePoint& point,
                                        const std::vector<MeasurePoint>& all) {
  const std::vector<RunPrecision>& verdicts = recent_verdicts(all);
  ProgressState state;
  state.point = name_of_point(point.role, point.workers, point.inside);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const bool same = all[i].role == point.role && all[i].workers == point.workers;
    if (!same || all[i].inside != point.inside) continue;
    const bool known = verdicts[i].estimate.point > 0;  // since before its first run, it is not
    if (point.inside || all[i].times.empty() || !known) break;
    state.time = verdicts[i].estimate.point;
    state.interval = verdicts[i].relative_half_width;
  }
  const std::size_t given_warm_up = spec_.warm_up_runs && !point.inside ? point.warm_up : 0;
  state.run = point.times.size() + given_warm_up + point.failures + 1;
  if (live_) state.left = outlook_.seconds_left(all, verdicts);
  return state;
}

void MeasureProgress::keep_alive() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kTick, [this] { return ended_; })) {
    if (running_ && Clock::now() - last_drawn_ >= kTick / 2) draw();
  }
}

void MeasureProgress::draw() {
  ProgressState shown = state_;
  double done = outlook_.seconds_done();
  if (running_ && shown.left) {
    const std::chrono::duration<double> elapsed = Clock::now() - run_start_;
    const double passed = std::min({elapsed.count(), run_seconds_, *shown.left});
    done += passed;
    *shown.left -= passed;
  }
  if (shown.left && done > 0) shown.share = done / (done + *shown.left);
  const TerminalStyle style = console_.error_style();  // asked anew: the window may have changed
  const std::string line = progress_line(
      shown, {.width = style.width - 1, .color = style.color, .unicode = style.unicode});
  write_error("\r" + line + "\x1b[K");
  drawn_ = true;
  last_drawn_ = Clock::now();
}

void MeasureProgress::clear_line() {
  if (drawn_) write_error("\r\x1b[K");
  drawn_ = false;
}

void MeasureProgress::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  const bool again = drawn_;
  clear_line();
  console_.note(text);
  if (again) draw();
}

void MeasureProgress::noted(const Note& note) {
  if (note.severity == Severity::kInfo) return;
  say(fmt::format("{}: {}: {}", name_of(note.severity), printable(note.where),
                  printable(note_sentence(note))));
}

void MeasureProgress::starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) {
  if (!live_) return;
  const ProgressState state = state_of(point, all);
  const std::lock_guard lock(mutex_);
  state_ = state;
  run_seconds_ = outlook_.seconds_a_run(point.role, point.workers).value_or(0);
  run_start_ = Clock::now();
  running_ = true;
  if (!drawn_ || run_start_ - last_drawn_ >= kLeastRedraw) draw();
}

void MeasureProgress::waits(const std::string& text) {
  if (text == waited_for_) return;
  waited_for_ = text;
  say(printable(text));
}

void MeasureProgress::ended(const Run& run, const std::vector<MeasurePoint>& all) {
  const auto point = std::find_if(all.begin(), all.end(),
                                  [&](const MeasurePoint& one) { return is_of(run, one); });
  const bool bad = failed(run);
  std::optional<std::string> unreachable;
  ProgressState state;
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
    outlook_.add(run);
    if (point != all.end()) state = state_of(*point, all);
    if (!warned_) unreachable = outlook_.out_of_reach(all, verdicts_);
    if (live_) {
      --state.run;  // the one that has just ended
      state_ = state;
      if (Clock::now() - last_drawn_ >= kLeastRedraw) draw();
    }
  }
  if (unreachable) {
    warned_ = true;
    say("warning: " + *unreachable);
  }
  if (live_ && !bad) return;
  const std::string now = bad ? "" : time_and_interval(state, false);
  const std::string how = bad ? "failed: " + why_failed(run, spec_.time_limit)
                              : measured_text(steady_time(run).value_or(0));
  say(fmt::format("run {} {}{}: {}{}{}", run.order.value_or(0),
                  name_of_point(run.role, run.workers, is_profiled(run)), printable(variant_),
                  printable(how), now.empty() ? "" : ", T = ", now));
}

}  // namespace kstar
