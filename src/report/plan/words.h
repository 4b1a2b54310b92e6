#pragma once

#include <string>

#include "kstar/plan.h"

/// How times, costs and goals of a plan are said.
namespace kstar::planning {

/// "4.81 h", "35 min", "2.3 d".
std::string span_text(double seconds);
/// The same in the unit that is fit for `like`, where that leaves two digits.
std::string span_text(double seconds, double like);

/// "24 GB", "90.2 MB".
std::string bytes_text(double bytes);

/// In the unit of a plan: seconds as above, or a bare number of T(1).
class PlanUnits {
 public:
  explicit PlanUnits(const Plan& plan);

  std::string time(double value) const;
  std::string cost(double value) const;  ///< "96.2 $", "12.3 worker-hours", "2 x T(1)"
  std::string cost_cell(double value) const;
  std::string cost_name() const;  ///< "$", "worker-hours"
  std::string cost_head() const;  ///< of a column
  std::string time_head() const;
  bool counts_hours() const { return seconds_; }

 private:
  bool seconds_ = true;
  bool priced_ = false;
  double longest_ = 0;  ///< time: all times are in its unit
  std::string currency_;
};

/// "deadline 5 h", "efficiency 0.7", "knee (least time x cost)".
std::string goal_text(const Goal& goal, const PlanUnits& units);

/// "8", "1048576".
std::string workers_text(double workers);

/// "8..12", "8 or more"; "" where it is K* alone, or not known.
std::string workers_range(const PlanAnswer& answer);

}  // namespace kstar::planning
