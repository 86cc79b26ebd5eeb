"""AMD1004: 32 threads to a warp, written down as a number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import otherwise, torch_name
from ..module import Module

_CONSTANT = re.compile(
    r"_*(?:WARP_?SIZE|THREADS_PER_WARP|LANES_PER_WARP|NUM_LANES|WARP_THREADS)_*", re.IGNORECASE
)
_WARPS = {
    "num_warps",
    "n_warps",
    "nwarps",
    "NUM_WARPS",
    "warps",
    "num_warp",
    "warps_per_block",
    "num_warps_per_block",
}
_GPU_WORDS = {"triton", "torch", "cupy", "load_inline", "CUDAExtension"}
_SIZES = (
    "WARP_SIZE", "warp_size", "WARPSIZE", "warpSize", "warpsize", "THREADS_PER_WARP", "threads_per_warp", "LANES_PER_WARP", "NUM_LANES",
)  # fmt: skip
_NEAR = re.compile(
    rf"\b(?:{'|'.join(_WARPS)})[\s)]*\*[\s(]*32\b|\b32[\s)]*\*[\s(]*[\w.]*\b(?:{'|'.join(_WARPS)})\b"
    rf"|\b(?:{'|'.join(_SIZES)})\b[^=]{{0,80}}=[\s(]*32\b".encode()
)


@rule(
    "AMD1004",
    triggers={*_WARPS, *_SIZES},
)
def warp_size_assumed(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NEAR):
        return
    if b"cutlass" in module.source.data or not module.words & _GPU_WORDS:
        return
    seen: set[ast.AST] = set()
    for node in _thirty_twos(module):
        if node not in seen and not module.guarded(node):
            seen.add(node)
            yield module.report(
                "AMD1004",
                node,
                "a wavefront of an Instinct card (gfx9) has 64 threads",
                _fix(module, node),
                targets=("wave64",),
            )


def _thirty_twos(module: Module) -> Iterator[ast.expr]:
    for name in _WARPS & module.words:
        for hit in module.hits(name):  # num_warps * 32, threads // 32 is too common to judge
            if not isinstance(hit, (ast.Name, ast.Attribute)) or not isinstance(hit.ctx, ast.Load):
                continue
            product = module.parent(hit)
            if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
                other = product.right if product.left is hit else product.left
                if _is_32(other):
                    yield other
    for name in _SIZES:
        if name not in module.words:
            continue
        for hit in module.hits(name):
            above = module.parent(hit)
            if (
                isinstance(hit, ast.Name)
                and isinstance(hit.ctx, ast.Store)
                and isinstance(above, (ast.Assign, ast.AnnAssign))
            ):
                value = above.value
                if (
                    value is not None
                    and _is_32(value)
                    and _CONSTANT.fullmatch(name)
                    and not _lives_in_numba(module)
                    and not _also_64(module, hit)
                    and not _last_resort(module, hit)
                ):
                    yield value


def _is_32(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 32


def _also_64(module: Module, name: ast.Name) -> bool:
    """Whether another branch sets the name to 64: the code chooses."""
    values = [b.value for b in module.resolver.visible(name.id, name)]
    return any(isinstance(v, ast.Constant) and v.value == 64 for v in values)


def _last_resort(module: Module, name: ast.Name) -> bool:
    """``if warp_size is None: warp_size = 32``: what torch tells goes first."""
    above = module.parent(module.statement(name))
    return isinstance(above, ast.If) and re.search(rf"\b{name.id}\b", module.text(above.test)) is not None


def _lives_in_numba(module: Module) -> bool:
    return any(True for _ in module.imports("numba.cuda"))


def _fix(module: Module, node: ast.expr) -> Fix | None:
    torch = torch_name(module, node)
    if torch is None or module.fstring(node) is not None or _in_jit(module, node):
        return None
    # NVIDIA keeps its constant: asking the device starts the driver, which not every caller is ready for.
    amd = f"{torch[0]}.cuda.get_device_properties(0).warp_size"
    return otherwise(module, node, amd, "ask an AMD device for its wavefront size")


def _in_jit(module: Module, node: ast.AST) -> bool:
    """Kernels are compiled: nothing can be asked in them."""
    function = module.function(node)
    return function is not None and any("jit" in module.text(d) for d in function.decorator_list)
