"""Tests of the compute capability, and what they answer on AMD cards."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .guards import case_matches
from .rocm import AMD, Rocm, known

if TYPE_CHECKING:
    from .module import Module

_FLIP = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
# Usual names of functions and constants of a repository that hand the number on.
GETTERS = frozenset(
    (
        "get_capability", "get_compute_capability", "get_cuda_capability", "get_cuda_compute_capability", "get_gpu_capability",
        "get_gpu_compute_capability", "get_sm", "get_sm_version", "get_sm_arch", "get_device_sm", "get_cuda_arch", "get_gpu_arch",
        "get_device_arch", "get_arch_version", "capability", "compute_capability", "cuda_capability", "device_capability", "gpu_capability",
        "sm_version", "device_sm", "cuda_arch", "COMPUTE_CAPABILITY", "CUDA_CAPABILITY", "DEVICE_CAPABILITY", "GPU_CAPABILITY",
        "SM_VERSION", "CUDA_ARCH", "device_capability_major", "get_device_capability_major",
    )
)  # fmt: skip
_SAYS = re.compile(r"(?:print|log\w*|warn\w*|info|debug|error|rank_zero_\w+)")


@dataclass
class Gate:
    """One comparison of a value that comes from the capability."""

    module: Module
    test: ast.Compare
    at_least: bool
    """True: the comparison holds for new cards (``>= 8``); False: for old ones (``< 8``)."""

    @cached_property
    def answers(self) -> dict[str, Any]:
        """What the comparison is worth on each AMD target."""
        return {gfx: self.module.guards.with_card(cap).value(self.test) for gfx, cap in AMD.items()}

    @cached_property
    def passing(self) -> list[str]:
        """AMD targets that are taken for a new NVIDIA card."""
        return [gfx for gfx, value in self.answers.items() if known(value) and bool(value) is self.at_least]

    @property
    def told(self) -> bool:
        return all(known(v) for v in self.answers.values())

    @property
    def answer(self) -> str:
        """One line for the finding."""
        worth = "true" if self.at_least else "false"
        if not self.told:
            return "ROCm answers with the gfx version: 9.0 to 12.0, above most NVIDIA limits"
        if len(self.passing) == len(AMD):
            return f"{worth} on every AMD card: gfx90a answers 9.0, gfx942 9.4, gfx1100 11.0"
        shown = ", ".join(f"{g} answers {AMD[g][0]}.{AMD[g][1]}" for g in self.passing[:3])
        return f"{worth} on some AMD cards: {shown}"

    @cached_property
    def harmless(self) -> bool:
        """No AMD card is taken for an NVIDIA one, or the branch only talks."""
        if self.told and not self.passing:
            return True
        branch = self.branch
        return bool(branch) and all(_talks(s) for s in branch)

    @property
    def volta(self) -> bool:
        """The limit is 7.0 or lower: what it asks for, AMD cards have too."""
        value = self.module.guards.with_card((7, 0)).value(self.test)
        return known(value) and bool(value) is self.at_least

    @cached_property
    def requirement(self) -> bool:
        """Old cards are refused: AMD passes, which is mostly right."""
        above = self._holder
        if isinstance(above, ast.Assert):
            return self.at_least
        return isinstance(above, ast.If) and not self.at_least and self._refuses(above.body)

    @cached_property
    def ampere_test(self) -> bool:
        """A mark that skips a test on cards older than 8.x: what it asks for, most AMD cards have too."""
        value = self.module.guards.with_card((8, 0)).value(self.test)
        at_8 = known(value) and bool(value) is self.at_least
        return at_8 and any(
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Attribute)
            and above.func.attr in ("skipif", "skipIf", "skipUnless")
            for above in self.module.parents(self.test)
        )

    @property
    def ampere(self) -> bool:
        """The limit is 8.x: FlashAttention 2 and SDPA's flash kernels ask for it, and AMD has both."""
        old, new = (self.module.guards.with_card(cap).value(self.test) for cap in ((7, 5), (8, 9)))
        return known(old) and known(new) and bool(new) is self.at_least and bool(old) is not self.at_least

    def _refuses(self, block: list[ast.stmt]) -> bool:
        """A block that ends the run or skips a test, perhaps under further conditions."""
        ends = [s for s in block if not _talks(s) and not isinstance(s, (ast.Assign, ast.AnnAssign))]
        return bool(ends) and all(
            isinstance(s, ast.Raise)
            or (isinstance(s, ast.Expr) and self.module.guards.exits([s]))
            or (isinstance(s, ast.If) and self._refuses(s.body) and (not s.orelse or self._refuses(s.orelse)))
            for s in ends
        )

    def about(self, *words: str) -> bool:
        """Whether the thing decided is named by one of the words and by nothing that only NVIDIA has."""
        text = self.subject.lower()
        other = re.search(
            r"fp8|float8|flash_attn_interface|fa[34](?!\d)|flash_?(?:attn|attention)?_?[34]|flash_?mla|flashinfer|(?<![a-z])tma(?![a-z])|hopper|cutlass"
            r"|marlin|deep_gemm|mxfp|nvfp|sm_?(?:9|1[0-2])\d|wgmma|tcgen",
            text,
        )
        return any(w in text for w in words) and other is None

    @cached_property
    def subject(self) -> str:
        """Text of what the gate decides: the branch, the variable, the function."""
        module, above = self.module, self._holder
        parts = [module.text(s) for s in self.branch]
        if isinstance(above, ast.If) and not self.at_least and not self.branch:
            parts += [module.text(s) for s in above.body]  # what old cards get instead says what it is about
        if isinstance(above, ast.IfExp):
            parts.append(module.text(above.body if self.at_least else above.orelse))
            holder = module.statement(above)
        else:
            holder = module.statement(self.test)
        if isinstance(holder, (ast.Assign, ast.AnnAssign)):
            parts += [
                module.text(t)
                for t in (holder.targets if isinstance(holder, ast.Assign) else [holder.target])
            ]
        if isinstance(holder, ast.Return) or any(isinstance(s, ast.Return) for s in self.branch):
            function = module.function(holder)
            parts.append(function.name if function else "")
        for node in module.parents(self.test):
            if isinstance(node, ast.keyword) and node.arg:
                parts.append(node.arg)
            if isinstance(node, ast.stmt):
                break
        return "\n".join(parts)

    @cached_property
    def branch(self) -> list[ast.stmt]:
        """Statements that a new NVIDIA card runs."""
        above = self._holder
        if not isinstance(above, ast.If):
            return []
        if self.at_least:
            return above.body
        if above.orelse:
            return above.orelse
        if self.module.guards.exits(above.body):
            block, place = self.module.siblings(above)
            return block[place + 1 :]
        return above.body if all(_talks(s) for s in above.body) else []

    @cached_property
    def _holder(self) -> ast.AST | None:
        """The statement or ternary whose condition the comparison is part of."""
        child: ast.AST = self.test
        for above in self.module.parents(self.test):
            if isinstance(above, (ast.BoolOp, ast.UnaryOp)):
                child = above
                continue
            if isinstance(above, (ast.If, ast.IfExp, ast.While, ast.Assert)) and above.test is child:
                return above
            return None
        return None


def gates(module: Module) -> Iterator[Gate]:
    """Every comparison of a capability with something else, in order."""
    seen: set[ast.AST] = set()
    found: list[Gate] = []
    for call in answers(module):
        for value in module.flow(call):
            above = module.parent(value)
            if not isinstance(above, ast.Compare) or above in seen or len(above.ops) > 2:
                continue
            if "get_device_properties" in module.text(call) and not _is_number(module, value):
                continue
            seen.add(above)
            gate = _gate(module, above, value)
            if gate is not None:
                found.append(gate)
    found.sort(key=lambda g: module.span(g.test))
    yield from (gate for gate in found if not _bounded_from_above(module, gate, found))


def answers(module: Module) -> Iterator[ast.expr]:
    """The expressions that hold the capability: the calls of torch, and those of helpers in other files."""
    if module.holds(b"get_device_capability") or module.holds(
        b"major", b"minor"
    ):  # properties: only these two count
        yield from module.calls("torch.cuda.get_device_capability")
        yield from module.calls("torch.cuda.get_device_properties")
    for word in sorted(GETTERS & module.words):
        if not _from_elsewhere(module, word):
            continue
        for hit in module.hits(word):
            if not isinstance(hit, (ast.Name, ast.Attribute)) or not isinstance(hit.ctx, ast.Load):
                continue
            above = module.parent(hit)
            value = above if isinstance(above, ast.Call) and above.func is hit else hit
            if any(module.resolver.definitions(n) for n in module.names(hit)) and _is_number(module, value):
                yield value


def _from_elsewhere(module: Module, word: str) -> bool:
    """Whether the bytes may name something of another module by this word: asked before the file is parsed."""
    data = module.source.data
    return any(
        data[max(0, at - 80) : at].rstrip(b" \t\r\n\f\\").endswith((b"import", b",", b"(", b"."))
        for at in module.places(word.encode())
    )


@dataclass
class Case:
    """A case of a ``match`` statement over the capability that AMD cards run by accident."""

    node: ast.match_case
    passing: list[str]

    @property
    def answer(self) -> str:
        """One line for the finding."""
        shown = ", ".join(f"{g} answers {AMD[g][0]}.{AMD[g][1]}" for g in self.passing[:3])
        return f"AMD cards come here: {shown}"


def cases(module: Module) -> Iterator[Case]:
    """The cases with a number that AMD cards answer, in order."""
    if not module.holds(b"match"):
        return
    seen: set[ast.AST] = set()
    for call in answers(module):
        for value in module.flow(call):
            above = module.parent(value)
            if not isinstance(above, ast.Match) or above.subject is not value or above in seen:
                continue
            seen.add(above)
            worth = {gfx: module.guards.with_card(cap).value(value) for gfx, cap in AMD.items()}
            if not all(isinstance(w, (int, float, tuple, str)) for w in worth.values()):
                continue
            for case in above.cases:
                hit = [g for g, w in worth.items() if _comes_to(module, w, above, case)]
                if hit and _has_number(case.pattern) and not all(_talks(s) for s in case.body):
                    yield Case(case, hit)


def _comes_to(module: Module, value: object, statement: ast.Match, case: ast.match_case) -> bool:
    for other in statement.cases:
        hit = case_matches(other.pattern, value)
        open_to_all = other.guard is None or module.guards.truth(other.guard) is True
        if other is case:
            return hit is True and open_to_all
        if hit is True and open_to_all:
            return False
    return False


def _has_number(pattern: ast.pattern) -> bool:
    return any(isinstance(n, ast.MatchValue) for n in ast.walk(pattern))


def _talks(stmt: ast.stmt) -> bool:
    """Whether a statement only says something."""
    if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
        return isinstance(stmt, ast.Pass)
    func = stmt.value.func
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    return bool(_SAYS.fullmatch(name))


def _bounded_from_above(module: Module, gate: Gate, gates: list[Gate]) -> bool:
    """``sm < 100`` in ``sm >= 90 and sm < 100``, ``sm >= 100`` in ``sm < 90 or sm >= 100``: the lower bound
    decides, and its fix settles both."""
    above = module.parent(gate.test)
    if not isinstance(above, ast.BoolOp) or gate.at_least is isinstance(above.op, ast.And):
        return False
    return any(
        g is not gate and g.at_least is not gate.at_least and g.passing and module.parent(g.test) is above
        for g in gates
    )


def _is_number(module: Module, value: ast.expr) -> bool:
    """Whether a value that comes from the device properties is a major or minor number."""
    rocm = Rocm(module, (9, 0))
    return known(rocm.value(value)) and rocm.asked


def _gate(module: Module, test: ast.Compare, value: ast.expr) -> Gate | None:
    op = type(test.ops[0])
    if op in (ast.Is, ast.IsNot):
        return None
    others = [o for o in (test.left, *test.comparators) if o is not value]
    if any(isinstance(o, ast.Constant) and isinstance(o.value, (str, type(None))) for o in others):
        return None
    if isinstance(value, ast.JoinedStr) or (
        op in (ast.In, ast.NotIn) and any("get_arch_list" in module.text(o) for o in others)
    ):
        return None
    if op in (ast.In, ast.NotIn) and not all(isinstance(o, (ast.Tuple, ast.List, ast.Set)) for o in others):
        return None
    if _minor_alone(module, test):
        return None
    probe = Rocm(module, (9, 0))
    for other in others:
        probe.asked = False
        probe.value(other)
        if probe.asked and len(test.ops) == 1:
            return None  # compares one capability with another
    if value is not test.left and len(test.ops) == 1:
        op = _FLIP.get(op, op)
    gate = Gate(module, test, op in (ast.Gt, ast.GtE, ast.Eq, ast.In))
    exact = op in (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
    return None if exact and not gate.told else gate


def _minor_alone(module: Module, test: ast.Compare) -> bool:
    """A comparison that does not look at the major number."""
    for minor in (0, 5, 9):
        answers = [module.guards.with_card((major, minor)).value(test) for major in range(1, 14)]
        if not all(known(a) and a == answers[0] for a in answers):
            return False
    return True
