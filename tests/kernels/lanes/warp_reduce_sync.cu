//= codes: AMD3204
//= before: gfx1100 does not compile, gfx942 does not compile
// All six reductions of a warp.
#include "check.h"

__global__ void reductions(const int* x, int* out) {
  const int v = x[threadIdx.x], row = threadIdx.x / 32;
  const unsigned u = v + 100;
  const int sum = __reduce_add_sync(0xffffffff, v), top = __reduce_max_sync(0xffffffff, v);
  const int low = __reduce_min_sync(0xffffffff, v);
  const unsigned both = __reduce_and_sync(0xffffffff, u), any = __reduce_or_sync(0xffffffff, u);
  const unsigned odd = __reduce_xor_sync(0xffffffff, u);
  if (threadIdx.x % 32 == 0) {
    out[6 * row] = sum, out[6 * row + 1] = top, out[6 * row + 2] = low;
    out[6 * row + 3] = both, out[6 * row + 4] = any, out[6 * row + 5] = odd;
  }
}

int main() {
  int *x = managed<int>(128), *out = managed<int>(24), expected[24];
  for (int i = 0; i < 128; ++i) x[i] = i * 29 % 83 - 40;
  for (int row = 0; row < 4; ++row) {
    int* e = expected + 6 * row;
    e[0] = 0, e[1] = -99, e[2] = 99, e[3] = -1, e[4] = e[5] = 0;
    for (int i = 32 * row; i < 32 * row + 32; ++i) {
      const int v = x[i], u = v + 100;
      e[0] += v, e[1] = v > e[1] ? v : e[1], e[2] = v < e[2] ? v : e[2], e[3] &= u, e[4] |= u, e[5] ^= u;
    }
  }
  reductions<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return expected[i]; }, 24);
}
