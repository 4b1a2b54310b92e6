/* Loops in the registers and the first cache of a core. */
#include "loops.h"

#include <math.h>

enum { kCached = 2048, kTimes = 16, kBodies = 128, kTile = 32 };

static double chain(struct Part part) {
  double x = (double)part.last;
  for (size_t i = part.first; i < part.last; ++i) x = x * 0.999999 + 0.5;
  return x;
}

static double cached(struct Part part) {
  double own[kCached], all = 0;
  for (size_t i = 0; i < kCached; ++i) own[i] = (double)i;
  for (size_t i = part.first * kTimes; i < part.last * kTimes; i += kCached) {
    double sums[8] = {0};
    for (size_t j = 0; j < kCached; j += 8) {
      for (size_t lane = 0; lane < 8; ++lane) sums[lane] += own[j + lane];
    }
    all = 0;
    for (int lane = 0; lane < 8; ++lane) all += sums[lane];
    own[i % kCached] = all * 1e-9;
  }
  return all;
}

/* 4 / (1 + x^2) from 0 to 1. */
static double pi(struct Part part) {
  const double width = 1.0 / (double)count;
  double area = 0;
  for (size_t i = part.first; i < part.last; ++i) {
    const double x = ((double)i + 0.5) * width;
    area += 4 / (1 + x * x);
  }
  return area * width;
}

/* An element is a body, under the forces of a cluster of bodies. */
static double nbody(struct Part part) {
  double x[kBodies], y[kBodies], z[kBodies], all = 0;
  for (int j = 0; j < kBodies; ++j) {
    x[j] = j % 5;
    y[j] = j % 7;
    z[j] = j % 11;
  }
  for (size_t i = part.first; i < part.last; ++i) {
    const double at = 1e-3 * (double)(i % 1000);
    double force = 0;
    for (int j = 0; j < kBodies; ++j) {
      const double dx = x[j] - at, dy = y[j] - at, dz = z[j] - at;
      const double square = dx * dx + dy * dy + dz * dz + 0.01;
      force += (dx + dy + dz) / (square * sqrt(square));
    }
    all += force;
  }
  return all;
}

/* An element is a product of two tiles. */
static double matmul(struct Part part) {
  double left[kTile][kTile], right[kTile][kTile], product[kTile][kTile];
  for (int i = 0; i < kTile; ++i) {
    for (int j = 0; j < kTile; ++j) {
      left[i][j] = 0.01 * (i + j);
      right[i][j] = 0.01 * (i - j);
      product[i][j] = 0;
    }
  }
  for (size_t at = part.first; at < part.last; ++at) {
    for (int i = 0; i < kTile; ++i) {
      for (int k = 0; k < kTile; ++k) {
        const double factor = left[i][k];
        for (int j = 0; j < kTile; ++j) product[i][j] += factor * right[k][j];
      }
    }
    left[at % kTile][0] = product[0][at % kTile] * 1e-9;
  }
  return product[1][1];
}

enum { kProduct = 2 * kTile * kTile * kTile };

const struct Loop kCoreLoops[] = {{"chain", "", 32, 2, 0, chain},
                                  {"cached", "", 32, kTimes, 0, cached},
                                  {"pi", "", 64, 6, 0, pi},
                                  {"nbody", "", 8192, 20 * kBodies, 0, nbody},
                                  {"matmul", "", 131072, kProduct, 0, matmul},
                                  {NULL, NULL, 0, 0, 0, NULL}};
