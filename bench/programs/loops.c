/* Loops of which it is known what they are bound by, on K threads: one amount of work, divided.
 *
 *   loops KIND K [MB of its data] [steps]
 *
 * By memory, with data much larger than the caches (memory_loops.c):
 *   triad      a = b + s c, STREAM's
 *   sum, dot   of one array, of two
 *   spmv       y = A x, with a sparse matrix of 8 entries per row near its diagonal
 *   stencil    of five points, in a plane
 *   transpose  of a matrix, in blocks: bound by the pages that it goes through where they are small
 * By nothing that the threads share (core_loops.c):
 *   chain      operations that wait for each other, in registers
 *   cached     sums of an array that the first cache of a core holds
 *   pi         by integration
 *   nbody      forces between bodies
 *   matmul     products of tiles
 *
 * Marks its steps, operations and the bytes that memory has to move, counted as STREAM counts them.
 *   cc -O3 -fopenmp -I include bench/programs/?*loops.c bench/programs/loops.c -lm -o loops
 */
#include "loops.h"

#include <kstar/mark.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBand = 512, kSideStep = 32 };

double *a, *b, *c;
int* columns;
size_t count, side;

static int uses(const struct Loop* loop, char array) {
  return strchr(loop->arrays, array) != NULL;
}

static size_t per_element(const struct Loop* loop) {
  return uses(loop, 'x') ? kEntries : 1;
}

static const struct Loop* find_loop(const char* name) {
  const struct Loop* groups[] = {kMemoryLoops, kCoreLoops};
  for (int i = 0; i < 2; ++i) {
    for (const struct Loop* one = groups[i]; one->name; ++one) {
      if (!strcmp(name, one->name)) return one;
    }
  }
  return NULL;
}

/* Each thread first touches what it will use. */
static void fill(const struct Loop* loop, struct Part part) {
  const size_t each = per_element(loop);
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

/* 0 where the data do not fit. */
static int allocate(const struct Loop* loop) {
  const size_t each = per_element(loop);
  if (uses(loop, 'a') && !(a = malloc(count * sizeof *a))) return 0;
  if (uses(loop, 'b') && !(b = malloc(count * each * sizeof *b))) return 0;
  if (uses(loop, 'c') && !(c = malloc(count * sizeof *c))) return 0;
  if (uses(loop, 'x') && !(columns = malloc(count * each * sizeof *columns))) return 0;
  return 1;
}

static void set_sizes(const struct Loop* loop, double megabytes) {
  count = (size_t)(megabytes * 1e6 / loop->element_bytes);
  while ((side + kSideStep) * (side + kSideStep) <= count) side += kSideStep;
  if (!strcmp(loop->arrays, "ab")) count = side * side; /* a matrix or a plane */
}

static double run(const struct Loop* loop, size_t thread, size_t workers, int steps) {
  const struct Part part = {count * thread / workers, count * (thread + 1) / workers};
  const double elements = (double)(part.last - part.first);
  double results = 0;
  kstar_mark* mark = kstar_mark_open((int)thread);
  fill(loop, part);
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
  return results;
}

int main(int argc, char** argv) {
  const struct Loop* loop = argc > 1 ? find_loop(argv[1]) : NULL;
  const int workers = argc > 2 ? atoi(argv[2]) : 1;
  const double megabytes = argc > 3 ? atof(argv[3]) : 768;
  const int steps = argc > 4 ? atoi(argv[4]) : 6;
  if (!loop || workers < 1 || steps < 2 || megabytes < 1) {
    fprintf(stderr, "usage: loops KIND K [MB of its data, 1 or more] [steps, 2 or more]\n");
    return 2;
  }
  set_sizes(loop, megabytes);
  if (!allocate(loop)) {
    fprintf(stderr, "loops: its data do not fit in memory\n");
    return 1;
  }
  double results = 0;
  omp_set_num_threads(workers);
#pragma omp parallel reduction(+ : results)
  results += run(loop, (size_t)omp_get_thread_num(), (size_t)workers, steps);
  printf("%g\n", results);
  return 0;
}
