#include "cli/measure/live_page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeastPageAge{2000};
/// The pause behind a page is at least so many times what the page took.
constexpr int kPauses = 50;
constexpr int kReloadSeconds = 2;
/// Without news for so much longer than the longest run took, or than pages are apart, something is
/// wrong.
constexpr double kPatience = 10;
constexpr double kLeastPatience = 120;   // seconds
constexpr double kFirstPatience = 3600;  // before any run has ended
/// The bend of a page that is replaced in a moment.
constexpr std::size_t kResamples = 1000;

std::string left_words(double seconds) {
  if (seconds < 90) return fmt::format("about {:.0f} s left", std::max(seconds, 1.0));
  if (seconds < 5400) return fmt::format("about {:.0f} min left", seconds / 60);
  return fmt::format("about {:.1f} h left", seconds / 3600);
}

}  // namespace

LivePage::LivePage(std::string path, const MeasureSpec& spec, const StudyHeader& header,
                   const Study& earlier, const Console& console)
    : path_(std::move(path)), spec_(spec), console_(console), outlook_(spec, earlier) {
  subject_.study = earlier;
  subject_.study.header = header;
  subject_.study.name = spec.output;
  subject_.name = std::filesystem::path(spec.output).stem().string();
}

Result<void> LivePage::begin() {
  return write(LiveProgress{.text = "no run has finished yet",
                            .done = 0.0,
                            .reload_seconds = kReloadSeconds,
                            .written = std::time(nullptr),
                            .patience_seconds = kFirstPatience});
}

Result<void> LivePage::finish(const Study& study) {
  subject_.study = study;
  subject_.study.name = spec_.output;
  return write(std::nullopt);
}

void LivePage::stop(const std::string& why) {
  static_cast<void>(write(LiveProgress{
      .text = fmt::format("{}; the study has {} runs", why, subject_.study.runs.size()),
      .reload_seconds = 0}));
}

/// Without a time there is nothing to analyse, and still a page.
Result<void> LivePage::write(const std::optional<LiveProgress>& live) {
  const Clock::time_point begin = Clock::now();
  ExamineOptions options{.name = subject_.name, .analysis = {.confidence = spec_.confidence}};
  if (live) options.analysis.resamples = kResamples;
  if (Result<Subject> examined = examine(subject_.study, options)) {
    subject_ = std::move(*examined);
  }
  KSTAR_TRY(const std::string page, to_page({&subject_, 1}, {.live = live}));
  Result<void> written =
      is_regular_or_absent(path_)
          ? write_file_atomically(path_, page)
          : fail({.where = printable(path_), .message = "is not a file any more"});
  const Clock::time_point end = Clock::now();
  pause_ = std::max<Clock::duration>(kLeastPageAge, kPauses * (end - begin));
  next_ = end + pause_;
  return written;
}

LiveProgress LivePage::progress(const std::vector<MeasurePoint>& all) const {
  const double done = outlook_.seconds_done();
  const std::optional<double> left = outlook_.seconds_left(all, verdicts_now(spec_, all));
  const std::time_t now = std::time(nullptr);
  const double pause = std::chrono::duration<double>(pause_).count();
  LiveProgress live{
      .text = fmt::format("{} runs so far", subject_.study.runs.size()),
      .done = {},
      .reload_seconds = kReloadSeconds,
      .written = now,
      .patience_seconds = std::max(kLeastPatience, kPatience * std::max(longest_run_, pause))};
  if (left) {
    live.text += ", " + left_words(*left);
    if (done > 0) live.done = done / (done + *left);
  }
  live.text += fmt::format("; as of {:%H:%M:%S} UTC", fmt::gmtime(now));
  return live;
}

void LivePage::kept(const Run& run, const std::vector<MeasurePoint>& all) {
  subject_.study.runs.push_back(run);
  outlook_.add(run);
  longest_run_ = std::max(longest_run_, run.wall.value_or(0));
  if (other_ != nullptr) other_->kept(run, all);
  if (Clock::now() < next_) return;
  const Result<void> written = write(progress(all));
  if (written || warned_) return;
  warned_ = true;  // the study is what counts: it goes on
  console_.note(fmt::format("warning: {}: {}; the page is out of date",
                            printable(written.error().where), printable(written.error().message)));
}

void LivePage::noted(const Note& note) {
  subject_.study.notes.push_back(note);
  if (other_ != nullptr) other_->noted(note);
}

void LivePage::starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) {
  if (other_ != nullptr) other_->starts(point, all);
}

void LivePage::ended(const Run& run, const std::vector<MeasurePoint>& all) {
  if (other_ != nullptr) other_->ended(run, all);
}

void LivePage::waits(const std::string& text) {
  if (other_ != nullptr) other_->waits(text);
}

}  // namespace kstar
