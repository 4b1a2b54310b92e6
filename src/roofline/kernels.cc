// Written as instructions: a compiler may leave out what nobody reads, and a ceiling must not
// depend on its version or on how this file is optimized.
#include "roofline/kernels.h"

#include <cstdint>

namespace kstar::roofline {

#if defined(__x86_64__) && defined(__GNUC__)

namespace {

// NOLINTBEGIN(cppcoreguidelines-macro-usage,hicpp-no-assembler)
#define KSTAR_ALL_16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
#define KSTAR_CLOBBERED                                                                    \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory"

// Operations: 14 registers that do not depend on each other, enough for two units with a latency of
// four to five cycles (14 > 2 x 5). 14 and 15 hold the factor and the summand: x = x * 0.5 + 0.5
// stays at 1, so no number becomes slow (denormal) or infinite. 4 such rows per round.
constexpr int kChains = 14;
constexpr int kRows = 4;

#define KSTAR_SET_ONE(i) "vbroadcastsd %[one], %%" KSTAR_REG #i "\n\t"
#define KSTAR_SET_ONE_F(i) "vbroadcastss %[one], %%" KSTAR_REG #i "\n\t"
#define KSTAR_FMA(i) "vfmadd213pd %%" KSTAR_REG "15, %%" KSTAR_REG "14, %%" KSTAR_REG #i "\n\t"
#define KSTAR_FMA_F(i) "vfmadd213ps %%" KSTAR_REG "15, %%" KSTAR_REG "14, %%" KSTAR_REG #i "\n\t"
#define KSTAR_ROW KSTAR_ALL_16(KSTAR_FMA)
#define KSTAR_ROW_F KSTAR_ALL_16(KSTAR_FMA_F)

#define KSTAR_FMA_LOOP(SET, ROW, BROADCAST, one, half)              \
  asm volatile(ROW##_SETUP(SET, BROADCAST) "1:\n\t" ROW ROW ROW ROW \
                                           "dec %[n]\n\t"           \
                                           "jnz 1b\n\t"             \
               : [n] "+r"(rounds)                                   \
               : [one] "m"(one), [half] "m"(half)                   \
               : KSTAR_CLOBBERED)

#define KSTAR_ROW_SETUP(SET, BROADCAST) \
  KSTAR_ALL_16(SET)                     \
  BROADCAST " %[half], %%" KSTAR_REG "14\n\t" BROADCAST " %[half], %%" KSTAR_REG "15\n\t"
#define KSTAR_ROW_F_SETUP(SET, BROADCAST) KSTAR_ROW_SETUP(SET, BROADCAST)

#define KSTAR_REG "ymm"
__attribute__((target("avx2,fma"))) double fma_fp64_256(std::size_t rounds) {
  const double one = 1, half = 0.5;
  KSTAR_FMA_LOOP(KSTAR_SET_ONE, KSTAR_ROW, "vbroadcastsd", one, half);
  asm volatile("vzeroupper" ::: "memory");
  return 0;
}
__attribute__((target("avx2,fma"))) double fma_fp32_256(std::size_t rounds) {
  const float one = 1, half = 0.5;
  KSTAR_FMA_LOOP(KSTAR_SET_ONE_F, KSTAR_ROW_F, "vbroadcastss", one, half);
  asm volatile("vzeroupper" ::: "memory");
  return 0;
}
#undef KSTAR_REG

#define KSTAR_REG "zmm"
__attribute__((target("avx512f"))) double fma_fp64_512(std::size_t rounds) {
  const double one = 1, half = 0.5;
  KSTAR_FMA_LOOP(KSTAR_SET_ONE, KSTAR_ROW, "vbroadcastsd", one, half);
  asm volatile("vzeroupper" ::: "memory");
  return 0;
}
__attribute__((target("avx512f"))) double fma_fp32_512(std::size_t rounds) {
  const float one = 1, half = 0.5;
  KSTAR_FMA_LOOP(KSTAR_SET_ONE_F, KSTAR_ROW_F, "vbroadcastss", one, half);
  asm volatile("vzeroupper" ::: "memory");
  return 0;
}
#undef KSTAR_REG

// Without a fused instruction: half of the registers multiply while the others add; x * 1 and x +
// 0.
#define KSTAR_SSE_ZERO(i) "xorps %%xmm" #i ", %%xmm" #i "\n\t"
#define KSTAR_SSE_ROW(mul, add)                                                          \
  mul " %%xmm14, %%xmm0\n\t" add " %%xmm14, %%xmm7\n\t" mul " %%xmm14, %%xmm1\n\t" add   \
      " %%xmm14, %%xmm8\n\t" mul " %%xmm14, %%xmm2\n\t" add " %%xmm14, %%xmm9\n\t" mul   \
      " %%xmm14, %%xmm3\n\t" add " %%xmm14, %%xmm10\n\t" mul " %%xmm14, %%xmm4\n\t" add  \
      " %%xmm14, %%xmm11\n\t" mul " %%xmm14, %%xmm5\n\t" add " %%xmm14, %%xmm12\n\t" mul \
      " %%xmm14, %%xmm6\n\t" add " %%xmm14, %%xmm13\n\t"
#define KSTAR_SSE_LOOP(mul, add) \
  asm volatile(KSTAR_ALL_16(KSTAR_SSE_ZERO) "xorps %%xmm14, %%xmm14\n\t"                       \
               "1:\n\t" KSTAR_SSE_ROW(mul, add) KSTAR_SSE_ROW(mul, add) KSTAR_SSE_ROW(mul, add) \
                   KSTAR_SSE_ROW(mul, add) "dec %[n]\n\t"                                      \
               "jnz 1b\n\t"                                                                    \
               : [n] "+r"(rounds)                                                              \
               :                                                                               \
               : KSTAR_CLOBBERED)
double muladd_fp64_128(std::size_t rounds) {
  KSTAR_SSE_LOOP("mulpd", "addpd");
  return 0;
}
double muladd_fp32_128(std::size_t rounds) {
  KSTAR_SSE_LOOP("mulps", "addps");
  return 0;
}

// Moves: `p` goes from -bytes to 0, so that one register counts for all arrays. Each iteration
// handles 8 registers.
#define KSTAR_EACH_8(X, w) X(0, w) X(1, w) X(2, w) X(3, w) X(4, w) X(5, w) X(6, w) X(7, w)
#define KSTAR_TEXT_(x) #x
#define KSTAR_TEXT(x) KSTAR_TEXT_(x)
#define KSTAR_AT(i, w, base) KSTAR_TEXT(i) "*" KSTAR_TEXT(w) "(%[" base "],%[p])"

#define KSTAR_LOAD_A(i, w) KSTAR_MOVE " " KSTAR_AT(i, w, "a") ", %%" KSTAR_REG #i "\n\t"
#define KSTAR_LOAD_B(i, w) KSTAR_MOVE " " KSTAR_AT(i, w, "b") ", %%" KSTAR_REG #i "\n\t"
#define KSTAR_LOAD_C(i, w) KSTAR_MOVE " " KSTAR_AT(i, w, "c") ", %%" KSTAR_REG #i "\n\t"
#define KSTAR_STORE(i, w) KSTAR_MOVE " %%" KSTAR_REG #i ", " KSTAR_AT(i, w, "a") "\n\t"
#define KSTAR_STREAM(i, w) KSTAR_NONTEMPORAL " %%" KSTAR_REG #i ", " KSTAR_AT(i, w, "a") "\n\t"
// c * s + b, and a * s + s
#define KSTAR_SUM_B(i, w) \
  "vfmadd213pd " KSTAR_AT(i, w, "b") ", %%" KSTAR_REG "15, %%" KSTAR_REG #i "\n\t"
#define KSTAR_UPDATE(i, w) \
  "vfmadd213pd %%" KSTAR_REG "15, %%" KSTAR_REG "15, %%" KSTAR_REG #i "\n\t"
#define KSTAR_SSE_SUM_B(i, w) \
  "mulpd %%xmm15, %%xmm" #i "\n\taddpd " KSTAR_AT(i, w, "b") ", %%xmm" #i "\n\t"
#define KSTAR_SSE_UPDATE(i, w) "mulpd %%xmm15, %%xmm" #i "\n\taddpd %%xmm15, %%xmm" #i "\n\t"

#define KSTAR_MOVES(w, SETUP, BODY, END)                                                        \
  const std::intptr_t step = 8 * (w);                                                           \
  const double half = 0.5;                                                                      \
  for (std::size_t pass = 0; pass < passes; ++pass) {                                           \
    std::intptr_t p = -static_cast<std::intptr_t>(bytes);                                       \
    asm volatile(                                                                               \
        SETUP ".p2align 5\n\t1:\n\t" BODY "add %[step], %[p]\n\tjl 1b\n\t" END                  \
        : [p] "+r"(p)                                                                           \
        : [a] "r"(reinterpret_cast<char*>(a) + bytes),                                          \
          [b] "r"(reinterpret_cast<const char*>(b) + bytes),                                    \
          [c] "r"(reinterpret_cast<const char*>(c) + bytes), [step] "r"(step), [half] "m"(half) \
        : KSTAR_CLOBBERED);                                                                     \
  }

#define KSTAR_MEMORY_KERNELS(width, w, TARGET, SUM, UPDATE, SETUP, END)                           \
  TARGET void read_##width(double* a, const double* b, const double* c, std::size_t bytes,        \
                           std::size_t passes) {                                                  \
    KSTAR_MOVES(w, SETUP, KSTAR_EACH_8(KSTAR_LOAD_A, w), END);                                    \
  }                                                                                               \
  TARGET void copy_##width(double* a, const double* b, const double* c, std::size_t bytes,        \
                           std::size_t passes) {                                                  \
    KSTAR_MOVES(w, SETUP, KSTAR_EACH_8(KSTAR_LOAD_B, w) KSTAR_EACH_8(KSTAR_STORE, w), END);       \
  }                                                                                               \
  TARGET void copy_nt_##width(double* a, const double* b, const double* c, std::size_t bytes,     \
                              std::size_t passes) {                                               \
    KSTAR_MOVES(w, SETUP, KSTAR_EACH_8(KSTAR_LOAD_B, w) KSTAR_EACH_8(KSTAR_STREAM, w),            \
                "sfence\n\t" END);                                                                \
  }                                                                                               \
  TARGET void update_##width(double* a, const double* b, const double* c, std::size_t bytes,      \
                             std::size_t passes) {                                                \
    KSTAR_MOVES(                                                                                  \
        w, SETUP,                                                                                 \
        KSTAR_EACH_8(KSTAR_LOAD_A, w) KSTAR_EACH_8(UPDATE, w) KSTAR_EACH_8(KSTAR_STORE, w), END); \
  }                                                                                               \
  TARGET void triad_##width(double* a, const double* b, const double* c, std::size_t bytes,       \
                            std::size_t passes) {                                                 \
    KSTAR_MOVES(w, SETUP,                                                                         \
                KSTAR_EACH_8(KSTAR_LOAD_C, w) KSTAR_EACH_8(SUM, w) KSTAR_EACH_8(KSTAR_STORE, w),  \
                END);                                                                             \
  }                                                                                               \
  TARGET void triad_nt_##width(double* a, const double* b, const double* c, std::size_t bytes,    \
                               std::size_t passes) {                                              \
    KSTAR_MOVES(w, SETUP,                                                                         \
                KSTAR_EACH_8(KSTAR_LOAD_C, w) KSTAR_EACH_8(SUM, w) KSTAR_EACH_8(KSTAR_STREAM, w), \
                "sfence\n\t" END);                                                                \
  }

#define KSTAR_REG "xmm"
#define KSTAR_MOVE "movapd"
#define KSTAR_NONTEMPORAL "movntpd"
KSTAR_MEMORY_KERNELS(128, 16, , KSTAR_SSE_SUM_B, KSTAR_SSE_UPDATE,
                     "movsd %[half], %%xmm15\n\tunpcklpd %%xmm15, %%xmm15\n\t", "")
#undef KSTAR_REG
#undef KSTAR_MOVE
#undef KSTAR_NONTEMPORAL

#define KSTAR_MOVE "vmovapd"
#define KSTAR_NONTEMPORAL "vmovntpd"
#define KSTAR_REG "ymm"
KSTAR_MEMORY_KERNELS(256, 32, __attribute__((target("avx2,fma"))), KSTAR_SUM_B, KSTAR_UPDATE,
                     "vbroadcastsd %[half], %%ymm15\n\t", "vzeroupper\n\t")
#undef KSTAR_REG
#define KSTAR_REG "zmm"
KSTAR_MEMORY_KERNELS(512, 64, __attribute__((target("avx512f"))), KSTAR_SUM_B, KSTAR_UPDATE,
                     "vbroadcastsd %[half], %%zmm15\n\t", "vzeroupper\n\t")
#undef KSTAR_REG
#undef KSTAR_MOVE
#undef KSTAR_NONTEMPORAL
// NOLINTEND(cppcoreguidelines-macro-usage,hicpp-no-assembler)

bool has_256() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
bool has_512() {
  return __builtin_cpu_supports("avx512f") != 0;
}

/// `lanes` numbers per register; a fused operation counts as two, one of a pair as one.
double per_round(int lanes, bool fused) {
  return static_cast<double>(kChains * kRows * lanes) * (fused ? 2 : 1);
}

}  // namespace

std::vector<ComputeKernel> compute_kernels() {
  std::vector<ComputeKernel> all = {
      {"sse2", "fp64", 128, muladd_fp64_128, per_round(2, false)},
      {"sse2", "fp32", 128, muladd_fp32_128, per_round(4, false)},
  };
  if (has_256()) {
    all.push_back({"avx2", "fp64", 256, fma_fp64_256, per_round(4, true)});
    all.push_back({"avx2", "fp32", 256, fma_fp32_256, per_round(8, true)});
  }
  if (has_512()) {
    all.push_back({"avx512", "fp64", 512, fma_fp64_512, per_round(8, true)});
    all.push_back({"avx512", "fp32", 512, fma_fp32_512, per_round(16, true)});
  }
  return all;
}

std::vector<MemoryKernel> memory_kernels() {
  const auto of = [](std::string_view vector, auto read, auto copy, auto copy_nt, auto update,
                     auto triad, auto triad_nt) {
    return std::vector<MemoryKernel>{
        {"read", vector, 1, 1, false, read},      {"copy", vector, 2, 2, false, copy},
        {"update", vector, 1, 2, false, update},  {"triad", vector, 3, 3, false, triad},
        {"copy_nt", vector, 2, 2, true, copy_nt}, {"triad_nt", vector, 3, 3, true, triad_nt}};
  };
  if (has_512()) {
    return of("avx512", read_512, copy_512, copy_nt_512, update_512, triad_512, triad_nt_512);
  }
  if (has_256()) {
    return of("avx2", read_256, copy_256, copy_nt_256, update_256, triad_256, triad_nt_256);
  }
  return of("sse2", read_128, copy_128, copy_nt_128, update_128, triad_128, triad_nt_128);
}

#else

namespace {

template <typename Real>
double muladd(std::size_t rounds) {
  Real chains[16];
  for (Real& x : chains) x = 1;
  volatile Real factor = Real(0.5);
  const Real half = factor;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (Real& x : chains) x = x * half + half;
  }
  Real sum = 0;
  for (const Real x : chains) sum += x;
  return static_cast<double>(sum);
}

void read_portable(double* a, const double*, const double*, std::size_t bytes, std::size_t passes) {
  double sums[8] = {};
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < bytes / sizeof(double); i += 8) {
      for (std::size_t j = 0; j < 8; ++j) sums[j] += a[i + j];
    }
  }
  volatile double kept =
      sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
  static_cast<void>(kept);
}
void copy_portable(double* a, const double* b, const double*, std::size_t bytes,
                   std::size_t passes) {
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) a[i] = b[i];
    asm volatile("" ::: "memory");
  }
}
void update_portable(double* a, const double*, const double*, std::size_t bytes,
                     std::size_t passes) {
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) a[i] = a[i] * 0.5 + 0.5;
    asm volatile("" ::: "memory");
  }
}
void triad_portable(double* a, const double* b, const double* c, std::size_t bytes,
                    std::size_t passes) {
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) a[i] = b[i] + 0.5 * c[i];
    asm volatile("" ::: "memory");
  }
}

}  // namespace

std::vector<ComputeKernel> compute_kernels() {
  return {{"portable", "fp64", 64, muladd<double>, 32},
          {"portable", "fp32", 32, muladd<float>, 32}};
}

std::vector<MemoryKernel> memory_kernels() {
  return {{"read", "portable", 1, 1, false, read_portable},
          {"copy", "portable", 2, 2, false, copy_portable},
          {"update", "portable", 1, 2, false, update_portable},
          {"triad", "portable", 3, 3, false, triad_portable}};
}

#endif

}  // namespace kstar::roofline
