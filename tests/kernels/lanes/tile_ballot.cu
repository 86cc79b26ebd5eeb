//= codes: none
// Tiles of 32 lanes are the same on all GPUs.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const int* x, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  unsigned votes = tile.ballot(x[threadIdx.x] % 3 == 0);
  if (x[threadIdx.x] % 3 == 0) out[32 * (threadIdx.x / 32) + __popc(votes & ((1u << tile.thread_rank()) - 1))] = x[threadIdx.x];
  if (tile.any(x[threadIdx.x] == 40) && tile.thread_rank() == 31) out[threadIdx.x] = 7;
}
int main() {
  int *x = managed<int>(128), *out = managed<int>(128), e[128] = {};
  for (int i = 0; i < 128; ++i) x[i] = i;
  for (int w = 0; w < 4; ++w) for (int i = 32*w, n = 32*w; i < 32*w+32; ++i) if (i % 3 == 0) e[n++] = i;
  e[63] = 7;
  k<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) { return e[i]; }, 128);
}
