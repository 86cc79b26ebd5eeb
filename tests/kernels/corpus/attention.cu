//= codes: AMD3200 AMD3202
//= before: gfx1100 does not compile, gfx942 does not compile
// Causal attention of one head, one warp for each query, with the running maximum and sum of flash attention.
#include "check.h"

#define WARP_SIZE 32

constexpr int kDim = 32;  // a lane for each channel

template <int width = WARP_SIZE>
__device__ float dot_over_lanes(float v) {
#pragma unroll
  for (int m = width / 2; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m, width);
  return v;
}

__global__ void attention(const float* q, const float* k, const float* v, float* out, int n, float scale) {
  const int lane = threadIdx.x % WARP_SIZE;
  const int query = blockIdx.x * (blockDim.x / WARP_SIZE) + threadIdx.x / WARP_SIZE;
  const float mine = query < n ? q[query * kDim + lane] * scale : 0.0f;
  float top = -INFINITY, sum = 0, acc = 0;
  for (int key = 0; key < n; ++key) {
    if (!__any_sync(0xffffffff, key <= query)) break;  // all keys behind are masked
    const float score = dot_over_lanes(mine * k[key * kDim + lane]);
    const float next = fmaxf(top, score);
    const float keep = expf(top - next), p = expf(score - next);
    sum = sum * keep + p;
    acc = acc * keep + p * v[key * kDim + lane];
    top = next;
  }
  if (query < n) out[query * kDim + lane] = acc / sum;
}

int main() {
  const int n = 10;
  const float scale = 0.25f;
  float *q = managed<float>(n * kDim), *k = managed<float>(n * kDim), *v = managed<float>(n * kDim), *out = managed<float>(n * kDim);
  float expected[n * kDim];
  for (int i = 0; i < n * kDim; ++i) {
    q[i] = float(i * 13 % 23 - 11) / 16;
    k[i] = float(i * 7 % 19 - 9) / 16;
    v[i] = float(i * 11 % 29) / 4;
  }
  for (int a = 0; a < n; ++a) {
    double sum = 0, acc[kDim] = {};
    for (int b = 0; b <= a; ++b) {
      double dot = 0;
      for (int d = 0; d < kDim; ++d) dot += double(q[a * kDim + d]) * k[b * kDim + d] * scale;
      sum += std::exp(dot);
      for (int d = 0; d < kDim; ++d) acc[d] += std::exp(dot) * v[b * kDim + d];
    }
    for (int d = 0; d < kDim; ++d) expected[a * kDim + d] = float(acc[d] / sum);
  }
  attention<<<3, 4 * WARP_SIZE>>>(q, k, v, out, n, scale);
  return verdict(out, [&](int i) { return expected[i]; }, n * kDim, 1e-4);
}
