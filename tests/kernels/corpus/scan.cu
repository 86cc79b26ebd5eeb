//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// Inclusive scan of a block: in the warp by shuffles upwards, then over the warps' totals.
#include "check.h"

constexpr unsigned kAll = 0xffffffff;

__device__ int warp_scan(int v) {
  const int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d <<= 1) {
    const int lower = __shfl_up_sync(kAll, v, d);
    if (lane >= d) v += lower;
  }
  return v;
}

__global__ void scan(const int* x, int* out) {
  __shared__ int totals[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = warp_scan(x[threadIdx.x]);
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) totals[lane] = warp_scan(lane < blockDim.x / 32 ? totals[lane] : 0);
  __syncthreads();
  if (warp > 0) v += totals[warp - 1];
  out[threadIdx.x] = v;
}

int main() {
  int *x = managed<int>(256), *out = managed<int>(256), expected[256], sum = 0;
  for (int i = 0; i < 256; ++i) expected[i] = sum += x[i] = i * 31 % 17;
  scan<<<1, 256>>>(x, out);
  return verdict(out, [&](int i) { return expected[i]; }, 256);
}
