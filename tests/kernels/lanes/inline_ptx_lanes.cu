//= codes: AMD3219
//= before: gfx1100 does not compile, gfx942 does not compile
// The lane and the mask of the lanes below, read from PTX's special registers.
#include "check.h"

__global__ void lanes(int* out) {
  unsigned id, below;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  out[threadIdx.x] = id + 100 * __popc(below);
}

int main() {
  int* out = managed<int>(128);
  lanes<<<1, 128>>>(out);
  return verdict(out, [](int i) { return 101 * (i % 32); }, 128);
}
