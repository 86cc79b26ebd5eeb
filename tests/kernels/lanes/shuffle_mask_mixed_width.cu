//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// The same shuffle with and without a width in one file: without one, a warp of 32 is meant.
#include "check.h"

__global__ void first_of_warp_and_of_group(const int* x, int* out) {
  const int v = x[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(0xffffffff, v, 0) + 1000 * __shfl_sync(0xffffffff, v, 0, 16);
}

int main() {
  int *x = managed<int>(128), *out = managed<int>(128);
  for (int i = 0; i < 128; ++i) x[i] = i + 1;
  first_of_warp_and_of_group<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return x[i / 32 * 32] + 1000 * x[i / 16 * 16]; }, 128);
}
