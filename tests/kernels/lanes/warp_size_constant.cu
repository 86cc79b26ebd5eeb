//= codes: AMD3215
//= before: gfx1100 does not compile, gfx942 does not compile
// One place for each wave, in an array whose bound is no constant.
#include "check.h"

constexpr int kThreads = 256;

__device__ float wave_sum(float v) {
  for (int m = warpSize / 2; m > 0; m /= 2)
#ifdef USE_ROCM
    v += __shfl_xor(v, m);
#else
    v += __shfl_xor_sync(0xffffffffu, v, m);
#endif
  return v;
}

__global__ void block_sum(const float* x, float* out) {
#ifdef USE_ROCM
  __shared__ float part[kThreads / warpSize];
#else
  __shared__ float part[kThreads / 32];
#endif
  const float v = wave_sum(x[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int w = 0; w < kThreads / warpSize; ++w) sum += part[w];
    *out = sum;
  }
}

int main() {
  float *x = managed<float>(kThreads), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += x[i] = float(i % 7);
  block_sum<<<1, kThreads>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
