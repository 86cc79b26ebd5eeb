// A GPU on the CPU, small enough to read: lanes, waves, blocks. machine.cpp says how lanes are scheduled.
// What CUDA and HIP call their device functions stands in lanes.h; this header knows neither.
#pragma once
#include <cstddef>
#include <cstdint>

namespace waves {

struct Dim {
  unsigned x, y, z;
  constexpr Dim(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// What the running lane knows about itself.
struct Place {
  Dim thread, block, block_size, grid_size;
  unsigned lane = 0;  // in its wave
};
const Place& here();

// A function without captures on the heap: what a lane runs, or what it does in a joint operation.
struct Action {
  void (*run)(void*) = nullptr;
  void* self = nullptr;
};

// The lanes that take part in one joint operation, and what each of them brought along.
struct Meeting {
  uint64_t active = 0;
  unsigned char values[64][16];
};

// Meet the other lanes of the wave. `kind` is the operation; on NVIDIA `mask` names the lanes to wait for.
// `action`, if any, is done for one lane after the other before anybody goes on (an atomic).
Meeting meet(const char* kind, const void* value, size_t size, bool masked = false, uint64_t mask = 0, Action action = {});

void block_barrier();
void* dynamic_shared();

// Stop the program: what a GPU would do, or what no program may rely on.
[[noreturn]] void stop(const char* why);

void launch_lanes(Dim grid, Dim block, size_t dynamic_bytes, Action kernel);
template <typename F>
void launch(F kernel, Dim grid, Dim block, size_t dynamic_bytes = 0, const void* /*stream*/ = nullptr) {
  launch_lanes(grid, block, dynamic_bytes, {[](void* f) { (*static_cast<F*>(f))(); }, &kernel});
}

}  // namespace waves
