//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// The same with numbers of the whole grid.
#include "check.h"

__global__ void row_sums(const float* x, float* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = thread & 31;
  const int warp = thread >> 5;
  float v = x[32 * warp + lane];
#ifdef USE_ROCM
  //= instead: paste of AMD3211
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);
  //= end
#else
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
#endif
  if (lane == 0) out[warp] = v;
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 128; ++i) sums[i / 32] += x[i] = float(i % 7);
  row_sums<<<2, 64>>>(x, out);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
