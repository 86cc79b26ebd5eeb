// What the examples use of HIP's bf16 header.
#pragma once
#include <hip/hip_runtime.h>
struct __hip_bfloat16 {
  unsigned short bits;
};
struct __hip_bfloat162 {
  __hip_bfloat16 x, y;
};
__device__ __hip_bfloat16 __float2bfloat16(float);
__device__ float __bfloat162float(__hip_bfloat16);
__device__ __hip_bfloat16 __hadd(__hip_bfloat16, __hip_bfloat16);
__device__ __hip_bfloat162 __halves2bfloat162(__hip_bfloat16, __hip_bfloat16);
