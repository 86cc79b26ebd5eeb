//= codes: AMD3201
//= before: gfx1100 does not compile, gfx942 does not compile
// Stream compaction inside a warp.
#include "check.h"

__global__ void compact(const int* keep, int* out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned kept = __ballot_sync(0xffffffff, keep[threadIdx.x]);
  if (keep[threadIdx.x]) out[32 * warp + __popc(kept & ((1u << lane) - 1))] = threadIdx.x;
}

int main() {
  int *keep = managed<int>(128), *out = managed<int>(128), expected[128];
  for (int i = 0; i < 128; ++i) keep[i] = i % 3 == 0 || i > 100, out[i] = expected[i] = -1;
  for (int w = 0, n; w < 4; ++w)
    for (int i = (n = 0); i < 32; ++i)
      if (keep[32 * w + i]) expected[32 * w + n++] = 32 * w + i;
  compact<<<1, 128>>>(keep, out);
  return verdict(out, [&](int i) { return expected[i]; }, 128);
}
