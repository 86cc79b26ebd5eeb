"""AMD3013: CUTLASS as the only GEMM backend of torch.compile."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Finding
from ...rules import rule
from ..fixes import otherwise
from ..module import Module

_NAMES = {"max_autotune_gemm_backends", "max_autotune_conv_backends"}
_VARIABLE = "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS"
_NEAR = (b"CUTLASS",)


@rule("AMD3013", triggers={*_NAMES, _VARIABLE})
def inductor_cutlass_only(module: Module) -> Iterator[Finding]:
    if not module.holds(*_NEAR):
        return
    for node in module.strings("CUTLASS"):
        if str(node.value).upper().strip() != "CUTLASS" or not _sets(module, node) or module.guarded(node):
            continue
        fix = otherwise(module, node, '"ATEN,TRITON"', "ATen and Triton on ROCm")
        yield module.report("AMD3013", node, "inductor leaves CUTLASS out on ROCm: NoValidChoicesError", fix)


def _sets(module: Module, node: ast.Constant) -> bool:
    above = module.parent(node)
    if isinstance(above, ast.Assign):
        target = module.text(above.targets[0])
        return any(n in target for n in (*_NAMES, _VARIABLE))
    if isinstance(above, ast.keyword):
        return above.arg in _NAMES
    if isinstance(above, ast.Dict) and node in above.values:
        key = above.keys[above.values.index(node)]
        return isinstance(key, ast.Constant) and str(key.value) in {*_NAMES, _VARIABLE}
    if isinstance(above, ast.Call) and node in above.args:
        return any(isinstance(a, ast.Constant) and a.value == _VARIABLE for a in above.args)
    return False
