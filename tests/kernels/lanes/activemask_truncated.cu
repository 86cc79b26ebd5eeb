//= codes: AMD3206
//= before: gfx1100 right, gfx942 wrong
// One atomic for all lanes of a warp that are in the branch.
#include "check.h"

__global__ void count_hits(const int* x, int* total) {
  const int lane = threadIdx.x & 31;
  if (x[threadIdx.x] > 5) {
    const unsigned active = __activemask();
    if (lane == __ffs(active) - 1) atomicAdd(total, __popc(active));
  }
}

int main() {
  int *x = managed<int>(128), *total = managed<int>(1), hits = 0;
  for (int i = 0; i < 128; ++i) hits += (x[i] = i * i % 23 - (i % 64 < 32 ? 0 : 6)) > 5;
  count_hits<<<1, 128>>>(x, total);
  return verdict(total, [&](int) { return hits; }, 1);
}
