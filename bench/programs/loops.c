/* Loops of which it is known what they are bound by, on K threads: one amount of work, divided.
 *
 *   loops KIND K [MB of its data] [steps]
 *
 * By memory, with data much larger than the caches:
 *   triad      a = b + s c, STREAM's
 *   sum        of one array
 *   spmv       y = A x, with a sparse matrix of 8 entries per row near its diagonal
 *   transpose  of a matrix, in blocks
 * By nothing that the threads share:
 *   chain      operations that wait for each other, in registers
 *   cached     sums of an array that the first cache of a core holds
 *
 * Marks its steps, operations and the bytes that memory has to move, counted as STREAM counts them.
 *   cc -O3 -fopenmp -I include bench/programs/loops.c -o loops
 */
#include <kstar/mark.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kEntries = 8, kBand = 512, kBlock = 32, kCached = 2048, kTimes = 16 };

struct Part { /* of one thread: elements, rows, or blocks of rows */
  size_t first, last;
};

struct Loop {
  const char* name;
  double element_bytes; /* of its data, per element */
  double flops, bytes;  /* of one step, per element */
  double (*step)(struct Part part);
};

static double *a, *b, *c;
static int* columns;
static size_t count, side; /* elements; rows of a square matrix */

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

static double spmv(struct Part part) {
  for (size_t row = part.first; row < part.last; ++row) {
    double y = 0;
    for (size_t at = row * kEntries; at < (row + 1) * kEntries; ++at) y += b[at] * c[columns[at]];
    a[row] = y;
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

static double chain(struct Part part) {
  double x = (double)part.last;
  for (size_t i = part.first; i < part.last; ++i) x = x * 0.999999 + 0.5;
  return x;
}

static double cached(struct Part part) {
  double own[kCached], all = 0;
  for (size_t i = 0; i < kCached; ++i) own[i] = (double)i;
  for (size_t i = part.first * kTimes; i < part.last * kTimes; i += kCached) {
    double sums[8] = {0};
    for (size_t j = 0; j < kCached; j += 8) {
      for (size_t lane = 0; lane < 8; ++lane) sums[lane] += own[j + lane];
    }
    all = 0;
    for (int lane = 0; lane < 8; ++lane) all += sums[lane];
    own[i % kCached] = all * 1e-9;
  }
  return all;
}

static const struct Loop kLoops[] = {
    {"triad", 24, 2, 24, triad},
    {"sum", 8, 1, 8, sum},
    {"spmv", kEntries * 12 + 16, 2 * kEntries, kEntries * 12 + 16, spmv},
    {"transpose", 16, 0, 16, transpose},
    {"chain", 8, 2, 0, chain},
    {"cached", 8, kTimes, 0, cached}};

/* Each thread first touches what it will use. */
static void fill(const struct Loop* loop, struct Part part) {
  const size_t each = loop->step == spmv ? kEntries : 1;
  for (size_t i = part.first; i < part.last; ++i) {
    if (a) a[i] = 0;
    if (c) c[i] = 2;
    for (size_t at = i * each; b && at < (i + 1) * each; ++at) {
      b[at] = 1;
      if (!columns) continue;
      const size_t near = i + (at * 2654435761u) % kBand;
      columns[at] = (int)(near < count ? near : i);
    }
  }
}

static int allocate(const struct Loop* loop) {
  const int moves = loop->bytes > 0;
  const size_t each = loop->step == spmv ? kEntries : 1;
  a = moves && loop->step != sum ? malloc(count * sizeof *a) : NULL;
  b = moves ? malloc(count * each * sizeof *b) : NULL;
  c = loop->step == triad || loop->step == spmv ? malloc(count * sizeof *c) : NULL;
  columns = loop->step == spmv ? malloc(count * each * sizeof *columns) : NULL;
  return !moves ||
         (b && (a || loop->step == sum) && (c || loop->step == sum || loop->step == transpose));
}

int main(int argc, char** argv) {
  const struct Loop* loop = NULL;
  for (size_t i = 0; argc > 1 && i < sizeof kLoops / sizeof *kLoops; ++i) {
    if (!strcmp(argv[1], kLoops[i].name)) loop = &kLoops[i];
  }
  const int workers = argc > 2 ? atoi(argv[2]) : 1;
  const double megabytes = argc > 3 ? atof(argv[3]) : 768;
  const int steps = argc > 4 ? atoi(argv[4]) : 6;
  if (!loop || workers < 1 || steps < 2 || megabytes < 1) {
    fprintf(stderr, "usage: loops KIND K [MB of its data, 1 or more] [steps, 2 or more]\n");
    return 2;
  }
  count = (size_t)(megabytes * 1e6 / loop->element_bytes);
  while ((side + kBlock) * (side + kBlock) <= count) side += kBlock;
  if (loop->step == transpose) count = side * side;
  if (!allocate(loop)) {
    fprintf(stderr, "loops: its data do not fit in memory\n");
    return 1;
  }
  double results = 0;
  omp_set_num_threads(workers);
#pragma omp parallel reduction(+ : results)
  {
    const size_t thread = (size_t)omp_get_thread_num();
    const struct Part part = {count * thread / (size_t)workers,
                              count * (thread + 1) / (size_t)workers};
    const double elements = (double)(part.last - part.first);
    kstar_mark* mark = kstar_mark_open((int)thread);
    if (loop->bytes > 0) fill(loop, part);
#pragma omp barrier
    kstar_mark_setup_end(mark);
    for (int step = 0; step < steps; ++step) {
      if (step == 1) kstar_mark_warm_up_end(mark);
      kstar_mark_step_begin(mark);
      kstar_mark_begin(mark, KSTAR_MARK_COMPUTE);
      results += loop->step(part);
      kstar_mark_end(mark, KSTAR_MARK_COMPUTE);
      kstar_mark_begin(mark, KSTAR_MARK_WAIT);
#pragma omp barrier
      kstar_mark_end(mark, KSTAR_MARK_WAIT);
      kstar_mark_work(mark, elements);
      kstar_mark_flops(mark, loop->flops * elements);
      kstar_mark_bytes(mark, loop->bytes * elements);
      kstar_mark_step_end(mark);
    }
    kstar_mark_close(mark);
  }
  printf("%g\n", results);
  return 0;
}
