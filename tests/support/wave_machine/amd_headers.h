// AMD's own warp functions (HIP's amd_warp_functions.h and amd_warp_sync_functions.h) on this machine: only the
// instructions below them are ours. For comparing lanes.h with them; needs HIP's headers on the include path.
#pragma once
#include "machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#undef __HIP__  // plain C++ to these headers
#define HIP_INCLUDE_HIP_AMD_DETAIL_DEVICE_FUNCTIONS_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_DEVICE_LIBRARY_DECLS_H
#include <hip/amd_detail/host_defines.h>

#define threadIdx (waves::here().thread)
#define __global__
#define __hip_assert(condition) ((condition) ? (void)0 : waves::stop(#condition))

namespace instructions {
inline uint64_t ballot(bool vote) {
  const waves::Meeting all = waves::meet("ballot", &vote, sizeof vote);
  uint64_t bits = 0;
  for (int i = 0; i < WAVES_LANES; ++i) bits |= uint64_t((all.active >> i & 1) && all.values[i][0]) << i;
  return bits;
}
inline int bpermute(int address, int v) {
  const waves::Meeting all = waves::meet("bpermute", &v, sizeof v);
  const int lane = (address >> 2) & (WAVES_LANES - 1);
  int got = int(0xa5a5a5a5);  // poison; the hardware gives what the register of that lane holds
  if (all.active >> lane & 1) memcpy(&got, all.values[lane], sizeof got);
  return got;
}
inline int readfirstlane(int v) {
  const waves::Meeting all = waves::meet("readfirstlane", &v, sizeof v);
  memcpy(&v, all.values[__builtin_ctzll(all.active)], sizeof v);
  return v;
}
}  // namespace instructions

#define __builtin_amdgcn_wavefrontsize() WAVES_LANES
#define __builtin_amdgcn_ballot_w64(vote) instructions::ballot(vote)
#define __builtin_amdgcn_ds_bpermute(address, v) instructions::bpermute(address, v)
#define __builtin_amdgcn_readfirstlane(v) instructions::readfirstlane(int(v))
#define __builtin_amdgcn_mbcnt_lo(mask, base) (base + int(waves::here().lane < 32 ? waves::here().lane : 32))
#define __builtin_amdgcn_mbcnt_hi(mask, base) (base + int(waves::here().lane < 32 ? 0 : waves::here().lane - 32))
#define __builtin_amdgcn_ds_permute(address, v) (v)
#define __builtin_amdgcn_ds_swizzle(v, pattern) (v)
#define __builtin_amdgcn_mov_dpp(v, ...) (v)
#define __builtin_amdgcn_fence(...) ((void)0)
#define __builtin_amdgcn_wave_barrier() ((void)0)
inline int __ockl_wfany_i32(int vote) { return instructions::ballot(vote) != 0; }
inline int __ockl_wfall_i32(int vote) { return instructions::ballot(!vote) == 0; }
inline unsigned __ockl_lane_u32() { return waves::here().lane; }
inline unsigned __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }

#include <hip/amd_detail/amd_warp_functions.h>
#include <hip/amd_detail/amd_warp_sync_functions.h>
