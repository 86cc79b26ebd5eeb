//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// Rows of 32 threads, two of them in a 64-lane wave, and a tree over warpSize lanes.
#include "check.h"

__global__ void row_sums(const float* x, float* out, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float v = 0;
  for (int c = threadIdx.x; c < cols; c += 32) v += x[row * cols + c];
#ifdef USE_ROCM
  //= instead: paste of AMD3211
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);
  //= end
#else
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
#endif
  if (threadIdx.x == 0) out[row] = v;
}

int main() {
  float *x = managed<float>(400), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 400; ++i) sums[i / 100] += x[i] = float(i % 7);
  row_sums<<<1, dim3(32, 4)>>>(x, out, 100);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
