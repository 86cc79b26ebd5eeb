// What the examples use of hipCUB.
#pragma once
#include <hip/hip_runtime.h>
namespace hipcub {
template <typename T, int Lanes = 64>
struct WarpReduce {
  struct TempStorage {
    T value;
  };
  __device__ explicit WarpReduce(TempStorage&) {}
  __device__ T Sum(T v) { return v; }
};
template <typename T>
struct DoubleBuffer {
  DoubleBuffer(T*, T*);
};
}  // namespace hipcub
