//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// A broadcast without a width reaches the other team of the wave.
#include "check.h"

constexpr int kTeam = 32;

__device__ int leader_row(int row) {
  const int lane = threadIdx.x % kTeam;
  if (lane != 0) row = -1;
#ifdef USE_ROCM
  return __shfl(row, 0);
#else
  return __shfl_sync(0xffffffffu, row, 0);
#endif
}

__global__ void rows(int* out) { out[threadIdx.x] = leader_row(threadIdx.x / kTeam); }

int main() {
  int* out = managed<int>(128);
  rows<<<1, 128>>>(out);
  return verdict(out, [](int i) { return i / 32; }, 128);
}
