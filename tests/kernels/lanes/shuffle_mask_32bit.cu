//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// Row maxima: trees of shuffles by xor and downwards, and a broadcast.
#include "check.h"

#define FULL_MASK 0xffffffffu

__device__ float warp_max(float v) {
  for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, m));
  return v;
}

__device__ float warp_max_down(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_down_sync(FULL_MASK, v, d));
  return __shfl_sync(FULL_MASK, v, 0);
}

__global__ void row_max(const float* x, float* out) {
  const float v = x[threadIdx.x];
  out[threadIdx.x] = warp_max(v) + 1000 * warp_max_down(v);
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(128);
  for (int i = 0; i < 128; ++i) x[i] = float(i * 37 % 101);
  row_max<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) {
    float top = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) top = std::fmax(top, x[k]);
    return 1001 * top;
  }, 128);
}
