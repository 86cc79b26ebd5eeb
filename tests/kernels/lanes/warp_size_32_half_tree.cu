//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// The mirror image: one result for each wave of warpSize lanes, but a tree over 32 of them.
#include "check.h"

__device__ float warp_sum(float v) {
#ifdef USE_ROCM
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor(v, m);
#else
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
#endif
  return v;
}

__global__ void block_sum(const float* x, float* out) {
  __shared__ float part[32];
  const float v = warp_sum(x[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int w = 0; w < blockDim.x / warpSize; ++w) sum += part[w];
    *out = sum;
  }
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  block_sum<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
