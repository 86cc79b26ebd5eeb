//= codes: AMD3200 AMD3211
//= before: gfx1100 does not compile, gfx942 does not compile
// A broadcast from lane 31 as the last of warpSize lanes.
#include "check.h"
__global__ void k(const float* x, float* out) {
  const int lane = threadIdx.x % warpSize;
  float v = x[threadIdx.x];
  for (int d = 1; d < warpSize; d *= 2) { float o = __shfl_up_sync(0xffffffff, v, d); if (lane >= d) v += o; }
  float total = __shfl_sync(0xffffffff, v, 31);
  if (lane == 0) atomicAdd(out, total);
}
int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
