//= codes: AMD3200
//= before: gfx1100 does not compile, gfx942 does not compile
// Quantise groups of 32 numbers to 8 bits with a scale each, and back.
#include "check.h"

__device__ inline float group_absmax(float v) {
  v = fabsf(v);
  for (int offset = 16; offset > 0; offset /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
  return v;
}

__global__ void quantise(const float* x, signed char* q, float* scales, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0.0f;
  const float top = group_absmax(v);
  const float scale = top / 127.0f;
  if (i >= n) return;
  q[i] = scale > 0 ? static_cast<signed char>(rintf(v / scale)) : 0;
  if (i % 32 == 0) scales[i / 32] = scale;
}

__global__ void dequantise(const signed char* q, const float* scales, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float scale = __shfl_sync(0xffffffff, i % 32 == 0 && i < n ? scales[i / 32] : 0.0f, 0);
  if (i < n) y[i] = q[i] * scale;
}

int main() {
  const int n = 500;
  float *x = managed<float>(n), *scales = managed<float>(16), *y = managed<float>(n), expected[n];
  signed char* q = managed<signed char>(n);
  for (int i = 0; i < n; ++i) x[i] = float((i * 73 % 101 - 50) * (1 + i / 32));
  for (int i = 0; i < n; ++i) {
    float top = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32 && k < n; ++k) top = std::fmax(top, std::fabs(x[k]));
    expected[i] = float(std::rint(x[i] / (top / 127.0f))) * (top / 127.0f);
  }
  quantise<<<4, 128>>>(x, q, scales, n);
  dequantise<<<4, 128>>>(q, scales, y, n);
  return verdict(y, [&](int i) { return expected[i]; }, n, 1e-6);
}
