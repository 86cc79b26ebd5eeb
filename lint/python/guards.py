"""Guards: can a reader see that a place does not run on ROCm, or that its failure is caught?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from .importers import imported_by_name, importers, serves_rocm
from .rocm import AMD, PRESENT, UNKNOWN, Rocm

if TYPE_CHECKING:
    from .module import Function, Module
    from .names import Binding

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_EXITS = {"sys.exit", "exit", "quit", "os._exit", "os.abort", "pytest.skip", "unittest.skip"}
_SKIP_ROCM = re.compile(
    r"(?:skip|xfail|disable|not_?)_*\w*?(?:rocm|hip|amd)|(?:requires?|only|needs?)_*\w*?nvidia\w*",
    re.IGNORECASE,
)
_SKIPS = {"skipif", "skipIf"}
_RUNS_ONLY = {"skipUnless"}
# Folders and files for accelerators of others.
_OTHER_MAKER = re.compile(r"(?:^|[_.-])(?:ascend|npu|xpu|musa|mlu|hpu|gaudi|cann|tpu)(?:[_.-]|$)")
_CAUGHT = {
    "ImportError": {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"},
    "OSError": {
        "OSError",
        "FileNotFoundError",
        "IOError",
        "EnvironmentError",
        "CalledProcessError",
        "Exception",
        "BaseException",
    },
    "AttributeError": {"AttributeError", "Exception", "BaseException"},
    "RuntimeError": {"RuntimeError", "Exception", "BaseException"},
    "TypeError": {"TypeError", "Exception", "BaseException"},
    "Exception": {"Exception", "BaseException"},
}


class Guards:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.rocm = Rocm(module)
        self._truths: dict[ast.AST, bool | None] = {}
        self._asking: set[ast.AST] = set()
        self._guarded_nodes: dict[ast.AST, bool] = {}
        self._cards: dict[tuple[int, int], Rocm] = {}

    def truth(self, test: ast.expr) -> bool | None:
        """What a condition is worth on ROCm."""
        if test not in self._truths:
            self._truths[test] = None
            truth = self.rocm.truth(test)
            self._truths[test] = False if truth is None and self._names_no_card(test) else truth
        return self._truths[test]

    def _names_no_card(self, test: ast.expr) -> bool:
        """``capability == (8, 0)``: a number that no AMD card answers."""
        return (
            isinstance(test, ast.Compare)
            and isinstance(test.ops[0], (ast.Eq, ast.In))
            and self.module.holds(b"get_device_")
            and all(a is False for a in self._answers(test))
        )

    def _answers(self, test: ast.expr) -> Iterator[object]:
        """What an expression is worth on each AMD card."""
        for capability in AMD.values():
            yield self.with_card(capability).value(test)

    def with_card(self, capability: tuple[int, int]) -> Rocm:
        """The reader of expressions for a card with this capability; one for the whole file, as it remembers values."""
        if capability not in self._cards:
            self._cards[capability] = Rocm(self.module, capability)
        return self._cards[capability]

    def guarded(self, node: ast.AST) -> bool:
        known = self._guarded_nodes.get(node)
        if known is not None:
            return known
        if node in self._asking:
            return False
        self._asking.add(node)
        try:
            result = self._guarded_nodes[node] = self._guarded(node)
        finally:
            self._asking.discard(node)
        return result

    def _guarded(self, node: ast.AST) -> bool:
        child = node
        for above in self.module.parents(node):
            if isinstance(above, ast.BoolOp):
                # A test that stands anywhere in the chain decides what the chain is worth.
                decides = isinstance(above.op, ast.Or)
                if any(v is not child and self.truth(v) is decides for v in above.values):
                    return True
            elif isinstance(above, (ast.IfExp, ast.If, ast.While)):
                if self._in_dead_branch(above, child):
                    return True
            elif isinstance(above, _COMPREHENSIONS):
                if any(self.truth(i) is False for g in above.generators for i in g.ifs if i is not child):
                    return True
            elif isinstance(above, ast.comprehension):
                if any(self.truth(i) is False for i in above.ifs if i is not child):
                    return True
            elif isinstance(above, ast.match_case):
                if self._dead_case(above):
                    return True
            elif (
                isinstance(above, _FUNCTIONS) and child in above.body and self._function_guarded(above)
            ) or (
                isinstance(above, ast.ClassDef)
                and (
                    any(self._skips(d) for d in above.decorator_list)
                    or self._declines(above, child)
                    or (child in above.body and self._class_guarded(above))
                )
            ):
                return True
            if isinstance(child, ast.stmt) and self._left_before(above, child):
                return True
            child = above
        return self.file

    @cached_property
    def file(self) -> bool:
        """Whether the file is for another maker's chips by its place, or every import of it by others of the
        repository (tests left out) is guarded."""
        self.__dict__["file"] = False  # for files that import each other
        parts = self.module.repo.relative(self.module.source.path).split("/")
        if any(_OTHER_MAKER.search(p) for p in parts):
            return True
        if "nvidia" in parts[:-1] and serves_rocm(self.module.repo):
            return True  # models/nvidia/ beside models/amd/
        places = importers(self.module)
        if not places or len(places) > 6 or any(not indented for _, _, indented in places):
            return False
        return all(self._imported_on_nvidia(other, dotted) for other, dotted, _ in places)

    def _imported_on_nvidia(self, other: Module, dotted: str) -> bool:
        try:
            statements = {s for s, _, d in other.imports(dotted) if d == dotted or d.startswith(dotted + ".")}
            return bool(statements) and all(other.guarded(s) for s in statements)
        except SyntaxError:
            return False

    def _declines(self, owner: ast.ClassDef, child: ast.AST) -> bool:
        """Whether a class says by a method of its own that it does not work on ROCm."""
        return any(
            isinstance(m, _FUNCTIONS)
            and m is not child
            and m.name in ("is_compatible", "is_available", "is_supported")
            and any(isinstance(s, ast.If) and self._is_amd(s.test) and _says_no(s.body) for s in m.body)
            for m in owner.body
        )

    def _in_dead_branch(self, above: ast.IfExp | ast.If | ast.While, child: ast.AST) -> bool:
        if child is above.test:
            return False
        body = child is above.body if isinstance(above, ast.IfExp) else child in above.body
        truth = self.truth(above.test)
        if truth is None and body and isinstance(above, ast.If):
            return self._other_branch_is_amd(above)
        return truth is False if body else truth is True

    def _other_branch_is_amd(self, first: ast.If) -> bool:
        """``if torch.version.cuda or FORCE_CUDA: ... elif torch.version.hip: ...``: the first branch is NVIDIA's."""
        rest = first.orelse[0] if len(first.orelse) == 1 else None
        return (
            isinstance(rest, ast.If)
            and "cuda" in self.module.text(first.test).lower()
            and "hip" not in self.module.text(first.test)
            and any(map(self._is_amd, rest.test.values if isinstance(rest.test, ast.BoolOp) else [rest.test]))
        )

    def _left_before(self, above: ast.AST, child: ast.stmt) -> bool:
        """Whether an earlier statement of the block ends the run on ROCm."""
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if not isinstance(block, list) or child not in block:
                continue
            for stmt in block[: block.index(child)]:
                if isinstance(stmt, ast.If):
                    if (self._leaves(stmt, stmt.body) and self.truth(stmt.test) is True) or (
                        self._leaves(stmt, stmt.orelse) and self.truth(stmt.test) is False
                    ):
                        return True
                elif isinstance(stmt, ast.Assert):
                    if self._names_vendor(stmt.test) and self.truth(stmt.test) is False:
                        return True
                elif isinstance(stmt, ast.Assign) and isinstance(above, ast.Module):
                    target = stmt.targets[0]
                    if isinstance(target, ast.Name) and target.id == "pytestmark":
                        marks = (
                            stmt.value.elts if isinstance(stmt.value, (ast.List, ast.Tuple)) else [stmt.value]
                        )
                        if any(self._skips(m) for m in marks):
                            return True
        return False

    def _leaves(self, stmt: ast.If, block: list[ast.stmt]) -> bool:
        """Whether a branch is a way out that was meant for other vendors. A failure for want of CUDA
        is none: it is the mistake of refusing ROCm, and what follows must work once it is mended."""
        if not self.exits(block):
            return False
        fails = any(
            isinstance(s, ast.Raise) or (isinstance(s, ast.Expr) and "skip" not in self.module.text(s))
            for s in block[-1:]
        )
        return not fails or self._names_vendor(stmt.test)

    def _names_vendor(self, test: ast.expr) -> bool:
        return re.search(r"hip|rocm|amd|nvidia", self.module.text(test), re.IGNORECASE) is not None

    def on_trial(self, node: ast.AST) -> bool:
        """Whether a test sets something for the code that it tries, or code gives back what it has changed."""
        child = node
        for above in self.module.parents(node):
            if isinstance(above, ast.Try) and child in above.finalbody:
                return True
            if isinstance(above, _FUNCTIONS) and above.name.startswith("test"):
                return re.search(r"\b(?:patch|monkeypatch|mock)\b", self.module.text(above)) is not None
            child = above
        return False

    def amd_only(self, node: ast.AST) -> bool:
        """Whether a reader can see that only ROCm runs this place: its author had AMD cards in mind."""
        child = node
        for above in self.module.parents(node):
            if isinstance(above, ast.BoolOp):
                # is_hip and capability < (9, 4); not is_hip or capability < (9, 4)
                asks = self._is_amd if isinstance(above.op, ast.And) else self._is_nvidia
                if any(v is not child and asks(v) for v in above.values):
                    return True
            elif isinstance(above, (ast.If, ast.IfExp)) and child is not above.test:
                body = child is above.body if isinstance(above, ast.IfExp) else child in above.body
                if self._is_amd(above.test) if body else self._is_nvidia(above.test):
                    return True
            if isinstance(child, ast.stmt):
                for stmt in self.module.siblings(child)[0]:
                    if stmt is child:
                        break
                    if isinstance(stmt, ast.If) and self.exits(stmt.body) and self._is_nvidia(stmt.test):
                        return True
            child = above
        return False

    def _is_amd(self, test: ast.expr) -> bool:
        return self.truth(test) is True and self._asks_vendor(test)

    def _is_nvidia(self, test: ast.expr) -> bool:
        return self.truth(test) is False and self._asks_vendor(test)

    def _asks_vendor(self, test: ast.expr) -> bool:
        """Whether a test, or the value of the variable that it is, names a vendor."""
        texts = [self.module.text(test)]
        for part in self.module.walk(test):
            if isinstance(part, (ast.Name, ast.Attribute)):
                bound = self.module.resolver.bound_to(part)
                texts += [self.module.text(b.value) for b in bound if b.value is not None]
        return any(re.search(r"hip\b|rocm|amd|gfx|version\.cuda", t, re.IGNORECASE) for t in texts)

    def exits(self, block: list[ast.stmt]) -> bool:
        """Whether a block always leaves where it stands."""
        for stmt in block:
            if isinstance(stmt, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                return True
            if (
                isinstance(stmt, ast.Expr)
                and isinstance(stmt.value, ast.Call)
                and self._exit_call(stmt.value)
            ):
                return True
            if isinstance(stmt, ast.If) and self.exits(stmt.body) and self.exits(stmt.orelse):
                return True
        return False

    def _exit_call(self, call: ast.Call) -> bool:
        func = call.func
        return bool(self.module.names(func) & _EXITS) or (
            isinstance(func, ast.Attribute) and func.attr in ("skipTest", "exit")
        )

    def _function_guarded(self, function: Function) -> bool:
        if any(self._skips(d) for d in function.decorator_list):
            return True
        calls = self._callers(function)
        return bool(calls) and all(self.guarded(c) for c in calls)

    def _class_guarded(self, owner: ast.ClassDef) -> bool:
        """Whether the class is used in this file only, and only where ROCm does not come."""
        module = self.module
        uses = [
            h
            for h in module.hits(owner.name)
            if isinstance(h, ast.Name) and isinstance(h.ctx, ast.Load) and owner not in module.parents(h)
        ]
        return bool(uses) and all(map(self.guarded, uses)) and not imported_by_name(module, owner.name)

    def _callers(self, function: Function) -> list[ast.AST]:
        """Uses of a function in its file, those inside itself excepted; none for methods that Python
        calls and for tests."""
        module = self.module
        if function.name.startswith(("__", "test")) or function.name in ("main", "run", "setUp", "forward"):
            return []
        return [
            h
            for h in module.hits(function.name)
            if isinstance(h, (ast.Name, ast.Attribute))
            and isinstance(h.ctx, ast.Load)
            and function not in module.parents(h)
        ]

    def _skips(self, decorator: ast.expr) -> bool:
        """Whether a decorator or a pytest mark keeps ROCm away."""
        call = decorator
        for _ in range(3):  # a mark kept in a variable
            if isinstance(call, (ast.Name, ast.Attribute)):
                bound = self.module.resolver.bound_to(call)
                values = [b.value for b in bound if b.kind == "assign" and b.value is not None]
                if len(values) == 1:
                    call = values[0]
                    continue
            break
        func = call.func if isinstance(call, ast.Call) else call
        last = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
        if isinstance(call, ast.Call) and call.args and last in _SKIPS | _RUNS_ONLY:
            condition = call.args[0]
            if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
                return "hip" in condition.value or "rocm" in condition.value.lower()
            return self.truth(condition) is (last in _SKIPS)
        shown = (
            decorator.id
            if isinstance(decorator, ast.Name)
            else decorator.attr
            if isinstance(decorator, ast.Attribute)
            else last
        )
        if _SKIP_ROCM.fullmatch(shown) or _SKIP_ROCM.fullmatch(last):
            return True
        return any(self._skipped_by(other, b) for other, b in self.module.resolver.defined(func))

    def _skipped_by(self, other: Module, binding: Binding) -> bool:
        """Whether what a decorator stands for keeps ROCm away: a mark of another file, or a function that returns one."""
        guards, node = other.guards, binding.node
        if binding.kind == "assign" and binding.value is not None:
            return other is not self.module and guards._skips(binding.value)
        if not isinstance(node, _FUNCTIONS) or node in guards._asking:
            return False
        guards._asking.add(node)
        try:
            returns = [r for r in _returns(node) if r.value is not None and not guards.guarded(r)]
            return bool(returns) and all(guards._leads_away(r.value) for r in returns if r.value is not None)
        finally:
            guards._asking.discard(node)

    def _leads_away(self, value: ast.expr) -> bool:
        """Whether a decorator returns a mark that skips on ROCm, or a function that does so when called."""
        if isinstance(value, ast.Call):
            if any(n in ("unittest.skip", "pytest.mark.skip") for n in self.module.names(value.func)):
                return True
            return self._skips(value) or (isinstance(value.func, ast.Call) and self._leads_away(value.func))
        inner = [b.node for b in self.module.resolver.bound_to(value) if b.kind == "def"]
        return any(
            isinstance(s, ast.If) and self.exits(s.body) and self._is_amd(s.test)
            for f in inner
            if isinstance(f, _FUNCTIONS)
            for s in f.body
        )

    def _dead_case(self, case: ast.match_case) -> bool:
        statement = self.module.parent(case)
        if not isinstance(statement, ast.Match):
            return False
        if case.guard is not None and self.truth(case.guard) is False:
            return True
        subject = self.rocm.value(statement.subject)
        subjects = [subject] if subject is not UNKNOWN else list(self._answers(statement.subject))
        return all(not self._reaches(s, statement, case) for s in subjects)

    def _reaches(self, subject: object, statement: ast.Match, case: ast.match_case) -> bool:
        """Whether a value may come to a case, past those above it."""
        for other in statement.cases:
            hit = case_matches(other.pattern, subject)
            if other is case:
                return hit is not False
            if hit is True and (other.guard is None or self.truth(other.guard) is True):
                return False
        return True

    # ------------------------------------------------------------------ failures that are caught

    def tried(self, node: ast.AST, *errors: str) -> bool:
        caught = set().union(*(_CAUGHT.get(e, {e}) for e in errors))
        return self._tried(node, caught, set())

    def _tried(self, node: ast.AST, caught: set[str], seen: set[ast.AST]) -> bool:
        child = node
        for above in self.module.parents(node):
            if isinstance(above, ast.Try) and child in above.body:
                for handler in above.handlers:
                    if _catches(handler.type, caught) and not self._refuses(handler.body):
                        return True
            elif isinstance(above, (ast.With, ast.AsyncWith)) and child in above.body:
                for item in above.items:
                    call = item.context_expr
                    if (
                        isinstance(call, ast.Call)
                        and any(n.rpartition(".")[2] == "suppress" for n in self.module.names(call.func))
                        and any(_catches(a, caught) for a in call.args)
                    ):
                        return True
            elif isinstance(above, _FUNCTIONS) and child in above.body and above not in seen:
                seen.add(above)
                callers = self._callers(above)
                if callers and all(self._tried(c, caught, seen) for c in callers):
                    return True
            child = above
        return False

    def _refuses(self, handler: list[ast.stmt]) -> bool:
        """A handler that only ends the run is no fallback."""
        last = handler[-1]
        if isinstance(last, ast.Raise):
            return True
        return (
            isinstance(last, ast.Expr)
            and isinstance(last.value, ast.Call)
            and self._exit_call(last.value)
            and "skip" not in ast.unparse(last.value.func)
        )


def _says_no(block: list[ast.stmt]) -> bool:
    last = block[-1]
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Constant) and last.value.value is False


def _catches(kind: ast.expr | None, caught: set[str]) -> bool:
    if kind is None:
        return True
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(
        (k.id if isinstance(k, ast.Name) else k.attr if isinstance(k, ast.Attribute) else "") in caught
        for k in kinds
    )


def _returns(function: Function) -> Iterator[ast.Return]:
    """The return statements of a function itself, not of those inside it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            stack += ast.iter_child_nodes(node)


def case_matches(pattern: ast.pattern, subject: object) -> bool | None:
    """Whether a value fits a pattern; None when a reader cannot tell."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchSingleton():
            return None if subject is UNKNOWN else subject is pattern.value
        case ast.MatchValue(value=ast.Constant(value=wanted)):
            return None if subject is UNKNOWN or subject is PRESENT else subject == wanted
        case ast.MatchOr():
            hits = [case_matches(p, subject) for p in pattern.patterns]
            return True if True in hits else None if None in hits else False
        case ast.MatchSequence(patterns=parts) if isinstance(subject, tuple):
            if any(isinstance(p, ast.MatchStar) for p in parts):
                return None
            if len(parts) != len(subject):
                return False
            hits = [case_matches(p, s) for p, s in zip(parts, subject, strict=True)]
            return False if False in hits else None if None in hits else True
    return None
