/* An MPI program whose calls, bytes and delays are known: program PART. inside_test.cc says what is
 * expected of each part. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void pause_ms(int ms) {
  const struct timespec t = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&t, NULL);
}

/* Rank r comes r x 20 ms late to each of 10 all-reduces of 100 doubles. */
static void late(void) {
  double in[100] = {1}, out[100];
  for (int i = 0; i < 10; ++i) {
    pause_ms(20 * rank);
    MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* Rank 0 sends 7 messages of 1000 bytes to each other rank, which offer room for 2000. */
static void messages(void) {
  char buffer[2000] = {0};
  for (int i = 0; i < 7; ++i) {
    if (rank != 0) MPI_Recv(buffer, 2000, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int to = 1; rank == 0 && to < size; ++to) {
      MPI_Send(buffer, 1000, MPI_CHAR, to, i, MPI_COMM_WORLD);
    }
  }
  MPI_Request requests[2];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Irecv(buffer, 10, MPI_INT, left, 99, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(buffer + 100, 10, MPI_INT, right, 99, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(buffer, 3, MPI_DOUBLE, right, 7, buffer + 200, 3, MPI_DOUBLE, left, 7,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send_init(buffer, 5, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(buffer + 400, 5, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* Every shape of collective, in place too, with arguments that are not significant left wrong. */
static void collectives(void) {
  int own[4] = {rank}, all[64] = {0}, counts[16], places[16];
  MPI_Datatype types[16];
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = i * (i + 1) / 2;
    types[i] = MPI_INT;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(all, 5, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(all, 3, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Gatherv(own, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(own, 4, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, own, 3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(all, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD);
  int send[16], same[16], at[16], byte_at[16];
  for (int i = 0; i < size; ++i) {
    send[i] = rank + 1;
    same[i] = i + 1;
    at[i] = 4 * i;
    byte_at[i] = 16 * i;
  }
  int out[64] = {0};
  MPI_Alltoallv(all, send, at, MPI_INT, out, same, at, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallw(all, send, byte_at, types, out, same, byte_at, types, MPI_COMM_WORLD);
  MPI_Reduce(own, out, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce_scatter(all, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(all, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(own, out, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Iallreduce(own, out, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  /* Types come and go, and their handles come back with other sizes. */
  for (int i = 1; i <= 4; ++i) {
    MPI_Datatype row;
    MPI_Type_contiguous(i, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    double rows[4] = {0};
    MPI_Bcast(rows, 1, row, 0, MPI_COMM_SELF);
    MPI_Type_free(&row);
  }
}

/* Even and odd ranks apart; 1000 duplicates that come and go. */
static void groups(void) {
  MPI_Comm half, copy;
  double in = 1, out;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0) MPI_Comm_set_name(half, "even");
  for (int i = 0; i < 5; ++i) {
    pause_ms(rank / 2 * 20);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, half);
  }
  for (int i = 0; i < 1000; ++i) {
    MPI_Comm_dup(half, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
  }
  MPI_Comm_free(&half);
}

static void* one_thread(void* number) {
  const int tag = 1000 + *(int*)number;
  double in = 1, out;
  for (int i = 0; i < 50; ++i) {
    MPI_Sendrecv(&in, 1, MPI_DOUBLE, rank, tag, &out, 1, MPI_DOUBLE, rank, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[4];
  int number[4];
  for (int i = 0; i < 4; ++i) {
    number[i] = i;
    pthread_create(&thread[i], NULL, one_thread, &number[i]);
  }
  for (int i = 0; i < 4; ++i) pthread_join(thread[i], NULL);
}

/* 150 ms without MPI, then 150 ms in and out of it. */
static void drift(void) {
  pause_ms(150);
  int flag;
  const double end = MPI_Wtime() + 0.150;
  while (MPI_Wtime() < end) {
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

/* More collectives than the log holds; the root need not wait for the others. */
static void many(void) {
  double value = 1;
  for (int i = 0; i < 20000; ++i) MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void windows_of_memory(void) {
  int memory[8] = {0};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(memory, 2, MPI_INT, size - 1, 0, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void files(const char* path) {
  MPI_File file;
  int data[100] = {0};
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof data, data, 100, MPI_INT,
                        MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, data, 50, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Five all-reduces, and then an end without MPI_Finalize. */
static void end(const char* how) {
  double in = 1, out;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(how, "segfault") == 0) raise(SIGSEGV);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "stuck") == 0) { /* rank 0 is killed while it waits for what never comes */
    if (rank == 0) {
      alarm(1); /* SIGALRM ends it */
      MPI_Recv(&in, 1, MPI_DOUBLE, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0, flag; i < 80; ++i) {
      pause_ms(10);
      MPI_Iprobe(0, 78, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    pause_ms(10000);
  }
}

int main(int argc, char** argv) {
  const char* part = argc > 1 ? argv[1] : "";
  if (strcmp(part, "threads") == 0) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
      puts("no MPI_THREAD_MULTIPLE");
      MPI_Finalize();
      return 77;
    }
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(part, "late") == 0) late();
  else if (strcmp(part, "messages") == 0) messages();
  else if (strcmp(part, "collectives") == 0) collectives();
  else if (strcmp(part, "groups") == 0) groups();
  else if (strcmp(part, "threads") == 0) threads();
  else if (strcmp(part, "drift") == 0) drift();
  else if (strcmp(part, "many") == 0) many();
  else if (strcmp(part, "one-sided") == 0) windows_of_memory();
  else if (strcmp(part, "files") == 0) files(argv[2]);
  else end(part);
  MPI_Finalize();
  puts("done");
  return 0;
}
