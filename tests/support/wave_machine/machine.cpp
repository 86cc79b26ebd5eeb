// How lanes are scheduled. Each lane is a coroutine with a stack of its own.
//
// AMD: the lanes of a wave share one program counter. Where they part, the lanes that stand first in the code run
// and the others wait for them, so they join again where the branches join. The compiler calls
// __sanitizer_cov_trace_pc at the head of every basic block; there each lane hands over, and the lanes with the
// smallest position (the return addresses from the kernel down to the block) take the next step together. At -O0
// blocks lie in the order of the source, which makes the smallest position the one that the others wait for.
//
// NVIDIA (Volta and later): every lane goes its own way and gets its turn; a *_sync function waits for the lanes
// that its mask names, as far as they have not returned.
//
// Blocks run one after the other. Exit codes: 3 a wave was stopped, 4 nobody gets on (a hang).
#include "machine.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#if WAVES_NVIDIA
constexpr bool lockstep = false;
constexpr unsigned wave_size = 32;
#else
constexpr bool lockstep = true;
constexpr unsigned wave_size = WAVES_LANES;
#endif

namespace waves {
namespace {

constexpr size_t stack_size = 64 << 10, depth = 16;
constexpr long patience = 50000;  // steps of a wave; the kernels here need some thousands

struct Position {
  const void* at[depth] = {};  // return addresses, the kernel's first
  bool operator==(const Position& o) const { return memcmp(at, o.at, sizeof at) == 0; }
  bool operator<(const Position& o) const {
    for (size_t i = 0; i < depth; ++i)
      if (at[i] != o.at[i]) return at[i] < o.at[i];
    return false;
  }
};

enum class State { ready, meeting, barrier, gone };

struct Lane {
  Place place;
  State state = State::ready;
  Position position;
  const char* kind = nullptr;
  bool masked = false;
  uint64_t mask = 0;
  Action action;
  unsigned char value[16];
  Meeting met;
  const void* base = nullptr;  // frame of the lane's first function
  unsigned blocks = 0;         // basic blocks since its last turn
  bool started = false;
  ucontext_t start;
  jmp_buf resume;
  std::vector<char> stack;
};

Lane* now = nullptr;
jmp_buf scheduler;
Action kernel_of_launch;
std::vector<char> shared_bytes;

// Lanes that launches used, and lanes that their waves hold.
struct Usage {
  uint64_t used = 0, held = 0;
  ~Usage() { printf("lanes: %llu of %llu\n", (unsigned long long)used, (unsigned long long)held); }
} counted;

[[noreturn]] void quit(int code, const char* word, const char* why) {
  printf("%s: %s\n", word, why);
  fflush(stdout);
  _exit(code);
}

// Where the running lane is. `frame` belongs to the function that was called at `pc`; frames are linked upwards, and
// the lane's first function has the last.
void note_position(const void* pc, void* frame) {
  const void* found[depth];
  size_t n = 0;
  found[n++] = pc;
  for (void** f = *static_cast<void***>(frame); f != now->base; f = static_cast<void**>(*f)) {
    if (n == depth) stop("calls nest too deep for the emulator");
    found[n++] = f[1];
  }
  now->position = {};
  for (size_t i = 0; i < n; ++i) now->position.at[i] = found[n - 1 - i];
}

void hand_over() {
  Lane* lane = now;
  if (_setjmp(lane->resume) == 0) _longjmp(scheduler, 1);
}

void first_function() {
  now->base = __builtin_frame_address(0);
  kernel_of_launch.run(kernel_of_launch.self);
  now->state = State::gone;
  _longjmp(scheduler, 1);
}

void turn(Lane& lane) {
  if (_setjmp(scheduler) == 0) {
    now = &lane;
    if (lane.started) _longjmp(lane.resume, 1);
    lane.started = true;
    lane.stack.resize(stack_size);
    getcontext(&lane.start);
    lane.start.uc_stack.ss_sp = lane.stack.data();
    lane.start.uc_stack.ss_size = lane.stack.size();
    makecontext(&lane.start, first_function, 0);
    setcontext(&lane.start);
  }
  now = nullptr;
}

using Lanes = std::vector<Lane*>;

void hold_meeting(const Lanes& group) {
  Meeting all;
  memset(all.values, 0, sizeof all.values);
  for (Lane* l : group) {
    all.active |= 1ull << l->place.lane;
    memcpy(all.values[l->place.lane], l->value, sizeof l->value);
  }
  for (Lane* l : group) {
    if (l->action.run) l->action.run(l->action.self);
    l->met = all;
    l->state = State::ready;
  }
}

Lanes running(const Lanes& wave) {
  Lanes found;
  for (Lane* l : wave)
    if (l->state != State::gone) found.push_back(l);
  return found;
}

// One step of an AMD wave; false when it has ended or waits at the barrier.
bool step_together(const Lanes& wave) {
  const Lanes left = running(wave);
  Lane* first = nullptr;
  for (Lane* l : left)
    if (l->state != State::barrier && (!first || l->position < first->position)) first = l;
  if (!first) return false;
  Lanes group;
  for (Lane* l : left)
    if (l->state != State::barrier && l->position == first->position) group.push_back(l);
  if (first->state == State::meeting && strcmp(first->kind, "barrier") == 0) {
    if (group.size() != left.size()) quit(3, "stopped", "a part of a wave is at __syncthreads, the rest is elsewhere");
    for (Lane* l : group) l->state = State::barrier;
    return true;
  }
  if (first->state == State::meeting) hold_meeting(group);
  for (Lane* l : group) turn(*l);
  return true;
}

// A turn for each lane of an NVIDIA warp that has something to do; false when none has.
bool step_apart(const Lanes& wave) {
  bool moved = false;
  for (Lane* l : wave) {
    if (l->state != State::ready) continue;
    l->blocks = 0;
    turn(*l);
    moved = true;
  }
  if (moved) return true;
  const Lanes left = running(wave);
  uint64_t alive = 0;
  for (Lane* l : left) alive |= 1ull << l->place.lane;
  for (Lane* first : left) {  // the first whose lanes have all come
    if (first->state != State::meeting) continue;
    if (strcmp(first->kind, "barrier") == 0) {
      first->state = State::barrier;
      return true;
    }
    Lanes group;
    uint64_t there = 0;
    for (Lane* l : left) {
      const bool same = l->state == State::meeting && strcmp(l->kind, first->kind) == 0 &&
                        (first->masked ? l->masked && l->mask == first->mask : l->position == first->position);
      if (!same) continue;
      group.push_back(l);
      there |= 1ull << l->place.lane;
    }
    if (first->masked && (first->mask & alive) != there) continue;
    hold_meeting(group);
    return true;
  }
  return false;
}

void run_block(std::vector<Lane>& lanes) {
  std::vector<Lanes> block((lanes.size() + wave_size - 1) / wave_size);
  for (size_t i = 0; i < lanes.size(); ++i) block[i / wave_size].push_back(&lanes[i]);
  counted.used += lanes.size();
  counted.held += block.size() * wave_size;
  for (long steps = 0;; ++steps) {
    if (steps > patience) quit(4, "hangs", "the lanes go round and nobody gets on");
    bool moved = false;
    for (Lanes& wave : block) moved |= lockstep ? step_together(wave) : step_apart(wave);
    if (moved) continue;
    bool left = false;
    for (Lane& l : lanes) {
      if (l.state == State::meeting) quit(4, "hangs", l.kind);
      left |= l.state == State::barrier;
      if (l.state == State::barrier) l.state = State::ready;
    }
    if (!left) return;
  }
}

}  // namespace

const Place& here() {
  if (!now) stop("device code is called by the host");
  return now->place;
}

void stop(const char* why) { quit(3, "stopped", why); }

Meeting meet(const char* kind, const void* value, size_t size, bool masked, uint64_t mask, Action action) {
  if (!now) stop("device code is called by the host");
  Lane& lane = *now;
  lane.state = State::meeting;
  lane.kind = kind;
  lane.masked = masked;
  lane.mask = mask;
  lane.action = action;
  memset(lane.value, 0, sizeof lane.value);
  if (size) memcpy(lane.value, value, size);
  note_position(__builtin_return_address(0), __builtin_frame_address(0));
  hand_over();
  return lane.met;
}

void block_barrier() { meet("barrier", nullptr, 0); }

void* dynamic_shared() { return shared_bytes.data(); }

void launch_lanes(Dim grid, Dim block, size_t dynamic_bytes, Action kernel) {
  kernel_of_launch = kernel;
  const size_t threads = size_t(block.x) * block.y * block.z;
  if (threads == 0 || threads > 1024) stop("a block has 1 to 1024 threads");
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        shared_bytes.assign(dynamic_bytes + 16, char(0xa5));
        std::vector<Lane> lanes(threads);
        for (size_t i = 0; i < threads; ++i) {
          const unsigned t = unsigned(i);
          lanes[i].place = {Dim(t % block.x, t / block.x % block.y, t / block.x / block.y), Dim(x, y, z), block, grid, t % wave_size};
        }
        run_block(lanes);
      }
}

}  // namespace waves

extern "C" void __sanitizer_cov_trace_pc() {
  using namespace waves;
  if (!now || !now->base) return;
  if (lockstep) {
    note_position(__builtin_return_address(0), __builtin_frame_address(0));
    hand_over();
  } else if (++now->blocks > 200) {
    hand_over();
  }
}
