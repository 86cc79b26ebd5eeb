"""What build scripts hand to the CUDA compiler, shared by the rules about flags and libraries."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .values import text_of

if TYPE_CHECKING:
    from .module import Module

EXTENSIONS = (
    "torch.utils.cpp_extension.CUDAExtension", "torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline",
    "torch.utils.cpp_extension.CppExtension",
)  # fmt: skip
# Options of nvcc that clang (hipcc) does not know.
NVCC_ONLY = re.compile(
    r"--?(?:use_fast_math|expt-[a-z-]+|extended-lambda|gencode(?:=.*)?|generate-code(?:=.*)?|arch=(?:sm|compute)_.*|gpu-architecture.*|gpu-code.*"
    r"|code=sm_.*|generate-line-info|ptxas-options(?:=.*)?|Xptxas(?:[=,].*)?|Xcompiler(?:[=,].*)?|compiler-options?(?:=.*)?"
    r"|Xfatbin(?:[=,].*)?|Xcudafe(?:[=,].*)?|Xlinker(?:[=,].*)?|cudafe-options.*|fatbin-options.*|diag[-_](?:suppress|error|warn)(?:[=,].*)?"
    r"|display[-_]error[-_]number|maxrregcount(?:=.*)?|threads(?:=.*)?|t=\d+|rdc=true|relocatable-device-code=.*|ccbin(?:=.*)?|compiler-bindir.*"
    r"|split-compile(?:=.*)?|default-stream(?:=.*)?|fmad=.*|ftz=.*|prec-div=.*|prec-sqrt=.*|keep|keep-dir.*|source-in-ptx|resource-usage"
    r"|device-debug|cudart=.*|nvlink-options.*|Xnvlink.*|dlink-time-opt|dlto|forward-unknown-to-host-compiler|allow-unsupported-compiler"
    r"|restrict|Werror=cross-execution-space-call|Wno-deprecated-gpu-targets)"
    r"|arch=compute_\w+,code=\[?(?:sm|compute)_.*"
)
# Options that are followed by their value as a word of its own.
WITH_VALUE = {
    "-gencode", "--generate-code", "-Xptxas", "--ptxas-options", "-Xcompiler", "--compiler-options", "-Xfatbin", "-Xcudafe", "-Xlinker",
    "--threads", "-t", "-ccbin", "--compiler-bindir", "-diag-suppress", "--diag-suppress", "-maxrregcount", "--maxrregcount", "--default-stream",
}  # fmt: skip
LISTS = (ast.List, ast.Tuple)


def nvcc_lists(module: Module) -> Iterator[ast.expr]:
    """Expressions that become options of the device compiler: the values of "nvcc" keys, of
    ``extra_cuda_cflags``, and of plain ``extra_compile_args`` lists."""
    for node in module.strings("nvcc", "nvcc_dlink"):
        above = module.parent(node)
        if isinstance(above, ast.Dict) and node in above.keys:
            yield above.values[above.keys.index(node)]
        elif isinstance(above, ast.Subscript):
            holder = module.parent(above)
            if isinstance(holder, (ast.Assign, ast.AugAssign)) and holder.value is not None:
                yield holder.value
            elif isinstance(holder, ast.Attribute):
                call = module.parent(holder)
                if isinstance(call, ast.Call) and holder.attr in ("append", "extend"):
                    yield from call.args
    for keyword in module.keywords("extra_cuda_cflags"):
        yield keyword.value
    for keyword in module.keywords("extra_compile_args"):
        call = module.parent(keyword)
        if (
            isinstance(call, ast.Call)
            and module.names(call.func) & {EXTENSIONS[0]}
            and not isinstance(keyword.value, ast.Dict)
        ):
            yield keyword.value
    for name in ("extra_cuda_cflags", "nvcc_args", "nvcc_flags", "get_nvcc_flags"):
        for hit in module.hits(name):
            if isinstance(hit, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for stmt in module.walk(hit):
                    if isinstance(stmt, ast.Return) and stmt.value is not None:
                        yield stmt.value


def elements(module: Module, node: ast.expr, depth: int = 0) -> Iterator[list[ast.expr]]:
    """Runs of string elements that make up a list of options, through variables, sums and appends."""
    if depth > 5:
        return
    match node:
        case ast.List() | ast.Tuple():
            run: list[ast.expr] = []
            for element in node.elts:
                if isinstance(element, ast.Starred):
                    yield run
                    run = []
                    yield from elements(module, element.value, depth + 1)
                else:
                    run.append(element)
            yield run
        case ast.BinOp(op=ast.Add()):
            yield from elements(module, node.left, depth + 1)
            yield from elements(module, node.right, depth + 1)
        case ast.IfExp():
            yield from elements(module, node.body, depth + 1)
            yield from elements(module, node.orelse, depth + 1)
        case ast.Name() | ast.Attribute():
            for binding in module.resolver.bound_to(node):
                if binding.kind == "assign" and binding.value is not None:
                    yield from elements(module, binding.value, depth + 1)
            yield from _grown(module, node, depth)
        case ast.Constant() | ast.JoinedStr() if depth == 0 or isinstance(module.parent(node), ast.Call):
            yield [node]
        case ast.Call():
            for binding in module.resolver.bound_to(node.func):
                if binding.kind == "def":  # a function of this file that makes up the list
                    for stmt in module.walk(binding.node):
                        if isinstance(stmt, ast.Return) and stmt.value is not None:
                            yield from elements(module, stmt.value, depth + 1)
            for argument in node.args:
                if isinstance(argument, (ast.List, ast.Tuple, ast.Name, ast.BinOp)):
                    yield from elements(module, argument, depth + 1)


def _grown(module: Module, node: ast.Name | ast.Attribute, depth: int) -> Iterator[list[ast.expr]]:
    """``flags += [...]``, ``flags.append(...)``, ``flags.extend([...])``."""
    name = node.id if isinstance(node, ast.Name) else node.attr
    for hit in module.hits(name):
        above = module.parent(hit)
        if isinstance(above, ast.AugAssign) and above.target is hit:
            yield from elements(module, above.value, depth + 1)
        elif isinstance(above, ast.Attribute) and above.value is hit and above.attr in ("append", "extend"):
            call = module.parent(above)
            if isinstance(call, ast.Call) and call.args:
                if above.attr == "append":
                    yield [call.args[0]]
                else:
                    yield from elements(module, call.args[0], depth + 1)


def for_nvidia(module: Module, element: ast.expr) -> bool:
    """Whether ROCm never compiles with an option: it is guarded, or part of a list that only guarded code reads."""
    if module.guarded(element):
        return True
    statement = module.statement(element)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    target = statement.targets[0]
    if not isinstance(statement.value, LISTS) or len(statement.targets) > 1:
        return False
    reads = [
        hit
        for hit in module.hits(target.id)
        if isinstance(hit, ast.Name)
        and isinstance(hit.ctx, ast.Load)
        and any(b.node is target for b in module.resolver.lookup(hit))
        and not isinstance(module.parent(hit), ast.Attribute)  # nvcc_args.append(...)
    ]
    return bool(reads) and all(module.guarded(r) for r in reads)


def nvcc_only_runs(module: Module, run: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """Neighbouring elements that only nvcc understands, options together with their values."""
    current: list[ast.expr] = []
    i = 0
    while i < len(run):
        text = text_of(module, run[i]) or ""
        width = 0
        if NVCC_ONLY.fullmatch(text) or (
            text.startswith(("-gencode", "-Xptxas", "-Xcompiler", "-arch=sm_", "--generate-code"))
            and " " in text
        ):
            width = 2 if text in WITH_VALUE and i + 1 < len(run) else 1
        elif text in WITH_VALUE and i + 1 < len(run):
            width = 2
        if width:
            current += run[i : i + width]
            i += width
        else:
            if current:
                yield current
            current = []
            i += 1
    if current:
        yield current
