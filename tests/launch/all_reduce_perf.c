// What all_reduce_perf of nccl-tests takes and prints, where there is no GPU: a process with one
// GPU for each rank, and times of 20 us + 2(K-1)/K bytes at 50 GB/s. Ranks come from MPI as in a
// build with MPI=1 (WITH_MPI), from Slurm's steps (WITH_SLURM), or nowhere: then every process is
// alone.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { kHost = 64 };

// Of a time in us, as nccl-tests' common.cu writes it.
static void print_time(double us) {
  if (us >= 10000)
    printf("  %7.0f", us);
  else if (us >= 100)
    printf("  %7.1f", us);
  else
    printf("  %7.2f", us);
}

static void print_row(long long bytes, int ranks) {
  const double factor = 2.0 * (ranks - 1) / ranks;
  const double us = 20 + factor * (double)bytes / 50e3;
  const double algorithm = (double)bytes / us / 1e3;
  printf("%12lld  %12lld  %8s  %6s  %6i", bytes, bytes / 4, "float", "sum", -1);
  for (int place = 0; place < 2; ++place) {
    print_time(us);
    printf("  %5.2f  %5.2f  %5i", algorithm, algorithm * factor, 0);
  }
  printf("\n");
}

int main(int count, char** words) {
  int rank = 0, ranks = 1, gpus = 1, option;
  long long first = 32 << 20, last = 32 << 20, factor = 1;
  char host[kHost] = "";
#ifdef WITH_MPI
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
#ifdef WITH_SLURM
  rank = atoi(getenv("SLURM_PROCID"));
  ranks = atoi(getenv("SLURM_NTASKS"));
#endif
  while ((option = getopt(count, words, "b:e:f:g:")) != -1) {
    if (option == 'b')
      first = atoll(optarg);
    else if (option == 'e')
      last = atoll(optarg);
    else if (option == 'f')
      factor = atoll(optarg);
    else if (option == 'g')
      gpus = atoi(optarg);
    else
      return 1;
  }
  if (gpus != 1) return 1;  // a process has one here
  gethostname(host, kHost - 1);
  char* hosts = calloc((size_t)ranks, kHost);
#ifdef WITH_MPI
  MPI_Allgather(host, kHost, MPI_CHAR, hosts, kHost, MPI_CHAR, MPI_COMM_WORLD);
#else
  for (int i = 0; i < ranks; ++i) memcpy(hosts + i * kHost, host, kHost);
#endif
  if (rank == 0) {
    printf(
        "# nThread 1 nGpus %d minBytes %lld maxBytes %lld step: %lld(factor) warmup iters: 5 "
        "iters: 20 agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n",
        gpus, first, last, factor);
    for (int i = 0; i < ranks; ++i) {
      printf("#  Rank %2d Group %2d Pid %6d on %10s device %2d [0x%02x] %s\n", i, 0, (int)getpid(),
             hosts + i * kHost, i, 0x1b + i, "NVIDIA H100 80GB HBM3");
    }
    printf("#\n#%64sout-of-place%23sin-place          \n", "", "");
    printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "size", "count",
           "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw",
           "#wrong");
    printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "(B)",
           "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)",
           "");
    for (long long bytes = first; bytes <= last; bytes *= factor) print_row(bytes, ranks);
    printf("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : %g \n#\n\n", 12.345);
  }
  free(hosts);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
