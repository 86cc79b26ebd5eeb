"""CUDA C++ inside Python strings: load_inline, RawKernel, RawModule, SourceModule, NVRTC.

Each text becomes a Unit over the bytes of the Python file with everything else blanked out, so offsets
need no translation and fixes are ordinary edits of the Python file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..finding import Edit, Finding
from ..rules import Fault, all_rules
from ..settings import Settings
from ..source import Source
from .unit import Unit

if TYPE_CHECKING:
    from ..repo import Repo

_TAKES_CODE = {
    # callee: (who compiles, positional places of the code, keywords)
    "load_inline": ("load_inline", (1, 2), ("cpp_sources", "cuda_sources")),
    "RawKernel": ("cupy", (0,), ("code",)),
    "RawModule": ("cupy", (), ("code",)),
    "SourceModule": ("pycuda", (0,), ("source",)),
    "nvrtcCreateProgram": ("nvrtc", (0,), ("src",)),
    "_Program": ("nvrtc", (0,), ("code",)),
}
_CUDA = re.compile(
    rb"__global__|__device__|__shared__|cuda\w*\.h|\bcuda[A-Z]\w+|threadIdx|<<<|\bat::|torch::"
)
_LITERAL = re.compile(rb"([A-Za-z]{0,3})(\"\"\"|'''|\"|')")
_ESCAPE = re.compile(rb"\\(?:\r?\n|[\s\S])")


def findings(
    source: Source, repo: Repo, settings: Settings, faults: list[Fault], codes: Iterable[str] | None = None
) -> Iterator[Finding]:
    """Findings of the native rules in the CUDA texts of a Python file."""
    rules = [r for r in all_rules().values() if r.language == "native" and (codes is None or r.code in codes)]
    for unit, escaped in units(source, repo, settings):
        words = unit.tokens.words.keys()
        for rule in rules:
            if unit.options or rule.triggers & words:
                for finding in rule.findings(unit, faults):
                    yield _localise(unit, finding, escaped)


def units(source: Source, repo: Repo, settings: Settings) -> Iterator[tuple[Unit, bool]]:
    """Every CUDA text of a Python file, and whether backslashes have to be doubled in it.

    Raises SyntaxError when the file is no Python.
    """
    from ..python.module import parse

    tree = parse(source)
    strings = _assigned(tree)
    seen: set[int] = set()
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = (
            call.func.attr
            if isinstance(call.func, ast.Attribute)
            else call.func.id
            if isinstance(call.func, ast.Name)
            else ""
        )
        known = _TAKES_CODE.get(name)
        if known is None:
            continue
        kind, places, keywords = known
        given = [call.args[i] for i in places if i < len(call.args)] + [
            k.value for k in call.keywords if k.arg in keywords
        ]
        options = _options(source, call) if kind == "cupy" else []
        for node in given:
            for text in _texts(node, strings):
                if id(text) in seen:
                    continue
                seen.add(id(text))
                blanked = _blank(source, text)
                if blanked is None or not _CUDA.search(blanked[0]):
                    continue
                data, origin, escaped = blanked
                unit = Unit(Source(source.path.with_suffix(".cu"), data), repo, settings, runtime=kind)
                unit.origin = origin
                unit.options = options
                options = []
                yield unit, escaped


def _assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """String-like values by the names they are assigned to."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        elif (
            isinstance(node, (ast.AnnAssign, ast.AugAssign))
            and isinstance(node.target, ast.Name)
            and node.value is not None
        ):
            found.setdefault(node.target.id, []).append(node.value)
    return found


def _texts(node: ast.expr, strings: dict[str, list[ast.expr]], depth: int = 0) -> Iterator[ast.Constant]:
    """The literals that an expression is made of."""
    if depth > 6:
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, (str, bytes)):
            yield node
    elif isinstance(node, ast.Name):
        for value in strings.get(node.id, ()):
            yield from _texts(value, strings, depth + 1)
    elif isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from _texts(item, strings, depth + 1)
    elif isinstance(node, ast.BinOp):
        yield from _texts(node.left, strings, depth + 1)
        if isinstance(node.op, ast.Add):
            yield from _texts(node.right, strings, depth + 1)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "replace",
            "format",
            "strip",
            "encode",
            "lstrip",
            "rstrip",
            "substitute",
        ):
            yield from _texts(node.func.value, strings, depth + 1)
        elif (isinstance(node.func, ast.Attribute) and node.func.attr == "dedent") or (
            isinstance(node.func, ast.Name) and node.func.id in ("dedent", "Template")
        ):
            for item in node.args[:1]:
                yield from _texts(item, strings, depth + 1)


def _blank(source: Source, node: ast.Constant) -> tuple[bytes, int, bool] | None:
    """The file's bytes with only this literal's contents left: (bytes, where they start, backslashes doubled)."""
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    start, end = (
        source.offset(node.lineno, node.col_offset),
        source.offset(node.end_lineno, node.end_col_offset),
    )
    out = bytearray(re.sub(rb"[^\n]", b" ", source.data))
    at = start
    origin = -1
    escaped = False
    while at < end:
        m = _LITERAL.match(source.data, at)
        if m is None:
            at += 1  # white space and comments between adjacent literals
            continue
        raw, quote = b"r" in m.group(1).lower(), m.group(2)
        body = m.end()
        close = body
        while close < end:
            if source.data[close : close + 1] == b"\\":
                close += 2
            elif source.data.startswith(quote, close):
                break
            else:
                close += 1
        content = source.data[body:close]
        if not raw:
            escaped = escaped or len(quote) == 3
            content = _ESCAPE.sub(_unescape, content)
        out[body : body + len(content)] = content
        if origin < 0:
            origin = body if len(quote) == 3 else -2
            if origin >= 0 and source.data[body : body + 1] == b"\n":
                origin += 1
            elif origin >= 0 and source.data[body : body + 2] == b"\\\n":
                origin += 2
        at = close + len(quote)
    return bytes(out), origin, escaped


def _unescape(m: re.Match[bytes]) -> bytes:
    """An escape as bytes of the same number."""
    char = m.group()[1:]
    if char in (b"n", b"r"):
        return b" \n"
    if char in (b"\\", b'"', b"'"):
        return b" " + char
    return re.sub(rb"[^\n]", b" ", m.group())


def _options(source: Source, call: ast.Call) -> list[tuple[int, int, str]]:
    """Compiler options that only nvrtc reads: (start, end, module name of cupy) of the whole argument."""
    found = []
    base = (
        call.func.value.id
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
        else "cupy"
    )
    for keyword in call.keywords:
        if keyword.arg != "options" or not isinstance(keyword.value, (ast.Tuple, ast.List)):
            continue
        flags = [
            e.value for e in keyword.value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)
        ]
        if any(
            re.match(
                r"-+(?:use_fast_math|gpu-architecture|arch|maxrregcount|fmad|ftz|prec-|extra-device-vectorization|dopt|device-debug|lineinfo)",
                f,
            )
            for f in flags
        ):
            node = keyword.value
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            found.append(
                (
                    source.offset(node.lineno, node.col_offset),
                    source.offset(node.end_lineno, node.end_col_offset),
                    base,
                )
            )
    return found


def _localise(unit: Unit, finding: Finding, escaped: bool) -> Finding:
    """Turn the helpers of a fix into an edit of the string; only triple-quoted strings are edited."""
    fix = finding.fix
    if fix is None or fix.applicability == "display" or not (fix.edits or fix.helpers):
        return finding
    in_options = any(start <= e.start <= end for e in fix.edits for start, end, _ in unit.options)
    if in_options:
        return finding
    if unit.origin < 0:
        return replace(
            finding,
            fix=replace(fix, applicability="display", edits=(), helpers=(), paste=fix.paste or fix.message),
        )
    from .rewrite import finish_unit

    edits: Sequence[Edit] = finish_unit(unit, [fix])
    if escaped:
        edits = [Edit(e.start, e.end, e.content.replace("\\", "\\\\")) for e in edits]
    return replace(finding, fix=replace(fix, edits=tuple(edits), helpers=()))
