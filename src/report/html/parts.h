#pragma once

#include <span>
#include <string>

#include "kstar/page.h"

/// The parts of the page, from the answer down to what it rests on. A part that has nothing to say
/// is empty. `level` is that of its first heading.
namespace kstar {

/// The first screen: of one study its answer beside `chart`, of two each by itself, of more their
/// ranking.
std::string answer_part(std::span<const Subject> subjects, const PageOptions& options,
                        const std::string& chart);

/// The answer of one study: what to do, how sure, why not more, what to do next.
std::string answer_block(const Subject& subject, const std::string& chart);

/// What was assumed, failed or not measured here, one line each, and what questions the answer.
std::string strip_part(const Subject& subject);

/// The same by name alone, for a table: "failed, gap". That a study was imported is not among them.
std::string strip_names(const Subject& subject);

/// The doubts that the strip does not name, and how many they are.
std::string more_doubts(const Subject& subject);
std::size_t doubt_count(const Subject& subject);

/// The lost efficiency as one bar, by what takes it.
std::string loss_part(const Analysis& analysis);

/// What to do next, with a command to copy.
std::string next_part(const Subject& subject);

/// Three studies or more: a table with a curve in each row, then one drawing for each.
std::string ranking_part(std::span<const Subject> subjects);

/// Every chart that there is, by its place in the page, with what the script needs to bring it to
/// life.
struct PageCharts {
  std::string main;    ///< beside the answer
  std::string curves;  ///< the other curves over K
  std::string causes;
  std::string more;
  std::string more_kinds;  ///< "samples, models"
  std::string threshold;   ///< what moves the threshold of all of them
};
PageCharts charts_part(std::span<const Subject> subjects);

/// Two studies: the verdict of their comparison, beside `chart`, and the ratios with intervals.
std::string comparison_part(std::span<const Subject> subjects, const PageOptions& options,
                            const std::string& chart);

/// T(K) and E(K) of several studies in one table.
std::string side_by_side_part(std::span<const Subject> subjects);

/// What was skipped, failed, lost or guessed.
std::string notes_part(const Subject& subject, int level);

/// The raw runs as a table. `number` tells the studies of a page apart.
std::string runs_part(const Subject& subject, std::size_t number);

/// What can be taken out of the page, and the study itself. Fails where the study cannot be
/// written.
Result<std::string> data_part(const Subject& subject, std::size_t number,
                              const PageOptions& options);

/// A page as it grows: its sections, and the contents that name them.
class PageBody {
 public:
  /// Nothing is added where there is no HTML.
  void add(std::string_view id, std::string_view title, const std::string& html_text);

  /// With the contents behind the first section: on a phone that is where they stand. One section
  /// alone has none.
  std::string take();

 private:
  std::string text_;
  std::string entries_;
  std::size_t count_ = 0;
  std::size_t contents_at_ = 0;
};

/// A section below its heading; nothing without content.
std::string page_section(std::string_view id, std::string_view title, const std::string& content);

/// All of them in their order, the contents among them.
Result<std::string> body_part(std::span<const Subject> subjects, const PageOptions& options);

/// The name of a subject, or what stands for one.
std::string name_of(const Subject& subject);

}  // namespace kstar
