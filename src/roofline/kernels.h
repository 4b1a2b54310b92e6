#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Loops that do nothing but what is measured: operations on registers, or moves between registers
/// and one level of memory. Chosen at run time by what the processor has.
namespace kstar::roofline {

/// A loop of multiplications and additions on registers.
struct ComputeKernel {
  std::string_view name;       ///< "avx512"
  std::string_view precision;  ///< "fp64"
  int bits = 0;                ///< of a register
  double (*run)(std::size_t rounds) = nullptr;
  double flops_per_round = 0;
};

/// A loop over arrays: a, b and c, of `bytes` each (a multiple of kBlock, aligned to it).
struct MemoryKernel {
  std::string_view name;         ///< "triad"
  std::string_view vector;       ///< "avx512"
  int arrays = 1;                ///< that it goes over
  double counted = 0;            ///< bytes per byte of an array, as STREAM counts them
  bool streaming_store = false;  ///< past the caches
  void (*run)(double* a, const double* b, const double* c, std::size_t bytes,
              std::size_t passes) = nullptr;
};

/// Of an iteration of the longest loop.
inline constexpr std::size_t kBlock = 512;

/// Those that this processor can run, by register width.
std::vector<ComputeKernel> compute_kernels();

/// Likewise, with the widest registers alone.
std::vector<MemoryKernel> memory_kernels();

}  // namespace kstar::roofline
