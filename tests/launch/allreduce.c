// An MPI job with a known answer: every rank says where it is, and rank 0 how many they are and how
// long an all-reduce of one number takes (the median of 51). With an argument it waits so many
// seconds at the end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kTimes = 51 };

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count, char** words) {
  int rank, ranks;
  char host[256];
  double seconds[kTimes], one = 1, sum = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  gethostname(host, sizeof host);
  const char* threads = getenv("OMP_NUM_THREADS");
  for (int i = 0; i < kTimes; ++i) {
    const double begin = MPI_Wtime();
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    seconds[i] = MPI_Wtime() - begin;
  }
  qsort(seconds, kTimes, sizeof seconds[0], by_size);
  if (rank == 0) printf("ranks %d\nallreduce %.9f\n", (int)sum, seconds[kTimes / 2]);
  printf("rank %d of %d on %s with %s threads\n", rank, ranks, host, threads ? threads : "no");
  fflush(stdout);
  if (count > 1) sleep((unsigned)atoi(words[1]));
  MPI_Finalize();
  return 0;
}
