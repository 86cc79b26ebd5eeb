//= codes: AMD3200 AMD3211
//= before: gfx1100 does not compile, gfx942 does not compile
// Layer norm, one block for each row: mean and variance through shared memory, by waves of any size.
#include "check.h"

__device__ float2 wave_sum(float2 v) {
  for (int d = warpSize / 2; d > 0; d >>= 1) {
    v.x += __shfl_down_sync(0xffffffff, v.x, d);
    v.y += __shfl_down_sync(0xffffffff, v.y, d);
  }
  return v;
}

__global__ void layernorm(const float* x, const float* weight, const float* bias, float* y, int cols) {
  __shared__ float sums[32], squares[32], mean, scale;
  const float* row = x + blockIdx.x * cols;
  float2 v = make_float2(0, 0);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    v.x += row[c];
    v.y += row[c] * row[c];
  }
  v = wave_sum(v);
  const int wid = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    sums[wid] = v.x;
    squares[wid] = v.y;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0, q = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) {
      s += sums[w];
      q += squares[w];
    }
    mean = s / cols;
    scale = rsqrtf(q / cols - mean * mean + 1e-5f);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = (row[c] - mean) * scale * weight[c] + bias[c];
}

int main() {
  const int rows = 4, cols = 200;
  float *x = managed<float>(rows * cols), *w = managed<float>(cols), *b = managed<float>(cols), *y = managed<float>(rows * cols);
  float expected[rows * cols];
  for (int i = 0; i < rows * cols; ++i) x[i] = float(i * 53 % 29) / 7;
  for (int c = 0; c < cols; ++c) w[c] = 1 + float(c % 3), b[c] = float(c % 5);
  for (int r = 0; r < rows; ++r) {
    double mean = 0, var = 0;
    for (int c = 0; c < cols; ++c) mean += x[r * cols + c] / double(cols);
    for (int c = 0; c < cols; ++c) var += (x[r * cols + c] - mean) * (x[r * cols + c] - mean) / cols;
    for (int c = 0; c < cols; ++c) expected[r * cols + c] = float((x[r * cols + c] - mean) / std::sqrt(var + 1e-5) * w[c] + b[c]);
  }
  layernorm<<<rows, 128>>>(x, w, b, y, cols);
  return verdict(y, [&](int i) { return expected[i]; }, rows * cols, 1e-4);
}
