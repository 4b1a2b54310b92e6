#pragma once

// Marks: a program tells kstar where its setup ends, where its steps begin and end, and what it
// does inside them. C99 and C++, this one file, nothing but POSIX. docs/marks.md has examples.
//
//   kstar_mark* mark = kstar_mark_open(KSTAR_MARK_RANK);   // one handle per thread
//   kstar_mark_setup_end(mark);
//   for (int step = 0; step < steps; ++step) {
//     kstar_mark_step_begin(mark);
//     kstar_mark_begin(mark, KSTAR_MARK_COMPUTE);
//     kstar_mark_end(mark, KSTAR_MARK_COMPUTE);
//     kstar_mark_work(mark, samples);
//     kstar_mark_step_end(mark);
//   }
//   kstar_mark_close(mark);
//
// The marks go to a file of their own in the folder that the environment variable KSTAR_MARKS
// names. Without it kstar_mark_open gives NULL, and every call on NULL returns at once. The same
// happens where the folder is missing, read-only or full: a program never fails for its marks. What
// was marked is in the file even when the program is killed the moment after. A handle belongs to
// one thread, and not to a forked child: that opens its own.

// NOLINTBEGIN(modernize-*,bugprone-reserved-identifier)
#if !defined(__cplusplus) && defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && \
    !defined(_XOPEN_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if !defined(CLOCK_MONOTONIC) || !defined(O_CLOEXEC)
#error "kstar/mark.h needs POSIX: include it first, or compile with -D_POSIX_C_SOURCE=200809L"
#endif

/// Takes the worker's number from the launcher's variables: see kstar_mark_rank.
#define KSTAR_MARK_RANK (-1)

/// What a worker does inside a step. Phases may nest: time belongs to the innermost.
typedef enum kstar_mark_phase {
  KSTAR_MARK_COMPUTE = 0,
  KSTAR_MARK_COMMUNICATE = 1,
  KSTAR_MARK_WAIT = 2,  ///< for other workers
  KSTAR_MARK_LOAD = 3   ///< of data
} kstar_mark_phase;

typedef struct kstar_mark kstar_mark;

// The file: one header, then records to the end or to the first record of zeros. Native byte order.

#define KSTAR_MARK_MAGIC "KSTRMARK"
#define KSTAR_MARK_VERSION 1

/// 256 bytes at the start of the file.
typedef struct kstar_mark_header {
  char magic[8];
  uint32_t version;      ///< in another byte order it reads as 0x01000000
  uint32_t header_size;  ///< where the records start
  uint32_t record_size;
  int32_t worker;
  int64_t pid;
  int64_t
      monotonic;  ///< CLOCK_MONOTONIC when the file was opened, nanoseconds; stamps count from it
  int64_t realtime;  ///< CLOCK_REALTIME at the same moment, nanoseconds
  uint32_t lost;     ///< 1: the file could not grow, later marks are missing
  uint32_t reserved;
  char boot[40];  ///< the kernel's boot id, "" where there is none: workers with the same share a
                  ///< clock
  char host[64];
  char padding[96];
} kstar_mark_header;

/// What a record says, in the low 8 bits of its stamp.
typedef enum kstar_mark_kind {
  KSTAR_MARK_KIND_SETUP_END = 1,
  KSTAR_MARK_KIND_WARM_UP_END = 2,
  KSTAR_MARK_KIND_STEP_BEGIN = 3,
  KSTAR_MARK_KIND_STEP_END = 4,
  KSTAR_MARK_KIND_PHASE_BEGIN = 5,  ///< value: the phase
  KSTAR_MARK_KIND_PHASE_END = 6,    ///< value: the phase
  KSTAR_MARK_KIND_WORK = 7,         ///< value: work done since the last such mark
  KSTAR_MARK_KIND_CLOSE = 8,        ///< nothing follows: the program came to its end
  KSTAR_MARK_KIND_FLOPS = 9,        ///< value: floating-point operations since the last such mark
  KSTAR_MARK_KIND_BYTES = 10        ///< value: bytes moved to and from memory since the last such
} kstar_mark_kind;

/// 16 bytes. The stamp is stored last: a record whose stamp is not 0 is whole.
typedef struct kstar_mark_record {
  uint64_t stamp;  ///< nanoseconds since the header's `monotonic` << 8 | kind
  double value;
} kstar_mark_record;

// From here on: how it is done.

#ifdef __cplusplus
#define KSTAR_MARK_CAST_(type, value) static_cast<type>(value)
#else
#define KSTAR_MARK_CAST_(type, value) ((type)(value))
#endif

#if defined(__GNUC__) || defined(__clang__)
#define KSTAR_MARK_STORE_(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
#define KSTAR_MARK_RARELY_(condition) __builtin_expect(!!(condition), 0)
#else
#define KSTAR_MARK_STORE_(place, value) (*(volatile uint64_t*)(place) = (value))
#define KSTAR_MARK_RARELY_(condition) (condition)
#endif

#define KSTAR_MARK_CHUNK_ 65536  // the file grows by this: a multiple of every page size in use

struct kstar_mark {
  kstar_mark_record* next;
  kstar_mark_record* end;  // of the part of the file that is mapped
  int64_t start;
  void* chunk;   // that part
  off_t size;    // of the file
  int fd;        // -1: it cannot grow any more
  dev_t device;  // with inode: is `fd` still ours?
  ino_t inode;
};

static inline int64_t kstar_mark_clock_(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return KSTAR_MARK_CAST_(int64_t, now.tv_sec) * 1000000000 + now.tv_nsec;
}

/// A variable that holds a number from 0, or -1.
static inline int kstar_mark_number_(const char* name) {
  const char* text = getenv(name);
  char* end = NULL;
  long number = -1;
  if (text == NULL || *text < '0' || *text > '9') return -1;
  number = strtol(text, &end, 10);
  return *end == '\0' && number < 0x7fffffff ? KSTAR_MARK_CAST_(int, number) : -1;
}

/// The worker's number as its launcher says it, else 0. A torchrun under mpirun or srun numbers its
/// own workers, so it is asked first; WORLD_SIZE tells its RANK from anybody else's.
static inline int kstar_mark_rank(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                      "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", "RANK"};
  int rank = kstar_mark_number_("KSTAR_WORKER");
  size_t i = 0;
  if (rank < 0 && getenv("WORLD_SIZE") != NULL) rank = kstar_mark_number_("RANK");
  for (i = 0; rank < 0 && i < sizeof names / sizeof names[0]; ++i) {
    rank = kstar_mark_number_(names[i]);
  }
  return rank < 0 ? 0 : rank;
}

/// Whether the file holds `size` bytes on the disk from here on. Without that a full disk would end
/// the program with SIGBUS, and a limit on the size of files with SIGXFSZ.
static inline int kstar_mark_reserve_(int fd, off_t from) {
  static const char zeros[4096] = {0};
  const off_t to = from + KSTAR_MARK_CHUNK_;
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < KSTAR_MARK_CAST_(rlim_t, to)) {
    return 0;
  }
#ifndef __APPLE__
  {
    const int problem = posix_fallocate(fd, from, KSTAR_MARK_CHUNK_);
    if (problem != EINVAL && problem != EOPNOTSUPP && problem != ENOSYS) return problem == 0;
  }
#endif
  for (; from < to; from += KSTAR_MARK_CAST_(off_t, sizeof zeros)) {
    if (pwrite(fd, zeros, sizeof zeros, from) != KSTAR_MARK_CAST_(ssize_t, sizeof zeros)) return 0;
  }
  return 1;
}

/// Maps the next part of the file instead of the last.
static inline int kstar_mark_map_(kstar_mark* mark) {
  void* chunk = NULL;
  if (!kstar_mark_reserve_(mark->fd, mark->size)) return 0;
  chunk = mmap(NULL, KSTAR_MARK_CHUNK_, PROT_READ | PROT_WRITE, MAP_SHARED, mark->fd, mark->size);
  if (chunk == MAP_FAILED) return 0;
  if (mark->chunk != NULL) munmap(mark->chunk, KSTAR_MARK_CHUNK_);
  mark->chunk = chunk;
  mark->size += KSTAR_MARK_CHUNK_;
  mark->next = KSTAR_MARK_CAST_(kstar_mark_record*, chunk);
  mark->end = mark->next + KSTAR_MARK_CHUNK_ / sizeof(kstar_mark_record);
  return 1;
}

/// A program that closed every descriptor may have given our number to another file.
static inline int kstar_mark_is_ours_(const kstar_mark* mark) {
  struct stat now;
  return mark->fd >= 0 && fstat(mark->fd, &now) == 0 && now.st_dev == mark->device &&
         now.st_ino == mark->inode;
}

/// Room for a record. Where there is none, that is written down once, and marking ends.
static inline int kstar_mark_grow_(kstar_mark* mark) {
  static const uint32_t lost = 1;
  const int saved = errno;
  int grown = 0;
  if (mark->fd < 0) return 0;
  if (kstar_mark_is_ours_(mark)) {
    grown = kstar_mark_map_(mark);
    if (!grown && pwrite(mark->fd, &lost, sizeof lost, offsetof(kstar_mark_header, lost)) < 0) {
      errno = saved;
    }
    if (!grown) close(mark->fd);
  }
  if (!grown) mark->fd = -1;
  errno = saved;
  return grown;
}

static inline void kstar_mark_put_(kstar_mark* mark, kstar_mark_kind kind, double value) {
  uint64_t passed = 0;
  if (mark == NULL) return;
  if (KSTAR_MARK_RARELY_(mark->next == mark->end) && !kstar_mark_grow_(mark)) return;
  passed = KSTAR_MARK_CAST_(uint64_t, kstar_mark_clock_(CLOCK_MONOTONIC) - mark->start);
  mark->next->value = value;
  KSTAR_MARK_STORE_(&mark->next->stamp, passed << 8 | KSTAR_MARK_CAST_(uint64_t, kind));
  ++mark->next;
}

static inline void kstar_mark_boot_(char* boot, size_t size) {
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t got = 0;
  if (fd < 0) return;
  got = read(fd, boot, size - 1);
  close(fd);
  boot[got > 0 ? got : 0] = '\0';
  boot[strcspn(boot, "\n")] = '\0';
}

static inline kstar_mark_header kstar_mark_describe_(int worker) {
  kstar_mark_header header;
  memset(&header, 0, sizeof header);
  memcpy(header.magic, KSTAR_MARK_MAGIC, sizeof header.magic);
  header.version = KSTAR_MARK_VERSION;
  header.header_size = sizeof header;
  header.record_size = sizeof(kstar_mark_record);
  header.worker = worker;
  header.pid = getpid();
  if (gethostname(header.host, sizeof header.host - 1) != 0) header.host[0] = '\0';
  kstar_mark_boot_(header.boot, sizeof header.boot);
  header.monotonic = kstar_mark_clock_(CLOCK_MONOTONIC);
  header.realtime = kstar_mark_clock_(CLOCK_REALTIME);
  return header;
}

/// A new file worker-HOST-PID-N.kmarks; N is the worker where that name is still free.
static inline int kstar_mark_create_(const char* folder, const kstar_mark_header* header) {
  char host[64];
  char path[4096];
  int fd = -1, n = 0, tries = 0;
  char* c = NULL;
  memcpy(host, header->host, sizeof host);
  for (c = host; *c != '\0'; ++c) {
    if (*c == '/') *c = '_';
  }
  for (n = header->worker; tries < 10000; ++n, ++tries) {
    const int length = snprintf(path, sizeof path, "%s/worker-%s-%ld-%d.kmarks", folder, host,
                                KSTAR_MARK_CAST_(long, header->pid), n);
    if (length < 0 || KSTAR_MARK_CAST_(size_t, length) >= sizeof path) return -1;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/// The magic goes last: a header that has it is whole.
static inline void kstar_mark_sign_(void* place, const kstar_mark_header* header) {
  uint64_t* magic = KSTAR_MARK_CAST_(uint64_t*, place);
  uint64_t value = 0;
  kstar_mark_header rest = *header;
  memcpy(&value, header->magic, sizeof value);
  memset(rest.magic, 0, sizeof rest.magic);
  memcpy(place, &rest, sizeof rest);
  KSTAR_MARK_STORE_(magic, value);
}

static inline kstar_mark* kstar_mark_start_(int fd, const kstar_mark_header* header) {
  kstar_mark* mark = KSTAR_MARK_CAST_(kstar_mark*, calloc(1, sizeof(kstar_mark)));
  struct stat now;
  if (mark == NULL || fstat(fd, &now) != 0) {
    free(mark);
    return NULL;
  }
  mark->fd = fd;
  mark->device = now.st_dev;
  mark->inode = now.st_ino;
  mark->start = header->monotonic;
  if (!kstar_mark_map_(mark)) {
    free(mark);
    return NULL;
  }
  kstar_mark_sign_(mark->chunk, header);
  mark->next += sizeof *header / sizeof(kstar_mark_record);
  return mark;
}

/// A handle for the calling thread, or NULL where nothing is to be marked. `worker` is its number,
/// from 0, over all processes and threads of the job; KSTAR_MARK_RANK takes that of the process.
static inline kstar_mark* kstar_mark_open(int worker) {
  const char* folder = getenv("KSTAR_MARKS");
  const int saved = errno;
  kstar_mark_header header;
  kstar_mark* mark = NULL;
  int fd = -1;
  if (folder == NULL || *folder == '\0') return NULL;
  header = kstar_mark_describe_(worker < 0 ? kstar_mark_rank() : worker);
  fd = kstar_mark_create_(folder, &header);
  if (fd >= 0) mark = kstar_mark_start_(fd, &header);
  if (fd >= 0 && mark == NULL) close(fd);
  errno = saved;
  return mark;
}

/// Everything before this is setup: start of the process, reading of the data.
static inline void kstar_mark_setup_end(kstar_mark* mark) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_SETUP_END, 0);
}

/// The steps that began before this are warm-up.
static inline void kstar_mark_warm_up_end(kstar_mark* mark) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_WARM_UP_END, 0);
}

static inline void kstar_mark_step_begin(kstar_mark* mark) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_STEP_BEGIN, 0);
}

static inline void kstar_mark_step_end(kstar_mark* mark) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_STEP_END, 0);
}

static inline void kstar_mark_begin(kstar_mark* mark, kstar_mark_phase phase) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_PHASE_BEGIN, phase);
}

static inline void kstar_mark_end(kstar_mark* mark, kstar_mark_phase phase) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_PHASE_END, phase);
}

/// `amount` more is done by this worker: samples, rows, cells.
static inline void kstar_mark_work(kstar_mark* mark, double amount) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_WORK, amount);
}

/// This worker did `count` more floating-point operations: for kstar roofline.
static inline void kstar_mark_flops(kstar_mark* mark, double count) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_FLOPS, count);
}

/// This worker moved `count` more bytes to and from memory: for kstar roofline.
static inline void kstar_mark_bytes(kstar_mark* mark, double count) {
  kstar_mark_put_(mark, KSTAR_MARK_KIND_BYTES, count);
}

/// The worker came to its end. A file that was never closed is read as that of a killed program.
static inline void kstar_mark_close(kstar_mark* mark) {
  const int saved = errno;
  if (mark == NULL) return;
  kstar_mark_put_(mark, KSTAR_MARK_KIND_CLOSE, 0);
  if (kstar_mark_is_ours_(mark)) {
    const off_t unused = (mark->end - mark->next) * KSTAR_MARK_CAST_(off_t, sizeof *mark->next);
    if (ftruncate(mark->fd, mark->size - unused) != 0)
      errno = saved;  // zeros at the end do no harm
    close(mark->fd);
  }
  munmap(mark->chunk, KSTAR_MARK_CHUNK_);
  free(mark);
  errno = saved;
}
// NOLINTEND(modernize-*,bugprone-reserved-identifier)
