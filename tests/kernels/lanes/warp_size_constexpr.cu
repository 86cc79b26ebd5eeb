//= codes: AMD3215
//= before: gfx1100 does not compile, gfx942 does not compile
// A constexpr taken from warpSize; the entry says how to select it by target.
#include "check.h"

#ifdef USE_ROCM
//= instead: fix 2 of AMD3215
constexpr int kWaveSize = warpSize;
//= end
#define SHFL_DOWN(v, d) __shfl_down(v, d)
#else
constexpr int kWaveSize = 32;
#define SHFL_DOWN(v, d) __shfl_down_sync(0xffffffffu, v, d)
#endif

__global__ void wave_sums(const float* x, float* out) {
  float v = x[threadIdx.x];
#pragma unroll
  for (int d = kWaveSize / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % kWaveSize == 0) atomicAdd(out, v);
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  wave_sums<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
