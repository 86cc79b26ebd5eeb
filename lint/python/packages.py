"""Imports of packages that only work with an NVIDIA GPU."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..finding import Finding, Fix
from .fixes import only_on_nvidia
from .importers import importers, serves_rocm
from .names import import_name
from .rocm import nvidia_only

if TYPE_CHECKING:
    from .module import Module

Import = ast.Import | ast.ImportFrom
_AVAILABLE = re.compile(
    r"avail|installed|has_|have_|find_spec|supported|_found|is_present|HAS_|HAVE_|importable|_exists|is_package",
    re.IGNORECASE,
)


def required(module: Module, *packages: str) -> Iterator[tuple[Import, str]]:
    """Imports (statement, dotted name) that must succeed: not guarded, not tried, not asked for before."""
    seen: set[ast.AST] = set()
    for stmt, _, dotted in module.imports(*packages):
        if stmt in seen:
            continue
        seen.add(stmt)
        if own(module, dotted.partition(".")[0]):
            continue
        if module.guarded(stmt) or module.tried(stmt, "ImportError") or asked_for(module, stmt):
            continue
        if replaced(module, stmt, dotted) or _second_choice(module, stmt, packages):
            continue
        if _on_demand(module, stmt, dotted):
            continue
        yield stmt, dotted


def _on_demand(module: Module, stmt: Import, dotted: str) -> bool:
    """Whether a function of a back end that is named after the package imports it when called, in a repository
    that serves ROCm: such a back end is chosen, and ROCm is given another one."""
    function = module.function(stmt)
    if dotted.partition(".")[0] in module.repo.relative(module.source.path).split("/")[1:-1]:
        return True  # array_api_compat/cupy/linalg.py: the adapter of a package, in its own folder
    if function is None:
        # distributed/protocol/cupy.py, which others import inside functions only
        stem = module.source.path.stem.replace("_", "").lower()
        named = dotted.partition(".")[0].replace("_", "").lower() in stem
        if not named:
            return False
        files = importers(module)
        lazy = all(indented for _, _, indented in files)
        return lazy and (bool(files) or serves_rocm(module.repo))  # or found by a name in a registry
    if not serves_rocm(module.repo):
        return False
    if dotted.partition(".")[0] in _KERNELS:
        return True
    places = [module.repo.relative(module.source.path)]
    places += [
        p.name for p in module.parents(stmt) if isinstance(p, (type(function), ast.FunctionDef, ast.ClassDef))
    ]
    name = dotted.partition(".")[0].replace("_", "").lower()
    return any(name in p.replace("_", "").lower() for p in places)


def _second_choice(module: Module, stmt: Import, packages: tuple[str, ...]) -> bool:
    """Whether the import is tried only after another package, which AMD may have, was not found."""
    tops = {p.partition(".")[0] for p in packages}
    child: ast.AST = stmt
    for above in module.parents(stmt):
        if isinstance(above, ast.Try) and isinstance(child, ast.ExceptHandler):
            first = [s for s in above.body if isinstance(s, (ast.Import, ast.ImportFrom))]
            names = [d for s in first for a in s.names if (d := import_name(s, a)) is not None]
            if names and not any(n.partition(".")[0] in tops or nvidia_only(n) for n in names):
                return "Error" in module.text(child.type or child)
        child = above
    return False


def replaced(module: Module, stmt: Import, dotted: str) -> bool:
    """Whether the file puts something else into sys.modules under this name, or looks there first."""
    if not module.holds(b"sys.modules"):
        return False
    parts = dotted.split(".")
    names = {".".join(parts[: i + 1]) for i in range(len(parts))}
    if any(
        node.value in names and "sys.modules" in module.text(_header(module, node))
        for node in module.strings(parts[0])
    ):
        return True
    function = module.function(stmt)
    if function is None or not function.name.startswith("test"):
        return False
    before = module.source.data[module.span(function)[0] : module.span(stmt)[0]]
    return _STUBS.search(before) is not None


def _header(module: Module, node: ast.AST) -> ast.AST:
    """The statement at a node; of a compound one only the part that holds it."""
    child = node
    for above in module.parents(node):
        if isinstance(above, ast.stmt):
            return child if hasattr(above, "body") else above
        child = above
    return child


def own(module: Module, package: str) -> bool:
    """Whether the repository itself holds this top-level package, so that the import finds that one."""
    repo, here = module.repo, module.source.path
    tops: dict[str, set[Path]] = repo.memo("top-level modules by name", lambda: _tops(repo.python_files))
    return any(folder in here.parents for folder in tops.get(package, ()) if here != folder / f"{package}.py")


def _tops(files: Iterable[Path]) -> dict[str, set[Path]]:
    """Names that can be imported without a dot, and the folders below which they are found."""
    packages = {f.parent for f in files if f.stem == "__init__"}
    packages -= {
        f.parent for f in files if f.name == "setup.py"
    }  # what lies beside a build script is installed flat
    tops: dict[str, set[Path]] = {}
    for file in files:
        if file.parent not in packages:
            tops.setdefault(file.stem, set()).add(file.parent)
        elif file.stem == "__init__" and file.parent.parent not in packages:
            folder = file.parent.parent
            tops.setdefault(file.parent.name, set()).add(folder.parent if folder.name == "src" else folder)
    return tops


# Libraries of kernels: who has another choice takes them only where they are.
_KERNELS = {
    "flashinfer", "deep_gemm", "deep_ep", "flash_mla", "flash_attn_interface", "flash_attn_3", "tensorrt", "tensorrt_llm",
}  # fmt: skip
_MARKED = re.compile(r"\bmark\.\w*gpu")
_STUBS = re.compile(rb"\w*(?:stub|fake|mock)\w*\(", re.IGNORECASE)
_IMPORTED = re.compile(r"(?:from|import)\s+(\w+)")


def once(module: Module, findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for each package that a file imports again and again: it is one problem. It covers the imports
    that stand right below. Where a rewrite can save the first import, every other keeps its own finding."""
    groups: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: f.start):
        found = _IMPORTED.match(module.source.text(finding.start, finding.end))
        groups.setdefault(found[1] if found else "", []).append(finding)
    for group in groups.values():
        first, end = group[0], group[0].end
        if first.fix and first.fix.applicability != "display":
            yield from group
            continue
        for later in group[1:]:
            if module.source.data[end : later.start].strip():
                break
            end = later.end
        yield replace(first, end=end)


def asked_for(module: Module, stmt: ast.stmt) -> bool:
    """Whether a condition around the import asks if the package is there, or takes another one on ROCm."""
    names = (
        [import_name(stmt, a) or "" for a in stmt.names]
        if isinstance(stmt, (ast.Import, ast.ImportFrom))
        else []
    )
    tops = {n.partition(".")[0] for n in names if n and not n.startswith(".")}
    child: ast.AST = stmt
    for above in module.parents(stmt):
        if isinstance(above, ast.If) and child in above.body and _has_seen(module.text(above.test), tops):
            return True
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and any(
            _MARKED.search(module.text(d)) or any(f'"{t}"' in module.text(d).replace("'", '"') for t in tops)
            for d in above.decorator_list
        ):
            return True  # @sizeof.register_lazy("cupy"), @pytest.mark.gpu
        if (
            isinstance(above, ast.If)
            and child in above.orelse
            and re.search(r"hip\b|rocm", module.text(above.test), re.IGNORECASE)
        ):
            return True
        if (
            isinstance(above, ast.If)
            and child in above.body
            and (_AVAILABLE.search(module.text(above.test)) or _found_before(module, above.test))
        ):
            return True
        if isinstance(above, ast.If) and child in above.orelse:
            match above.test:
                case ast.UnaryOp(op=ast.Not(), operand=asked) if _AVAILABLE.search(
                    module.text(asked)
                ) or _found_before(module, asked):
                    return True  # if not HAVE_TE: ... else: import it
        if isinstance(child, ast.stmt) and isinstance(above, ast.Module):
            for earlier in above.body[: above.body.index(child)] if child in above.body else []:
                if (
                    isinstance(earlier, ast.If)
                    and module.guards.exits(earlier.body)
                    and "skip" in module.text(earlier)
                    and _AVAILABLE.search(module.text(earlier.test))
                ):
                    return True  # a file of tests that is skipped without the package
        if isinstance(child, ast.stmt) and isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for earlier in above.body[: above.body.index(child)] if child in above.body else []:
                if (
                    isinstance(earlier, ast.If)
                    and module.guards.exits(earlier.body)
                    and _AVAILABLE.search(module.text(earlier.test))
                ):
                    return True
            if any(
                _AVAILABLE.search(module.text(d)) or "require" in module.text(d) for d in above.decorator_list
            ):
                return True
        if isinstance(above, ast.ClassDef) and any(
            "require" in module.text(d) or "skip" in module.text(d) for d in above.decorator_list
        ):
            return True
        child = above
    return False


def _has_seen(test: str, tops: set[str]) -> bool:
    """``if is_cupy_type(x):``: an object of the package is there already."""
    return any(re.search(rf"\bis_(?:\w+_)?{re.escape(t)}", test) for t in tops)


def _found_before(module: Module, test: ast.expr) -> bool:
    """``if HAS:`` where ``HAS`` is set to False when an import fails."""
    return any(
        isinstance(part, ast.Name)
        and any(
            isinstance(b.value, ast.Constant)
            and not b.value.value
            and any(
                isinstance(p, ast.ExceptHandler) and "Error" in module.text(p.type or p)
                for p in module.parents(b.node)
            )
            for b in module.resolver.lookup(part)
        )
        for part in module.walk(test)
    )


def bound_name(stmt: Import) -> str:
    """The first name that an import statement binds."""
    alias = stmt.names[0]
    return alias.asname or alias.name.split(".")[0]


def optional(module: Module, stmt: Import) -> Fix | None:
    """The import happens on NVIDIA only. Offered where functions alone use the package, so that the rest
    of the file works on ROCm."""
    if not isinstance(module.parent(stmt), ast.Module):
        return None
    for alias in stmt.names:
        name = alias.asname or alias.name.split(".")[0]
        for hit in module.hits(name):
            if isinstance(hit, ast.Name) and module.function(hit) is None:
                return None
    fix = only_on_nvidia(module, stmt, "import it on NVIDIA only")
    if fix is None:
        return None
    reason = "Functions that use the package still fail on ROCm, now when they are called."
    return Fix("unsafe", fix.message, fix.edits, reason=reason, imports=fix.imports)
