//= codes: none
// A coalesced group has the active lanes of a wave, however many those are.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const int* x, int* n) {
  if (x[threadIdx.x] % 3 == 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    if (g.thread_rank() == 0) atomicAdd(n, g.size());
  }
}
int main() {
  int *x = managed<int>(128), *c = managed<int>(1), n = 0;
  for (int i = 0; i < 128; ++i) n += (x[i] = i < 32 ? i : i * i) % 3 == 0;
  k<<<1, 128>>>(x, c);
  return verdict(c, [&](int) { return n; }, 1);
}
