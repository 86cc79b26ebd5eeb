//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// Row softmax, one warp for each row and several rows in a block.
#include "check.h"

#define FINAL_MASK 0xffffffff

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(FINAL_MASK, v, m, 32));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(FINAL_MASK, v, m, 32);
  return v;
}

__global__ void softmax(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) top = fmaxf(top, x[row * cols + c]);
  top = warp_max(top);
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(x[row * cols + c] - top);
  sum = warp_sum(sum);
  for (int c = threadIdx.x; c < cols; c += 32) y[row * cols + c] = expf(x[row * cols + c] - top) / sum;
}

int main() {
  const int rows = 11, cols = 70;
  float *x = managed<float>(rows * cols), *y = managed<float>(rows * cols), expected[rows * cols];
  for (int i = 0; i < rows * cols; ++i) x[i] = float(i * 37 % 41) / 8;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += std::exp(double(x[r * cols + c]));
    for (int c = 0; c < cols; ++c) expected[r * cols + c] = float(std::exp(double(x[r * cols + c])) / sum);
  }
  softmax<<<3, dim3(32, 4)>>>(x, y, rows, cols);
  return verdict(y, [&](int i) { return expected[i]; }, rows * cols, 1e-5);
}
