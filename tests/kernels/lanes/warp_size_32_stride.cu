//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// Rows of 32 threads that step by warpSize: on 64 lanes every second piece is left out.
#include "check.h"
__global__ void k(const float* x, float* out, int cols) {
  float v = 0;
  //= instead: paste of AMD3211
  for (int c = threadIdx.x; c < cols; c += warpSize)
  //= end
    v += x[threadIdx.y * cols + c];
#ifdef USE_ROCM
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor(v, m, 32);
#else
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
#endif
  if (threadIdx.x == 0) out[threadIdx.y] = v;
}
int main() {
  float *x = managed<float>(400), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 400; ++i) sums[i / 100] += x[i] = float(i % 7);
  k<<<1, dim3(32, 4)>>>(x, out, 100);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
