/* STREAM's triad a = b + s c on K threads: the program whose S(K) a machine's bandwidth predicts.
 *
 *   triad K [MB per array] [steps]
 *
 * Marks its steps, operations (2 per element) and bytes (24 per element, as STREAM counts them).
 *   cc -O3 -fopenmp -I include bench/programs/triad.c -o triad
 */
#include <kstar/mark.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int workers = argc > 1 ? atoi(argv[1]) : 1;
  const size_t count = (size_t)(argc > 2 ? atof(argv[2]) : 256) * 1000000 / sizeof(double);
  const int steps = argc > 3 ? atoi(argv[3]) : 6;
  double* a = malloc(count * sizeof *a);
  double* b = malloc(count * sizeof *b);
  double* c = malloc(count * sizeof *c);
  if (workers < 1 || steps < 2 || !a || !b || !c) {
    fprintf(stderr, "triad: expected K >= 1, arrays that fit and 2 steps or more\n");
    return 1;
  }
  omp_set_num_threads(workers);
#pragma omp parallel
  {
    kstar_mark* mark = kstar_mark_open(omp_get_thread_num());
    const size_t first = count * (size_t)omp_get_thread_num() / (size_t)workers;
    const size_t last = count * ((size_t)omp_get_thread_num() + 1) / (size_t)workers;
    for (size_t i = first; i < last; ++i) {
      a[i] = 0;
      b[i] = 1;
      c[i] = 2;
    }
#pragma omp barrier
    kstar_mark_setup_end(mark);
    for (int step = 0; step < steps; ++step) {
      if (step == 1) kstar_mark_warm_up_end(mark);
      kstar_mark_step_begin(mark);
      kstar_mark_begin(mark, KSTAR_MARK_COMPUTE);
      for (size_t i = first; i < last; ++i) a[i] = b[i] + 0.5 * c[i];
      kstar_mark_end(mark, KSTAR_MARK_COMPUTE);
      kstar_mark_begin(mark, KSTAR_MARK_WAIT);
#pragma omp barrier
      kstar_mark_end(mark, KSTAR_MARK_WAIT);
      kstar_mark_work(mark, (double)(last - first));
      kstar_mark_flops(mark, 2.0 * (double)(last - first));
      kstar_mark_bytes(mark, 24.0 * (double)(last - first));
      kstar_mark_step_end(mark);
    }
    kstar_mark_close(mark);
  }
  printf("%g\n", a[count / 2]);
  return a[count / 2] == 2 ? 0 : 1;
}
