//= codes: AMD3200 AMD3201
//= before: gfx1100 does not compile, gfx942 does not compile
// A loop over the votes of a warp: the two warps of a 64-lane wave take different numbers of turns.
#include "check.h"
__global__ void k(const int* x, int* out) {
  const int lane = threadIdx.x % 32;
  unsigned todo = __ballot_sync(0xffffffff, x[threadIdx.x] % 5 == 0);
  int sum = 0;
  while (todo) {
    const int src = __ffs(todo) - 1;
    todo &= todo - 1;
    sum += __shfl_sync(0xffffffff, x[threadIdx.x], src);
  }
  if (lane == 0) out[threadIdx.x / 32] = sum;
}
int main() {
  int *x = managed<int>(128), *out = managed<int>(4), e[4] = {};
  for (int i = 0; i < 128; ++i) { x[i] = i < 64 ? i : 5 * i; if (x[i] % 5 == 0) e[i / 32] += x[i]; }
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return e[i]; }, 4);
}
