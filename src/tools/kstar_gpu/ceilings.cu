// kstar-gpu-ceilings: what this GPU can do at most, as JSON on standard output. `kstar roofline
// measure --gpu` runs it and writes the machine file; it stands alone, so that it can be built
// wherever nvcc is: nvcc -O3 -arch=native ceilings.cu -lcublas -o kstar-gpu-ceilings
//
// Memory: copy (read + written bytes), read and triad kernels over arrays far larger than the last
// cache. Operations: matrix products of random numbers through cuBLAS (bf16 and tf32 on the matrix
// units, fp32, fp64). Each ceiling is measured once per round, in a shuffled order.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what, const char* why) {
  std::fprintf(stderr, "kstar-gpu-ceilings: error: %s: %s\n", what, why);
  std::exit(1);
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(what, cublasGetStatusString(status));
}

/// Uniform on [-1, 1): zeros would be faster than real data.
template <typename Real>
__global__ void fill(Real* values, size_t count, unsigned seed) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    unsigned x = static_cast<unsigned>(i) * 2654435761U + seed;
    x ^= x >> 16;
    x *= 2246822519U;
    x ^= x >> 13;
    values[i] = static_cast<Real>(static_cast<float>(x) / 2147483648.0F - 1.0F);
  }
}

__global__ void copy(float4* a, const float4* b, size_t count) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) a[i] = b[i];
}

__global__ void triad(float4* a, const float4* b, const float4* c, size_t count) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 x = b[i], y = c[i];
  a[i] = make_float4(x.x + 0.5F * y.x, x.y + 0.5F * y.y, x.z + 0.5F * y.z, x.w + 0.5F * y.w);
}

__global__ void read(const float4* b, float* out, size_t count) {
  const size_t i = 4 * (size_t{blockIdx.x} * blockDim.x) + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    const size_t at = i + size_t{static_cast<unsigned>(j)} * blockDim.x;
    if (at < count) {
      const float4 x = b[at];
      sum += x.x + x.y + x.z + x.w;
    }
  }
  if (sum == 12345.678F) *out = sum;  // never: keeps the loads
}

struct Subject {
  std::string level, kernel, precision, vector;
  double amount = 0;         // bytes or operations of one call
  int calls = 1;             // in one measurement
  std::function<void()> run;
  std::vector<double> rates;
};

class Timer {
 public:
  Timer() {
    check(cudaEventCreate(&start_), "event");
    check(cudaEventCreate(&end_), "event");
  }
  double seconds(const std::function<void()>& run, int calls) {
    check(cudaEventRecord(start_), "event");
    for (int i = 0; i < calls; ++i) run();
    check(cudaEventRecord(end_), "event");
    check(cudaEventSynchronize(end_), "run");
    check(cudaGetLastError(), "run");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start_, end_), "event");
    return ms / 1e3;
  }

 private:
  cudaEvent_t start_{}, end_{};
};

template <typename Real>
Real* allocate(size_t count, unsigned seed) {
  Real* place = nullptr;
  check(cudaMalloc(&place, count * sizeof(Real)), "memory of the GPU");
  fill<<<4096, 256>>>(place, count, seed);
  check(cudaDeviceSynchronize(), "filling");
  return place;
}

void add_memory(std::vector<Subject>& all, size_t bytes) {
  const size_t count = bytes / sizeof(float4);
  auto* a = reinterpret_cast<float4*>(allocate<float>(count * 4, 1));
  auto* b = reinterpret_cast<float4*>(allocate<float>(count * 4, 2));
  auto* c = reinterpret_cast<float4*>(allocate<float>(count * 4, 3));
  auto* out = allocate<float>(1, 4);
  const auto blocks = static_cast<unsigned>((count + 255) / 256);
  const auto total = static_cast<double>(count * sizeof(float4));
  all.push_back({"memory", "copy", "", "", 2 * total, 1, [=] { copy<<<blocks, 256>>>(a, b, count); }, {}});
  all.push_back({"memory", "triad", "", "", 3 * total, 1, [=] { triad<<<blocks, 256>>>(a, b, c, count); }, {}});
  all.push_back({"memory", "read", "", "", total, 1, [=] { read<<<(blocks + 3) / 4, 256>>>(b, out, count); }, {}});
}

template <typename Real>
void add_product(std::vector<Subject>& all, cublasHandle_t handle, int n, const char* precision,
                 const char* vector, cudaDataType type, cublasComputeType_t compute) {
  const size_t count = size_t(n) * size_t(n);
  auto* a = allocate<Real>(count, 5);
  auto* b = allocate<Real>(count, 6);
  auto* c = allocate<Real>(count, 7);
  const double flops = 2.0 * n * n * n;
  const auto run = [=] {
    const float one_f = 1, zero_f = 0;
    const double one_d = 1, zero_d = 0;
    const bool fp64 = type == CUDA_R_64F;
    const void* alpha = fp64 ? static_cast<const void*>(&one_d) : &one_f;
    const void* beta = fp64 ? static_cast<const void*>(&zero_d) : &zero_f;
    check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, a, type, n, b, type, n, beta,
                       c, type, n, compute, CUBLAS_GEMM_DEFAULT),
          precision);
  };
  all.push_back({"compute", "gemm", precision, vector, flops, 1, run, {}});
}

void print(const cudaDeviceProp& about, int driver, const std::vector<Subject>& all) {
  std::printf("{\"kstar\":\"gpu_ceilings\",\"name\":\"%s\",\"capability\":\"%d.%d\",\"driver\":%d,\"ceilings\":[",
              about.name, about.major, about.minor, driver);
  bool first = true;
  for (const Subject& one : all) {
    std::printf("%s\n{\"level\":\"%s\",\"kernel\":\"%s\",\"precision\":\"%s\",\"vector\":\"%s\",\"samples\":[",
                first ? "" : ",", one.level.c_str(), one.kernel.c_str(), one.precision.c_str(),
                one.vector.c_str());
    first = false;
    for (size_t i = 0; i < one.rates.size(); ++i) std::printf("%s%.6g", i > 0 ? "," : "", one.rates[i]);
    std::printf("]}");
  }
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(2, std::min(1000, std::atoi(argv[1]))) : 20;
  cudaDeviceProp about{};
  check(cudaGetDeviceProperties(&about, 0), "no GPU can be used");
  int driver = 0;
  cudaDriverGetVersion(&driver);
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "cuBLAS");
  std::vector<Subject> all;
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "memory of the GPU");
  add_memory(all, std::min<size_t>(size_t{4} << 30, free / 8));
  const int n = free > (size_t{16} << 30) ? 8192 : 4096;
  add_product<__nv_bfloat16>(all, handle, n, "bf16", "matrix", CUDA_R_16BF, CUBLAS_COMPUTE_32F);
  add_product<float>(all, handle, n, "tf32", "matrix", CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  add_product<float>(all, handle, n, "fp32", "", CUDA_R_32F, CUBLAS_COMPUTE_32F);
  add_product<double>(all, handle, n, "fp64", "matrix", CUDA_R_64F, CUBLAS_COMPUTE_64F);
  Timer timer;
  constexpr double kLong = 0.02;  // seconds that one measurement takes at least
  for (Subject& one : all) {
    timer.seconds(one.run, 2);
    const double once = timer.seconds(one.run, 2) / 2;
    one.calls = std::max(1, static_cast<int>(kLong / once + 1));
  }
  std::mt19937 random(1);
  for (int round = 0; round < rounds; ++round) {
    std::vector<size_t> order(all.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      Subject& one = all[i];
      one.rates.push_back(one.amount * one.calls / timer.seconds(one.run, one.calls));
    }
  }
  print(about, driver, all);
  return 0;
}
