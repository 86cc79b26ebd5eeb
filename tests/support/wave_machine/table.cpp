// Prints what HIP's warp functions give each lane of a full wave, of a part of one, and of two parts one after the
// other; built once on lanes.h and once on AMD's headers (AMD_HEADERS), the two print the same.
#ifdef AMD_HEADERS
#include "amd_headers.h"
#else
#include "hip/hip_runtime.h"
#endif

constexpr int columns = 40;
static long long table[3][128][columns];

__device__ void fill(long long* row) {
  const int v = 3 * threadIdx.x + 1, lane = __lane_id();
  int n = 0, agreed = 0;
  const int widths[] = {8, 32, warpSize};
  for (int width : widths) {
    row[n++] = __shfl(v, 5, width);
    row[n++] = __shfl(v, lane + 3, width);
    row[n++] = __shfl(v, -1, width);
    row[n++] = __shfl_up(v, 3u, width);
    row[n++] = __shfl_down(v, 3u, width);
    row[n++] = __shfl_xor(v, 5, width);
    row[n++] = __shfl_xor(v, 17, width);
    row[n++] = __shfl_down((long long)v << 33, 1u, width) >> 33;
  }
  row[n++] = __shfl(v, 2);
  row[n++] = __ballot(v % 5 == 0);
  row[n++] = __activemask();
  row[n++] = __any(v == 22);
  row[n++] = __all(v > 0);
  const unsigned long long all = __activemask();
  row[n++] = __ballot_sync(all, v % 7 < 3);
  row[n++] = __any_sync(all, v == 22);
  row[n++] = __all_sync(all, v != 22);
  row[n++] = __match_any_sync(all, v % 4);
  row[n++] = __match_all_sync(all, v % 4, &agreed);
  row[n++] = __match_all_sync(all, v > 0 ? 7 : 0, &agreed) + agreed;
  row[n++] = __shfl_xor_sync(all, v, 1);
  row[n++] = __reduce_add_sync(all, v);
  row[n++] = __reduce_max_sync(all, v);
  row[n++] = __reduce_min_sync(all, v);
  if (n > columns) waves::stop("the table is too narrow");
}

__global__ void kernel(int part) {
  const int i = threadIdx.x;
  if (part == 0) fill(table[0][i]);
  if (part == 1 && i % 3) fill(table[1][i]);
  if (part == 2) {
    if (i % 64 < 40)
      fill(table[2][i]);
    else
      fill(table[2][i] + 0);
  }
}

int main() {
  for (int part = 0; part < 3; ++part) waves::launch([&] { kernel(part); }, {1}, {128});
  for (auto& part : table)
    for (auto& row : part) {
      for (long long v : row) printf("%llx ", (unsigned long long)v);
      printf("\n");
    }
  return 0;
}
