//= codes: AMD6204
//= before: gfx1100 does not compile, gfx942 does not compile
// Two stages of a block reduction by CUB's own macros.
#include "check.h"
#include <cub/cub.cuh>

#ifdef USE_ROCM
#define SHFL_DOWN(v, d) __shfl_down(v, d)
#else
#define SHFL_DOWN(v, d) __shfl_down_sync(0xffffffffu, v, d)
#endif

__global__ void block_sum(const float* x, float* out) {
  __shared__ float part[256 >> CUB_PTX_LOG_WARP_THREADS];
  float v = x[threadIdx.x];
  for (int d = CUB_WARP_THREADS(0) / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % CUB_PTX_WARP_THREADS == 0) part[threadIdx.x >> CUB_LOG_WARP_THREADS(0)] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int w = 0; w < 256 / CUB_PTX_WARP_THREADS; ++w) sum += part[w];
    *out = sum;
  }
}

int main() {
  float *x = managed<float>(256), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 256; ++i) sum += x[i] = float(i % 7);
  block_sum<<<1, 256>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
