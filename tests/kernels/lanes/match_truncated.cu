//= codes: AMD3203
//= before: gfx1100 right, gfx942 wrong
// The mask has 64 bits on AMD, the answer is kept in 32.
#include "check.h"

#ifdef USE_ROCM
#define ACTIVE __ballot(1)
#else
#define ACTIVE 0xffffffffu
#endif

__global__ void add_by_key(const int* key, int* count) {
  const int i = threadIdx.x;
  const unsigned same = __match_any_sync(ACTIVE, key[i]);
  if (__ffs(same) - 1 == i % 32) atomicAdd(&count[key[i]], __popc(same));
}

int main() {
  int *key = managed<int>(128), *count = managed<int>(8), expected[8] = {};
  for (int i = 0; i < 128; ++i) ++expected[key[i] = i < 40 ? i % 3 : i * i % 8];
  add_by_key<<<1, 128>>>(key, count);
  return verdict(count, [&](int i) { return expected[i]; }, 8);
}
