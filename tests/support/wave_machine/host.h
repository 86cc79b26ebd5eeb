// The few calls to the runtime that the kernels' own main functions make, under both vendors' names.
#pragma once
#include "lanes.h"

using cudaStream_t = void*;
using hipStream_t = void*;
enum waves_error { cudaSuccess = 0, hipSuccess = 0 };
using cudaError_t = waves_error;
using hipError_t = waves_error;
enum waves_attribute { cudaDevAttrWarpSize, hipDeviceAttributeWarpSize = 0 };

#define WAVES_RUNTIME(name, parameters, ...)                             \
  inline waves_error cuda##name parameters { return __VA_ARGS__, cudaSuccess; } \
  inline waves_error hip##name parameters { return __VA_ARGS__, cudaSuccess; }

inline int waves_wave_size() {
#if WAVES_NVIDIA
  return 32;
#else
  return WAVES_LANES;
#endif
}
template <typename T>
waves_error cudaMallocManaged(T** p, size_t bytes) {
  *p = static_cast<T*>(calloc(1, bytes));
  return cudaSuccess;
}
template <typename T>
waves_error hipMallocManaged(T** p, size_t bytes) {
  return cudaMallocManaged(p, bytes);
}
WAVES_RUNTIME(DeviceSynchronize, (), 0)
WAVES_RUNTIME(GetDevice, (int* device), *device = 0)
WAVES_RUNTIME(DeviceGetAttribute, (int* value, waves_attribute, int), *value = waves_wave_size())
