//= codes: none
// Trees and broadcasts that stay inside 32 lanes, with widths: right on every GPU, and nothing to report.
#include "check.h"

#ifdef USE_ROCM
#define SHFL_XOR(v, m) __shfl_xor(v, m, 32)
#define SHFL(v, lane) __shfl(v, lane, 32)
#else
#define SHFL_XOR(v, m) __shfl_xor_sync(0xffffffffu, v, m)
#define SHFL(v, lane) __shfl_sync(0xffffffffu, v, lane)
#endif

__global__ void row_sums(const float* x, float* out) {
  const int lane = threadIdx.x & 31, row = threadIdx.x >> 5;
  float v = x[threadIdx.x];
  for (int m = 16; m > 0; m /= 2) v += SHFL_XOR(v, m);
  v += SHFL(x[threadIdx.x], 3);
  if (lane == 0) out[row] = v;
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(4), sums[4] = {};
  for (int i = 0; i < 128; ++i) sums[i / 32] += (x[i] = float(i % 7)) * (i % 32 == 3 ? 2 : 1);
  row_sums<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return sums[i]; }, 4);
}
