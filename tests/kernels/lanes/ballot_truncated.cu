//= codes: AMD3207
//= before: gfx1100 right, gfx942 wrong
// The AMD branch counts votes in waves, with 32 bits.
#include "check.h"

__device__ int votes_for(bool p) {
#ifdef USE_ROCM
  unsigned v = __ballot(p);
  return __popc(v);
#else
  return __popc(__ballot_sync(0xffffffffu, p));
#endif
}

__global__ void count(const int* x, int* total) {
  const int n = votes_for(x[threadIdx.x] > 5);
  if (threadIdx.x % warpSize == 0) atomicAdd(total, n);
}

int main() {
  int *x = managed<int>(128), *total = managed<int>(1), hits = 0;
  for (int i = 0; i < 128; ++i) hits += (x[i] = i * i % 23) > 5;
  count<<<1, 128>>>(x, total);
  return verdict(total, [&](int) { return hits; }, 1);
}
