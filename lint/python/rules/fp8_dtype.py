"""AMD5001: an OCP float8 type where MI300 has only the fnuz ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import torch_name
from ..module import Module

_TYPES = ("float8_e4m3fn", "float8_e5m2")
_KNOWS_FNUZ = {"float8_e4m3fnuz", "float8_e5m2fnuz", "is_fp8_fnuz", "fp8_dtype"}
_FORMAT = re.compile(r"e4m3|e5m2|fp8|f8|float8", re.IGNORECASE)
_GFX942 = ("gfx942",)
# Calls that hand fp8 tensors to hipBLASLt. Storing, converting and Triton kernels take both families.
_MULTIPLIES = {
    "_scaled_mm", "scaled_mm", "_scaled_mm_v2", "_scaled_grouped_mm", "scaled_grouped_mm", "_scaled_grouped_mm_v2",
}  # fmt: skip
_MX = re.compile(rb"mxfp8|mx_formats", re.IGNORECASE)
_ANNOTATED = re.compile(rb"dtype[^=]{0,200}=[\s\\(]*[\w.]*float8_e")
_KEEPS = re.compile(
    r"\b(?:all_gather|all_to_all|all_reduce|reduce_scatter|all_gather_into_tensor|reduce_scatter_tensor|all_to_all_single)\w*\("
    r"|nvfp4|e2m1|\.view\((?:torch\.)?uint8\)|\bweight_loader\b|\w*Parameter\(",
    re.IGNORECASE,
)
_STORAGE = re.compile(r"cache|kv|stor|save|offload|comm|gather|dispatch", re.IGNORECASE)


@rule("AMD5001", triggers=set(_TYPES))
def fp8_dtype(module: Module) -> Iterator[Finding]:
    if module.words & _KNOWS_FNUZ:
        return  # the file chooses between the two families
    if module.mentions(_MX):
        return  # MX formats have OCP types on every card that knows them
    multiplies = not module.words.isdisjoint(_MULTIPLIES)
    if not multiplies and ("triton" in module.words or not module.mentions(_ANNOTATED)):
        return
    for use in module.uses(*(f"torch.{t}" for t in _TYPES)):
        if not (_chosen(module, use) if multiplies else _setting(module, use)) or module.guarded(use):
            continue
        if _only_kept(module, use):
            continue
        name = (
            use.attr if isinstance(use, ast.Attribute) else next(iter(module.names(use))).rpartition(".")[2]
        )
        yield module.report(
            "AMD5001",
            use,
            f"hipBLASLt on gfx942 multiplies {name.removesuffix('fn')}fnuz only",
            _fix(module, use, name),
            targets=_GFX942,
        )


def _only_kept(module: Module, use: ast.expr) -> bool:
    """Whether the function at hand packs values for other ranks, makes room for those of a checkpoint, or scales of nvfp4."""
    function = module.function(use)
    if function is None:
        return False
    text = module.text(function)
    return _KEEPS.search(text) is not None and not any(m in text for m in _MULTIPLIES)


def _setting(module: Module, use: ast.expr) -> bool:
    """Whether the type is the default of a setting that says in which type to compute."""
    above = module.parent(use)
    field: ast.AST
    if "triton" in module.words or isinstance(use, ast.Name):
        return False
    if isinstance(above, ast.AnnAssign):
        field, note = above.target, above.annotation
        if above.value is not use or not isinstance(module.parent(above), ast.ClassDef):
            return False
    elif isinstance(above, ast.arguments):
        function = module.parent(above)
        given = list(zip(reversed([*above.posonlyargs, *above.args]), reversed(above.defaults), strict=False))
        given += [(a, d) for a, d in zip(above.kwonlyargs, above.kw_defaults, strict=True) if d is not None]
        argument = next((a for a, default in given if default is use), None)
        if argument is None or argument.annotation is None or _is_test(function):
            return False
        field, note = argument, argument.annotation
    else:
        return False
    return "dtype" in module.text(note) and _STORAGE.search(module.text(field)) is None


def _is_test(function: ast.AST | None) -> bool:
    return isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.name.startswith("test")


def _chosen(module: Module, use: ast.expr) -> bool:
    """Whether the type is chosen for values here, not asked about or read from a file format."""
    above = module.parent(use)
    if isinstance(use, ast.Name) and any(b.kind != "import" for b in module.resolver.lookup(use)):
        return False  # a variable that holds the type: reported where it is set
    match above:
        case ast.Assign() | ast.AnnAssign():
            return above.value is use
        case ast.Return():
            return True
        case ast.arguments():
            return not _is_test(module.parent(above))
        case ast.keyword():
            call = module.parent(above)
            # MX formats have OCP types on every card that knows them
            mx = isinstance(call, ast.Call) and re.search(r"\bMX|mx_?fp", module.text(call.func)) is not None
            kept = above.arg is not None and _STORAGE.search(above.arg) is not None
            return above.arg is not None and "dtype" in above.arg and not mx and not kept
        case ast.Call() if use in above.args:
            name = (
                above.func.attr
                if isinstance(above.func, ast.Attribute)
                else above.func.id
                if isinstance(above.func, ast.Name)
                else ""
            )
            return name in (
                "to",
                "type",
                "empty",
                "zeros",
                "full",
                "empty_like",
                "cast",
                "quantize",
                "Float8Tensor",
            )
        case ast.IfExp():
            return above.test is not use and _chosen(module, above)
        case ast.Dict():
            if use not in above.values:
                return False
            key = above.keys[above.values.index(use)]
            named = isinstance(key, ast.Constant) and isinstance(key.value, str) and _FORMAT.search(key.value)
            return not named and isinstance(key, ast.Constant)
    return False


def _fix(module: Module, use: ast.expr, name: str) -> Fix | None:
    torch = torch_name(module, use)
    if torch is None or torch[0] != "torch" or module.fstring(use) is not None:
        return None
    text = module.text(use)
    twin = (
        f"{text}uz"
        if name == "float8_e4m3fn" and isinstance(use, ast.Attribute)
        else f"{text}fnuz"
        if isinstance(use, ast.Attribute)
        else f"torch.{name.removesuffix('fn')}fnuz"
    )
    above = module.parent(use)
    bare = isinstance(above, (ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.Call, ast.Dict))
    left, right = ("", "") if bare else ("(", ")")
    new = f'{left}{twin} if _rocm_arch().startswith("gfx94") else {text}{right}'
    message = "fnuz on gfx942, as its matrix units want"
    data = module.source.data
    if b"448" in data or b"57344" in data or re.search(rb"finfo\([^)]*float8|FP8_MAX", data):
        reason = "The file scales by the largest OCP value (448); fnuz ends at 240."
        return Fix(
            "unsafe",
            message,
            (module.replace(use, new),),
            reason=reason,
            imports=torch[1],
            helpers=("_rocm_arch",),
        )
    return Fix("safe", message, (module.replace(use, new),), imports=torch[1], helpers=("_rocm_arch",))
