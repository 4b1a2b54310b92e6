#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/time_source.h"

/// Times that a program prints.
namespace kstar {

/// The numbers found in one stream, as they stand there.
using FoundNumbers = Result<std::vector<double>>;

/// What is common to times from a program's output: a subclass finds the numbers.
class OutputTime : public TimeSource {
 public:
  explicit OutputTime(const MeasureSpec& spec);

  Result<void> read(const Outcome& outcome, const std::string& marks_folder,
                    Run& run) const override;
  std::string setup() const override;
  std::string setup_method() const override;

 protected:
  /// None is no error; a number that cannot be read is one.
  virtual FoundNumbers find(std::string_view stream) const = 0;
  /// For messages: "the pattern 'x'".
  virtual std::string described() const = 0;

 private:
  /// The numbers as seconds of steps at K.
  Result<std::vector<double>> seconds_of(const std::vector<double>& numbers, int workers) const;
  /// Whether a rate's work is known, so that its steps are seconds of the clock.
  bool has_work() const { return spec_.time_work || spec_.batch; }

  MeasureSpec spec_;
  double unit_ = 1;  // seconds
};

Result<std::unique_ptr<TimeSource>> pattern_time(const MeasureSpec& spec);
Result<std::unique_ptr<TimeSource>> json_time(const MeasureSpec& spec);

}  // namespace kstar
