// What the examples use of HIP's fp8 header.
#pragma once
#include <hip/hip_runtime.h>
struct __hip_fp8_e4m3 {
  unsigned char bits;
  __host__ __device__ explicit __hip_fp8_e4m3(float v) : bits(static_cast<unsigned char>(v)) {}
};
struct __hip_fp8_e4m3_fnuz {
  unsigned char bits;
  __host__ __device__ explicit __hip_fp8_e4m3_fnuz(float v) : bits(static_cast<unsigned char>(v)) {}
};
