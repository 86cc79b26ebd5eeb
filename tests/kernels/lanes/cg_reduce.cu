//= codes: AMD3232
//= before: gfx1100 does not compile, gfx942 does not compile
// Sums and maxima of tiles of 32 and of 8 lanes.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void tiles(const float* x, float* out) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  cg::thread_block_tile<8> team = cg::tiled_partition<8>(cg::this_thread_block());
  const float v = x[threadIdx.x];
  const float total = cg::reduce(warp, v, cg::plus<float>{});
  const float top = cg::reduce(team, v, cg::greater<float>{});
  out[threadIdx.x] = total + 1000 * top;
}

int main() {
  float *x = managed<float>(128), *out = managed<float>(128);
  for (int i = 0; i < 128; ++i) x[i] = float(i * 7 % 10);
  tiles<<<1, 128>>>(x, out);
  return verdict(out, [&](int i) {
    float total = 0, top = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) total += x[k];
    for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) top = std::fmax(top, x[k]);
    return total + 1000 * top;
  }, 128);
}
