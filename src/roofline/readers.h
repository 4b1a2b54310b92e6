#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/machine.h"
#include "kstar/roofline.h"

/// One reader per format of a profiler, each in a file of its own, and what they share.
namespace kstar::roofline {

/// A text of another program, under its name.
struct Input {
  std::string_view text;
  std::string_view name;
  std::vector<std::string_view> lines;  ///< without their ends and a byte order mark
};
Input make_input(std::string_view text, std::string_view name);

struct ProfileFormat {
  std::string_view name;
  bool (*is)(const Input&) = nullptr;
  Result<RooflineProfile> (*read)(const Input&) = nullptr;
};
extern const ProfileFormat kNcuFormat;
extern const ProfileFormat kNcuTextFormat;
extern const ProfileFormat kRocprofFormat;
extern const ProfileFormat kLikwidFormat;
extern const ProfileFormat kLikwidBenchFormat;
extern const ProfileFormat kPerfStatFormat;

struct CeilingFormat {
  std::string_view name;
  bool (*is)(const Input&) = nullptr;
  Result<MachineCeilings> (*read)(const Input&) = nullptr;
};
extern const CeilingFormat kStreamCeilings;
extern const CeilingFormat kBabelStreamCeilings;
extern const CeilingFormat kRocprofCeilings;
extern const CeilingFormat kGpuCeilings;
extern const CeilingFormat kLikwidBenchCeilings;

/// The fields of a line of CSV; quotes are taken off. Nothing where a quote is never closed.
std::optional<std::vector<std::string>> csv_fields(std::string_view line);

/// A number as other programs print it: "5,335,822", "1 234,5", "2.5e+07". Nothing for "n/a".
std::optional<double> loose_number(std::string_view text);

/// Whether one text stands in another, of which the first megabyte is searched.
bool mentions(const Input& input, std::string_view what);

/// A bandwidth of the memory, in bytes per second; the same again is another sample.
void add_bandwidth(MachineCeilings& machine, std::string_view kernel, int threads, double rate);

/// An error where the arrays of a benchmark, in bytes in all, may lie in a cache; 0: not known.
Result<void> check_arrays(const Input& input, double bytes);

/// An error where samples of one ceiling differ so much that they are of two machines or of two
/// numbers of threads; a note where there are several.
Result<void> check_agreement(const Input& input, MachineCeilings& machine);

/// Launches of one name become one kernel.
class KernelSums {
 public:
  void add(RooflineKernel launch);
  std::vector<RooflineKernel> take();

 private:
  std::vector<RooflineKernel> kernels_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace kstar::roofline
