//= codes: AMD3203
//= before: gfx1100 does not compile, gfx942 does not compile
// A histogram with one atomic for each distinct key of a warp.
#include "check.h"

__global__ void add_by_key(const int* key, int* count, int n) {
  const int i = threadIdx.x;
  const unsigned same = __match_any_sync(0xffffffff, key[i]);
  if (__ffs(same) - 1 == i % 32) atomicAdd(&count[key[i]], __popc(same));
}

int main() {
  int *key = managed<int>(128), *count = managed<int>(8), expected[8] = {};
  for (int i = 0; i < 128; ++i) ++expected[key[i] = i < 40 ? i % 3 : i * i % 8];
  add_by_key<<<1, 128>>>(key, count, 128);
  return verdict(count, [&](int i) { return expected[i]; }, 8);
}
