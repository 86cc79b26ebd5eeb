//= codes: AMD3202
//= before: gfx1100 does not compile, gfx942 does not compile
// Which rows of 32 are zero, and which hold a NaN.
#include "check.h"

__global__ void row_flags(const float* x, int* out) {
  const float v = x[threadIdx.x];
  const int zero = __all_sync(0xffffffff, v == 0.0f);
  const int broken = __any_sync(0xffffffff, v != v);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = zero + 2 * broken;
}

int main() {
  float* x = managed<float>(128);
  int* out = managed<int>(4);
  const int expected[4] = {1, 0, 2, 1};
  for (int i = 32; i < 96; ++i) x[i] = 1.0f;
  x[70] = NAN;
  row_flags<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return expected[i]; }, 4);
}
