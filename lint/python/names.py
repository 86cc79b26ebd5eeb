"""What a name stands for: imports and aliases in every form, followed only when asked."""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from ..source import Source, UnreadableSource

if TYPE_CHECKING:
    from .module import Module

Kind = Literal["import", "assign", "item", "def", "class", "arg", "other"]

# What `from X import *` is known to bring, as far as rules ask for it.
STARS = {
    "torch": {"version", "cuda", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "device", "bfloat16"},
    "torch.cuda": {
        "get_device_capability", "get_device_name", "get_device_properties", "get_arch_list", "get_gencode_flags",
        "is_available", "is_bf16_supported", "current_device", "device_count",
    },
    "torch.version": {"cuda", "hip"},
    "torch.utils.cpp_extension": {"CUDA_HOME", "ROCM_HOME", "IS_HIP_EXTENSION", "CUDAExtension", "BuildExtension", "load", "load_inline"},
    "torch.distributed": {"init_process_group"},
    "ctypes": {"CDLL", "cdll", "LibraryLoader"},
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "os": {"system", "popen", "environ", "getenv"},
    "transformers": {"TrainingArguments", "Seq2SeqTrainingArguments"},
    "triton": {"Config", "autotune", "jit"},
    "triton.language": {"dot", "inline_asm_elementwise"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that gives a name its meaning.

    ``value`` is the expression assigned; for kind "item" it is the tuple or iterable that ``index``
    picks from; ``dotted`` is what an import brings.
    """

    kind: Kind
    node: ast.AST
    scope: ast.AST
    value: ast.expr | None = None
    index: int | None = None
    dotted: str = ""


class Resolver:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._bindings: dict[str, list[Binding]] = {}
        self._names: dict[ast.AST, frozenset[str]] = {}
        self._stars: list[str] | None = None

    # ------------------------------------------------------------------ bindings

    def bindings(self, name: str) -> list[Binding]:
        """All bindings of a name in the file."""
        if name not in self._bindings:
            self._bindings[name] = [b for node in self.module.hits(name) if (b := self._binding(node, name))]
        return self._bindings[name]

    def lookup(self, node: ast.Name) -> list[Binding]:
        """The bindings that this use of a name can mean: those of the innermost scope that has any."""
        return self.visible(node.id, node)

    def visible(self, name: str, node: ast.AST) -> list[Binding]:
        """What a name would mean at the place of a node."""
        found = self.bindings(name)
        if not found:
            return []
        for above in self.module.parents(node):  # names of a comprehension live in it alone
            if isinstance(above, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                inner = [b for b in found if b.scope is above]
                if inner:
                    return inner
            if isinstance(above, ast.stmt):
                break
        innermost = scope = self.module.scope(node)
        while True:
            here = [b for b in found if b.scope is scope]
            if here and (scope is innermost or not isinstance(scope, ast.ClassDef)):
                return here
            if isinstance(scope, ast.Module):
                return []
            scope = self.module.scope(scope)

    def _binding(self, node: ast.AST, name: str) -> Binding | None:
        module = self.module
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                return None
            return self._assigned(node, self._scope_of(node, name))
        if isinstance(node, ast.alias):
            stmt = module.parent(node)
            dotted = import_name(stmt, node)
            bound = node.asname or (node.name.split(".")[0] if isinstance(stmt, ast.Import) else node.name)
            if bound != name or dotted is None:
                return None
            if isinstance(stmt, ast.Import) and node.asname is None:
                dotted = bound
            return Binding("import", node, self._scope_of(stmt, name), dotted=dotted)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return Binding("def", node, module.scope(node))
        if isinstance(node, ast.ClassDef):
            return Binding("class", node, module.scope(node))
        if isinstance(node, ast.arg):
            for above in module.parents(node):
                if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                    return Binding("arg", node, above)
        if isinstance(node, ast.MatchAs):
            return self._captured(node)
        if isinstance(node, (ast.ExceptHandler, ast.MatchStar)):
            return Binding("other", node, module.scope(node))
        return None

    def _captured(self, node: ast.MatchAs) -> Binding:
        """The name in ``case (major, minor):`` and its like: a part of what is matched."""
        module = self.module
        scope, above = module.scope(node), module.parent(node)
        index = None
        if isinstance(above, ast.MatchSequence) and not any(
            isinstance(p, ast.MatchStar) for p in above.patterns
        ):
            index, above = above.patterns.index(node), module.parent(above)
        statement = module.parent(above) if isinstance(above, ast.match_case) else None
        if node.pattern is not None or not isinstance(statement, ast.Match):
            return Binding("other", node, scope)
        return Binding("assign" if index is None else "item", node, scope, statement.subject, index)

    def _scope_of(self, node: ast.AST | None, name: str) -> ast.AST:
        assert node is not None
        scope = self.module.scope(node)
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for hit in self.module.hits(name):
                if isinstance(hit, ast.Global) and self.module.scope(hit) is scope:
                    return self.module.tree
        return scope

    def _assigned(self, target: ast.Name | ast.Attribute, scope: ast.AST) -> Binding:
        above = self.module.parent(target)
        value: ast.expr | None = None
        if isinstance(above, ast.Assign) and target in above.targets:
            return Binding("assign", target, scope, above.value)
        if (
            isinstance(above, (ast.AnnAssign, ast.NamedExpr))
            and above.target is target
            and above.value is not None
        ):
            return Binding("assign", target, scope, above.value)
        if isinstance(above, (ast.Tuple, ast.List)):
            index = above.elts.index(target)
            holder = self.module.parent(above)
            if (
                isinstance(holder, ast.Assign)
                and above in holder.targets
                and not any(isinstance(e, ast.Starred) for e in above.elts)
            ):
                value = holder.value
                if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(above.elts):
                    return Binding("assign", target, scope, value.elts[index])
                return Binding("item", target, scope, value, index)
        if isinstance(above, ast.comprehension):
            comp = self.module.parent(above)
            assert comp is not None
            return Binding("other", target, comp, above.iter)
        return Binding("other", target, scope)

    def attributes(self, node: ast.Attribute) -> list[Binding]:
        """Bindings of ``self.x`` / ``cls.x`` / ``ClassName.x`` in the class at hand."""
        if not isinstance(node.value, ast.Name):
            return []
        owner: ast.AST | None = None
        if node.value.id in ("self", "cls"):
            owner = next((p for p in self.module.parents(node) if isinstance(p, ast.ClassDef)), None)
        else:
            bound = self.lookup(node.value)
            owner = next((b.node for b in bound if b.kind == "class"), None)
            if owner is None and len(bound) == 1 and isinstance(bound[0].value, ast.Call):
                made = bound[0].value.func  # an object of a class of this file
                kinds = self.lookup(made) if bound[0].kind == "assign" and isinstance(made, ast.Name) else []
                owner = next((b.node for b in kinds if b.kind == "class"), None)
        if not isinstance(owner, ast.ClassDef):
            return []
        found: list[Binding] = []
        for hit in self.module.hits(node.attr):
            if (
                isinstance(hit, ast.Name)
                and isinstance(hit.ctx, ast.Store)
                and self.module.scope(hit) is owner
            ) or (
                isinstance(hit, ast.Attribute)
                and isinstance(hit.ctx, ast.Store)
                and isinstance(hit.value, ast.Name)
                and hit.value.id in ("self", "cls")
                and owner in self.module.parents(hit)
            ):
                found.append(self._assigned(hit, owner))
            elif (
                isinstance(hit, ast.Attribute)
                and isinstance(hit.ctx, ast.Store)
                and isinstance(hit.value, ast.Name)
                and hit.value.id not in ("self", "cls")
            ):
                found.append(
                    Binding("other", hit, owner)
                )  # perhaps an object of this class, set from outside
            elif (
                isinstance(hit, (ast.FunctionDef, ast.AsyncFunctionDef)) and self.module.parent(hit) is owner
            ):
                found.append(Binding("def", hit, owner))
        return found

    def bound_to(self, node: ast.expr) -> list[Binding]:
        """Bindings of a name or of an attribute of self; empty for everything else."""
        if isinstance(node, ast.Name):
            return self.lookup(node)
        if isinstance(node, ast.Attribute):
            return self.attributes(node)
        return []

    # ------------------------------------------------------------------ dotted names

    def names(self, node: ast.AST) -> frozenset[str]:
        """Dotted names that an expression may stand for; names defined in this file start with ``<here>``."""
        if node not in self._names:
            self._names[node] = frozenset()  # a name that is defined by itself has none
            self._names[node] = frozenset(self._find(node))
        return self._names[node]

    def _find(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Name():
                bindings = self.lookup(node)
                for b in bindings:
                    yield from self._of_binding(b, node.id)
                if not bindings:
                    stars = [s for s in self.stars if node.id in STARS.get(s, ()) or self._brings(s, node.id)]
                    yield from (_joined(s, node.id) for s in stars)
                    if not stars:
                        yield node.id
            case ast.Attribute():
                own = self.attributes(node)
                for b in own:
                    yield from self._of_binding(b, node.attr)
                if not own:
                    yield from (f"{n}.{node.attr}" for n in self.names(node.value))
            case ast.NamedExpr():
                yield from self.names(node.value)
            case ast.IfExp():
                yield from self.names(node.body)
                yield from self.names(node.orelse)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(attr)), *_]):
                yield from (f"{n}.{attr}" for n in self.names(owner))
            case ast.Call(args=[function, *_]) if self.names(node.func) & {"functools.partial"}:
                yield from self.names(function)
            case ast.Call(args=[ast.Constant(value=str(name))]) if self.names(node.func) & {
                "importlib.import_module",
                "__import__",
            }:
                yield name

    def _of_binding(self, binding: Binding, name: str) -> Iterator[str]:
        if binding.kind == "import":
            yield binding.dotted
        elif binding.kind == "assign" and binding.value is not None:
            yield from self.names(binding.value)
        elif binding.kind in ("def", "class"):
            yield f"<here>.{name}"

    @property
    def stars(self) -> list[str]:
        """Modules that the file star-imports."""
        if self._stars is None:
            self._stars = []
            if b"*" in self.module.source.data:
                for node in ast.iter_child_nodes(self.module.tree):
                    for stmt in [node, *(getattr(node, "body", None) or [])]:
                        if isinstance(stmt, ast.ImportFrom) and stmt.names[0].name == "*":
                            self._stars.append("." * stmt.level + (stmt.module or ""))
        return self._stars

    def uses(self, *dotted: str) -> Iterator[ast.expr]:
        """Loads of things with one of the dotted names, through any alias."""
        wanted = frozenset(dotted)
        words = list(dict.fromkeys(d.rpartition(".")[2] for d in dotted))
        done: set[str] = set(words)
        seen: set[ast.AST] = set()
        module = self.module
        while words:
            word = words.pop(0)
            for hit in module.hits(word):
                alias = None
                if isinstance(hit, ast.alias):
                    name = import_name(module.parent(hit), hit)
                    if hit.asname and name in wanted:
                        alias = hit.asname
                elif isinstance(hit, ast.Constant):
                    above = module.parent(hit)
                    if isinstance(above, ast.Call) and self.names(above) & wanted:
                        hit = above
                    else:
                        continue
                if isinstance(hit, (ast.Name, ast.Attribute, ast.Call)) and hit not in seen:
                    if (
                        isinstance(getattr(hit, "ctx", None), (ast.Store, ast.Del))
                        or not self.names(hit) & wanted
                    ):
                        continue
                    seen.add(hit)
                    yield hit
                    alias = self._alias(hit)
                if alias and alias not in done:
                    done.add(alias)
                    words.append(alias)

    def _alias(self, node: ast.expr) -> str | None:
        """The variable or attribute that is made a second name of this expression."""
        above = self.module.parent(node)
        while isinstance(above, (ast.IfExp, ast.NamedExpr, ast.Call)):
            if isinstance(above, ast.NamedExpr):
                return above.target.id
            if isinstance(above, ast.Call) and not (
                above.args[:1] == [node] and self.names(above.func) & {"functools.partial"}
            ):
                return None
            node, above = above, self.module.parent(above)
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            target = above.targets[0]
            if isinstance(target, ast.Name):
                return target.id
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                return target.attr
        return None

    def imports(self, *packages: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias, str]]:
        wanted = tuple(packages)
        if not any(self._imports_some(top) for top in {p.partition(".")[0] for p in wanted}):
            return
        seen: set[ast.AST] = set()
        for word in dict.fromkeys(p.rpartition(".")[2] for p in wanted):
            for hit in self.module.hits(word):
                stmt = (
                    hit
                    if isinstance(hit, ast.ImportFrom)
                    else self.module.parent(hit)
                    if isinstance(hit, ast.alias)
                    else None
                )
                if not isinstance(stmt, (ast.Import, ast.ImportFrom)):
                    continue
                for alias in stmt.names:
                    dotted = import_name(stmt, alias)
                    if alias in seen or dotted is None:
                        continue
                    if any(dotted == p or dotted.startswith(p + ".") for p in wanted):
                        seen.add(alias)
                        yield stmt, alias, dotted

    def _imports_some(self, top: str) -> bool:
        """Whether the bytes may hold an import of this top-level package: asked before the file is parsed."""
        data, word = self.module.source.data, top.encode()
        if not word:
            return True  # from .package import module
        return any(
            data[max(0, at - 80) : at].rstrip(b" \t\r\n\f\\").endswith((b"import", b"from", b","))
            for at in self.module.places(word)
        )

    # ------------------------------------------------------------------ other files of the repository

    def elsewhere(self, dotted: str) -> tuple[Module, str] | None:
        """The module of the repository that defines an imported name, and the name there."""
        owner, _, name = dotted.rpartition(".")
        if not owner:
            owner = "."  # from . import name
        elif not owner.strip("."):
            owner += "."
        file = self.file_of(owner)
        if file is None:
            return None
        other = self.file_module(file)
        if other is None or not other.holds(name.encode(), b"*"):
            return None
        try:
            other.tree  # noqa: B018  # parsed now: its syntax errors are not those of the file at hand
        except SyntaxError:
            self.module.repo.__dict__["_python_modules"][file] = None
            return None
        return other, name

    def file_module(self, file: Path) -> Module | None:
        """Another file of the repository, not parsed yet; None for one that cannot be read."""
        cache: dict[Path, Module | None] = self.module.repo.__dict__.setdefault("_python_modules", {})
        self.module.repo.asked = True
        if file not in cache:
            cache[file] = None  # an import circle meets no half-made module
            raw = self.module.repo.read(file)
            if raw and len(raw) < 400_000:
                from .module import Module

                with contextlib.suppress(UnreadableSource):
                    cache[file] = Module(
                        Source(file, raw, python=True), self.module.repo, self.module.settings
                    )
        return cache[file]

    def definitions(self, dotted: str, depth: int = 0) -> list[tuple[Module, Binding]]:
        """What gives a name of another file of the repository its meaning there, through files that pass it on."""
        if depth > 4 or dotted.startswith(("torch.", "<here>")) or "." not in dotted:
            return []
        place = self.elsewhere(dotted)
        if place is None:
            return []
        other, name = place
        bound = [b for b in other.resolver.bindings(name) if b.scope is other.tree]
        found: list[tuple[Module, Binding]] = []
        for binding in bound:
            if binding.kind == "import":
                found += other.resolver.definitions(binding.dotted, depth + 1)
            else:
                found.append((other, binding))
        if not bound:
            for star in other.resolver.stars:
                found += other.resolver.definitions(_joined(star, name), depth + 1)
        return found

    def defined(self, node: ast.expr) -> list[tuple[Module, Binding]]:
        """What gives a name at this place its meaning, in this file or in another one of the repository."""
        found = [(self.module, b) for b in self.bound_to(node) if b.kind != "import"]
        for name in self.names(node):
            found += self.definitions(name)
        return found

    def _brings(self, star: str, name: str) -> bool:
        """Whether a star import of a module of the repository brings a name."""
        return (
            star not in STARS and not hasattr(builtins, name) and bool(self.definitions(_joined(star, name)))
        )

    def file_of(self, dotted: str) -> Path | None:
        """The file of the repository that a dotted name means here."""
        here = self.module.source.path
        level = len(dotted) - len(dotted.lstrip("."))
        parts = [p for p in dotted.split(".") if p]
        files: dict[str, list[Path]] = self.module.repo.__dict__.setdefault("_python_tails", {})
        if not files:
            files[""] = []
            for file in self.module.repo.python_files:
                stem = file.parent.name if file.stem == "__init__" else file.stem
                files.setdefault(stem, []).append(file)
        if level:
            base = PurePosixPath(here.parent.as_posix())
            for _ in range(level - 1):
                base = base.parent
            wanted = base.joinpath(*parts).as_posix()
            candidates = files.get(parts[-1] if parts else base.name, [])
            return next((f for f in candidates if _bare(f) == wanted), None)
        tail = "/" + "/".join(parts)
        candidates = [f for f in files.get(parts[-1], []) if ("/" + _bare(f)).endswith(tail)]
        return min(candidates, key=lambda f: len(f.parts), default=None)


def _joined(module: str, name: str) -> str:
    return f"{module}{'' if module.endswith('.') else '.'}{name}"


def _bare(file: Path) -> str:
    """Path of a module without its ending, a package without ``__init__``."""
    return (file.parent if file.stem == "__init__" else file.with_suffix("")).as_posix()


def import_name(stmt: ast.AST | None, alias: ast.alias) -> str | None:
    """Full dotted name of what an alias imports (relative ones keep their dots)."""
    if isinstance(stmt, ast.Import):
        return alias.name
    if isinstance(stmt, ast.ImportFrom):
        if alias.name == "*":
            return "." * stmt.level + (stmt.module or "")
        module = "." * stmt.level + (stmt.module or "")
        return _joined(module, alias.name) if module else alias.name
    return None
