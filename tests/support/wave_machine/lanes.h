// The device functions of CUDA (WAVES_NVIDIA) or of HIP 7 (WAVES_LANES is 32 or 64), on the machine of machine.h.
//
// Written from the documentation; test_wave_machine.py compares HIP's part with AMD's own headers where they are
// installed. A value read from a lane that takes no part is poison: hardware promises nothing there.
#pragma once
#include "machine.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __managed__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __launch_bounds__(...)
#define threadIdx (waves::here().thread)
#define blockIdx (waves::here().block)
#define blockDim (waves::here().block_size)
#define gridDim (waves::here().grid_size)

using dim3 = waves::Dim;
struct float2 {
  float x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }

namespace waves {

#if WAVES_NVIDIA
using Bits = unsigned;
#else
using Bits = unsigned long long;  // one for each lane of the largest wave, on every card
#endif

struct WaveSize {
  operator int() const {  // no constant expression: HIP 7 and nvcc agree
#if WAVES_NVIDIA
    return 32;
#else
    return (void)here(), WAVES_LANES;  // the host has none
#endif
  }
};

template <typename T>
T poison() {
  if constexpr (std::is_floating_point_v<T>) return T(NAN);
  T bad;
  memset(static_cast<void*>(&bad), 0xa5, sizeof bad);
  return bad;
}

template <typename T>
T from_lane(const Meeting& all, int lane) {
  if (lane < 0 || lane > 63 || !(all.active >> lane & 1)) return poison<T>();
  T v;
  memcpy(static_cast<void*>(&v), all.values[lane], sizeof v);
  return v;
}

// All of T that lanes brought along, one after the other.
template <typename T, typename F>
void for_each(const Meeting& all, F f) {
  for (int i = 0; i < 64; ++i)
    if (all.active >> i & 1) f(i, from_lane<T>(all, i));
}

enum class Way { index, up, down, across };

inline int source_lane(Way way, int argument, int width) {
  const int self = here().lane, first = self & ~(width - 1), last = first + width - 1;
  if (way == Way::index) return first + (argument & (width - 1));
  if (way == Way::up) return self - argument < first ? self : self - argument;
  if (way == Way::down) return argument > last - self ? self : self + argument;
  return (self ^ argument) > last ? self : self ^ argument;
}

#if WAVES_NVIDIA
template <typename M>
uint64_t checked(M mask) {
  if (!(uint64_t(mask) >> here().lane & 1)) stop("a lane that the mask does not name calls a *_sync function");
  return uint32_t(mask);
}
#else
// HIP's check, which a build with NDEBUG leaves out: the lanes that pass the same mask are the lanes it names.
template <typename M>
uint64_t checked(M mask) {
  static_assert(std::is_integral_v<M> && sizeof(M) == 8, "The mask must be a 64-bit integer.");
  uint64_t named = uint64_t(mask), same = 0;
  if (WAVES_LANES == 32) named &= 0xffffffffu;
#ifndef NDEBUG
  for_each<uint64_t>(meet("mask", &named, sizeof named), [&](int lane, uint64_t other) { same |= uint64_t(other == named) << lane; });
  if (same != named) stop("all threads specified in the mask must execute the same operation with the same mask");
#endif
  return named;
}
#endif

template <typename T>
Meeting gather(const char* kind, T v, uint64_t mask) {
  static_assert(sizeof(T) <= 16, "a lane carries 16 bytes");
#if WAVES_NVIDIA
  return meet(kind, &v, sizeof v, true, mask);
#else
  return (void)mask, meet(kind, &v, sizeof v);
#endif
}

template <typename T>
T shuffle(const char* kind, T v, Way way, int argument, int width, uint64_t mask = 0) {
  return from_lane<T>(gather(kind, v, mask), source_lane(way, argument, width));
}

inline uint64_t votes(const char* kind, bool vote, uint64_t mask = 0) {
  uint64_t bits = 0;
  for_each<bool>(gather(kind, vote, mask), [&](int lane, bool v) { bits |= uint64_t(v) << lane; });
  return bits;
}

template <typename T>
uint64_t equals(const char* kind, T v, uint64_t mask = 0) {
  uint64_t bits = 0;
  for_each<T>(gather(kind, v, mask), [&](int lane, T other) { bits |= uint64_t(other == v) << lane; });
  return bits;
}

template <typename T, typename Op>
T reduction(const char* kind, T v, Op op, uint64_t mask = 0) {
  bool any = false;
  T sum{};
  for_each<T>(gather(kind, v, mask), [&](int lane, T other) {
    if (mask && !(mask >> lane & 1)) return;
    sum = any ? op(sum, other) : other;
    any = true;
  });
  return sum;
}

// Old value of *p, and op(old) in its place: one lane after the other, before any of them goes on.
template <typename T, typename Op>
T atomically(T* p, Op op) {
  T old{};
  auto change = [&] {
    old = *p;
    *p = op(old);
  };
  meet("atomic", nullptr, 0, false, 0, {[](void* f) { (*static_cast<decltype(change)*>(f))(); }, &change});
  return old;
}

}  // namespace waves

static const waves::WaveSize warpSize{};

inline unsigned __popc(unsigned v) { return __builtin_popcount(v); }
inline unsigned __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffs(unsigned v) { return __builtin_ffs(int(v)); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __ffsll(unsigned long long v) { return __builtin_ffsll((long long)v); }
inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
inline unsigned __brev(unsigned v) {
  unsigned out = 0;
  for (int i = 0; i < 32; ++i) out |= (v >> i & 1u) << (31 - i);
  return out;
}
inline void __syncthreads() { waves::block_barrier(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline int __float2int_rn(float x) { return int(nearbyintf(x)); }
inline unsigned __float_as_uint(float x) { return memcpy(&x, &x, 0), *reinterpret_cast<unsigned*>(&x); }
inline int __float_as_int(float x) { return *reinterpret_cast<int*>(&x); }
inline float __int_as_float(int x) { return *reinterpret_cast<float*>(&x); }
inline float __uint_as_float(unsigned x) { return *reinterpret_cast<float*>(&x); }
template <typename T>
T __ldg(const T* p) {
  return *p;
}
template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
  return a < b ? b : a;
}

template <typename T, typename V>
T atomicAdd(T* p, V v) {
  return waves::atomically(p, [&](T old) { return T(old + v); });
}
template <typename T, typename V>
T atomicExch(T* p, V v) {
  return waves::atomically(p, [&](T) { return T(v); });
}
template <typename T, typename V, typename W>
T atomicCAS(T* p, V expected, W v) {
  return waves::atomically(p, [&](T old) { return old == T(expected) ? T(v) : old; });
}
template <typename T, typename V>
T atomicMax(T* p, V v) {
  return waves::atomically(p, [&](T old) { return old < T(v) ? T(v) : old; });
}
template <typename T, typename V>
T atomicMin(T* p, V v) {
  return waves::atomically(p, [&](T old) { return T(v) < old ? T(v) : old; });
}
template <typename T, typename V>
T atomicOr(T* p, V v) {
  return waves::atomically(p, [&](T old) { return T(old | v); });
}

#if WAVES_NVIDIA

template <typename T>
T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
  return waves::shuffle("__shfl_sync", v, waves::Way::index, lane, width, waves::checked(mask));
}
template <typename T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  return waves::shuffle("__shfl_up_sync", v, waves::Way::up, int(delta), width, waves::checked(mask));
}
template <typename T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
  return waves::shuffle("__shfl_down_sync", v, waves::Way::down, int(delta), width, waves::checked(mask));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32) {
  return waves::shuffle("__shfl_xor_sync", v, waves::Way::across, lanes, width, waves::checked(mask));
}
inline unsigned __ballot_sync(unsigned mask, int vote) { return unsigned(waves::votes("__ballot_sync", vote, waves::checked(mask))); }
inline int __any_sync(unsigned mask, int vote) { return waves::votes("__any_sync", vote, waves::checked(mask)) != 0; }
inline int __all_sync(unsigned mask, int vote) { return waves::votes("__all_sync", !vote, waves::checked(mask)) == 0; }
template <typename T>
unsigned __match_any_sync(unsigned mask, T v) {
  return unsigned(waves::equals("__match_any_sync", v, waves::checked(mask)));
}
template <typename T>
unsigned __match_all_sync(unsigned mask, T v, int* all) {
  const uint64_t named = waves::checked(mask);
  *all = waves::equals("__match_all_sync", v, named) == named;
  return *all ? unsigned(named) : 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { waves::meet("__syncwarp", nullptr, 0, true, waves::checked(mask)); }
inline unsigned __activemask() { return unsigned(waves::meet("__activemask", nullptr, 0).active); }
#define WAVES_REDUCTION(name, T, op) \
  inline T name(unsigned mask, T v) { return waves::reduction(#name, v, [](T a, T b) { return T(op); }, waves::checked(mask)); }
inline void __nanosleep(unsigned) {}
inline void __trap() { waves::stop("__trap"); }
namespace ptx {  // the special registers that wave_machine.py reads out of inline assembly
inline unsigned laneid() { return waves::here().lane; }
inline unsigned lanemask_lt() { return (1u << laneid()) - 1; }
}  // namespace ptx

#else

template <typename T>
using waves_shuffled = decltype(T() + 0);  // HIP has overloads for numbers of 32 and 64 bits
template <typename T>
waves_shuffled<T> __shfl(T v, int lane, int width = warpSize) {
  return waves::shuffle("__shfl", waves_shuffled<T>(v), waves::Way::index, lane, width);
}
template <typename T>
waves_shuffled<T> __shfl_up(T v, unsigned delta, int width = warpSize) {
  return waves::shuffle("__shfl_up", waves_shuffled<T>(v), waves::Way::up, int(delta), width);
}
template <typename T>
waves_shuffled<T> __shfl_down(T v, unsigned delta, int width = warpSize) {
  return waves::shuffle("__shfl_down", waves_shuffled<T>(v), waves::Way::down, int(delta), width);
}
template <typename T>
waves_shuffled<T> __shfl_xor(T v, int lanes, int width = warpSize) {
  return waves::shuffle("__shfl_xor", waves_shuffled<T>(v), waves::Way::across, lanes, width);
}
inline unsigned long long __ballot(int vote) { return waves::votes("__ballot", vote); }
inline unsigned long long __ballot64(int vote) { return waves::votes("__ballot", vote); }
inline unsigned long long __activemask() { return waves::votes("__ballot", true); }
inline int __any(int vote) { return waves::votes("__any", vote) != 0; }
inline int __all(int vote) { return waves::votes("__all", !vote) == 0; }
inline unsigned __lane_id() { return waves::here().lane; }
template <typename M, typename T>
T __shfl_sync(M mask, T v, int lane, int width = warpSize) {
  return waves::checked(mask), __shfl(v, lane, width);
}
template <typename M, typename T>
T __shfl_up_sync(M mask, T v, unsigned delta, int width = warpSize) {
  return waves::checked(mask), __shfl_up(v, delta, width);
}
template <typename M, typename T>
T __shfl_down_sync(M mask, T v, unsigned delta, int width = warpSize) {
  return waves::checked(mask), __shfl_down(v, delta, width);
}
template <typename M, typename T>
T __shfl_xor_sync(M mask, T v, int lanes, int width = warpSize) {
  return waves::checked(mask), __shfl_xor(v, lanes, width);
}
template <typename M>
unsigned long long __ballot_sync(M mask, int vote) {
  const uint64_t named = waves::checked(mask);
  return __ballot(vote) & named;
}
template <typename M>
int __any_sync(M mask, int vote) {
  return __ballot_sync(mask, vote) != 0;
}
template <typename M>
int __all_sync(M mask, int vote) {
  const uint64_t named = WAVES_LANES == 32 ? uint32_t(mask) : uint64_t(mask);
  return __ballot_sync(mask, vote) == named;
}
template <typename M, typename T>
unsigned long long __match_any_sync(M mask, T v) {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "T has 32 or 64 bits");
  const uint64_t named = waves::checked(mask);
  return waves::equals("__match_any", v) & named;
}
template <typename M, typename T>
unsigned long long __match_all_sync(M mask, T v, int* all) {
  const uint64_t named = waves::checked(mask);
  *all = (waves::equals("__match_all", v) & named) == named;
  return *all ? named : 0;
}
inline void __syncwarp() {}
template <typename M>
void __syncwarp(M mask) {
  waves::checked(mask);
}
#define WAVES_REDUCTION(name, T, op)                                                        \
  template <typename M>                                                                     \
  T name(M mask, T v) {                                                                     \
    const uint64_t named = waves::checked(mask);                                            \
    return waves::reduction(#name, v, [](T a, T b) { return T(op); }, named);               \
  }
// What the compiler itself offers for AMD. Order needs no fence here: the lanes of a wave run in lockstep.
#define __builtin_amdgcn_fence(...) ((void)0)
#define __builtin_amdgcn_wave_barrier() ((void)0)
#define __builtin_amdgcn_s_sleep(n) ((void)0)
inline long long clock64() { return 0; }

#endif

WAVES_REDUCTION(__reduce_add_sync, int, a + b)
WAVES_REDUCTION(__reduce_add_sync, unsigned, a + b)
WAVES_REDUCTION(__reduce_max_sync, int, a < b ? b : a)
WAVES_REDUCTION(__reduce_max_sync, unsigned, a < b ? b : a)
WAVES_REDUCTION(__reduce_min_sync, int, b < a ? b : a)
WAVES_REDUCTION(__reduce_min_sync, unsigned, b < a ? b : a)
WAVES_REDUCTION(__reduce_and_sync, unsigned, a & b)
WAVES_REDUCTION(__reduce_or_sync, unsigned, a | b)
WAVES_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
