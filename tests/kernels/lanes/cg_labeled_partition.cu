//= codes: AMD3233
//= before: gfx1100 does not compile, gfx942 does not compile
// One atomic for each key, by a group that HIP cannot form.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void count(const int* keys, float* table) {
  const int key = keys[threadIdx.x];
  auto same = cg::labeled_partition(cg::coalesced_threads(), key);
  if (same.thread_rank() == 0) atomicAdd(&table[key], float(same.size()));
}

int main() {
  int *keys = managed<int>(128), expected[6] = {};
  float* table = managed<float>(6);
  for (int i = 0; i < 128; ++i) ++expected[keys[i] = i * i % 6];
  count<<<1, 128>>>(keys, table);
  return verdict(table, [&](int i) { return expected[i]; }, 6);
}
