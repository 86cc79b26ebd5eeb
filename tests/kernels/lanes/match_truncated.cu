//= codes: AMD3203
//= before: gfx1100 right, gfx942 wrong
// The mask has 64 bits on AMD, the answer is kept in 32.
#include "check.h"
__global__ void k(const int* key, int* count) {
  const int i = threadIdx.x;
  if (key[i] != 3) {
    const unsigned same = __match_any_sync(__activemask(), key[i]);
    if (__ffs(same) - 1 == i % 32) atomicAdd(&count[key[i]], __popc(same));
  }
}
int main() {
  int *key = managed<int>(128), *count = managed<int>(8), expected[8] = {};
  for (int i = 0; i < 128; ++i) { key[i] = i % 64 < 32 ? (i % 4 ? 3 : i * i % 8) : i * i % 5; if (key[i] != 3) ++expected[key[i]]; }
  k<<<1, 128>>>(key, count);
  return verdict(count, [&](int i) { return expected[i]; }, 8);
}
