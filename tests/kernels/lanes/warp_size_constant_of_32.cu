//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// WARP_SIZE is 32 throughout, also as a width.
#include "check.h"
#define WARP_SIZE 32
template <typename T> __device__ T reduce(T v) {
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset, WARP_SIZE);
  return v;
}
__global__ void k(const float* x, float* out) {
  __shared__ float part[128 / WARP_SIZE];
  float v = reduce(x[threadIdx.x]);
  int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) { v = lane < 128 / WARP_SIZE ? part[lane] : 0; v = reduce(v); if (lane == 0) *out = v; }
}
int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i % 7);
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
