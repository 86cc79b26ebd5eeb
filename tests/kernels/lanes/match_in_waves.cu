//= codes: AMD3203
//= before: gfx1100 does not compile, gfx942 does not compile
// One atomic for each key of a wave, in code that counts in warpSize lanes.
#include "check.h"

__global__ void add_by_key(const int* keys, int* count) {
  const int lane = threadIdx.x % warpSize;
  const int key = keys[threadIdx.x];
#ifdef USE_ROCM
  //= instead: fix 1 of AMD3203
  unsigned same = __match_any_sync(0xffffffff, key);
  int leader = __ffs(same) - 1;
  //= end
  if (leader == lane) atomicAdd(&count[key], __popcll(same));
#else
  unsigned same = __match_any_sync(0xffffffff, key);
  int leader = __ffs(same) - 1;
  if (leader == lane) atomicAdd(&count[key], __popc(same));
#endif
}

int main() {
  int *keys = managed<int>(128), *count = managed<int>(8), expected[8] = {};
  for (int i = 0; i < 128; ++i) ++expected[keys[i] = i < 40 ? i % 3 : i * i % 8];
  add_by_key<<<1, 128>>>(keys, count);
  return verdict(count, [&](int i) { return expected[i]; }, 8);
}
