// NVIDIA's alone; an AMD build that includes it fails, as it does with ROCm.
#pragma once
#include "../cooperative_groups.h"
#if !WAVES_NVIDIA
#error "'cooperative_groups/reduce.h' file not found"
#endif
namespace cooperative_groups {
template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <typename Group, typename T, typename Op>
T reduce(const Group& group, T v, Op op) {
  return waves::reduction("reduce", v, op, group.members);
}
}  // namespace cooperative_groups
