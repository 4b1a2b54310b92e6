#pragma once
/* A loop of bench/programs/loops.c, and the arrays that they share. */
#include <stddef.h>

enum { kEntries = 8 }; /* of a row of the sparse matrix */

struct Part { /* of one thread: elements, rows, or blocks of rows */
  size_t first, last;
};

struct Loop {
  const char* name;
  const char* arrays;   /* that it uses, of a, b, c, and x: the columns of the matrix in b */
  double element_bytes; /* of its data, per element; without arrays: for steps as long as others' */
  double flops, bytes;  /* of one step, per element */
  double (*step)(struct Part part);
};

extern const struct Loop kMemoryLoops[], kCoreLoops[]; /* up to one without a name */

extern double *a, *b, *c;
extern int* columns;
extern size_t count, side; /* elements; rows of a square matrix */
