//= codes: AMD3213
//= before: gfx1100 right, gfx942 idle
// A block of one warp for each row: right everywhere, but half of a 64-lane wave has nothing to do.
#include "check.h"

__global__ void double_rows(float* x, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) x[blockIdx.x * cols + c] *= 2;
}

void launch(float* x, int rows, int cols) {
  //= instead: fix 1 of AMD3213, "int warp = 0;" is "int warp = 0, device = 0;", "kernel" is "double_rows", ", 0, stream" is ""
  double_rows<<<rows, 32>>>(x, cols);
  //= end
}

int main() {
  float* x = managed<float>(6 * 100);
  for (int i = 0; i < 600; ++i) x[i] = float(i);
  launch(x, 6, 100);
  return verdict(x, [](int i) { return 2 * i; }, 600);
}
