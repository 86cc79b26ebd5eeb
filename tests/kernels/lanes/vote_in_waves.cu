//= codes: AMD3202
//= before: gfx1100 does not compile, gfx942 does not compile
// Code that counts in warpSize lanes: the vote is the whole wave's.
#include "check.h"

__global__ void loop_until_all_are_done(const int* rounds, int* out) {
  int left = rounds[threadIdx.x], turns = 0;
  while (__any_sync(0xffffffff, left > 0)) {
    --left;
    ++turns;
  }
  if (threadIdx.x % warpSize == 0) atomicMax(out, turns);
}

int main() {
  int *rounds = managed<int>(128), *out = managed<int>(1);
  for (int i = 0; i < 128; ++i) rounds[i] = i % 11;
  loop_until_all_are_done<<<1, 128>>>(rounds, out);
  return verdict(out, [](int) { return 10; }, 1);
}
