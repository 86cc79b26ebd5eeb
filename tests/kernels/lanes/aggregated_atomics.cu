//= codes: AMD3200 AMD3206
//= before: gfx1100 does not compile, gfx942 does not compile
// One atomic for all active lanes of a warp, which then share the places.
#include "check.h"
__device__ int reserve(int* counter) {
  unsigned active = __activemask();
  int lane = threadIdx.x & 31;
  int leader = __ffs(active) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(active));
  base = __shfl_sync(active, base, leader);
  return base + __popc(active & ((1u << lane) - 1));
}
__global__ void k(const int* x, int* out, int* counter) {
  if (x[threadIdx.x] % 3 == 0) out[reserve(counter)] = threadIdx.x;
}
int main() {
  int *x = managed<int>(128), *out = managed<int>(128), *c = managed<int>(1), *seen = managed<int>(128), n = 0;
  for (int i = 0; i < 128; ++i) n += (x[i] = i < 32 ? i : i * i) % 3 == 0;
  k<<<1, 128>>>(x, out, c);
  if (int bad = verdict(c, [&](int) { return n; }, 1)) return bad;
  for (int i = 0; i < n; ++i) ++seen[out[i]];
  return verdict(seen, [&](int i) { return x[i] % 3 == 0; }, 128);
}
