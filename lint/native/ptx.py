"""Inline assembly: is it PTX, what does it do, and how does plain CUDA C++ say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from .lanes import style
from .lexer import STRING
from .unit import Unit

_PTX = re.compile(
    r"%%?(?:laneid|lanemask_\w\w|globaltimer\w*|clock(?:64)?|smid|nsmid|warpid|nwarpid|ctaid|nctaid|tid|ntid|gridid|cluster\w*|dynamic_smem_size)\b"
    r"|\.(?:reg|pred|param)\b|\.(?:u|s|b|f|bf)(?:8|16|32|64|128)(?:x2)?\b|\.e4m3|\.e5m2"
    r"|\b(?:membar|fence)\.|\bbar\.(?:sync|arrive|red)|\bbarrier\.|\bmbarrier\.|\bcp\.async|\bwgmma\.|\bmma\.|\bldmatrix\.|\bstmatrix\.|\bredux\."
    r"|\bgriddepcontrol\.|\bsetmaxnreg\.|\bprefetch(?:u)?\.|\bdiscard\.|\belect\.sync|\btcgen05\.|\bmultimem\.|\bcreatepolicy\.|\bnanosleep|\bmapa\."
    r"|\bapplypriority\.|\bactivemask\.|^\s*(?:trap|brkpt|exit)\s*;|\bgetctarank\b|\bcvta\.|\btensormap\."
)


# AMD's own instructions, and clang's way to name an LLVM intrinsic
_GCN = re.compile(
    r"\b(?:v|s|ds|buffer|flat|scratch|image|tbuffer)_[a-z0-9_]+|\bglobal_(?:load|store|atomic)|^llvm\."
)


@dataclass(slots=True)
class Operand:
    constraint: str
    text: str


@dataclass(slots=True)
class Asm:
    """One ``asm`` statement. ``first`` is the ``asm`` word, ``close`` the closing bracket (token indices)."""

    first: int
    close: int
    code: str
    operands: list[Operand] = field(default_factory=list)
    outputs: int = 0

    def text(self, n: int) -> str:
        return self.operands[n].text


def statements(unit: Unit) -> Iterator[Asm]:
    """The PTX statements that reach an AMD compiler."""
    for word in ("asm", "__asm__", "__asm"):
        for i in unit.words(word):
            found = _read(unit, i)
            if found is not None and _PTX.search(found.code) and not _GCN.search(found.code):
                yield found


def _read(unit: Unit, i: int) -> Asm | None:
    texts = unit.texts
    n = unit.next(i)
    while n < len(texts) and texts[n] in ("volatile", "__volatile__", "__volatile", "inline", "goto"):
        n = unit.next(n)
    if n >= len(texts) or texts[n] != "(" or n not in unit.tokens.match:
        return None
    close = unit.tokens.match[n]
    k = unit.next(n)
    code = []
    while k < close and texts[k] not in (":", "::"):
        if unit.tokens.kinds[k] == STRING:
            code.append(_content(texts[k]))
        k = unit.next(k)
    found = Asm(i, close, "".join(code))
    section = 0
    while k < close:
        t = texts[k]
        if t in (":", "::"):
            section += len(t)
            k = unit.next(k)
            continue
        if section <= 2 and unit.tokens.kinds[k] == STRING:
            constraint = _content(t)
            opened = unit.next(k)
            if texts[opened] != "(" or opened not in unit.tokens.match:
                return found
            last = unit.tokens.match[opened]
            found.operands.append(Operand(constraint, unit.slice(opened + 1, last)))
            if section == 1:
                found.outputs += 1
            k = last
        k = unit.next(k)
    return found


def _content(literal: str) -> str:
    if literal.startswith(("R", "LR", "uR", "UR", "u8R")):
        opened = literal.index("(")
        return literal[opened + 1 : literal.rindex(")")]
    return (
        literal[literal.index('"') + 1 : -1].replace("\\n", "\n").replace("\\t", " ")
        if '"' in literal
        else ""
    )


def single(asm: Asm) -> tuple[str, list[str]] | None:
    """(instruction, operands) of a statement with just one instruction, without braces and predicates."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", asm.code).strip()
    m = re.fullmatch(
        r"\{?\s*([a-z_][\w.:]*)\s*([^;{}]*|\{[^{}]*\}\s*,[^;{}]*|[^;{}]*,\s*\{[^{}]*\})\s*;?\s*\}?\s*;?", code
    )
    if m is None:
        return None
    vector = re.findall(r"\{[^{}]*\}|[^,{}]+", m.group(2))
    return m.group(1), [v.strip() for v in vector if v.strip()]


_SPECIAL = {
    "%smid": "__smid()",
    "%clock": "static_cast<unsigned>(clock64())",
    "%clock64": "clock64()",
    "%globaltimer": "wall_clock64()",
}
_LANE_MASKS = {
    "lt": "(1u << {lane}) - 1u",
    "le": "(2u << {lane}) - 1u",
    "eq": "1u << {lane}",
    "ge": "~((1u << {lane}) - 1u)",
    "gt": "~((2u << {lane}) - 1u)",
}
_FENCES = {
    "cta": "__threadfence_block();",
    "gl": "__threadfence();",
    "gpu": "__threadfence();",
    "sys": "__threadfence_system();",
}
_UNARY = {
    "ex2.approx": "exp2f({0})", "lg2.approx": "__log2f({0})", "tanh.approx": "tanhf({0})", "rcp.approx": "1.0f / ({0})", "rcp.rn": "1.0f / ({0})",
    "rsqrt.approx": "rsqrtf({0})", "sqrt.approx": "sqrtf({0})", "sqrt.rn": "sqrtf({0})", "sin.approx": "__sinf({0})", "cos.approx": "__cosf({0})",
}  # fmt: skip
_TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char", "u16": "unsigned short", "s16": "short", "b16": "unsigned short",
    "u32": "unsigned", "s32": "int", "b32": "unsigned", "f32": "float", "u64": "unsigned long long", "s64": "long long",
    "b64": "unsigned long long", "f64": "double",
}  # fmt: skip


def portable(unit: Unit, asm: Asm) -> list[str] | None:
    """Statements in CUDA C++ that do the same on AMD; None where there is no plain counterpart."""
    parts = single(asm)
    if parts is None:
        return None
    name, operands = parts
    args = [_argument(asm, o) for o in operands]
    lane = "__lane_id()" if style(unit) == "wave" else "__lane_id() & 31"
    if name.startswith("mov.") and len(operands) == 2 and args[0]:
        special = operands[1].replace("%%", "%")
        if special == "%laneid":
            return [f"{args[0]} = {lane};"]
        m = re.fullmatch(r"%lanemask_(\w\w)", special)
        if m and m.group(1) in _LANE_MASKS and style(unit) != "wave":
            return [f"{args[0]} = {_LANE_MASKS[m.group(1)].format(lane=f'({lane})')};"]
        if special in _SPECIAL:
            return [f"{args[0]} = {_SPECIAL[special]};"]
        return None
    m = re.fullmatch(r"(?:membar|fence(?:\.acq_rel|\.sc|\.proxy\.none)?)\.(cta|gl|gpu|sys)", name)
    if m and not operands:
        return [_FENCES[m.group(1)]]
    if name in (
        "bar.sync",
        "barrier.sync",
        "barrier.cta.sync",
        "barrier.sync.aligned",
        "barrier.cta.sync.aligned",
    ) and operands == ["0"]:
        return ["__syncthreads();"]
    if name == "bar.warp.sync":
        return [
            '__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");',
            "__builtin_amdgcn_wave_barrier();",
            '__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");',
        ]
    if name in ("trap", "brkpt"):
        return ["__builtin_trap();"]
    if name.startswith(
        ("prefetch.", "prefetchu.", "griddepcontrol.", "setmaxnreg.", "discard.", "applypriority.")
    ):
        return ["// only a hint for NVIDIA hardware"]
    if name == "nanosleep.u32":
        return ["__builtin_amdgcn_s_sleep(1);"]
    if _SCOPED.fullmatch(name):
        return _scoped(asm, name, operands)
    if None in args:
        return None
    if name.startswith("lop3.") and len(args) == 5:
        return _lop3(unit, asm, args)
    if name == "prmt.b32" and len(args) == 4:
        return [f"{args[0]} = __byte_perm({args[1]}, {args[2]}, {args[3]});"]
    m = re.fullmatch(r"shf\.([lr])\.(wrap|clamp)\.b32", name)
    if m and len(args) == 4:
        suffix = "c" if m.group(2) == "clamp" else ""
        return [f"{args[0]} = __funnelshift_{m.group(1)}{suffix}({args[1]}, {args[2]}, {args[3]});"]
    if name == "bfind.u32" and len(args) == 2:
        return [f"{args[0]} = 31 - __clz({args[1]});"]  # -1 for 0, as PTX has it
    if name == "vabsdiff4.u32.u32.u32.add" and len(args) == 4:
        return [f"{args[0]} = __builtin_amdgcn_sad_u8({args[1]}, {args[2]}, {args[3]});"]
    if name in ("bfe.u32",) and len(args) == 4:
        return [f"{args[0]} = __bitextract_u32({args[1]}, {args[2]}, {args[3]});"]
    m = re.fullmatch(r"([a-z0-9]+\.[a-z]+)(?:\.ftz)?\.f32", name)
    if m and m.group(1) in _UNARY and len(args) == 2:
        return [f"{args[0]} = {_UNARY[m.group(1)].format(args[1])};"]
    return _memory(asm, name, operands)


_SCOPED = re.compile(
    r"(ld|st|red|atom)(?=(?:\.\w+)*\.(?:cta|gpu|sys)\b)(?=(?:\.\w+)*\.(?:relaxed|acquire|release|acq_rel)\b)((?:\.(?:cta|gpu|sys|relaxed|acquire|release"
    r"|acq_rel|global|add|and|or|xor|min|max|exch))+)\.([usbf](?:8|16|32|64))"
)
_SCOPES = {"cta": "WORKGROUP", "gpu": "AGENT", "sys": "SYSTEM"}
_ATOMICS = {n: f"__hip_atomic_fetch_{n}" for n in ("add", "and", "or", "xor", "min", "max")} | {"exch": "__hip_atomic_exchange"}  # fmt: skip


def _scoped(asm: Asm, name: str, operands: list[str]) -> list[str] | None:
    """A load, store or atomic with a memory order and a scope: HIP's builtins have both."""
    m = _SCOPED.fullmatch(name)
    if m is None or m.group(3) not in _TYPES:
        return None
    words = m.group(2).split(".")[1:]
    scope = next(f"__HIP_MEMORY_SCOPE_{_SCOPES[w]}" for w in words if w in _SCOPES)
    order = next(f"__ATOMIC_{w.upper()}" for w in words if w in ("relaxed", "acquire", "release", "acq_rel"))
    operation = next((_ATOMICS[w] for w in words if w in _ATOMICS), None)
    kind = _TYPES[m.group(3)]
    place = next((o for o in operands if o.startswith("[")), "")
    pointer = re.fullmatch(r"\[\s*%(\d+)\s*(?:\+\s*(\d+)\s*)?\]", place)
    values = [_argument(asm, o) for o in operands if o != place]
    if pointer is None or None in values or int(pointer.group(1)) >= len(asm.operands):
        return None
    registers = [int(o[1:]) for o in operands if re.fullmatch(r"%\d+", o)]
    if m.group(3)[0] == "b" and any(set("fd") & set(asm.operands[r].constraint) for r in registers):
        return None  # the bits of a float: no conversion
    where = asm.text(int(pointer.group(1)))
    if pointer.group(2):
        where = f"reinterpret_cast<const char*>({where}) + {pointer.group(2)}"
    if m.group(1) == "ld" and len(values) == 1 and operation is None:
        address = f"reinterpret_cast<const {kind}*>({where})"
        return [f"{values[0]} = __hip_atomic_load({address}, {order}, {scope});"]
    address = f"({kind}*)({where})"
    if m.group(1) == "st" and len(values) == 1 and operation is None:
        return [f"__hip_atomic_store({address}, static_cast<{kind}>({values[0]}), {order}, {scope});"]
    if (
        operation is None
        or len(values) != (1 if m.group(1) == "red" else 2)
        or m.group(1) not in ("red", "atom")
    ):
        return None
    call = f"{operation}({address}, static_cast<{kind}>({values[-1]}), {order}, {scope});"
    return [call if m.group(1) == "red" else f"{values[0]} = {call}"]


def _argument(asm: Asm, operand: str) -> str | None:
    """The C++ expression behind ``%0``, or the immediate itself."""
    m = re.fullmatch(r"%(\d+)", operand)
    if m:
        n = int(m.group(1))
        return asm.text(n) if n < len(asm.operands) else None
    return operand if re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", operand) else None


def _lop3(unit: Unit, asm: Asm, args: list[str | None]) -> list[str] | None:
    """A look-up of three bits as an expression of ``&``, ``|``, ``^`` and ``~``."""
    out, a, b, c, table = (str(x) for x in args)
    try:
        lut = int(table, 0)
    except ValueError:
        values = unit.values(table.strip("() "))
        value = next(iter(values)) if len(values) == 1 else None
        if value is None:
            return None
        lut = value
    a, b, c = (x if re.fullmatch(r"[\w.\[\]]+", x) else f"({x})" for x in (a, b, c))
    expression = boolean(lut, a, b, c)
    return [f"{out} = {expression};"] if expression else None


def boolean(lut: int, a: str, b: str, c: str) -> str | None:
    """The shortest expression over two operators with this truth table (PTX's 0xF0, 0xCC, 0xAA)."""
    leaves = [(0xF0, a), (0xCC, b), (0xAA, c)]
    terms = leaves + [(~value & 0xFF, f"~{text}") for value, text in leaves]
    pairs = [
        (_apply(op, x[0], y[0]), f"({x[1]} {op} {y[1]})")
        for x, y in product(terms, terms)
        if x[1].lstrip("~") != y[1].lstrip("~")
        for op in "&|^"
    ]
    candidates = [*terms, *((v, t[1:-1]) for v, t in pairs)]
    best = next(
        (t for v, t in sorted(candidates, key=lambda p: (p[1].count("~"), len(p[1]))) if v == lut), None
    )
    if best:
        return best
    found: list[str] = []
    for pv, pt in pairs:
        for tv, tt in terms:
            for o in "&|^":
                if _apply(o, pv, tv) == lut:
                    found.append(f"{pt} {o} {tt}")
    if not found:
        for (pv, pt), (qv, qt) in product(pairs, pairs):
            for o in "&|^":
                if _apply(o, pv, qv) == lut:
                    found.append(f"{pt} {o} {qt}")
    return min(found, key=lambda t: (t.count("~"), len(t), t)) if found else None


def _apply(op: str, x: int, y: int) -> int:
    return (x & y if op == "&" else x | y if op == "|" else x ^ y) & 0xFF


def _memory(asm: Asm, name: str, operands: list[str]) -> list[str] | None:
    """A plain global load or store, cache hints left out."""
    m = re.fullmatch(
        r"(ld|ldu|st)((?:\.\w+|::\w+)*?)\.global((?:\.\w+|::\w+)*?)(?:\.(v2|v4))?\.([usbf](?:8|16|32|64))",
        name,
    )
    if (
        m is None
        or len(operands) != 2
        or m.group(5) not in _TYPES
        or re.search(r"acquire|release|relaxed|mmio", name)
    ):
        return None
    load = m.group(1) != "st"
    values, address = (operands[0], operands[1]) if load else (operands[1], operands[0])
    pointer = re.fullmatch(r"\[\s*%(\d+)\s*(?:\+\s*(\d+)\s*)?\]", address)
    regs = re.findall(r"%(\d+)", values)
    if (
        pointer is None
        or len(regs) != {None: 1, "v2": 2, "v4": 4}[m.group(4)]
        or any(int(r) >= len(asm.operands) for r in regs)
    ):
        return None
    base = asm.text(int(pointer.group(1)))
    kind = _TYPES[m.group(5)]
    where = base if not pointer.group(2) else f"reinterpret_cast<const char*>({base}) + {pointer.group(2)}"
    if load:
        lines = [
            f"{asm.text(int(r))} = reinterpret_cast<const {kind}*>({where})[{k}];" for k, r in enumerate(regs)
        ]
    else:
        lines = [f"reinterpret_cast<{kind}*>({where})[{k}] = {asm.text(int(r))};" for k, r in enumerate(regs)]
    return lines
