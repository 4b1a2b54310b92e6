! A Fortran program: rank r comes r x 20 ms late to each of 10 all-reduces of 100 doubles; then a
! named communicator, a message around it, a type of its own, and a file.
program inside
  use mpi
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, ranks, half_rank, half_ranks, i, ierr, numbers(10), taken(10)
  double precision :: in(100), out(100)
  integer(c_int) :: ignored
  character(len=500) :: path
  integer :: data
  integer :: half
  integer :: requests(2)
  integer :: row

  call get_command_argument(1, path)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  in = 1
  do i = 1, 10
    ignored = usleep(20000_c_int * int(rank, c_int))
    call MPI_Allreduce(in, out, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, out, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)

  call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, half, ierr)
  call MPI_Comm_set_name(half, 'fortran half  ', ierr)
  call MPI_Comm_rank(half, half_rank, ierr)
  call MPI_Comm_size(half, half_ranks, ierr)
  numbers = rank
  call MPI_Irecv(taken, 10, MPI_INTEGER, modulo(half_rank - 1, half_ranks), 4, half, requests(1), ierr)
  call MPI_Isend(numbers, 10, MPI_INTEGER, modulo(half_rank + 1, half_ranks), 4, half, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (any(taken /= modulo(half_rank - 1, half_ranks))) print *, 'wrong numbers'
  call MPI_Send_init(numbers, 5, MPI_INTEGER, modulo(half_rank + 1, half_ranks), 5, half, requests(1), ierr)
  call MPI_Recv_init(taken, 5, MPI_INTEGER, modulo(half_rank - 1, half_ranks), 5, half, requests(2), ierr)
  call MPI_Startall(2, requests, ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Type_contiguous(3, MPI_INTEGER, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Bcast(numbers, 2, row, 0, half, ierr)
  call MPI_Type_free(row, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_File_open(MPI_COMM_WORLD, trim(path), ior(MPI_MODE_CREATE, MPI_MODE_WRONLY), MPI_INFO_NULL, data, ierr)
  call MPI_File_write_at(data, 40_MPI_OFFSET_KIND * rank, numbers, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(data, ierr)
  call MPI_Finalize(ierr)
  if (abs(out(1) - ranks * ranks) < 1d-9) print '(a)', 'done'
end program
