// Text that amdlint inserts into CUDA sources, piece by piece: only the pieces whose names a file uses.
// A line "//= name" opens a piece; "//= name: other" says that it needs another piece before it.
// Every piece stands inside one #ifdef for AMD, after <hip/hip_runtime.h>, so NVIDIA builds see none of it.

//= lanes
// CUDA code counts in warps of 32 lanes; a 64-lane AMD wave runs two such warps in lockstep.

//= __shfl_sync: lanes
#define __shfl_sync(mask, v, lane) __shfl(v, lane, 32)

//= __shfl_up_sync: lanes
#define __shfl_up_sync(mask, v, delta) __shfl_up(v, delta, 32)

//= __shfl_down_sync: lanes
#define __shfl_down_sync(mask, v, delta) __shfl_down(v, delta, 32)

//= __shfl_xor_sync: lanes
#define __shfl_xor_sync(mask, v, lane_mask) __shfl_xor(v, lane_mask, 32)

//= __shfl_sync+width
#define __shfl_sync(mask, v, ...) __shfl(v, __VA_ARGS__)

//= __shfl_up_sync+width
#define __shfl_up_sync(mask, v, ...) __shfl_up(v, __VA_ARGS__)

//= __shfl_down_sync+width
#define __shfl_down_sync(mask, v, ...) __shfl_down(v, __VA_ARGS__)

//= __shfl_xor_sync+width
#define __shfl_xor_sync(mask, v, ...) __shfl_xor(v, __VA_ARGS__)

//= __shfl_sync+mixed: lanes
template <typename T>
static __device__ __forceinline__ T warp_shfl(T v, int lane, int width = 32) {
  return __shfl(v, lane, width);
}
#define __shfl_sync(mask, v, ...) warp_shfl(v, __VA_ARGS__)

//= __shfl_up_sync+mixed: lanes
template <typename T>
static __device__ __forceinline__ T warp_shfl_up(T v, unsigned delta, int width = 32) {
  return __shfl_up(v, delta, width);
}
#define __shfl_up_sync(mask, v, ...) warp_shfl_up(v, __VA_ARGS__)

//= __shfl_down_sync+mixed: lanes
template <typename T>
static __device__ __forceinline__ T warp_shfl_down(T v, unsigned delta, int width = 32) {
  return __shfl_down(v, delta, width);
}
#define __shfl_down_sync(mask, v, ...) warp_shfl_down(v, __VA_ARGS__)

//= __shfl_xor_sync+mixed: lanes
template <typename T>
static __device__ __forceinline__ T warp_shfl_xor(T v, int lane_mask, int width = 32) {
  return __shfl_xor(v, lane_mask, width);
}
#define __shfl_xor_sync(mask, v, ...) warp_shfl_xor(v, __VA_ARGS__)

//= warp_votes: lanes
static __device__ __forceinline__ unsigned warp_votes(bool vote) {
  unsigned long long wave = __ballot(vote);
  return static_cast<unsigned>(wave >> (__lane_id() & 32u));  // those of this thread's own 32 lanes
}

//= __activemask: warp_votes
#define __activemask() warp_votes(true)

//= __ballot_sync: warp_votes
#define __ballot_sync(mask, vote) (warp_votes(vote) & static_cast<unsigned>(mask))

//= __any_sync: warp_votes
#define __any_sync(mask, vote) static_cast<int>((warp_votes(vote) & static_cast<unsigned>(mask)) != 0)

//= __all_sync: warp_votes
#define __all_sync(mask, vote) static_cast<int>((warp_votes(!(vote)) & static_cast<unsigned>(mask)) == 0)

//= __any_sync+wave
#define __any_sync(mask, vote) __any(vote)

//= __all_sync+wave
#define __all_sync(mask, vote) __all(vote)

//= __match_any_sync: warp_votes
template <typename T>
static __device__ __forceinline__ unsigned warp_match_any(unsigned lanes, T value) {
  unsigned same = 0;
  for (unsigned left = lanes & warp_votes(true); left != 0;) {
    const T first = __shfl(value, __ffs(left) - 1, 32);
    const unsigned hits = warp_votes(first == value) & left;
    if (first == value) same = hits;
    left &= ~hits;
  }
  return same;
}
#define __match_any_sync(mask, value) warp_match_any(mask, value)

//= __reduce_add_sync: lanes
template <typename T>
static __device__ __forceinline__ T warp_reduce_add(T v) {
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor(v, m, 32);
  return v;
}
#define __reduce_add_sync(mask, v) warp_reduce_add(v)

//= __reduce_max_sync: lanes
template <typename T>
static __device__ __forceinline__ T warp_reduce_max(T v) {
  for (int m = 16; m > 0; m >>= 1) {
    const T other = __shfl_xor(v, m, 32);
    v = other > v ? other : v;
  }
  return v;
}
#define __reduce_max_sync(mask, v) warp_reduce_max(v)

//= __reduce_min_sync: lanes
template <typename T>
static __device__ __forceinline__ T warp_reduce_min(T v) {
  for (int m = 16; m > 0; m >>= 1) {
    const T other = __shfl_xor(v, m, 32);
    v = other < v ? other : v;
  }
  return v;
}
#define __reduce_min_sync(mask, v) warp_reduce_min(v)

//= __reduce_and_sync: lanes
static __device__ __forceinline__ unsigned warp_reduce_and(unsigned v) {
  for (int m = 16; m > 0; m >>= 1) v &= __shfl_xor(v, m, 32);
  return v;
}
#define __reduce_and_sync(mask, v) warp_reduce_and(v)

//= __reduce_or_sync: lanes
static __device__ __forceinline__ unsigned warp_reduce_or(unsigned v) {
  for (int m = 16; m > 0; m >>= 1) v |= __shfl_xor(v, m, 32);
  return v;
}
#define __reduce_or_sync(mask, v) warp_reduce_or(v)

//= __reduce_xor_sync: lanes
static __device__ __forceinline__ unsigned warp_reduce_xor(unsigned v) {
  for (int m = 16; m > 0; m >>= 1) v ^= __shfl_xor(v, m, 32);
  return v;
}
#define __reduce_xor_sync(mask, v) warp_reduce_xor(v)

//= __syncwarp
// The lanes of a wave run in lockstep: memory has to be ordered, nobody has to be waited for.
#define __syncwarp(...)                                    \
  do {                                                     \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront"); \
    __builtin_amdgcn_wave_barrier();                       \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront"); \
  } while (0)

//= __trap
#define __trap() __builtin_trap()

//= __nanosleep
// s_sleep waits for a small multiple of 64 clocks; the exact time is a hint on both vendors.
#define __nanosleep(ns) __builtin_amdgcn_s_sleep(1)

//= __grid_constant__
#define __grid_constant__

//= __pipeline_memcpy_async
// A copy through registers: it is done when it returns.
static __device__ __forceinline__ void pipeline_copy(void* to, const void* from, unsigned bytes, unsigned zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  for (unsigned i = bytes - zeros; i < bytes; ++i) static_cast<char*>(to)[i] = 0;
}
#define __pipeline_memcpy_async(...) pipeline_copy(__VA_ARGS__)

//= __pipeline_commit
#define __pipeline_commit()

//= __pipeline_wait_prior
#define __pipeline_wait_prior(n)
