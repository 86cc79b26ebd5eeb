// Text that amdlint inserts into CUDA sources, piece by piece: only the pieces whose names a file uses.
// A line "//= name" opens a piece; "//= name: other" says that it needs another piece before it.
// Every piece stands inside one #ifdef for AMD, after <hip/hip_runtime.h>, so NVIDIA builds see none of it.

//= hip_bf16
#include <hip/hip_bf16.h>

//= runtime

//= string.h
#include <string.h>

//= math.h
#include <math.h>

//= hip_fp16
#include <hip/hip_fp16.h>

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

//= __launch_bounds__
// HIP reads a second argument as waves per SIMD unit, not as blocks per multiprocessor.
#undef __launch_bounds__
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))

//= plain_load
template <typename T>
static __device__ __forceinline__ T plain_load(const T* from) {
  return *from;
}

//= __ldcs: plain_load
#define __ldcs(from) plain_load(from)

//= __ldcg: plain_load
#define __ldcg(from) plain_load(from)

//= __ldca: plain_load
#define __ldca(from) plain_load(from)

//= __ldlu: plain_load
#define __ldlu(from) plain_load(from)

//= __stcs
#define __stcs(to, v) (*(to) = (v))

//= __stcg
#define __stcg(to, v) (*(to) = (v))

//= __stwb
#define __stwb(to, v) (*(to) = (v))

//= __stwt
#define __stwt(to, v) (*(to) = (v))

//= bytes4
template <typename Byte, typename Op>
static __device__ __forceinline__ unsigned bytes4(unsigned a, unsigned b, Op op) {
  unsigned out = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) {
    const int byte = op(static_cast<Byte>(a >> shift), static_cast<Byte>(b >> shift));
    out |= (static_cast<unsigned>(byte) & 0xffu) << shift;
  }
  return out;
}

//= __vadd4: bytes4
#define __vadd4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return x + y; })

//= __vsub4: bytes4
#define __vsub4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return x - y; })

//= __vsubss4: bytes4
#define __vsubss4(a, b) bytes4<signed char>(a, b, [](int x, int y) { return max(-128, min(127, x - y)); })

//= __vaddss4: bytes4
#define __vaddss4(a, b) bytes4<signed char>(a, b, [](int x, int y) { return max(-128, min(127, x + y)); })

//= __vmaxs4: bytes4
#define __vmaxs4(a, b) bytes4<signed char>(a, b, [](int x, int y) { return max(x, y); })

//= __vmins4: bytes4
#define __vmins4(a, b) bytes4<signed char>(a, b, [](int x, int y) { return min(x, y); })

//= __vmaxu4: bytes4
#define __vmaxu4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return max(x, y); })

//= __vminu4: bytes4
#define __vminu4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return min(x, y); })

//= __vcmpeq4: bytes4
#define __vcmpeq4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return x == y ? 0xff : 0; })

//= __vcmpne4: bytes4
#define __vcmpne4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return x != y ? 0xff : 0; })

//= __vabsdiffu4: bytes4
#define __vabsdiffu4(a, b) bytes4<unsigned char>(a, b, [](int x, int y) { return x > y ? x - y : y - x; })

//= __dp4a
static __device__ __forceinline__ int dot_4_bytes(int a, int b, int sum) {
  for (int shift = 0; shift < 32; shift += 8) sum += static_cast<signed char>(a >> shift) * static_cast<signed char>(b >> shift);
  return sum;
}
static __device__ __forceinline__ unsigned dot_4_bytes(unsigned a, unsigned b, unsigned sum) {
  for (int shift = 0; shift < 32; shift += 8) sum += ((a >> shift) & 0xffu) * ((b >> shift) & 0xffu);
  return sum;
}
#define __dp4a(a, b, sum) dot_4_bytes(a, b, sum)

//= __hmax2
static __device__ __forceinline__ __half2 half2_max(__half2 a, __half2 b) {
  return __halves2half2(__hmax(__low2half(a), __low2half(b)), __hmax(__high2half(a), __high2half(b)));
}
#define __hmax2(a, b) half2_max(a, b)

//= __hmin2
static __device__ __forceinline__ __half2 half2_min(__half2 a, __half2 b) {
  return __halves2half2(__hmin(__low2half(a), __low2half(b)), __hmin(__high2half(a), __high2half(b)));
}
#define __hmin2(a, b) half2_min(a, b)

//= __float2bfloat16_rn
#define __float2bfloat16_rn(v) __float2bfloat16(v)

//= __floats2bfloat162_rn
#define __floats2bfloat162_rn(a, b) __halves2bfloat162(__float2bfloat16(a), __float2bfloat16(b))

//= replace_16_bits
// Replace one 16-bit half of the aligned 32-bit word that holds it; returns what stood there before.
template <typename T, typename Op>
static __device__ __forceinline__ T replace_16_bits(T* address, Op op) {
  static_assert(sizeof(T) == 2, "for 16-bit types");
  const size_t place = reinterpret_cast<size_t>(address);
  unsigned* word = reinterpret_cast<unsigned*>(place & ~static_cast<size_t>(3));
  const int shift = (place & 2) ? 16 : 0;
  unsigned seen = *word, expected;
  T before;
  do {
    expected = seen;
    unsigned short bits = static_cast<unsigned short>(expected >> shift);
    __builtin_memcpy(&before, &bits, 2);
    const T after = op(before);
    __builtin_memcpy(&bits, &after, 2);
    seen = atomicCAS(word, expected, (expected & ~(0xffffu << shift)) | (static_cast<unsigned>(bits) << shift));
  } while (seen != expected);
  return before;
}

//= atomic_add_16: replace_16_bits
template <typename T>
static __device__ __forceinline__ T atomic_add_16(T* address, T value) {
  return replace_16_bits(address, [&](T old) { return __hadd(old, value); });
}
//else
#define atomic_add_16 atomicAdd

//= atomic_add_2x16
template <typename T>
static __device__ __forceinline__ T atomic_add_2x16(T* address, T value) {
  static_assert(sizeof(T) == 4, "for pairs of 16-bit types");
  unsigned* word = reinterpret_cast<unsigned*>(address);
  unsigned seen = *word, expected;
  T before;
  do {
    expected = seen;
    __builtin_memcpy(&before, &expected, 4);
    const T after = __hadd2(before, value);
    unsigned bits;
    __builtin_memcpy(&bits, &after, 4);
    seen = atomicCAS(word, expected, bits);
  } while (seen != expected);
  return before;
}
//else
#define atomic_add_2x16 atomicAdd

//= atomic_cas_16: replace_16_bits
static __device__ __forceinline__ unsigned short atomic_cas_16(unsigned short* address, unsigned short compare, unsigned short value) {
  return replace_16_bits(address, [&](unsigned short old) { return old == compare ? value : old; });
}
//else
#define atomic_cas_16 atomicCAS

//= cudaMalloc3DArray+overload
static inline hipError_t malloc_3d_array(hipArray_t* array, const hipChannelFormatDesc* format, hipExtent extent, unsigned flags = 0) {
  return hipMalloc3DArray(array, format, extent, flags);
}
#undef cudaMalloc3DArray
#define cudaMalloc3DArray malloc_3d_array

//= cudaHostGetDevicePointer+overload
template <typename T>
static inline hipError_t host_get_device_pointer(T** device, void* host, unsigned flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
#undef cudaHostGetDevicePointer
#define cudaHostGetDevicePointer host_get_device_pointer

//= surf1Dwrite
// AMD drops what lies outside of the surface and reads zeros there.
#define surf1Dwrite(data, surface, x, ...) surf1Dwrite(data, surface, x)

//= surf2Dwrite
// AMD drops what lies outside of the surface and reads zeros there.
#define surf2Dwrite(data, surface, x, y, ...) surf2Dwrite(data, surface, x, y)

//= surf3Dwrite
// AMD drops what lies outside of the surface and reads zeros there.
#define surf3Dwrite(data, surface, x, y, z, ...) surf3Dwrite(data, surface, x, y, z)

//= surf1Dread
// AMD drops what lies outside of the surface and reads zeros there.
#define surf1Dread(data, surface, x, ...) surf1Dread(data, surface, x)

//= surf2Dread
// AMD drops what lies outside of the surface and reads zeros there.
#define surf2Dread(data, surface, x, y, ...) surf2Dread(data, surface, x, y)

//= surf3Dread
// AMD drops what lies outside of the surface and reads zeros there.
#define surf3Dread(data, surface, x, y, z, ...) surf3Dread(data, surface, x, y, z)

//= cudaEventCreate+overload
static inline hipError_t event_create(hipEvent_t* event) { return hipEventCreate(event); }
static inline hipError_t event_create(hipEvent_t* event, unsigned flags) { return hipEventCreateWithFlags(event, flags); }
#undef cudaEventCreate
#define cudaEventCreate event_create

//= umin
#define umin(a, b) min(static_cast<unsigned>(a), static_cast<unsigned>(b))

//= umax
#define umax(a, b) max(static_cast<unsigned>(a), static_cast<unsigned>(b))

//= llmin
#define llmin(a, b) min(static_cast<long long>(a), static_cast<long long>(b))

//= llmax
#define llmax(a, b) max(static_cast<long long>(a), static_cast<long long>(b))

//= ullmin
#define ullmin(a, b) min(static_cast<unsigned long long>(a), static_cast<unsigned long long>(b))

//= ullmax
#define ullmax(a, b) max(static_cast<unsigned long long>(a), static_cast<unsigned long long>(b))

//= system_atomic
// An atomic that devices and host see: seen becomes what stood there when after(seen) took its place.
template <typename After>
static __device__ __forceinline__ unsigned system_atomic(unsigned* address, After after) {
  unsigned seen = __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  while (!__hip_atomic_compare_exchange_strong(address, &seen, after(seen), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_SYSTEM)) {
  }
  return seen;
}

//= atomicInc_system: system_atomic
static __device__ __forceinline__ unsigned atomic_inc_system(unsigned* address, unsigned limit) {
  return system_atomic(address, [=](unsigned seen) { return seen >= limit ? 0u : seen + 1u; });
}
#define atomicInc_system atomic_inc_system

//= atomicDec_system: system_atomic
static __device__ __forceinline__ unsigned atomic_dec_system(unsigned* address, unsigned limit) {
  return system_atomic(address, [=](unsigned seen) { return seen == 0 || seen > limit ? limit : seen - 1u; });
}
#define atomicDec_system atomic_dec_system

//= labeled_partition
#include <hip/hip_cooperative_groups.h>
namespace cooperative_groups {
template <typename Group, typename Label>
static __device__ coalesced_group labeled_partition(const Group& group, Label label) {
  bool same = group.shfl(label, 0) == label;
  coalesced_group part = binary_partition(group, same);
  while (!same) {  // those of the first thread's label have gone: the next label
    same = part.shfl(label, 0) == label;
    part = binary_partition(part, same);
  }
  return part;
}
}  // namespace cooperative_groups

//= cg_reduce
#include <hip/hip_cooperative_groups.h>
namespace cooperative_groups {
template <typename T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct greater {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename T>
struct less {
  __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
template <typename T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};
template <typename Tile, typename T, typename Op>
static __device__ __forceinline__ T reduce(const Tile& tile, T v, Op op) {
  for (int m = tile.size() / 2; m > 0; m >>= 1) v = op(v, tile.shfl_xor(v, m));
  return v;
}
template <typename T, typename Op>
static __device__ __forceinline__ T reduce(const coalesced_group& group, T v, Op op) {
  T all = group.shfl(v, 0);
  for (unsigned i = 1; i < group.size(); ++i) all = op(all, group.shfl(v, i));
  return all;
}
}  // namespace cooperative_groups

//= hipcub
#include <hipcub/hipcub.hpp>
namespace cub = hipcub;

//= math_constants
#include <hip/hip_math_constants.h>

//= hipsolver
#include <hipsolver/hipsolver.h>

//= libcudacxx_std
namespace cuda {
namespace std = ::std;
}

//= cudaGridDependencySynchronize
// Kernels of one stream run one after the other on AMD.
#define cudaGridDependencySynchronize()

//= cudaTriggerProgrammaticLaunchCompletion
#define cudaTriggerProgrammaticLaunchCompletion()

//= CUB_PTX_WARP_THREADS
#if defined(__GFX9__)
#define CUB_PTX_WARP_THREADS 64
#else
#define CUB_PTX_WARP_THREADS 32
#endif

//= CUB_PTX_LOG_WARP_THREADS
#if defined(__GFX9__)
#define CUB_PTX_LOG_WARP_THREADS 6
#else
#define CUB_PTX_LOG_WARP_THREADS 5
#endif

//= CUB_WARP_THREADS
#if defined(__GFX9__)
#define CUB_WARP_THREADS(unused) 64
#else
#define CUB_WARP_THREADS(unused) 32
#endif

//= CUB_LOG_WARP_THREADS
#if defined(__GFX9__)
#define CUB_LOG_WARP_THREADS(unused) 6
#else
#define CUB_LOG_WARP_THREADS(unused) 5
#endif
