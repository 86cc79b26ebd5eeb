"""One run over many files: cache, worker processes, the same order every time."""

from __future__ import annotations

import fnmatch
import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from ..kb.compiled import tree_state
from ..kb.model import Severity
from . import cache as caching
from . import engine, rules
from .discover import Files
from .engine import Report
from .finding import Finding
from .repo import Repo
from .settings import Settings
from .source import UnreadableSource

PARALLEL_FROM_BYTES = 2_000_000
"""Below this much source a second process costs more than it brings."""


class Outcome(msgspec.Struct):
    """All of a run, in file order."""

    files: Files
    reports: list[Report] = []
    fixed: list[tuple[Path, Finding]] = []
    dropped: list[tuple[Path, Finding, str]] = []
    diffs: list[str] = []

    @property
    def findings(self) -> Iterator[tuple[Path, Finding]]:
        for report in self.reports:
            for finding in report.findings:
                yield report.path, finding

    @property
    def faults(self) -> list[tuple[Path, rules.Fault]]:
        """Rules that broke down, with the file on which they did."""
        return [(r.path, fault) for r in self.reports for fault in r.faults]

    @property
    def errors(self) -> list[tuple[Path, str]]:
        """Files that could not be read or parsed, with the reason."""
        return [*self.files.errors, *((r.path, r.error) for r in self.reports if r.error)]


def severity(finding: Finding, settings: Settings) -> Severity:
    """Severity of a finding: its own where the place decides it, else that of its entry."""
    if finding.severity:
        return finding.severity  # type: ignore[return-value]
    entry = engine.knowledge(settings.kb).by_code.get(finding.code)
    return entry.severity if entry else "warning"


def check_files(
    files: Files,
    settings: Settings,
    *,
    jobs: int | None = None,
    use_cache: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """Lint all files. ``progress`` is called with the number of files done since the last call."""
    outcome = Outcome(files)
    cache = caching.Cache(files.root, settings, files.paths, _code_state(settings)) if use_cache else None
    known: dict[Path, Report] = {}
    todo: list[Path] = []
    for path in files.paths:
        stored = cache.get(path) if cache else None
        if stored is None:
            todo.append(path)
        else:
            known[path] = Report(path, stored[1], stored[0])
    if progress and known:
        progress(len(known))
    repo = Repo(files.root, files.paths)
    for report in _check_all(todo, repo, settings, jobs, progress):
        known[report.path] = report
        if cache and not report.faults:
            cache.put(report.path, report.error, report.findings, asked_repo=report.asked_repo)
    for path in files.paths:
        report = known[path]
        report.findings = _reported(report, files.root, settings)
        outcome.reports.append(report)
    if cache:
        cache.save()
    return outcome


def _reported(report: Report, root: Path, settings: Settings) -> list[Finding]:
    """The findings of a file without those that ``per-file-ignores`` leaves out."""
    return [f for f in report.findings if not _ignored_here(report.path, f, root, settings)]


def _ignored_here(path: Path, finding: Finding, root: Path, settings: Settings) -> bool:
    for pattern, codes in settings.per_file_ignores.items():
        name = os.path.relpath(path, root).replace(os.sep, "/")
        if (fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path.name, pattern)) and any(
            finding.code.startswith(c) or c == "ALL" for c in codes
        ):
            return True
    return False


def _check_all(
    todo: Sequence[Path],
    repo: Repo,
    settings: Settings,
    jobs: int | None,
    progress: Callable[[int], None] | None,
) -> Iterable[Report]:
    workers = jobs or os.cpu_count() or 1
    if workers > 1 and len(todo) > 1 and sum(_size(p) for p in todo) >= PARALLEL_FROM_BYTES:
        yield from _in_processes(todo, repo, settings, workers, progress)
        return
    gc.disable()  # syntax trees are acyclic enough; collecting costs a third of the run
    gc.freeze()
    try:
        for number, path in enumerate(todo, 1):
            yield check_path(path, repo, settings)
            if progress:
                progress(1)
            if number % 512 == 0:
                gc.collect()
                gc.freeze()  # what is left is kept for the whole run: do not go through it again
    finally:
        gc.enable()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


_worker_repo: Repo
_worker_settings: Settings


def _start_worker(root: Path, files: tuple[Path, ...], settings: Settings) -> None:
    global _worker_repo, _worker_settings
    _worker_repo, _worker_settings = Repo(root, files), settings
    gc.disable()
    gc.freeze()


def _work(paths: list[Path]) -> list[Report]:
    reports = [check_path(p, _worker_repo, _worker_settings) for p in paths]
    gc.collect()
    gc.freeze()  # what is left is kept for the whole run: do not go through it again
    return reports


def _in_processes(
    todo: Sequence[Path], repo: Repo, settings: Settings, workers: int, progress: Callable[[int], None] | None
) -> Iterable[Report]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    size = max(1, min(64, len(todo) // (workers * 4) or 1))
    chunks = [list(todo[i : i + size]) for i in range(0, len(todo), size)]
    method = (
        "fork"
        if "fork" in multiprocessing.get_all_start_methods()
        and os.name == "posix"
        and os.uname().sysname == "Linux"
        else "spawn"
    )
    if method == "fork":
        rules.all_rules()  # loaded once, shared by every worker
    with ProcessPoolExecutor(
        min(workers, len(chunks)),
        mp_context=multiprocessing.get_context(method),
        initializer=_start_worker,
        initargs=(repo.root, repo.files, settings),
    ) as pool:
        for reports in pool.map(_work, chunks):
            yield from reports
            if progress:
                progress(len(reports))


def check_path(path: Path, repo: Repo, settings: Settings) -> Report:
    """Read and lint one file; whatever goes wrong with it is its report's error."""
    try:
        source = engine.read(path, path.read_bytes())
        return engine.check(source, repo, settings)
    except (OSError, UnreadableSource) as e:
        return Report(path, error=e.strerror or str(e) if isinstance(e, OSError) else str(e))
    except Exception as e:
        return Report(path, faults=[_fault(e)])


def _fault(e: Exception) -> rules.Fault:
    """A fault outside the rules; raised on where someone looks for it."""
    if os.environ.get("AMDLINT_DEBUG"):
        raise e
    return rules.Fault("", f"{type(e).__name__}: {e}")


def fix_files(outcome: Outcome, settings: Settings, *, unsafe: bool, write: bool) -> None:
    """Apply the fixes of the wanted level to every file with one; afterwards ``outcome`` holds what remains.

    With ``write`` the files are rewritten, else only ``outcome.diffs`` is filled. Each file is judged beside
    the files fixed before it: where a helper function is right now, its callers need no fix of their own.
    """
    from . import fix

    repo = Repo(outcome.files.root, outcome.files.paths)
    for report in outcome.reports:
        if report.error or not engine.select_fixes(report.findings, unsafe):
            continue
        try:
            source = engine.read(report.path, report.path.read_bytes())
            result = fix.apply(source, repo, settings, unsafe=unsafe)
            outcome.dropped += [(report.path, finding, why) for finding, why in result.dropped]
            if not result.changed:
                continue
            repo = repo.with_text(report.path, source.encoded(result.data))
            if write:
                fix.write(result)
                outcome.fixed += [(report.path, f) for f in result.fixed]
            else:
                outcome.diffs.append(fix.diff(result))
        except (OSError, UnreadableSource) as e:
            report.error = f"cannot be fixed: {e}"
        except Exception as e:
            report.faults.append(_fault(e))
    if write and repo.texts:
        for report in outcome.reports:
            if report.findings and not report.error:
                remaining = check_path(report.path, repo, settings)
                report.error, report.faults = remaining.error, [*report.faults, *remaining.faults]
                report.findings = _reported(remaining, outcome.files.root, settings)


def _code_state(settings: Settings) -> str:
    """Changes whenever the rules or entries change, so that no stale result survives an edit of them."""
    top = Path(__file__).parent
    folders = (top, top.parent / "kb" / "facts")
    code = (tree_state(folder, (".py", ".yaml", ".json", ".h")) for folder in folders)
    return "\n".join((engine.knowledge(settings.kb).state, *code))
