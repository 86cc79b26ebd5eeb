//= codes: AMD3214
//= before: gfx1100 right, gfx942 wrong
// A row for every 32 threads; a collective as wide as the wave adds two rows.
#include "check.h"
#include <cub/cub.cuh>

__global__ void row_sum(const float* x, float* out) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage temp[8];
  const float s = Reduce(temp[threadIdx.x / 32]).Sum(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = s;
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 128; ++i) sums[i / 32] += x[i] = float(i % 11);
  row_sum<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
