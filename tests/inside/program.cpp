// A C++ program: rank r comes r x 20 ms late to each of 10 all-reduces of 100 doubles.
#include <mpi.h>

#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> in(100, 1.0), out(100);
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * rank));
    MPI_Allreduce(in.data(), out.data(), 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  std::cout << "done\n";
}
