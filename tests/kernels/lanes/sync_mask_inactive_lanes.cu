//= codes: AMD3209
//= before: gfx1100 right, gfx942 stopped
// The first warp adds up what the others left; its 64-bit mask names a wave of which half is elsewhere.
#include "check.h"

#ifdef USE_ROCM
#define EVERY_LANE 0xffffffffffffffffull
#else
#define EVERY_LANE 0xffffffffu
#endif

__global__ void block_sum(const float* x, float* out) {
  __shared__ float part[32];
  if (threadIdx.x < 32) part[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&part[threadIdx.x % 32], x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 32) {
    float v = part[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(EVERY_LANE, v, d, 32);
    if (threadIdx.x == 0) *out = v;
  }
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 9);
  block_sum<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
