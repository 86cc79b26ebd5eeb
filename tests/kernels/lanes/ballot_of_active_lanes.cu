//= codes: AMD3201
//= before: gfx1100 right, gfx942 wrong
// The mask has 64 bits on AMD, the votes are kept in 32.
#include "check.h"
__global__ void k(const int* x, int* count) {
  const int i = threadIdx.x;
  if (x[i] != 3) {
    const unsigned votes = __ballot_sync(__activemask(), x[i] > 1);
    if (__ffs(votes) - 1 == i % 32) atomicAdd(count, __popc(votes));
  }
}
int main() {
  int *x = managed<int>(128), *count = managed<int>(1), n = 0;
  for (int i = 0; i < 128; ++i) { x[i] = i % 64 < 32 ? (i % 4 ? 3 : i * i % 8) : i * i % 5; n += x[i] != 3 && x[i] > 1; }
  k<<<1, 128>>>(x, count);
  return verdict(count, [&](int i) { return n; }, 1);
}
