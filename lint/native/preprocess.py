"""What the preprocessor leaves for AMD and for NVIDIA builds, as far as a reader can see.

Conditions are evaluated in three values (true, false, unknown) for two worlds: ``amd`` (hipcc, both
passes) and ``nvidia`` (nvcc, both passes). Code is guarded when its condition is false for AMD.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from .lexer import DIRECTIVE, NUMBER, WORD, Directive, Tokens

if TYPE_CHECKING:
    from .builds import Walk

World: TypeAlias = Literal["amd", "nvidia"]
Truth: TypeAlias = "bool | None"

UNDEFINED = 0
"""Value of an undefined macro inside an expression."""

# Macros that only a ROCm build has, in any project's spelling: USE_ROCM, GGML_USE_HIP, WITH_AMDGPU, IS_HIP.
_MEANS_AMD = re.compile(
    r"(?:^|_)(?:ROCM|HIP|HIPCC|HIPRTC|AMD|AMDGPU|AMDGCN|AMD_GPU|HIPBLAS)(?:_|$)", re.IGNORECASE
)
# Compiler- or version-dependent: defined on AMD, but true only for some passes, targets or releases.
_AMD_VARIES = re.compile(
    r"__HIP_DEVICE_COMPILE__|__(?:gfx|GFX)[0-9a-fA-FX]+__|__HIP_ARCH_\w+|__HIP_NO_\w+|__AMDGCN_\w+|HIP_ENABLE_\w+|HIP_VERSION\w*|ROCM_VERSION\w*"
    r"|TORCH_HIP_VERSION|__HIP_MEMORY_SCOPE\w*|\w*(?:HIP|ROCM|AMD)\w*_(?:VERSION|ARCH|MAJOR|MINOR|MFMA|WMMA|GRAPHS?|VMM|UMA)\w*"
    r"|CDNA\d*|RDNA\d*|GCN\d*|\w*_NO_\w+|\w*(?:DISABLE|WITHOUT)_\w+",
)
# Switches for libraries that only NVIDIA has: a ROCm build does not set them.
_NVIDIA_LIBRARY = re.compile(
    r"(?:USE|WITH|ENABLE|HAVE|HAS|BUILD)_(?:\w+_)?(?:CUDNN|CUTLASS|NVJPEG|NPP|TENSORRT|CUFILE|NVSHMEM|NVML|NVENC|NVDEC|CUSPARSELT|CUDSS)"
)
_CUTLASS_ARCH = re.compile(r"(?:CUTE|CUTLASS)_ARCH_\w*ENABLED\w*")
"""Macros that CUTLASS sets from __CUDA_ARCH__."""
HAS_INCLUDE = "__has_include "
"""In front of a header's name: how ``__has_include`` asks for a value."""
# Headers of libraries that only NVIDIA has, and that no translator maps.
_NVIDIA_HEADER = re.compile(
    r"nvml\.h|cudnn\w*\.h|nvtx3/|nvjpeg\.h|npp\w*\.h|cufile\.h|NvInfer\w*\.h|nvshmem\w*\.h|cutlass/|cute/|cuda/(?:std/|\w+$)"
    r"|cuda_(?:pipeline|barrier|awbarrier)\w*\.h|mma\.h|cudss\.h|cusparseLt\.h|cudaTypedefs\.h"
)
_AMD_HEADER = re.compile(
    r"hip/|rocblas|roctracer/|rocprofiler|hipblas|hipcub/|rocwmma/|rccl/|amd_smi/|rocm_smi/|miopen/"
)
OBSOLETE_HIP = frozenset({"__HIP_PLATFORM_HCC__", "__HCC__", "__HCC_ACCELERATOR__", "__HIP_PLATFORM_HCC"})
_NEVER_ON_AMD = frozenset(
    [
        "__NVCC__",
        "__HIP_PLATFORM_NVIDIA__",
        "__HIP_PLATFORM_NVCC__",
        "__NVCOMPILER",
        "__CUDACC_VER_MAJOR__",
        "__CUDACC_VER_MINOR__",
        "__CUDACC_RTC__",
        "__CUDA_ARCH__",
        "__CUDA_ARCH_LIST__",
        "__CUDA_ARCH_FEAT_SM90_ALL",
        "__CUDA_ARCH_SPECIFIC__",
        "__CUDA_ARCH_FAMILY_SPECIFIC__",
        "__CUDA__",
        "CUDA_VERSION",
        "CUDART_VERSION",
        "TORCH_CUDA_VERSION",
        "CUDNN_VERSION",
        "USE_MUSA",
        "GGML_USE_MUSA",
        "__MUSA__",
        "__MUSACC__",
        "USE_XPU",
        "USE_SYCL",
        "__SYCL_DEVICE_ONLY__",
        "USE_MACA",
        "CUDA_API_PER_THREAD_DEFAULT_STREAM",
        "__clang_cuda__",
        "CUTE_ARCH_MMA_SM80_ENABLED",
        "USE_NPU",
        "__NVCC_DIAG_PRAGMA_SUPPORT__",
    ]
)
_NEVER_ON_NVIDIA = frozenset(["USE_MUSA", "GGML_USE_MUSA", "__MUSA__", "__MUSACC__", "USE_XPU", "USE_SYCL"])


def means_amd(name: str) -> bool:
    """Whether a macro's name says that the build is for AMD GPUs."""
    if name in _NEVER_ON_AMD or "NVIDIA" in name or "NVCC" in name:
        return False
    return name in OBSOLETE_HIP or bool(_MEANS_AMD.search(name))


@dataclass(slots=True)
class Macro:
    """One ``#define``. ``first`` and ``last`` delimit the tokens of its body; ``params`` is None for objects."""

    name: str
    params: tuple[str, ...] | None
    first: int
    last: int
    directive: Directive
    amd: Truth
    nvidia: Truth


@dataclass(slots=True)
class Branch:
    """One branch of a conditional, from its directive to the next one of the same level."""

    opener: Directive
    start: int
    end: int
    amd: Truth
    nvidia: Truth
    own_amd: Truth
    own_nvidia: Truth
    parent: Branch | None
    conditional: Conditional


@dataclass(slots=True)
class Conditional:
    """A whole ``#if ... #endif`` group. ``default`` marks include guards and ``#ifndef X / #define X`` defaults."""

    branches: list[Branch] = field(default_factory=list)
    closer: Directive | None = None
    default: bool = False
    none_amd: Truth = True
    """Whether AMD builds take none of the branches but the last one."""
    none_nvidia: Truth = True


@dataclass
class Preprocessed:
    """Regions, macros and includes of one file."""

    tokens: Tokens
    macros: dict[str, list[Macro]] = field(default_factory=dict)
    conditionals: list[Conditional] = field(default_factory=list)
    includes: list[tuple[str, bool, Directive]] = field(default_factory=list)
    """(path, written with angle brackets, directive)."""
    elsewhere: Callable[[str, World], int | None] | None = None
    """What the repository's own headers, included so far, say of a macro."""
    revision: int = 0
    """Counts what changes the headers that the text includes, while it is read."""
    walk: Walk | None = None
    """The headers found for a revision: kept here by whoever looks for them."""
    _edges: list[int] = field(default_factory=list)
    _at: list[Branch | None] = field(default_factory=list)

    def branch(self, offset: int) -> Branch | None:
        """The innermost branch that holds a byte offset; None outside of all conditionals."""
        i = bisect_right(self._edges, offset) - 1
        return self._at[i] if i >= 0 else None

    def live(self, offset: int, world: World = "amd") -> Truth:
        """Whether the text at this offset reaches the compiler in that world."""
        branch = self.branch(offset)
        if branch is None:
            return True
        return branch.amd if world == "amd" else branch.nvidia

    def known(self, name: str, world: World, offset: int) -> int | None:
        """Value of a macro inside a condition: an int, or None when it cannot be known."""
        found = None
        for macro in reversed(self.macros.get(name, ())):
            if (
                macro.directive.start < offset
                and (macro.amd if world == "amd" else macro.nvidia) is not False
            ):
                found = macro
                break
        if found is not None and found.params is None:
            if (found.amd if world == "amd" else found.nvidia) is None:
                return None
            if found.first == found.last:
                return 1
            return evaluate(
                self.tokens,
                found.first,
                found.last,
                lambda n: None if n == name else self._value(n, world, found.directive.start),
            )
        return self._outside(name, world)

    def _outside(self, name: str, world: World) -> int | None:
        """Value of a macro that this file does not define."""
        value = builtin(name, world)
        twins = (name.replace("CUDA", other) for other in ("HIP", "ROCM"))
        if value is None and "CUDA" in name and world == "amd" and any(t in self.tokens.words for t in twins):
            return UNDEFINED  # USE_CUDA beside USE_ROCM, BUILD_CUDA beside BUILD_HIP: one excludes the other
        if value is None and self.elsewhere is not None and not _AMD_VARIES.fullmatch(name):
            return self.elsewhere(name, world)
        return value

    def _value(self, name: str, world: World, offset: int) -> int | None:
        value = self.known(name, world, offset)
        return value if isinstance(value, int) else None

    def is_defined(self, name: str, world: World, offset: int) -> Truth:
        """Whether ``#ifdef name`` holds."""
        best: Truth = False
        seen = False
        for macro in reversed(self.macros.get(name, ())):
            if macro.directive.start >= offset:
                continue
            state = macro.amd if world == "amd" else macro.nvidia
            seen = seen or state is not False
            if state is True:
                return True
        value = self._outside(name, world)
        if value is None:
            return None
        best = value != UNDEFINED
        return True if best else (None if seen else False)


def builtin(name: str, world: World) -> int | None:
    """Value of a macro that the file does not define: 1, UNDEFINED, or None when it cannot be known."""
    if name.startswith(HAS_INCLUDE):
        absent = _NVIDIA_HEADER if world == "amd" else _AMD_HEADER
        return UNDEFINED if absent.match(name, len(HAS_INCLUDE)) else None
    if name in ("true", "__cplusplus"):
        return 201703 if name != "true" else 1
    if name == "false":
        return 0
    if world == "amd":
        if name in _NEVER_ON_AMD or _NVIDIA_LIBRARY.search(name) or _CUTLASS_ARCH.fullmatch(name):
            return UNDEFINED
        if _AMD_VARIES.fullmatch(name):
            return None
        if means_amd(name):
            return 1
        return None
    if name in _NEVER_ON_NVIDIA or name == "__HIP_PLATFORM_NVIDIA__":
        return UNDEFINED
    if name in ("__CUDACC__", "__NVCC__"):
        return None
    if means_amd(name) or (
        _AMD_VARIES.fullmatch(name) and re.search(r"HIP|ROCM|AMD|gfx|GFX|CDNA|RDNA|GCN", name)
    ):
        return UNDEFINED
    return None


def preprocess(
    tokens: Tokens, elsewhere: Callable[[Preprocessed, str, World], int | None] | None = None
) -> Preprocessed:
    """Read all directives of a file in order."""
    out = Preprocessed(tokens)
    if elsewhere is not None:
        ask = elsewhere
        out.elsewhere = lambda name, world: ask(out, name, world)
    stack: list[Branch] = []
    edges, at = out._edges, out._at

    def enter(offset: int) -> None:
        edges.append(offset)
        at.append(stack[-1] if stack else None)

    def open_branch(
        d: Directive, parent: Branch | None, conditional: Conditional, own: tuple[Truth, Truth]
    ) -> None:
        branch = Branch(
            d,
            d.start,
            len(tokens.text),
            _both(parent, "amd", own[0]),
            _both(parent, "nvidia", own[1]),
            *own,
            parent,
            conditional,
        )
        conditional.branches.append(branch)
        stack.append(branch)
        enter(d.end)

    directives = tokens.directives
    for position, d in enumerate(directives):
        if d.name in ("if", "ifdef", "ifndef"):
            conditional = Conditional()
            out.conditionals.append(conditional)
            follower = directives[position + 1] if position + 1 < len(directives) else None
            if d.name == "ifndef" and follower is not None and follower.name == "define" and d.first < d.last:
                name = tokens.texts[d.first]
                conditional.default = (
                    follower.first < follower.last
                    and tokens.texts[follower.first] == name
                    and follower.token == d.last  # nothing stands between the two lines
                )
            own = (
                (True, True)
                if conditional.default
                else (_condition(out, d, "amd"), _condition(out, d, "nvidia"))
            )
            open_branch(d, stack[-1] if stack else None, conditional, own)
        elif d.name in ("elif", "else", "elifdef", "elifndef") and stack:
            before = stack.pop()
            before.end = d.start
            conditional = before.conditional
            if (
                d.name == "elif"
                and before.own_amd is None
                and _condition(out, d, "amd") is True
                and _speaks_of_cuda(out, before.opener)
            ):
                # "#if BUILD_CUDA ... #elif BUILD_HIP": the first one is not for AMD
                before.own_amd = before.amd = False
                out.revision += 1
            own = (_otherwise(out, conditional, d, "amd"), _otherwise(out, conditional, d, "nvidia"))
            open_branch(d, before.parent, conditional, own)
        elif d.name == "endif" and stack:
            before = stack.pop()
            before.end = d.start
            before.conditional.closer = d
            enter(d.end)
        elif d.name == "define" and d.first < d.last:
            _define(out, d)
        elif d.name in ("include", "include_next") and d.first < d.last:
            out.revision += 1
            t = tokens.texts[d.first]
            if t.startswith('"'):
                out.includes.append((t.strip('"'), False, d))
            elif t == "<":
                end = tokens.text.find(">", tokens.starts[d.first], d.end)
                if end > 0:
                    out.includes.append((tokens.text[tokens.starts[d.first] + 1 : end].strip(), True, d))
    return out


def _speaks_of_cuda(out: Preprocessed, d: Directive) -> bool:
    words = out.tokens.texts[d.first : d.last]
    return any("CUDA" in w for w in words) and "!" not in words and not any(means_amd(w) for w in words)


def _define(out: Preprocessed, d: Directive) -> None:
    tokens = out.tokens
    name = tokens.texts[d.first]
    first = d.first + 1
    params: tuple[str, ...] | None = None
    if first < d.last and tokens.texts[first] == "(" and tokens.starts[first] == tokens.end(d.first):
        close = tokens.match.get(first)
        if close is not None:
            params = tuple(t for t in tokens.texts[first + 1 : close] if t not in (",", "\\"))
            first = close + 1
    branch = out.branch(d.start)
    amd, nvidia = (branch.amd, branch.nvidia) if branch is not None else (True, True)
    out.macros.setdefault(name, []).append(Macro(name, params, first, d.last, d, amd, nvidia))


def _both(parent: Branch | None, world: World, own: Truth) -> Truth:
    outer = True if parent is None else (parent.amd if world == "amd" else parent.nvidia)
    return conjunction(outer, own)


def conjunction(a: Truth, b: Truth) -> Truth:
    if a is False or b is False:
        return False
    return True if a and b else None


def _condition(out: Preprocessed, d: Directive, world: World) -> Truth:
    if d.first >= d.last:
        return None
    if d.name in ("ifdef", "ifndef", "elifdef", "elifndef"):
        defined = out.is_defined(out.tokens.texts[d.first], world, d.start)
        return defined if d.name in ("ifdef", "elifdef") or defined is None else not defined
    value = evaluate(
        out.tokens,
        d.first,
        d.last,
        lambda n: out._value(n, world, d.start),
        lambda n: out.is_defined(n, world, d.start),
    )
    return None if value is None else bool(value)


def _otherwise(out: Preprocessed, conditional: Conditional, d: Directive, world: World) -> Truth:
    """Truth of an ``#elif`` or ``#else``: no earlier branch, and its own condition."""
    before = conditional.branches[-1]
    own = before.own_amd if world == "amd" else before.own_nvidia
    if before.opener.name in ("elif", "elifdef", "elifndef") and own is not False:
        own = _condition(out, before.opener, world)
    open_yet = conjunction(
        conditional.none_amd if world == "amd" else conditional.none_nvidia, None if own is None else not own
    )
    if world == "amd":
        conditional.none_amd = open_yet
    else:
        conditional.none_nvidia = open_yet
    if conditional.default:
        return False
    return conjunction(True if d.name == "else" else _condition(out, d, world), open_yet)


_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a) or bool(b))),
    "&&": (2, lambda a, b: int(bool(a) and bool(b))),
    "|": (3, lambda a, b: a | b),
    "^": (4, lambda a, b: a ^ b),
    "&": (5, lambda a, b: a & b),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, lambda a, b: a << b if 0 <= b < 64 else 0),
    ">>": (8, lambda a, b: a >> b if 0 <= b < 64 else 0),
    "+": (9, lambda a, b: a + b),
    "-": (9, lambda a, b: a - b),
    "*": (10, lambda a, b: a * b),
    "/": (10, lambda a, b: _divide(a, b)),
    "%": (10, lambda a, b: a - b * _divide(a, b)),
}
_SIZES: Mapping[str, int] = {
    "char": 1, "bool": 1, "uint8_t": 1, "int8_t": 1, "half": 2, "__half": 2, "short": 2, "uint16_t": 2, "int16_t": 2, "__nv_bfloat16": 2,
    "int": 4, "unsigned": 4, "float": 4, "uint32_t": 4, "int32_t": 4, "half2": 4, "__half2": 4, "double": 8, "float2": 8, "int2": 8,
    "uint64_t": 8, "int64_t": 8, "size_t": 8, "long": 8, "float4": 16, "int4": 16, "uint4": 16, "double2": 16, "uint2": 8,
}  # fmt: skip
_TYPE_WORDS = frozenset({*_SIZES, "const", "signed", "std", "constexpr"})


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise ZeroDivisionError
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def number(text: str) -> int | None:
    """Value of an integer literal in C++ spelling."""
    digits = text.replace("'", "").rstrip("uUlLzZ")
    try:
        if digits[:2] in ("0x", "0X"):
            return int(digits, 16)
        if digits[:2] in ("0b", "0B"):
            return int(digits, 2)
        if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
            return int(digits, 8)
        return int(digits)
    except ValueError:
        return None


def evaluate(
    tokens: Tokens,
    first: int,
    last: int,
    value_of: Callable[[str], int | None],
    is_defined: Callable[[str], Truth] | None = None,
) -> int | None:
    """Value of the integer expression in the tokens ``[first, last)``; None when it cannot be known."""
    try:
        reader = _Reader(tokens, first, last, value_of, is_defined)
        value = reader.expression(0)
        return value if reader.i >= last else None
    except (IndexError, ZeroDivisionError, _NoExpression, RecursionError, OverflowError):
        return None


class _NoExpression(Exception):
    pass


class _Reader:
    """Precedence climbing over tokens; unknown operands make unknown results, except where && and || decide."""

    def __init__(
        self,
        tokens: Tokens,
        first: int,
        last: int,
        value_of: Callable[[str], int | None],
        is_defined: Callable[[str], Truth] | None,
    ) -> None:
        self.t, self.i, self.last, self.value_of, self.is_defined = tokens, first, last, value_of, is_defined

    def peek(self) -> str:
        while self.i < self.last and (self.t.texts[self.i] == "\\" or self.t.kinds[self.i] == DIRECTIVE):
            self.i += 1
        return self.t.texts[self.i] if self.i < self.last else ""

    def expression(self, level: int) -> int | None:
        left = self.operand()
        while True:
            op = self.peek()
            if op == "?" and level == 0:
                self.i += 1
                yes = self.expression(0)
                if self.peek() != ":":
                    raise _NoExpression
                self.i += 1
                no = self.expression(0)
                left = (yes if yes == no else None) if left is None else (yes if left else no)
                continue
            found = _BINARY.get(op)
            if found is None or found[0] <= level:
                return left
            self.i += 1
            right = self.expression(found[0])
            if op == "||" and (left or right):
                left = 1
            elif op == "&&" and (left == 0 or right == 0):
                left = 0
            elif left is None or right is None:
                left = None
            else:
                left = found[1](left, right)

    def operand(self) -> int | None:
        t = self.peek()
        kind = self.t.kinds[self.i] if self.i < self.last else 0
        self.i += 1
        if t == "!":
            value = self.operand()
            return None if value is None else int(not value)
        if t in ("-", "+", "~"):
            value = self.operand()
            return None if value is None else {"-": -value, "+": value, "~": ~value}[t]
        if t == "(":
            close = self.t.match.get(self.i - 1)
            if close is not None and self._is_cast(self.i, close):
                self.i = close + 1
                return self.operand()
            value = self.expression(0)
            if self.peek() != ")":
                raise _NoExpression
            self.i += 1
            return value
        if kind == NUMBER:
            return number(t)
        if kind != WORD:
            raise _NoExpression
        if t == "defined":
            bracket = self.peek() == "("
            self.i += bracket
            name = self.peek()
            self.i += 1 + bracket
            truth = self.is_defined(name) if self.is_defined else None
            return None if truth is None else int(truth)
        if t == "__has_include" and self.peek() == "(":
            close = self._partner()
            header = "".join(self.t.texts[self.i + 1 : close]).strip('<>"')
            self.i = close + 1
            return self.value_of(f"{HAS_INCLUDE}{header}")
        if t == "sizeof" and self.peek() == "(":
            close = self._partner()
            inside = [x for x in self.t.texts[self.i + 1 : close] if x not in ("const", "std", "::")]
            self.i = close + 1
            if inside[-1:] == ["*"]:
                return 8
            if inside and "long" in inside:
                return 8
            return _SIZES.get(inside[-1]) if inside and len(inside) <= 2 else None
        if t in ("static_cast", "reinterpret_cast") and self.peek() == "<":
            while self.peek() not in (">", ""):
                self.i += 1
            self.i += 1
            return self.operand()
        while self.peek() == "::" and self.i + 1 < self.last and self.t.kinds[self.i + 1] == WORD:
            t = self.t.texts[self.i + 1]
            self.i += 2
        if self.peek() in ("(", "{") and t in _TYPE_WORDS:
            close = self._partner()
            self.i += 1
            value = self.expression(0)
            self.i = close + 1
            return value
        if self.peek() in ("(", "[", "{"):
            # a call or a subscript: unknown, but readable
            self.i = self._partner() + 1
            return None
        while self.peek() in (".", "->"):
            self.i += 2
            t = ""
        return self.value_of(t) if t else None

    def _partner(self) -> int:
        close = self.t.match.get(self.i)
        if close is None:
            raise _NoExpression
        return close

    def _is_cast(self, first: int, close: int) -> bool:
        if close + 1 >= self.last:
            return False
        named = False
        for i in range(first, close):
            word = self.t.texts[i]
            if word not in ("::", "*"):
                if word not in _TYPE_WORDS:
                    return False
                named = True
        return named
