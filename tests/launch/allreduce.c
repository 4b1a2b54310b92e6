// An MPI job with a known answer: every rank says where it is, and rank 0 how many they are, how
// long an all-reduce of one number takes, and one of a megabyte. With an argument it waits so many
// seconds at the end.
//
// Each of a batch of all-reduces waits for the one before on every rank, so that a batch cannot be
// faster than its messages, but for its first one: the others may have sent theirs before this rank
// comes. The fastest batch is the one that other work on the machine disturbed least.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kBatches = 10, kBatch = 20, kLarge = 125000, kLargeTimes = 3 };

static double large_sum[kLarge];

int main(int count, char** words) {
  int rank, ranks;
  char host[256];
  double one = 1, sum = 0, fastest = 1e9;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  gethostname(host, sizeof host);
  const char* threads = getenv("OMP_NUM_THREADS");
  for (int i = 0; i < kBatches; ++i) {
    const double begin = MPI_Wtime();
    for (int j = 0; j < kBatch; ++j) {
      MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    const double each = (MPI_Wtime() - begin) / kBatch;
    if (each < fastest) fastest = each;
  }
  double large = 1e9;
  for (int i = 0; i < kLargeTimes; ++i) {
    const double begin = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, large_sum, kLarge, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (MPI_Wtime() - begin < large) large = MPI_Wtime() - begin;
  }
  if (rank == 0) printf("ranks %d\nallreduce %.9f\nlarge %.9f\n", (int)sum, fastest, large);
  printf("rank %d of %d on %s with %s threads\n", rank, ranks, host, threads ? threads : "no");
  fflush(stdout);
  if (count > 1) sleep((unsigned)atoi(words[1]));
  MPI_Finalize();
  return 0;
}
