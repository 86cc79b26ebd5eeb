//= codes: AMD3200 AMD3201 AMD3202
//= before: gfx1100 does not compile, gfx942 does not compile
// Votes of the lower and of the upper half of a warp, in two branches.
#include "check.h"
__global__ void k(const int* x, int* out) {
  const int lane = threadIdx.x % 32;
  int r;
  if (lane < 16) r = __any_sync(0x0000ffff, x[threadIdx.x] > 3) + 10 * __all_sync(0x0000ffff, x[threadIdx.x] > 0) + 100 * __shfl_sync(0xffff, x[threadIdx.x], 2);
  else r = -(int)__popc(__ballot_sync(0xffff0000, x[threadIdx.x] > 1));
  out[threadIdx.x] = r;
}
int main() {
  int *x = managed<int>(128), *out = managed<int>(128);
  for (int i = 0; i < 128; ++i) x[i] = i * i % 5;
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) {
    int b = i / 32 * 32, any = 0, all = 1, n = 0;
    for (int j = b; j < b + 16; ++j) any |= x[j] > 3, all &= x[j] > 0;
    for (int j = b + 16; j < b + 32; ++j) n += x[j] > 1;
    return i % 32 < 16 ? any + 10 * all + 100 * x[b + 2] : -n; }, 128);
}
