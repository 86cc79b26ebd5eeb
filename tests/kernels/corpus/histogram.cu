//= codes: AMD3203 AMD3205
//= before: gfx1100 does not compile, gfx942 does not compile
// A histogram with a table for each warp in shared memory and one atomic for each distinct key.
#include "check.h"

constexpr int kBins = 16, kWarps = 4;

__global__ void histogram(const unsigned char* keys, int n, int* counts) {
  __shared__ int table[kWarps][kBins];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int b = lane; b < kBins; b += 32) table[warp][b] = 0;
  __syncwarp();
  for (int first = blockIdx.x * blockDim.x; first < n; first += blockDim.x * gridDim.x) {
    const int i = first + threadIdx.x;
    const int key = i < n ? keys[i] % kBins : -1;
    const unsigned same = __match_any_sync(0xffffffff, key);
    if (key >= 0 && lane == __ffs(same) - 1) table[warp][key] += __popc(same);
    __syncwarp(0xffffffff);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
    int sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += table[w][b];
    atomicAdd(&counts[b], sum);
  }
}

int main() {
  const int n = 700;
  unsigned char* keys = managed<unsigned char>(n);
  int *counts = managed<int>(kBins), expected[kBins] = {};
  for (int i = 0; i < n; ++i) ++expected[(keys[i] = static_cast<unsigned char>(i * i % 251)) % kBins];
  histogram<<<2, 32 * kWarps>>>(keys, n, counts);
  return verdict(counts, [&](int i) { return expected[i]; }, kBins);
}
