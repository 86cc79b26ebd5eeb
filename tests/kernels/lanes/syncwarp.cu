//= codes: AMD3205
//= before: gfx1100 does not compile, gfx942 does not compile
// Each warp turns a tile of its own over in shared memory.
#include "check.h"

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[2][32][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int r = 0; r < 32; ++r) tile[warp][r][lane] = in[1024 * warp + 32 * r + lane];
  __syncwarp(0xffffffff);
  for (int r = 0; r < 32; ++r) out[1024 * warp + 32 * r + lane] = tile[warp][lane][r];
}

int main() {
  float *in = managed<float>(2048), *out = managed<float>(2048);
  for (int i = 0; i < 2048; ++i) in[i] = float(i);
  transpose<<<1, 64>>>(in, out);
  return verdict(out, [&](int i) { return in[i / 1024 * 1024 + i % 32 * 32 + i % 1024 / 32]; }, 2048);
}
