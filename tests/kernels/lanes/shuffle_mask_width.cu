//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// Groups of 8 lanes, named by a width; an inclusive sum upwards.
#include "check.h"

__global__ void group_scan(const int* x, int* out) {
  int v = x[threadIdx.x];
  for (int d = 1; d < 8; d *= 2) {
    const int below = __shfl_up_sync(0xffffffff, v, d, 8);
    if (threadIdx.x % 8 >= d) v += below;
  }
  out[threadIdx.x] = v + 1000 * __shfl_sync(0xffffffff, v, 7, 8);
}

int main() {
  int *x = managed<int>(96), *out = managed<int>(96);
  for (int i = 0; i < 96; ++i) x[i] = i * 5 % 7;
  group_scan<<<1, 96>>>(x, out);
  return verdict(out, [&](int i) {
    int sum = 0, total = 0;
    for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) total += x[k], sum += k <= i ? x[k] : 0;
    return sum + 1000 * total;
  }, 96);
}
