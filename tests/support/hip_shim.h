// Joins HIP 7.1's core headers (triton wheel) with the fp16 and cooperative-groups headers of HIP 5.2.3 (Debian).
#pragma once
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <hip/hip_runtime.h>
#ifndef __AMDGCN_WAVEFRONT_SIZE
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
typedef _Float16 shim_2f16 __attribute__((ext_vector_type(2)));
#if defined(__HIP_DEVICE_COMPILE__)
static inline __device__ _Float16 __llvm_amdgcn_rcp_f16(_Float16 x) { return (_Float16)__builtin_amdgcn_rcph(x); }
static inline __device__ shim_2f16 __llvm_amdgcn_rcp_2f16(shim_2f16 x) {
  shim_2f16 r = {(_Float16)__builtin_amdgcn_rcph(x.x), (_Float16)__builtin_amdgcn_rcph(x.y)};
  return r;
}
#else
static inline __device__ _Float16 __llvm_amdgcn_rcp_f16(_Float16 x);
static inline __device__ shim_2f16 __llvm_amdgcn_rcp_2f16(shim_2f16 x);
#endif
