/* Loops over data much larger than the caches. */
#include "loops.h"

enum { kBlock = 32 };

static double triad(struct Part part) {
  for (size_t i = part.first; i < part.last; ++i) a[i] = b[i] + 0.5 * c[i];
  return a[part.first];
}

static double sum(struct Part part) {
  double sums[8] = {0};
  for (size_t i = part.first; i + 8 <= part.last; i += 8) {
    for (int lane = 0; lane < 8; ++lane) sums[lane] += b[i + (size_t)lane];
  }
  double all = 0;
  for (int lane = 0; lane < 8; ++lane) all += sums[lane];
  return all;
}

static double dot(struct Part part) {
  double sums[8] = {0};
  for (size_t i = part.first; i + 8 <= part.last; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) sums[lane] += b[i + lane] * c[i + lane];
  }
  double all = 0;
  for (int lane = 0; lane < 8; ++lane) all += sums[lane];
  return all;
}

static double spmv(struct Part part) {
  for (size_t row = part.first; row < part.last; ++row) {
    double y = 0;
    for (size_t at = row * kEntries; at < (row + 1) * kEntries; ++at) y += b[at] * c[columns[at]];
    a[row] = y;
  }
  return a[part.first];
}

/* Rows above and below are still in a cache when they are needed again. */
static double stencil(struct Part part) {
  const size_t last = part.last * side / count;
  for (size_t row = part.first * side / count; row < last; ++row) {
    if (row == 0 || row + 1 == side) continue;
    const double* at = b + row * side;
    for (size_t i = 1; i + 1 < side; ++i) {
      a[row * side + i] = 0.25 * (at[i - 1] + at[i + 1] + at[i - side] + at[i + side]);
    }
  }
  return a[part.first];
}

static double transpose(struct Part part) {
  const size_t blocks = side / kBlock;
  for (size_t row = part.first * blocks / count; row < part.last * blocks / count; ++row) {
    for (size_t column = 0; column < blocks; ++column) {
      for (size_t i = row * kBlock; i < (row + 1) * kBlock; ++i) {
        for (size_t j = column * kBlock; j < (column + 1) * kBlock; ++j) {
          a[i * side + j] = b[j * side + i];
        }
      }
    }
  }
  return a[0];
}

const struct Loop kMemoryLoops[] = {
    {"triad", "abc", 24, 2, 24, triad},
    {"sum", "b", 8, 1, 8, sum},
    {"dot", "bc", 16, 2, 16, dot},
    {"spmv", "abcx", kEntries * 12 + 16, 2 * kEntries, kEntries * 12 + 16, spmv},
    {"stencil", "ab", 16, 4, 16, stencil},
    {"transpose", "ab", 16, 0, 16, transpose},
    {NULL, NULL, 0, 0, 0, NULL}};
