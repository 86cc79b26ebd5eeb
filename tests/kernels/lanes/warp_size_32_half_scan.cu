//= codes: AMD3200 AMD3211
//= before: gfx1100 does not compile, gfx942 does not compile
// A scan upwards over 32 lanes, in code that carries the total of each wave of warpSize lanes.
#include "check.h"

__global__ void scan(const int* x, int* out) {
  __shared__ int totals[32];
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  int v = x[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    const int lower = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += lower;
  }
  if (lane == warpSize - 1) totals[wave] = v;
  __syncthreads();
  for (int w = 0; w < wave; ++w) v += totals[w];
  out[threadIdx.x] = v;
}

int main() {
  int *x = managed<int>(192), *out = managed<int>(192), expected[192], sum = 0;
  for (int i = 0; i < 192; ++i) expected[i] = sum += x[i] = i * 31 % 17;
  scan<<<1, 192>>>(x, out);
  return verdict(out, [&](int i) { return expected[i]; }, 192);
}
