//= codes: AMD3211
//= before: gfx1100 right, gfx942 wrong
// A vote of the whole wave answers for the neighbouring team too.
#include "check.h"

__global__ void teams_with_a_hit(const int* x, int* out) {
  const int lane = threadIdx.x % 32;
  const bool hit = x[threadIdx.x] > 0;
#ifdef USE_ROCM
  //= instead: fix 2 of AMD3211, "v = __shfl(v, 0, 32);" is ""
  const bool any = __any(hit);
  //= end
#else
  const bool any = __any_sync(0xffffffffu, hit);
#endif
  if (lane == 0) out[threadIdx.x / 32] = any;
}

int main() {
  int *x = managed<int>(128), *out = managed<int>(4);
  x[40] = 1;
  teams_with_a_hit<<<1, 128>>>(x, out);
  return verdict(out, [](int i) { return i == 1; }, 4);
}
