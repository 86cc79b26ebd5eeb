//= codes: AMD3214
//= before: gfx1100 right, gfx942 wrong
// Rows of 32 threads by the shape of the block.
#include "check.h"
#include <cub/cub.cuh>

__global__ void row_sums(const float* x, float* out, int cols) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage temp[4];
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float v = 0;
  for (int c = threadIdx.x; c < cols; c += 32) v += x[row * cols + c];
  v = Reduce(temp[threadIdx.y]).Sum(v);
  if (threadIdx.x == 0) out[row] = v;
}

int main() {
  float *x = managed<float>(400), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 400; ++i) sums[i / 100] += x[i] = float(i % 7);
  row_sums<<<1, dim3(32, 4)>>>(x, out, 100);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
