#pragma once

#include <set>

#include "comm/tables.h"

namespace kstar::comm {

/// nccl-tests and rccl-tests, of any age: with and without a root column, with errors or counts of
/// wrong values, with or without what stands above the table.
class NcclReader final : public TableReader {
 public:
  bool see(std::string_view line, LogContext& context) override;
  void finish(LogContext& context) override;

  struct Row {
    double bytes = 0;
    double time = 0, algorithm = 0, bus = 0;  ///< out of place: s, B/s, B/s
    std::optional<double> in_place;
    bool in_place_unchecked = false;  ///< N/A stands for its wrong values
    bool sums = false;
    double root = -1;
    double wrong = 0, wrong_in_place = 0;  ///< values
    double workers = 0;  ///< size / (count x width of the type), where that is whole and above 1
  };

 private:
  bool see_comment(std::string_view line, LogContext& context);
  bool see_row(std::string_view line, LogContext& context);
  void begin_run();
  std::optional<Row> read_row(const std::vector<std::string_view>& words) const;
  double workers_of(Collective collective, LogContext& context) const;
  double nodes_of(double workers) const;

  std::vector<Row> rows_;
  std::vector<std::string> columns_;  ///< of the table's head
  std::string head_;                  ///< a row whose times stand on a later line
  std::set<std::string> hosts_;
  std::string collective_;
  std::size_t rank_lines_ = 0;
  double last_rank_ = -1, last_device_ = -1;
  std::size_t damaged_ = 0;
  std::size_t wrong_ = 0;
  bool rccl_ = false;
  bool failed_ = false;  ///< "Out of bounds values : 3 FAILED"
};

/// Bytes moved, and none of them between workers: a bus bandwidth of 0 beside one of the algorithm.
bool is_alone(const std::vector<NcclReader::Row>& rows);

/// Says which sizes the benchmark itself found wrong; false where there are none.
bool note_wrong(const std::vector<NcclReader::Row>& rows, Collective collective,
                LogContext& context);

/// From redop, root and the ratio of bus to algorithm bandwidth; none where they do not tell.
std::optional<Collective> implied_collective(const std::vector<NcclReader::Row>& rows,
                                             double workers);

/// K by size = K x count x width of the type, where all rows agree; 0 where they do not.
double counted_workers(const std::vector<NcclReader::Row>& rows);

/// K by bus / algorithm bandwidth, where the digits tell it; 0 where they do not.
double implied_workers(const std::vector<NcclReader::Row>& rows, Collective collective);

}  // namespace kstar::comm
