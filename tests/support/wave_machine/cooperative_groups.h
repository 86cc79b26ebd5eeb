// Blocks, tiles and coalesced groups; what HIP lacks (labels, cg::reduce) is NVIDIA's only, as in the real headers.
#pragma once
#include "host.h"

namespace cooperative_groups {

struct thread_block {
  unsigned thread_rank() const { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  void sync() const { __syncthreads(); }
};
inline thread_block this_thread_block() { return {}; }

// Lanes of one wave, by number of the lane.
struct lanes {
  uint64_t members;
  unsigned size() const { return __builtin_popcountll(members); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return __builtin_popcountll(members & ((1ull << waves::here().lane) - 1)); }
  void sync() const { gather("sync", 0); }

  template <typename T>
  T shfl(T v, int rank) const {
    return waves::from_lane<T>(gather("shfl", v), lane_of(rank));
  }
  template <typename T>
  T shfl_down(T v, unsigned delta) const {
    const int rank = int(thread_rank() + delta);
    return waves::from_lane<T>(gather("shfl_down", v), lane_of(rank < int(size()) ? rank : int(thread_rank())));
  }
  template <typename T>
  T shfl_up(T v, unsigned delta) const {
    const int rank = int(thread_rank()) - int(delta);
    return waves::from_lane<T>(gather("shfl_up", v), lane_of(rank < 0 ? int(thread_rank()) : rank));
  }
  template <typename T>
  T shfl_xor(T v, unsigned mask) const {
    return waves::from_lane<T>(gather("shfl_xor", v), lane_of(int(thread_rank() ^ mask)));
  }
  waves::Bits ballot(int vote) const {
    waves::Bits bits = 0;
    waves::for_each<int>(gather("ballot", vote), [&](int lane, int v) {
      if (members >> lane & 1) bits |= waves::Bits(v != 0) << __builtin_popcountll(members & ((1ull << lane) - 1));
    });
    return bits;
  }
  int any(int vote) const { return ballot(vote) != 0; }
  int all(int vote) const { return ballot(!vote) == 0; }

  template <typename T>
  waves::Meeting gather(const char* kind, T v) const {
    return waves::gather(kind, v, members);
  }
  int lane_of(int rank) const {
    for (int i = 0; i < 64; ++i)
      if ((members >> i & 1) && rank-- == 0) return i;
    return -1;
  }
};

template <unsigned N>
struct thread_block_tile : lanes {
  thread_block_tile() : lanes{((N == 64 ? 0 : 1ull << (N % 64)) - 1) << (waves::here().lane / N * N)} {}
  unsigned meta_group_rank() const { return this_thread_block().thread_rank() / N; }
};
template <unsigned N, typename Group>
thread_block_tile<N> tiled_partition(const Group&) {
  return {};
}

struct coalesced_group : lanes {};
inline coalesced_group coalesced_threads() { return {{waves::meet("coalesced_threads", nullptr, 0).active}}; }

template <typename Group>
coalesced_group binary_partition(const Group& group, bool side) {
  uint64_t same = 0;
  waves::for_each<bool>(group.gather("binary_partition", side), [&](int lane, bool other) {
    same |= uint64_t((group.members >> lane & 1) && other == side) << lane;
  });
  return {{same}};
}

#if WAVES_NVIDIA
template <typename Group, typename T>
coalesced_group labeled_partition(const Group& group, T label) {
  uint64_t same = 0;
  waves::for_each<T>(group.gather("labeled_partition", label), [&](int lane, T other) { same |= uint64_t(other == label) << lane; });
  return {{same}};
}
#endif

}  // namespace cooperative_groups
