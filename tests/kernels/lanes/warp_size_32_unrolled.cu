//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// A tree over 32 lanes written out line by line, in code that keeps one result for each wave.
#include "check.h"
__device__ float warp_sum(float v) {
#ifdef USE_ROCM
  //= instead: paste of AMD3211
  v += __shfl_xor(v, 16);
  v += __shfl_xor(v, 8);
  v += __shfl_xor(v, 4);
  v += __shfl_xor(v, 2);
  v += __shfl_xor(v, 1);
  //= end
#else
  v += __shfl_xor_sync(0xffffffff, v, 16);
  v += __shfl_xor_sync(0xffffffff, v, 8);
  v += __shfl_xor_sync(0xffffffff, v, 4);
  v += __shfl_xor_sync(0xffffffff, v, 2);
  v += __shfl_xor_sync(0xffffffff, v, 1);
#endif
  return v;
}
__global__ void k(const float* x, float* out) {
  __shared__ float part[32];
  float v = warp_sum(x[threadIdx.x]);
  if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x == 0) { float s = 0; for (int w = 0; w < blockDim.x / warpSize; ++w) s += part[w]; *out = s; }
}
int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
