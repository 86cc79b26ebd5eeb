//= codes: AMD3218
//= before: gfx1100 right, gfx942 hangs
// One lane of each warp takes the lock: alone in a wave of 32, one of two in a wave of 64.
#include "check.h"

__global__ void add_rows(int* lock, float* sum, const float* x) {
  if (threadIdx.x % 32 == 0) {
    const float v = x[threadIdx.x];
    //= instead: paste of AMD3218, "// critical section" is "*sum += v;"
    while (atomicExch(lock, 1) == 1) {
    }
    *sum += v;
    __threadfence();
    atomicExch(lock, 0);
    //= end
  }
}

int main() {
  int* lock = managed<int>(1);
  float *x = managed<float>(128), *sum = managed<float>(1), expected = 0;
  for (int i = 0; i < 128; ++i) expected += (x[i] = float(i % 7)) * (i % 32 == 0);
  add_rows<<<1, 128>>>(lock, sum, x);
  return verdict(sum, [&](int) { return expected; }, 1);
}
