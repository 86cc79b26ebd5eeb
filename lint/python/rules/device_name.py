"""AMD1002: a table of NVIDIA device names that no AMD card is in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ...rules import rule
from ..fixes import indent_of, unit
from ..module import Module
from ..rocm import NVIDIA_WORDS

_AMD = re.compile(
    r"MI ?\d{3}|instinct|radeon|\bAMD\b|gfx\d|rocm|RX ?[67]9|version\.hip|is_hip", re.IGNORECASE
)
_NVIDIA = re.compile("|".join(NVIDIA_WORDS).encode(), re.IGNORECASE)
# Dense bf16 peak of one GPU as torch counts them (an MI250X is two), in FLOP/s: AMD's data sheets.
_PEAK = {"MI355X": 2500e12, "MI325X": 1307e12, "MI300X": 1307e12, "MI250X": 191.5e12}
_PEAK_NVIDIA = {"H100": (989e12, 989.4e12, 989.5e12, 990e12), "A100": (312e12,)}


@rule("AMD1002", triggers={"get_device_name", "get_device_properties"})
def device_name(module: Module) -> Iterator[Finding]:
    if not module.mentions(_NVIDIA):
        return
    reported: set[ast.AST] = set()
    for name in _names(module):
        tests = [(v, t) for v in module.flow(name) for t in _tests(module, v)]
        tests = [(v, t) for v, t in tests if not module.guarded(t)]
        if not tests:
            continue
        region = module.function(tests[0][1]) or module.tree
        tested = {w for _, t in tests for w in _words(module, t)}
        if (
            not tested
            or region in reported
            or _AMD.search(
                module.text(region)
                if region is not module.tree
                else "\n".join(map(module.text, (t for _, t in tests)))
            )
        ):
            continue
        table = _table(module, tests[0][1])
        if table is not None and _AMD.search(module.text(table)):
            continue
        reported.add(region)
        place = tests[0][1]
        refused = [t for _, t in tests if _refuses(module, t)]
        if refused:
            yield module.report(
                "AMD1002",
                refused[0],
                'refuses AMD cards: they are called "AMD Instinct MI300X" or "AMD Radeon ..."',
            )
        elif len(tested - {"nvidia"}) >= 2 or _two_numbers(module, place):
            detail = (
                'no AMD name ("AMD Instinct MI300X") is in the table: AMD cards get the default or nothing'
            )
            yield module.report("AMD1002", place, detail, _fix(module, place, table))


def _names(module: Module) -> Iterator[ast.expr]:
    yield from module.calls("torch.cuda.get_device_name")
    for node in module.hits("name"):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            owner: ast.expr = node.value
            calls = (
                [owner] if isinstance(owner, ast.Call) else [b.value for b in module.resolver.bound_to(owner)]
            )
            if any(
                isinstance(c, ast.Call) and "torch.cuda.get_device_properties" in module.names(c.func)
                for c in calls
            ):
                yield node


def _tests(module: Module, value: ast.expr) -> Iterator[ast.expr]:
    above = module.parent(value)
    if (
        isinstance(above, ast.Compare) and isinstance(above.ops[0], (ast.In, ast.NotIn, ast.Eq, ast.NotEq))
    ) or (isinstance(above, ast.Subscript) and above.slice is value):
        yield above
    elif isinstance(above, ast.Attribute) and above.attr in ("startswith", "endswith"):
        call = module.parent(above)
        if isinstance(call, ast.Call):
            yield call
    elif (
        isinstance(above, ast.Call)
        and isinstance(above.func, ast.Attribute)
        and above.func.attr == "get"
        and above.args
        and above.args[0] is value
    ) or (
        isinstance(above, ast.Call)
        and value in above.args
        and module.names(above.func) & {"re.search", "re.match", "re.findall"}
    ):
        yield above


def _table(module: Module, test: ast.expr) -> ast.Dict | ast.List | ast.Tuple | ast.Set | None:
    """The table that a name is looked up in, when it is one literal."""
    owner: ast.expr | None = None
    if isinstance(test, ast.Subscript):
        owner = test.value
    elif isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "get":
        owner = test.func.value
    elif isinstance(test, ast.Compare):
        left = test.left
        if isinstance(left, ast.Name):  # for key in TABLE: if key in name
            for binding in module.resolver.lookup(left):
                loop = module.parent(binding.node)
                loop = module.parent(loop) if isinstance(loop, ast.Tuple) else loop
                if isinstance(loop, (ast.For, ast.comprehension)):
                    owner = loop.iter
                    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
                        owner = owner.func.value
        elif not isinstance(test.comparators[0], ast.Constant):
            owner = test.comparators[0]
    if owner is None:
        return None
    if isinstance(owner, (ast.Name, ast.Attribute)):
        values = [b.value for b in module.resolver.bound_to(owner) if b.kind == "assign"]
        owner = values[0] if len(values) == 1 else None
    return owner if isinstance(owner, (ast.Dict, ast.List, ast.Tuple, ast.Set)) else None


def _words(module: Module, test: ast.expr) -> set[str]:
    """NVIDIA names that a test looks for."""
    texts = [n.value for n in module.walk(test) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    table = _table(module, test)
    if table is not None:
        elements = table.keys if isinstance(table, ast.Dict) else table.elts
        texts += [
            n.value
            for e in elements
            if e is not None
            for n in ast.walk(e)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
    found = set()
    for text in texts:
        if any(re.search(rf"(?<![a-z0-9]){re.escape(w)}(?![0-9])", text.lower()) for w in NVIDIA_WORDS):
            found.add(text.lower())
    return found


def _two_numbers(module: Module, test: ast.expr) -> bool:
    """``989e12 if "H100" in name else 312e12``: every other card gets the number of an NVIDIA one."""
    above = module.parent(test)
    if not isinstance(above, ast.IfExp) or above.test is not test:
        return False
    numbers = [_number(above.body), _number(above.orelse)]
    return all(n is not None and n >= 100 for n in numbers)


def _refuses(module: Module, test: ast.expr) -> bool:
    """``if "NVIDIA" not in name: raise`` and ``assert "NVIDIA" in name``."""
    above = module.parent(test)
    if isinstance(above, ast.Assert):
        return True
    negative = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotIn, ast.NotEq))
    if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
        negative, above = True, module.parent(above)
    return isinstance(above, ast.If) and negative and isinstance(above.body[-1], ast.Raise)


def _fix(module: Module, place: ast.expr, table: ast.AST | None) -> Fix | None:
    if isinstance(table, ast.Dict):
        return _rows(module, table)
    return _branches(module, place)


def _scale(known: dict[str, float]) -> float | None:
    """What one FLOP/s is in the unit of the table; None when it holds no bf16 peaks."""
    for name, values in _PEAK_NVIDIA.items():
        for text, given in known.items():
            if name in text.upper():
                for value in values:
                    for scale in (1.0, 1e-12, 1e-9):
                        if abs(given - value * scale) < value * scale * 1e-6:
                            return scale
    return None


def _number(node: ast.AST) -> float | None:
    """The value of a number that is written out: 989e12, 312 * 10**12."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.BinOp(op=ast.Mult()):
            left, right = _number(node.left), _number(node.right)
            return left * right if left is not None and right is not None else None
        case ast.BinOp(op=ast.Pow()):
            base, power = _number(node.left), _number(node.right)
            return base**power if base == 10 and power is not None and abs(power) < 30 else None
    return None


def _write(flops: float, scale: float) -> str:
    if scale == 1.0:
        return f"{flops / 1e12:g}e12"
    return f"{flops * scale:g}"


def _rows(module: Module, table: ast.Dict) -> Fix | None:
    known = {
        k.value: n for k, v in zip(table.keys, table.values, strict=True)
        if isinstance(k, ast.Constant) and isinstance(k.value, str) and (n := _number(v)) is not None
    }  # fmt: skip
    scale = _scale(known)
    first = table.keys[0] if table.keys else None
    if scale is None or first is None or len(known) != len(table.keys):
        return None
    prefix = ""
    if all("NVIDIA" in k for k in known):
        prefix = "AMD Instinct "
    lower = all(k == k.lower() for k in known)
    rows = [
        f'"{(prefix + n).lower() if lower else prefix + n}": {_write(v, scale)}' for n, v in _PEAK.items()
    ]
    start, _ = module.span(first)
    data = module.source.data
    line = data.rfind(b"\n", 0, start) + 1
    own_line = not data[line:start].strip()
    joint = f",{module.source.newline}{data[line:start].decode()}" if own_line else ", "
    from ...finding import Edit

    return Fix("safe", "add the rows of AMD cards", (Edit(start, start, joint.join(rows) + joint),))


def _branches(module: Module, place: ast.expr) -> Fix | None:
    """Rows before ``if "H100" in name: return 989e12``."""
    first = module.parent(place)
    if (
        not isinstance(first, ast.If)
        or first.test is not place
        or not isinstance(place, ast.Compare)
        or not isinstance(place.ops[0], ast.In)
    ):
        return None
    indent = indent_of(module, first)
    known: dict[str, float] = {}
    chain: ast.stmt | None = first
    while (
        isinstance(chain, ast.If)
        and isinstance(chain.test, ast.Compare)
        and isinstance(chain.test.left, ast.Constant)
    ):
        last = chain.body[-1]
        if (
            isinstance(last, (ast.Return, ast.Assign))
            and last.value is not None
            and len(chain.body) == 1
            and (n := _number(last.value)) is not None
        ):
            known[str(chain.test.left.value)] = n
        if len(chain.orelse) == 1:
            chain = chain.orelse[0]
        else:
            block, at = module.siblings(chain)
            chain = block[at + 1] if not chain.orelse and at + 1 < len(block) else None
    scale = _scale(known)
    if scale is None or indent is None:
        return None
    name = module.text(place.comparators[0])
    body = first.body[-1]
    if isinstance(body, ast.Return):
        opening = "return "
    elif isinstance(body, ast.Assign) and len(body.targets) == 1:
        opening = f"{module.text(body.targets[0])} = "
    else:
        return None
    lower = all(k == k.lower() for k in known)
    newline, step = module.source.newline, unit(module)
    rows = []
    for i, (card, flops) in enumerate(_PEAK.items()):
        word = "if" if i == 0 else "elif"
        rows.append(
            f'{word} "{card.lower() if lower else card}" in {name}:{newline}{indent}{step}{opening}{_write(flops, scale)}{newline}{indent}'
        )
    from ...finding import Edit

    start, _ = module.span(first)
    return Fix("safe", "add the branches of AMD cards", (Edit(start, start, "".join(rows) + "el"),))
