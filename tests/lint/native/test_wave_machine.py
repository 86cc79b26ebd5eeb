"""The emulator that runs the test kernels behaves like the GPUs it stands in for."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.rocm import Toolchain, toolchain
from support.wave_machine import CDNA, FOLDER, NVIDIA, RDNA, Gpu, Machine

pytestmark = pytest.mark.compiler
AMD = (RDNA, CDNA)


@pytest.fixture(scope="module")
def headers() -> Path:
    found = toolchain()
    if not isinstance(found, Toolchain):
        pytest.skip(found)
    return found.root / "include"


@pytest.mark.parametrize("gpu", AMD, ids=lambda g: g.name)
def test_warp_functions_agree_with_amds_headers(machine: Machine, headers: Path, gpu: Gpu) -> None:
    """Shuffles, votes, matches and reductions of full and of half-active waves, for every lane."""
    table = (FOLDER / "table.cpp").read_text()
    ours = machine.run(table, gpu)
    amds = machine.run(f"#define AMD_HEADERS\n{table}", gpu, headers, headers="amd_headers.h")
    assert ours.word == amds.word == "right"
    assert ours.text.count("\n") == 3 * 128 + 1
    assert ours.text == amds.text


@pytest.mark.parametrize("gpu", AMD, ids=lambda g: g.name)
@pytest.mark.parametrize(
    "statement",
    [
        "__shfl_sync(0xffffffffu, 1, 0)",
        "__any_sync(0xffffffff, 1)",
        "__shfl_xor_sync(0xffffffffull, 1, 1)",
        "__shfl_xor_sync(~0ull, 1, 1)",
        "if (threadIdx.x < 16) __shfl_down_sync(~0ull, 1, 1)",
        "if (threadIdx.x < 32) __ballot_sync(~0ull, 1)",
        "if (threadIdx.x < 32) __ballot_sync(0xffffffffull, 1)",
        "__all_sync(threadIdx.x % 2 ? 0xaaaaaaaaaaaaaaaaull : 0x5555555555555555ull, 1)",
        "__match_any_sync(threadIdx.x % 2 ? 0xaaaaaaaaaaaaaaaaull : 0x5555555555555555ull, 1)",
        "__match_any_sync(~0ull, short(1))",
        "if (threadIdx.x) __match_any_sync(~0ull, 1)",
    ],
)
def test_masks_are_refused_as_amds_headers_do(
    machine: Machine, headers: Path, gpu: Gpu, statement: str
) -> None:
    program = "__device__ void f() {{ {}; }}\nint main() {{ waves::launch([] {{ f(); }}, {{1}}, {{64}}); }}\n"
    body = program.format(statement)
    ours = machine.run(f'#include "hip/hip_runtime.h"\n{body}', gpu)
    amds = machine.run(f'#include "amd_headers.h"\n{body}', gpu, headers, headers="amd_headers.h")
    assert ours.word == amds.word


PROGRAM = """
#include "cuda_runtime.h"
static int out[256];
__global__ void kernel(int* out) {{
  const int i = threadIdx.x;
{}
}}
int main() {{
  kernel<<<1, 64>>>(out);
  for (int i = 0; i < 64; ++i)
    if (out[i] != ({})) return printf("%d: %d\\n", i, out[i]), 1;
  return 0;
}}
"""
SHUFFLE = """
#ifdef USE_ROCM
#define NEXT(mask, v) __shfl_down(v, 1)
#else
#define NEXT(mask, v) __shfl_down_sync(mask, v, 1)
#endif
"""


def ends(machine: Machine, body: str, expected: str) -> dict[str, str]:
    source = SHUFFLE + PROGRAM.format(body, expected)
    return {g.name: machine.run(source, g).word for g in (NVIDIA, RDNA, CDNA)}


def words(nvidia: str, rdna: str, cdna: str) -> dict[str, str]:
    return {"nvidia": nvidia, "gfx1100": rdna, "gfx942": cdna}


def test_branches_of_a_wave_join_again(machine: Machine) -> None:
    """The lanes of both branches are together again behind them, however long each branch was."""
    body = """
  int v = i;
  if (i % 2) {
    for (int k = 0; k < i; ++k) v += atomicAdd(&out[100], 0);
  } else {
    v += NEXT(0x55555555, 0) * 0;
  }
  if (i % 32 < 31) v = NEXT(0x7fffffff, v) * 1; else v = i + 1;
  out[i] = i % 32 == 30 ? 31 : v;"""
    # lane 30 of 32 reads a lane that takes no part
    assert ends(machine, body, "i % 32 == 30 ? 31 : i + 1") == words("right", "right", "right")


def test_lanes_that_skip_a_turn_wait_at_the_end_of_the_loop(machine: Machine) -> None:
    body = """
  int sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    if (turn == i % 4) continue;
    int votes = 0;
#ifdef USE_ROCM
    votes = __popcll(__ballot(1));
    votes = votes * 32 / warpSize;
#else
    votes = __popc(__ballot_sync(0xffffffffu & ~(0x11111111u << turn), 1));
#endif
    sum += votes;
  }
  out[i] = sum;"""
    assert ends(machine, body, "3 * 24") == words("right", "right", "right")


def test_lanes_that_have_returned_take_no_part(machine: Machine) -> None:
    body = """
  if (i % 2) return;
#ifdef USE_ROCM
  out[i] = __popcll(__ballot(1)) * 32 / warpSize;
#else
  out[i] = __popc(__ballot_sync(0xffffffffu, 1));
#endif"""
    assert ends(machine, body, "i % 2 ? 0 : 16") == words("right", "right", "right")


def test_a_value_of_an_absent_lane_is_poison(machine: Machine) -> None:
    body = "  out[i] = i; if (i % 2 == 0) out[i] = NEXT(0x55555555, i);"
    assert ends(machine, body, "i % 2 ? i : i + 1") == words("wrong", "wrong", "wrong")


def test_a_barrier_in_a_branch_stops_a_wave(machine: Machine) -> None:
    """The two halves of one 64-lane wave part at ``i < 32``; smaller waves do not."""
    body = "  if (i < 32) { __syncthreads(); out[i] = 1; } else { __syncthreads(); out[i] = 1; }"
    assert ends(machine, body, "1") == words("right", "right", "stopped")


def test_a_shuffle_that_waits_for_an_absent_lane_hangs_on_nvidia(machine: Machine) -> None:
    body = """
  if (i % 32 < 16) NEXT(0xffffffff, i);
  __syncthreads();"""
    assert ends(machine, body, "0") == words("hangs", "right", "right")


def test_a_flag_of_another_lane_never_comes_in_lockstep(machine: Machine) -> None:
    """Lane 1 waits for what lane 0 does behind the loop: a hang, unless lanes run on their own."""
    body = """
  volatile int* flag = &out[200];
  if (i == 1) {
    while (*flag == 0) {
    }
  } else if (i == 0) {
    *flag = 1;
  }"""
    assert ends(machine, body, "0") == words("right", "hangs", "hangs")


def test_atomics_of_a_wave_happen_before_its_lanes_go_on(machine: Machine) -> None:
    body = """
  atomicAdd(&out[100], 1);
  const int seen = out[100];
#ifdef USE_ROCM
  out[i] = seen >= (i / warpSize + 1) * warpSize;
#else
  out[i] = seen > 0;
#endif"""
    assert ends(machine, body, "1") == words("right", "right", "right")
