// The warp collectives of CUB and hipCUB. Their groups have 32 lanes on NVIDIA and those of the wave on AMD.
#pragma once
#include "host.h"

namespace waves_cub {
#if WAVES_NVIDIA
constexpr int default_lanes = 32;
#else
constexpr int default_lanes = WAVES_LANES;
#endif

template <typename T, int Lanes>
struct Collective {
  struct TempStorage {};
  explicit Collective(TempStorage&) {}

 protected:
  // The values of the group's own lanes, in order; on NVIDIA the lanes of one group are waited for.
  template <typename F>
  static void each(T v, F f) {
    const int first = waves::here().lane / Lanes * Lanes;
    const uint64_t group = ((Lanes == 64 ? 0 : 1ull << (Lanes % 64)) - 1) << first;
    waves::for_each<T>(waves::gather("cub", v, group), [&](int lane, T other) {
      if (group >> lane & 1) f(lane - first, other);
    });
  }
  static int rank() { return waves::here().lane % Lanes; }
};

template <typename T, int Lanes = default_lanes>
struct WarpReduce : Collective<T, Lanes> {
  using Collective<T, Lanes>::Collective;
  template <typename Op>
  T Reduce(T v, Op op) {  // for the first lane of the group; the others get nothing to rely on
    T sum{};
    this->each(v, [&](int i, T other) { sum = i ? op(sum, other) : other; });
    return this->rank() == 0 ? sum : waves::poison<T>();
  }
  T Sum(T v) {
    return Reduce(v, [](T a, T b) { return a + b; });
  }
};

template <typename T, int Lanes = default_lanes>
struct WarpScan : Collective<T, Lanes> {
  using Collective<T, Lanes>::Collective;
  void InclusiveSum(T v, T& out) {
    T sum{};
    this->each(v, [&](int i, T other) {
      if (i <= this->rank()) sum += other;
    });
    out = sum;
  }
  void ExclusiveSum(T v, T& out) {
    InclusiveSum(v, out);
    out -= v;
  }
};
}  // namespace waves_cub
