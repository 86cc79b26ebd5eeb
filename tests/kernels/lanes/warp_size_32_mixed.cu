//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// A reduction over warpSize lanes beside lane and warp numbers by 32: every wave stores its total twice.
#include "check.h"

#ifdef USE_ROCM
#define SHFL_XOR(v, m) __shfl_xor(v, m)
#else
#define SHFL_XOR(v, m) __shfl_xor_sync(0xffffffffu, v, m)
#endif

__device__ float wave_sum(float v) {
  for (int m = warpSize / 2; m > 0; m /= 2) v += SHFL_XOR(v, m);
  return v;
}

__global__ void block_sum(const float* x, float* out) {
  __shared__ float part[32];
  const float v = wave_sum(x[threadIdx.x]);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) sum += part[w];
    *out = sum;
  }
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  block_sum<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
