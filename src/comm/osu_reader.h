#pragma once

#include "comm/tables.h"

namespace kstar::comm {

/// OSU micro-benchmarks, versions 3 to 7: sizes and average latencies, further columns or none.
class OsuReader final : public TableReader {
 public:
  bool see(std::string_view line, LogContext& context) override;
  void finish(LogContext& context) override;

 private:
  bool see_title(std::string_view line, LogContext& context);
  /// Another table under the title at hand: its rows are of another run.
  void next_table(LogContext& context);

  std::string title_;  ///< of the table at hand; empty: none
  std::string version_;
  bool latency_ = false;
  Launch asked_;  ///< by the command line above it
  std::vector<CommSample> samples_;
  std::size_t wrong_ = 0;       ///< rows without a time above 0
  std::vector<double> failed_;  ///< sizes whose validation failed
};

/// Intel MPI benchmarks: MPI-1 and NBC parts, any number of processes one after the other.
class ImbReader final : public TableReader {
 public:
  bool see(std::string_view line, LogContext& context) override;
  void finish(LogContext& context) override;

 private:
  std::string title_;
  double processes_ = 0;
  std::size_t time_column_ = 0;  ///< 0: no table yet
  std::vector<CommSample> samples_;
  std::size_t wrong_ = 0;
};

/// Sizes of MPI benchmarks, which are those of one message, as kstar/network.h counts them.
double whole_size(Collective collective, double bytes, double workers);

}  // namespace kstar::comm
