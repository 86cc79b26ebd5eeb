//= codes: AMD3201
//= before: gfx1100 does not compile, gfx942 does not compile
// A ballot compared with all ones.
#include "check.h"
__global__ void k(const int* x, int* out) {
  if (__ballot_sync(0xffffffff, x[threadIdx.x] > 0) == 0xffffffff) out[threadIdx.x] = 1;
  if ((threadIdx.x & 31) == 0 && __popc(__ballot_sync(0x1, 1)) == 1) out[threadIdx.x] += 2;
}
int main() {
  int *x = managed<int>(128), *out = managed<int>(128);
  for (int i = 0; i < 128; ++i) x[i] = i != 40;
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return (i / 32 != 1) + 2 * (i % 32 == 0); }, 128);
}
