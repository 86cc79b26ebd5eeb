//= codes: AMD3216
//= before: gfx1100 stopped, gfx942 stopped
// The host asks a device value for the size of its blocks.
#include "check.h"

__global__ void block_sizes(int* out) {
  if (threadIdx.x == 0) atomicAdd(out, blockDim.x);
}

void launch(int* out, int n) {
  const int threads = warpSize * 4;
  block_sizes<<<(n + threads - 1) / threads, threads>>>(out);
}

int main() {
  int* out = managed<int>(1);
  launch(out, 512);
  return verdict(out, [](int) { return 512; }, 1);
}
