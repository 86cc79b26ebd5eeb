//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// Lane and row numbers by 32 that address the caller's data: counted in waves they would mean other elements.
#include "check.h"

__global__ void row_sums(const float* x, float* out) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32;
  float v = x[32 * row + lane];
#ifdef USE_ROCM
  //= instead: paste of AMD3211
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);
  //= end
#else
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
#endif
  if (lane == 0) out[row] = v;
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 128; ++i) sums[i / 32] += x[i] = float(i % 7);
  row_sums<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
