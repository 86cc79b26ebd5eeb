// What the test kernels' own main functions share: memory that both sides see, and the verdict.
// Compiles with nvcc, with HIP and on the emulator (tests/support/wave_machine).
#pragma once
#include <cmath>
#include <cstdio>
#if defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#define CHECK_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define CHECK_GPU(name) cuda##name
#endif

template <typename T>
T* managed(int n) {
  T* p = nullptr;
  (void)CHECK_GPU(MallocManaged)(&p, n * sizeof(T));
  return p;
}

// Waits for the GPU; 0 when everything is as expected, else 1.
template <typename T, typename Expected>
int verdict(const T* got, Expected expected, int n, double tolerance = 0) {
  if (CHECK_GPU(DeviceSynchronize)() != 0) return 2;
  for (int i = 0; i < n; ++i) {
    const double g = double(got[i]), e = double(expected(i));
    if (!(std::fabs(g - e) <= tolerance * std::fmax(1.0, std::fabs(e)))) {
      std::printf("wrong at %d: %g instead of %g\n", i, g, e);
      return 1;
    }
  }
  return 0;
}
