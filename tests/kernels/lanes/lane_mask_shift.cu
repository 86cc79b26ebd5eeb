//= codes: AMD3212
//= before: gfx1100 right, gfx942 wrong
// Compaction in waves, with a shift of 32 bits for lanes up to 63.
#include "check.h"

__device__ int rank_in_wave(bool vote) {
  const int lane = threadIdx.x % warpSize;
#ifdef USE_ROCM
  return __popcll(__ballot(vote) & ((1 << lane) - 1));
#else
  return __popc(__ballot_sync(0xffffffffu, vote) & ((1 << lane) - 1));
#endif
}

__global__ void compact(const int* x, int* out) {
  const bool keep = x[threadIdx.x] % 3 != 0;
  const int place = rank_in_wave(keep);
  if (keep) out[threadIdx.x / warpSize * warpSize + place] = x[threadIdx.x];
}

// What comes out depends on the size of the wave; that the kept values are all there, once each, does not.
int main() {
  int *x = managed<int>(128), *out = managed<int>(128), *seen = managed<int>(128);
  for (int i = 0; i < 128; ++i) x[i] = i;
  compact<<<1, 128>>>(x, out);
  if (verdict(x, [](int i) { return i; }, 128)) return 2;
  for (int i = 0; i < 128; ++i) ++seen[out[i] & 127];
  return verdict(seen, [](int i) { return i == 0 ? 43 : i % 3 != 0; }, 128);
}
