//= codes: AMD3218
//= before: gfx1100 hangs, gfx942 hangs
// Lanes of one wave that spin for the lock of another.
#include "check.h"

__global__ void add_all(int* lock, float* sum, const float* x) {
  const float v = x[threadIdx.x];
  //= instead: fix 1 of AMD3218, "// critical section" is "*sum += v;"
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum += v;
  __threadfence();
  atomicExch(lock, 0);
  //= end
}

int main() {
  int* lock = managed<int>(1);
  float *x = managed<float>(64), *sum = managed<float>(1), expected = 0;
  for (int i = 0; i < 64; ++i) expected += x[i] = float(i % 7);
  add_all<<<1, 64>>>(lock, sum, x);
  return verdict(sum, [&](int) { return expected; }, 1);
}
