/* Programs whose loss is known: threads KIND K. One amount of work, divided over K OpenMP threads.
 *   lock      every update of a shared sum takes a critical section
 *   sharing   the threads' counters lie in one cache line (false sharing)
 *   uneven    the last thread has four fifths of the work
 *   stream    a triad over arrays much larger than the caches (memory bandwidth)
 *   serial    a third of the work is done by one thread
 *   even      nothing is wrong
 *   hold      keeps K CPUs busy until it is ended
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t spin(uint64_t x, long steps) {
  for (long i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

static uint64_t sum;

static void lock(long work) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < work / 2000; ++i) {
    const uint64_t own = spin((uint64_t)i, 500);
#pragma omp critical
    sum += spin(own, 1500);
  }
}

static void sharing(long work) {
  static volatile uint64_t counters[64];
#pragma omp parallel
  {
    volatile uint64_t* mine = &counters[omp_get_thread_num()];
#pragma omp for schedule(static)
    for (long i = 0; i < work; ++i) *mine += (uint64_t)i;
  }
  for (int i = 0; i < 64; ++i) sum += counters[i];
}

static void uneven(long work, int threads) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < threads; ++i) {
    const long most = work / 5 * 4;
    const long share = threads == 1 ? work : i + 1 == threads ? most : (work - most) / (threads - 1);
    const uint64_t own = spin((uint64_t)i, share);
#pragma omp atomic
    sum += own;
  }
}

static void stream(long work) {
  const long n = 1 << 25;
  double* a = malloc(n * sizeof *a);
  double* b = malloc(n * sizeof *b);
  double* c = malloc(n * sizeof *c);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  for (long pass = 0; pass < work / 40000000 + 1; ++pass) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
  }
  sum = (uint64_t)a[n / 2];
}

static void serial(long work, int threads) {
  sum += spin(1, work / 3);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < threads; ++i) {
    const uint64_t own = spin((uint64_t)i, work * 2 / 3 / threads);
#pragma omp atomic
    sum += own;
  }
}

static void even(long work, int threads) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < threads; ++i) {
    const uint64_t own = spin((uint64_t)i, work / threads);
#pragma omp atomic
    sum += own;
  }
}

int main(int count, char** arguments) {
  if (count < 3) return fprintf(stderr, "usage: threads KIND K\n"), 2;
  const char* kind = arguments[1];
  const int threads = atoi(arguments[2]);
  const long work = 400000000;
  omp_set_num_threads(threads);
  if (!strcmp(kind, "lock")) lock(work);
  if (!strcmp(kind, "sharing")) sharing(work / 4);  /* a line that 16 threads fight over is slow */
  if (!strcmp(kind, "uneven")) uneven(work, threads);
  if (!strcmp(kind, "stream")) stream(work);
  if (!strcmp(kind, "serial")) serial(work, threads);
  while (!strcmp(kind, "hold")) even(work, threads);
  if (!strcmp(kind, "even")) even(work, threads);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
