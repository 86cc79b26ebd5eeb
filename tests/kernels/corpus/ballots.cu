//= codes: AMD3200 AMD3201
//= before: gfx1100 does not compile, gfx942 does not compile
// Stream compaction over many blocks: one atomic for each warp reserves places, ballots order the lanes.
#include "check.h"

__global__ void compact(const int* x, int n, int* out, int* used) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const bool keep = i < n && x[i] % 3 == 0;
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  const int leader = __ffs(votes) - 1;
  if (votes == 0) return;
  int start = 0;
  if (lane == leader) start = atomicAdd(used, __popc(votes));
  start = __shfl_sync(0xffffffffu, start, leader);
  if (keep) out[start + __popc(votes & ((1u << lane) - 1u))] = x[i];
}

// The order of the warps is open: check that each kept value is there once.
int main() {
  const int n = 600;
  int *x = managed<int>(n), *out = managed<int>(n), *used = managed<int>(1), *seen = managed<int>(n + 1), kept = 0;
  for (int i = 0; i < n; ++i) kept += (x[i] = i < 100 || i > 400 ? i : 1) % 3 == 0;
  compact<<<5, 128>>>(x, n, out, used);
  if (int bad = verdict(used, [&](int) { return kept; }, 1)) return bad;
  for (int i = 0; i < kept; ++i) ++seen[out[i]];
  return verdict(seen, [&](int i) { return (i < 100 || i > 400) && i < n && i % 3 == 0; }, n);
}
