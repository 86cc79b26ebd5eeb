//= codes: AMD3200 AMD3211
//= before: gfx1100 does not compile, gfx942 does not compile
// Lane 31 hands on the total of a wave of warpSize lanes.
#include "check.h"
__global__ void k(const float* x, float* out) {
  __shared__ float tot[32];
  const int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  float v = x[threadIdx.x];
  for (int d = 1; d < warpSize; d *= 2) { float o = __shfl_up_sync(0xffffffff, v, d); if (lane >= d) v += o; }
  if (lane == 31) tot[wid] = v;
  __syncthreads();
  if (threadIdx.x == 0) { float s = 0; for (int w = 0; w < blockDim.x / warpSize; ++w) s += tot[w]; *out = s; }
}
int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
