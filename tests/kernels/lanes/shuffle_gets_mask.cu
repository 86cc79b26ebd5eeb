//= codes: AMD3208
//= before: gfx1100 wrong, gfx942 wrong
// The AMD branch kept the mask of the masked shuffle.
#include "check.h"

__device__ float add_lower(float v, int d) {
#ifdef USE_ROCM
  return v + __shfl_down(0xffffffff, v, d);
#else
  return v + __shfl_down_sync(0xffffffff, v, d);
#endif
}

__global__ void row_sum(const float* x, float* out) {
  float v = x[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) v = add_lower(v, d);
  if (threadIdx.x % warpSize == 0) atomicAdd(out, v);
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 9);
  row_sum<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
