//= codes: AMD3201
//= before: gfx1100 does not compile, gfx942 does not compile
// Code that counts in warpSize lanes; the entry says how to keep all 64 votes.
#include "check.h"

__global__ void compact(const int* keep, int* out) {
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  const bool vote = keep[threadIdx.x] != 0;
#ifdef USE_ROCM
  //= instead: fix 2 of AMD3201
  unsigned votes = __ballot_sync(0xffffffff, vote);
  int before = __popc(votes & ((1u << lane) - 1));
  //= end
#else
  unsigned votes = __ballot_sync(0xffffffff, vote);
  int before = __popc(votes & ((1u << lane) - 1));
#endif
  if (vote) out[wave * warpSize + before] = threadIdx.x;
}

int main() {
  int *keep = managed<int>(128), *out = managed<int>(128), *seen = managed<int>(128);
  for (int i = 0; i < 128; ++i) keep[i] = i % 3 == 1, out[i] = 0;
  compact<<<1, 128>>>(keep, out);
  if (verdict(keep, [](int i) { return i % 3 == 1; }, 128)) return 2;
  for (int i = 0; i < 128; ++i) ++seen[out[i] & 127];
  return verdict(seen, [](int i) { return i ? i % 3 == 1 : 85; }, 128);
}
