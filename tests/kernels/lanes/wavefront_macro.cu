//= codes: AMD3217
//= before: gfx1100 does not compile, gfx942 does not compile
// The macro for the size of the wave, which compilers are dropping.
#include "check.h"

#ifdef USE_ROCM
#define LANES __AMDGCN_WAVEFRONT_SIZE__
#define SHFL_DOWN(v, d) __shfl_down(v, d)
#else
#define LANES 32
#define SHFL_DOWN(v, d) __shfl_down_sync(0xffffffffu, v, d)
#endif

__global__ void wave_sums(const float* x, float* out) {
  float v = x[threadIdx.x];
  for (int d = LANES / 2; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  if (threadIdx.x % LANES == 0) atomicAdd(out, v);
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  wave_sums<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
