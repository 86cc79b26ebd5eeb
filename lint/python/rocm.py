"""What an expression is worth on a ROCm build of torch, as far as a reader can tell.

One small interpreter serves two questions: does a condition hold on ROCm (guards), and what does a
test of the compute capability answer on a given AMD card (the capability rule).
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeGuard

if TYPE_CHECKING:
    from .module import Module
    from .names import Binding


class _Unknown:
    """A value that the reader cannot tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


class Present:
    """Something that is there (not None, true), whatever it is exactly."""


class Text(Present):
    """A text of which only some parts are known: ``yes`` are in it, ``no`` are not."""

    def __init__(self, yes: Sequence[str], no: Sequence[str]) -> None:
        self.yes, self.no = yes, no

    def holds(self, part: str) -> bool | _Unknown:
        part = part.lower()
        if any(part in y for y in self.yes):
            return True
        if any(n in part for n in self.no):
            return False
        return UNKNOWN


UNKNOWN: Final = _Unknown()
PRESENT: Final = Present()
NVIDIA_WORDS = (
    "nvidia", "geforce", "rtx", "gtx", "tesla", "quadro", "titan", "a100", "h100", "h200", "h800", "h20", "v100", "a800",
    "a10", "a30", "a40", "a6000", "l4", "l40", "b100", "b200", "b300", "gb200", "t4", "p100", "k80", "3090", "4090", "5090",
    "hopper", "ampere", "blackwell", "volta", "turing", "orin", "jetson",
)  # fmt: skip
DEVICE_NAME = Text(("amd", "amd "), NVIDIA_WORDS)
TORCH_VERSION = Text(("rocm", "+rocm", "+"), ("+cu", "cu1", "cuda", "cpu", "xpu"))

# What get_device_capability() answers: the gfx version.
AMD = {
    "gfx90a": (9, 0), "gfx942": (9, 4), "gfx950": (9, 5), "gfx1030": (10, 3), "gfx1100": (11, 0), "gfx1151": (11, 5), "gfx1201": (12, 0),
}  # fmt: skip
# Values on a ROCm build with a GPU, by dotted name.
FACTS: dict[str, Any] = {
    "torch.version.hip": PRESENT,
    "torch.version.rocm": PRESENT,
    "torch.version.cuda": None,
    "torch.version.xpu": None,
    "torch.__version__": TORCH_VERSION,
    "torch.version.__version__": TORCH_VERSION,
    "torch.utils.cpp_extension.CUDA_HOME": None,
    "torch.utils.cpp_extension.ROCM_HOME": PRESENT,
    "torch.utils.cpp_extension.ROCM_VERSION": PRESENT,
    "torch.utils.cpp_extension.IS_HIP_EXTENSION": True,
    "typing.TYPE_CHECKING": False,
    "typing_extensions.TYPE_CHECKING": False,
    "TYPE_CHECKING": False,
}
_ROCM = r"(?:hip|rocm|amd|amdgpu|radeon)"
_ROCM_NAME = re.compile(
    rf"_*(?:torch_?)?(?:is|on|use|using|has|have|with|running_on|build_with|enable|is_on|in)?_*(?:torch_?)?{_ROCM}"
    rf"(?:_(?:gpu|build|available|platform|backend|device|torch|pytorch|extension|runtime|enabled|installed|env|system|mode|path|home))*_*",
    re.IGNORECASE,
)
_NVIDIA_NAME = re.compile(
    r"_*(?:is|on|use|using|has|have)_*(?:nvidia|nv)(?:_(?:gpu|build|available|platform|backend|device|installed|ampere|ada|hopper|blackwell|sm_?\d+))*_*|_*nvidia_available_*"
    r"|_*is_(?:not_)?cuda_platform_*",
    re.IGNORECASE,
)
_BARE_NAME = re.compile(rf"_*(?:torch_?)?{_ROCM}_*", re.IGNORECASE)
_NVIDIA_CALL = re.compile(r"_*is_cuda(?:_build|_static)?_*", re.IGNORECASE)
_AMD_CALLS = {"is_rocm", "is_hip", "is_rocm_static", "is_hip_static", "is_amd"}
_NVIDIA_PACKAGE_CALL = re.compile(r"_*is_(?:flash_attn_[34]|deep_gemm|deep_ep)_available_*")
# Commands, folders and packages of which the presence tells the vendor.
_AMD_THINGS = re.compile(
    r"(?:.*/)?(?:rocm-smi|amd-smi|rocminfo|hipcc|hipconfig|rocm_agent_enumerator)|/opt/rocm.*|/dev/kfd|amdsmi|hip"
)
_NVIDIA_THINGS = re.compile(
    r"(?:.*/)?(?:nvidia-smi|nvcc|ptxas|nsys|ncu|cuobjdump|nvidia-settings)(?:\.exe)?|/usr/local/cuda.*|/proc/driver/nvidia.*|/dev/nvidia.*"
    r"|pynvml|tensorrt|torch_tensorrt|transformer_engine.*|flash_attn_interface|flash_attn_2_cuda|deep_gemm|deep_ep|cupy|pycuda"
    r"|numba\.cuda|cuda|nvidia.*|apex|flashinfer|cutlass"
)
# What a device or backend is compared with.
_VENDORS = {
    "hip": True, "rocm": True, "amd": True, "nvidia": False, "xpu": False, "npu": False, "mps": False, "tpu": False, "xla": False,
    "musa": False, "mlu": False, "hpu": False,
}  # fmt: skip
_ELSEWHERE = {
    "torch.xpu.is_available",
    "torch.backends.mps.is_available",
    "torch.npu.is_available",
    "torch.mps.is_available",
}
_PRESENCE = {
    "shutil.which", "os.path.exists", "os.path.isdir", "os.path.isfile", "importlib.util.find_spec", "distutils.spawn.find_executable",
}  # fmt: skip

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}  # fmt: skip
_CONVERT: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "tuple": tuple,
    "list": list,
    "max": max,
    "min": min,
}


class Rocm:
    """Evaluates expressions of one module in that world.

    With ``capability`` given, the calls that ask for it answer with it; ``asked`` says afterwards whether any did.
    """

    def __init__(self, module: Module, capability: tuple[int, int] | None = None) -> None:
        self.module = module
        self.capability = capability
        self.asked = False
        self._running: set[ast.AST] = set()
        self._known: dict[ast.AST, Any] = {}

    def truth(self, node: ast.expr) -> bool | None:
        """True, False, or None when nobody can tell."""
        return _truth(self.value(node))

    def value(self, node: ast.expr) -> Any:
        if node in self._known:
            return self._known[node]
        if node in self._running or len(self._running) > 60:
            return UNKNOWN
        self._running.add(node)
        try:
            result = self._value(node)
        except (TypeError, ValueError, KeyError, IndexError, ZeroDivisionError, OverflowError, MemoryError):
            result = UNKNOWN
        finally:
            self._running.discard(node)
        self._known[node] = result
        return result

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.UnaryOp(op=ast.Not()):
                truth = self.truth(node.operand)
                return UNKNOWN if truth is None else not truth
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(node.operand)
            case ast.BoolOp():
                return self._bool(node)
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                truth = self.truth(node.test)
                if truth is None:
                    first, second = self.value(node.body), self.value(node.orelse)
                    return (
                        first
                        if first is second or (known(first) and known(second) and first == second)
                        else UNKNOWN
                    )
                return self.value(node.body if truth else node.orelse)
            case ast.Tuple() | ast.List() | ast.Set():
                items = [self.value(e) for e in node.elts]
                return tuple(items) if all(map(known, items)) else UNKNOWN
            case ast.Subscript():
                owner = self.value(node.value)
                if isinstance(node.slice, ast.Slice) or not known(owner) or isinstance(owner, Present):
                    return UNKNOWN
                return owner[self.value(node.slice)]
            case ast.BinOp() if type(node.op) in _BINARY:
                left, right = self.value(node.left), self.value(node.right)
                if (
                    not (known(left) and known(right))
                    or isinstance(left, Present)
                    or isinstance(right, Present)
                ):
                    return UNKNOWN
                if isinstance(left, (str, tuple)) and isinstance(node.op, ast.Mult):
                    return UNKNOWN
                return _BINARY[type(node.op)](left, right)
            case ast.JoinedStr():
                parts = [self.value(v.value if isinstance(v, ast.FormattedValue) else v) for v in node.values]
                plain = all(known(p) and not isinstance(p, Present) for p in parts)
                return "".join(map(str, parts)) if plain else UNKNOWN
            case ast.NamedExpr():
                return self.value(node.value)
            case ast.Call():
                return self._call(node)
        return UNKNOWN

    def _bool(self, node: ast.BoolOp) -> Any:
        stop = isinstance(node.op, ast.Or)
        unknown = False
        value: Any = UNKNOWN
        for operand in node.values:
            value = self.value(operand)
            truth = _truth(value)
            if truth is stop:
                # "x or True" is true, whatever x is; its exact value is known only without unknowns before.
                return value if not unknown else (PRESENT if stop else False)
            unknown = unknown or truth is None
        return UNKNOWN if unknown else value

    def _compare(self, node: ast.Compare) -> Any:
        left = node.left
        result: Any = True
        for op, right in zip(node.ops, node.comparators, strict=True):
            result = self._compare_two(op, left, right)
            if _truth(result) is not True:
                return result
            left = right
        return result

    def _compare_two(self, op: ast.cmpop, left_node: ast.expr, right_node: ast.expr) -> Any:
        left, right = self.value(left_node), self.value(right_node)
        if isinstance(op, (ast.Is, ast.IsNot)) or (
            isinstance(op, (ast.Eq, ast.NotEq)) and (left is None or right is None)
        ):
            if not (known(left) and known(right)):
                return UNKNOWN
            if left is None or right is None or (isinstance(left, bool) and isinstance(right, bool)):
                same = left is right
            elif isinstance(left, str) and isinstance(right, str):
                same = left == right  # members of an enumeration stand for their values here
            else:
                return UNKNOWN
            return same if isinstance(op, (ast.Is, ast.Eq)) else not same
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(left, str) and isinstance(right, Text):
            holds = right.holds(left)
            return holds if holds is UNKNOWN or isinstance(op, ast.In) else not holds
        untold = [v for v in (left, right) if not known(v) or isinstance(v, Present)]
        if isinstance(op, (ast.Eq, ast.NotEq)) and untold:
            name = left if isinstance(left, str) else right if isinstance(right, str) else ""
            vendor = _VENDORS.get(name.lower())
            if name == "cuda" and self._knows_hip(left_node if isinstance(right, str) else right_node):
                vendor = False
            if vendor is not None:
                return vendor if isinstance(op, ast.Eq) else not vendor
        if not (known(left) and known(right)) or isinstance(left, Present) or isinstance(right, Present):
            return UNKNOWN
        return _COMPARE[type(op)](left, right)

    def _knows_hip(self, node: ast.expr) -> bool:
        """Whether the file compares the same thing with "hip" too: then "cuda" means NVIDIA."""
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if not name or b"hip" not in self.module.source.data:
            return False
        pattern = rf"\b{name}\b\s*(?:==|!=|in|not in)\s*[^\n]{{0,40}}[\"']hip[\"']".encode()
        return re.search(pattern, self.module.source.data) is not None

    # ------------------------------------------------------------------ names

    def _name(self, node: ast.Name | ast.Attribute) -> Any:
        module = self.module
        names = module.names(node)
        for name in names:
            if name in FACTS:
                return FACTS[name]
        if isinstance(node, ast.Attribute):
            if node.attr in ("major", "minor") and self._is_properties(node.value):
                self.asked = True
                if self.capability is not None:
                    return self.capability[node.attr == "minor"]
                return UNKNOWN
            if node.attr == "name" and self._is_properties(node.value):
                return DEVICE_NAME
            if node.attr == "backend" and any(
                n.endswith("get_current_target") for n in self._called(node.value)
            ):
                return "hip"
        last = node.id if isinstance(node, ast.Name) else node.attr
        if by_name(last, clear=True) is PRESENT:
            return PRESENT
        everything = module.resolver.bound_to(node)
        bound = [b for b in everything if b.kind not in ("def", "class")]
        agreed = self._agreed(bound)
        if not known(agreed) and 1 < len(bound) < 9 and len(self._running) < 25:
            agreed = self._agreed(self._in_force(bound, node))
        if known(agreed):
            return agreed
        if isinstance(node, ast.Attribute) and len(everything) == 1 and is_property(everything[0].node):
            return self.returned(everything[0].node)
        for name in names:
            found = self._elsewhere(name)
            if known(found):
                return found
        if any(b.kind == "arg" for b in bound) and len(last) < 4:
            return UNKNOWN
        return by_name(last)

    def _agreed(self, bound: Sequence[Binding]) -> Any:
        """The value that all bindings give."""
        values = [
            self._bound(b.value, b.index) if b.value is not None and b.kind in ("assign", "item") else UNKNOWN
            for b in bound
        ]
        if values and all(known(v) for v in values) and all(_same(v, values[0]) for v in values):
            return values[0]
        return UNKNOWN

    def _in_force(self, bound: Sequence[Binding], use: ast.expr) -> list[Binding]:
        """The bindings that ROCm runs, without those that a later one always replaces before the use."""
        module = self.module
        kept = [b for b in bound if not module.guards.guarded(b.node)]
        kept.sort(key=lambda b: module.span(b.node))
        for place in range(len(kept) - 1, 0, -1):
            last = kept[place]
            seen = module.span(use) > module.span(last.node) or module.scope(use) is not last.scope
            if seen and self._certain(last):
                return kept[place:]
        return kept

    def _certain(self, binding: Binding) -> bool:
        """Whether ROCm always runs the statement that binds, once its scope is run."""
        child: ast.AST = self.module.statement(binding.node)
        for above in self.module.parents(child):
            if above is binding.scope:
                return True
            if isinstance(above, ast.If):
                if self.truth(above.test) is not (child in above.body):
                    return False
            elif not isinstance(above, ast.With):
                return False
            child = above
        return False

    def _bound(self, value: ast.expr, index: int | None) -> Any:
        result = self.value(value)
        if index is None or not known(result):
            return result
        return result[index] if isinstance(result, tuple) else UNKNOWN

    def _elsewhere(self, dotted: str) -> Any:
        found = self.module.resolver.definitions(dotted)
        if not found or any(b.kind not in ("assign", "item") for _, b in found):
            return UNKNOWN
        other = found[0][0]
        there = self._at(other)
        bound = [b for m, b in found if m is other]
        result = there._agreed(bound)
        if not known(result) and len(bound) > 1:
            bound = [b for b in bound if not other.guards.guarded(b.node)]
            last = max(bound, key=lambda b: other.span(b.node), default=None)
            result = there._agreed([last] if last is not None and there._certain(last) else bound)
        self._note(result, other.guards.rocm._agreed(bound))
        return result

    def _note(self, with_card: Any, without: Any) -> None:
        """A value of another file that is known only with a capability comes from it."""
        self.asked = self.asked or (known(with_card) and not known(without))

    def _at(self, other: Module) -> Rocm:
        """The same world, seen from another file."""
        return other.guards.rocm if self.capability is None else other.guards.with_card(self.capability)

    def _is_properties(self, node: ast.expr) -> bool:
        return any(n == "torch.cuda.get_device_properties" for n in self._called(node))

    def _called(self, node: ast.expr) -> frozenset[str]:
        """Names of the function whose result an expression is."""
        if isinstance(node, ast.Call):
            return self.module.names(node.func)
        found: frozenset[str] = frozenset()
        for binding in self.module.resolver.bound_to(node):
            if binding.kind == "assign" and isinstance(binding.value, ast.Call):
                found |= self.module.names(binding.value.func)
        return found

    # ------------------------------------------------------------------ calls

    def _call(self, node: ast.Call) -> Any:
        names = self.module.names(node.func)
        if "torch.cuda.get_device_capability" in names:
            self.asked = True
            return self.capability if self.capability is not None else UNKNOWN
        if self.capability is not None and "torch.cuda.is_available" in names:
            return True  # there is a card that answers
        if "torch.cuda.get_device_name" in names:
            return DEVICE_NAME
        own = self.module.names(node) & FACTS.keys()  # getattr(torch.version, "hip", None)
        if own:
            return FACTS[next(iter(own))]
        if names & _ELSEWHERE:
            return False
        if names & _PRESENCE and node.args:
            thing = self.value(node.args[0])
            if isinstance(thing, str):
                if _AMD_THINGS.fullmatch(thing):
                    return PRESENT
                if _NVIDIA_THINGS.fullmatch(thing):
                    return None
            return UNKNOWN
        if "hasattr" in names and len(node.args) == 2:
            attr = self.value(node.args[1])
            if attr == "hip" and "torch" in self.module.names(node.args[0]):
                return False  # there is torch.version.hip, but no module torch.hip
            if attr in ("hip", "gcnArchName"):
                return True
            return UNKNOWN
        if "isinstance" in names and len(node.args) == 2 and self.value(node.args[0]) is None:
            return False
        if "any" in names and len(node.args) == 1 and self._looks_for_gfx(node.args[0]):
            return True
        if (
            names & {"os.environ.get", "os.getenv"}
            and node.args
            and self.value(node.args[0]) in ("ROCM_HOME", "ROCM_PATH", "HIP_PATH")
        ):
            return PRESENT
        if "bool" in names and len(node.args) == 1:
            truth = self.truth(node.args[0])
            return UNKNOWN if truth is None else truth
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in ("lower", "upper", "strip", "casefold")
            and not node.args
        ):
            owner = self.value(node.func.value)
            return (
                owner
                if isinstance(owner, Text)
                else getattr(owner, node.func.attr)()
                if isinstance(owner, str)
                else UNKNOWN
            )
        if isinstance(node.func, ast.Attribute) and node.func.attr == "startswith" and len(node.args) == 1:
            owner, start = self.value(node.func.value), self.value(node.args[0])
            if isinstance(owner, Text) and isinstance(start, str):
                return owner.holds(start)
            return (
                owner.startswith(start)
                if isinstance(owner, str) and isinstance(start, (str, tuple))
                else UNKNOWN
            )
        if len(names) == 1 and next(iter(names)) in _CONVERT and not node.keywords:
            args = [self.value(a) for a in node.args]
            if all(known(a) and not isinstance(a, Present) for a in args):
                return _CONVERT[next(iter(names))](*args)
            return UNKNOWN
        last = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        if by_name(last, clear=True) is PRESENT:
            return PRESENT
        bound = self.module.resolver.bound_to(node.func)
        if len(bound) == 1 and bound[0].kind == "assign" and isinstance(bound[0].value, ast.Lambda):
            return self.value(bound[0].value.body)
        for name in names:
            found = self._function(node.func, name)
            if known(found):
                return found
        if _NVIDIA_PACKAGE_CALL.fullmatch(last):
            return False
        if _NVIDIA_CALL.fullmatch(last) and (not self._here(node.func) or _AMD_CALLS & self.module.words):
            return False  # its own is_cuda() beside an is_rocm() tells the vendors apart too
        return by_name(last)

    def _looks_for_gfx(self, node: ast.expr) -> bool:
        """``a.startswith("gfx") for a in torch.cuda.get_arch_list()``, and ``"gfx" in a`` or ``"AMD" in name``."""
        if not isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return False
        match node.elt:
            case ast.Call(func=ast.Attribute(attr="startswith"), args=[ast.Constant(value=str(part))]):
                return part.startswith(("gfx", "AMD"))
            case ast.Compare(left=ast.Constant(value=str(part)), ops=[ast.In()]):
                return part.startswith(("gfx", "AMD"))
        return False

    def _here(self, func: ast.expr) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [
            b.node
            for b in self.module.resolver.bound_to(func)
            if b.kind == "def" and isinstance(b.node, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]

    def _function(self, func: ast.expr, name: str) -> Any:
        """The value that a function of this file or of the repository returns on ROCm."""
        for definition in self._here(func):
            return self.returned(definition)
        for other, binding in self.module.resolver.definitions(name):
            if binding.kind == "def" and isinstance(binding.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                there = self._at(other)
                result = there.returned(binding.node)
                self._note(result, other.guards.rocm.returned(binding.node))
                return result
        return self._method(func) if isinstance(func, ast.Attribute) else UNKNOWN

    def _method(self, func: ast.Attribute) -> Any:
        """What a method of an object or class of another file returns: ``current_platform.is_green()``."""
        for name in self.module.names(func.value):
            for other, binding in self.module.resolver.definitions(name):
                classes = [(other, binding)]
                if binding.kind == "assign" and isinstance(binding.value, ast.Call):
                    classes = other.resolver.defined(binding.value.func)
                for holder, bound in classes:
                    if isinstance(bound.node, ast.ClassDef):
                        for method in bound.node.body:
                            if isinstance(method, ast.FunctionDef) and method.name == func.attr:
                                return self._at(holder).returned(method)
        return UNKNOWN

    def returned(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        """What a function returns, when every way through it that ROCm can take agrees."""
        if function in self._running or len(self._running) > 40:
            return UNKNOWN
        self._running.add(function)
        try:
            outcomes: list[Any] = []
            ended = self._block(function.body, outcomes)
            if not ended:
                outcomes.append(None)
        finally:
            self._running.discard(function)
        if outcomes and all(known(o) for o in outcomes):
            if all(_same(o, outcomes[0]) for o in outcomes):
                return outcomes[0]
            truths = {_truth(o) for o in outcomes}
            if truths == {True}:
                return PRESENT
            if truths == {False}:
                return False
        return UNKNOWN

    def _block(self, body: list[ast.stmt], outcomes: list[Any]) -> bool:
        """Collect what a block returns; True when it never goes on past its end."""
        for stmt in body:
            match stmt:
                case ast.Return():
                    outcomes.append(self.value(stmt.value) if stmt.value is not None else None)
                    return True
                case ast.Raise():
                    return True
                case ast.If():
                    truth = self.truth(stmt.test)
                    ends = []
                    if truth is not False:
                        ends.append(self._block(stmt.body, outcomes))
                    if truth is not True:
                        ends.append(self._block(stmt.orelse, outcomes))
                    if all(ends):
                        return True
                case ast.Try():
                    ended = self._block(stmt.body, outcomes)
                    for handler in stmt.handlers:
                        self._block(handler.body, outcomes)
                    if ended:
                        return True
                case ast.With() | ast.AsyncWith():
                    if self._block(stmt.body, outcomes):
                        return True
                case ast.For() | ast.While() | ast.AsyncFor():
                    self._block(stmt.body, outcomes)
        return False


def nvidia_only(package: str) -> bool:
    """Whether a package of this dotted name needs an NVIDIA GPU."""
    top = package.partition(".")[0]
    return any(_NVIDIA_THINGS.fullmatch(n) is not None for n in (package, top))


def is_property(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    """Whether a function is read like an attribute."""
    return isinstance(node, ast.FunctionDef) and any(
        (d.id if isinstance(d, ast.Name) else d.attr if isinstance(d, ast.Attribute) else "")
        in ("property", "cached_property")
        for d in node.decorator_list
    )


def known(value: Any) -> bool:
    return value is not UNKNOWN


def by_name(name: str, *, clear: bool = False) -> Any:
    """``IS_ROCM``, ``is_hip`` and the like mean what they say. ``clear``: only names that ask a question."""
    if _ROCM_NAME.fullmatch(name) and not (clear and _BARE_NAME.fullmatch(name)):
        return PRESENT
    if _NVIDIA_NAME.fullmatch(name):
        return False
    return UNKNOWN


def _truth(value: Any) -> bool | None:
    if value is UNKNOWN:
        return None
    if isinstance(value, Present):
        return True
    return bool(value)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Present) or isinstance(b, Present) or a is None or b is None:
        return a is b
    return type(a) is type(b) and bool(a == b)
