//= codes: AMD3200 AMD3211
//= before: gfx1100 does not compile, gfx942 does not compile
// The first 32 threads add up the partial sums, with a tree that reads all lanes of their wave.
#include "check.h"

__device__ float wave_sum(float v) {
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

__global__ void block_sum(const float* x, float* out) {
  __shared__ float part[32];
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  float v = wave_sum(x[threadIdx.x]);
  if (lane == 0) part[wid] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = lane < (blockDim.x >> 5) ? part[lane] : 0.0f;
    v = wave_sum(v);
    if (lane == 0) *out = v;
  }
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(1), sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[i] = float(i * 7 % 31);
  block_sum<<<1, 128>>>(x, out);
  return verdict(out, [&](int) { return sum; }, 1);
}
