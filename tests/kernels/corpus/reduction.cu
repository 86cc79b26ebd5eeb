//= codes: AMD3200 AMD3211
//= before: gfx1100 does not compile, gfx942 does not compile
// Sum and maximum of a long vector: grid-stride loop, tree in the warp, tree over the warps.
#include "check.h"

#define FULL_MASK 0xffffffffu

template <typename T>
struct Add {
  static __device__ T of(T a, T b) { return a + b; }
  static constexpr T none = T(0);
};
template <typename T>
struct Larger {
  static __device__ T of(T a, T b) { return a > b ? a : b; }
  static constexpr T none = T(-1);
};

template <typename Op, typename T>
__device__ T warp_reduce(T v) {
  for (int d = warpSize / 2; d > 0; d /= 2) v = Op::of(v, __shfl_down_sync(FULL_MASK, v, d));
  return v;
}

template <typename Op, typename T>
__device__ T block_reduce(T v) {
  __shared__ T part[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_reduce<Op>(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[lane] : Op::none;
  if (warp == 0) v = warp_reduce<Op>(v);
  return v;
}

__global__ void sum_and_max(const int* x, int n, int* sum, int* top) {
  int total = 0, largest = -1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    total += x[i];
    largest = largest > x[i] ? largest : x[i];
  }
  total = block_reduce<Add<int>>(total);
  __syncthreads();
  largest = block_reduce<Larger<int>>(largest);
  if (threadIdx.x == 0) {
    atomicAdd(sum, total);
    atomicMax(top, largest);
  }
}

int main() {
  const int n = 3000;
  int *x = managed<int>(n), *out = managed<int>(2), expected[2] = {};
  for (int i = 0; i < n; ++i) {
    x[i] = i * 7919 % 1009;
    expected[0] += x[i];
    expected[1] = expected[1] > x[i] ? expected[1] : x[i];
  }
  sum_and_max<<<3, 256>>>(x, n, out, out + 1);
  return verdict(out, [&](int i) { return expected[i]; }, 2);
}
