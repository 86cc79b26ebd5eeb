//= codes: AMD3210
//= before: gfx1100 right, gfx942 stopped
// 64 bits wide, but only the lower half is set.
#include "check.h"

constexpr unsigned long long kLanes = 0xffffffff;

__global__ void swap_pairs(const float* x, float* out) { out[threadIdx.x] = __shfl_xor_sync(kLanes, x[threadIdx.x], 1); }

int main() {
  float *x = managed<float>(128), *out = managed<float>(128);
  for (int i = 0; i < 128; ++i) x[i] = float(i);
  swap_pairs<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return x[i ^ 1]; }, 128);
}
