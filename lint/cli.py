"""The command line. ``amdlint PATH`` needs no sub-command; a folder called like one is reached as ``./explain``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from .version import VERSION

if TYPE_CHECKING:
    from .report import Item
    from .run import Outcome
    from .settings import Settings

FORMATS = ("text", "json", "json-lines", "sarif", "github", "gitlab", "junit", "markdown")
REPORT_IT = "Run again with AMDLINT_DEBUG=1 for the traceback and report it at https://github.com/amdlint/amdlint/issues"
F = TypeVar("F", bound=Callable[..., Any])


class DefaultToCheck(click.Group):
    """A group that reads ``amdlint --fix ./repo`` as ``amdlint check --fix ./repo``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h", "--version", "-V"):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        check_context = click.Context(check, info_name="amdlint")
        check.format_help(check_context, formatter)
        with formatter.section("Other commands"):
            formatter.write_dl(
                [(n, c.get_short_help_str(90)) for n, c in self.commands.items() if c is not check]
            )


@click.group(
    cls=DefaultToCheck, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True
)
@click.version_option(VERSION, "-V", "--version", message="amdlint %(version)s")
def cli() -> None:
    """Find, explain and fix what keeps CUDA-born PyTorch code from running on AMD GPUs."""


def fail(message: str) -> NoReturn:
    """Say what is wrong on stderr and end with exit code 2."""
    click.echo(f"amdlint: {message}", err=True)
    raise SystemExit(2)


def split(values: Sequence[str]) -> tuple[str, ...]:
    """``("a,b", "c")`` as ``("a", "b", "c")``."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def version_options(command: F) -> F:
    for option in (
        click.option("--torch", metavar="VERSION", help="torch version to judge for, e.g. 2.10."),
        click.option("--rocm", metavar="VERSION", help="ROCm version to judge for, e.g. 7.2."),
        click.option(
            "--target",
            "targets",
            multiple=True,
            metavar="GFX",
            help="gfx targets or families to judge for, e.g. gfx942,gfx1100 or rdna3.",
        ),
    ):
        command = option(command)
    return command


def kb_option(command: F) -> F:
    return click.option(
        "--kb",
        "kb",
        multiple=True,
        type=click.Path(path_type=Path),
        help="Folder with entries of your own; may be given several times.",
    )(command)


def lang_option(command: F) -> F:
    return click.option(
        "--lang", type=click.Choice(["en", "zh"]), help="Language of explanations (default: from the locale)."
    )(command)


def language(lang: str | None) -> str:
    """The language asked for, else Chinese where the locale says so."""
    if lang:
        return lang
    locale = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def use_color(stream: Any) -> bool:
    """Colours only on a terminal, and never against NO_COLOR."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and bool(stream.isatty())


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True), metavar="[PATH ...]")
@click.option("--fix", is_flag=True, help="Rewrite the files with all safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="Also use fixes that need a human to agree.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, write nothing.")
@click.option("--select", multiple=True, metavar="CODES", help="Report only these codes or code prefixes.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Do not report these codes or code prefixes.")
@click.option("--exclude", multiple=True, metavar="PATTERNS", help="Leave out paths, in .gitignore syntax.")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@version_options
@click.option(
    "--native-style",
    type=click.Choice(["portable", "hip"]),
    help="How CUDA C++ is rewritten: for both vendors, or renamed to HIP in place.",
)
@click.option("--baseline", type=click.Path(path_type=Path), help="Do not report the findings in this file.")
@click.option(
    "--write-baseline",
    type=click.Path(path_type=Path),
    help="Write the present findings to a baseline file and end.",
)
@click.option("--diff-base", metavar="REV", help="Report only lines changed since this git revision.")
@click.option("--add-noqa", is_flag=True, help="Suppress every present finding with a noqa comment.")
@click.option("--statistics", is_flag=True, help="Count the findings per code.")
@click.option("--exit-zero", is_flag=True, help="End with 0 even when findings remain.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Configuration file (default: the nearest pyproject.toml or amdlint.toml).",
)
@click.option("--no-cache", is_flag=True, help="Neither read nor write results of earlier runs.")
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="With - as path: the name that the text on standard input goes by.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes (default: one per processor).")
@kb_option
@lang_option
def check(paths: tuple[Path, ...], **options: Any) -> None:
    """Report what breaks or misleads on ROCm in the files below PATH, and rewrite it with --fix.

    \b
    amdlint ./repo                    what breaks on AMD GPUs, with evidence
    amdlint ./repo --diff             what --fix would change
    amdlint ./repo --fix              rewrite for AMD; NVIDIA runs as before
    amdlint explain < traceback.txt   what an error means and what to type
    """
    from . import config
    from .settings import Settings

    if not paths:
        fail("no path given; try `amdlint .` or `amdlint --help`")
    try:
        file = options["config"] or config.find(_folder(paths[0]))
        if options["config"] and not options["config"].is_file():
            fail(f"{options['config']}: no such configuration file")
        settings = config.merged(
            config.load(file) if file else Settings(),
            select=split(options["select"]),
            ignore=split(options["ignore"]),
            exclude=split(options["exclude"]),
            targets=split(options["targets"]),
            rocm=options["rocm"],
            torch=options["torch"],
            native_style=options["native_style"],
            kb=tuple(folder.absolute() for folder in options["kb"]),
        )
        _check_kb(settings)
        config.check(settings)
    except config.ConfigError as e:
        fail(str(e))
    if "-" in map(str, paths):
        if len(paths) > 1:
            fail("- (standard input) cannot be mixed with other paths")
        _check_stdin(settings, options)
    else:
        _check_paths(paths, settings, options)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.absolute().parent


def _check_kb(settings: Settings) -> None:
    from ..kb.store import KbError
    from .engine import knowledge

    for folder in settings.kb:
        if not folder.is_dir():
            fail(f"--kb: {folder}: no such folder")
    try:
        knowledge(settings.kb)
    except KbError as e:
        fail(f"the knowledge base cannot be used:\n{e}")


def _check_paths(paths: Sequence[Path], settings: Settings, options: dict[str, Any]) -> None:
    from . import discover, report, run

    files = discover.discover(paths, exclude=settings.exclude)
    for path, why in files.skipped:
        click.echo(f"amdlint: skipped {path}: {why}", err=True)
    with _progress(len(files.paths)) as advance:
        outcome = run.check_files(
            files, settings, jobs=options["jobs"], use_cache=not options["no_cache"], progress=advance
        )
    if options["fix"] or options["diff"]:
        run.fix_files(outcome, settings, unsafe=options["unsafe_fixes"], write=not options["diff"])
    for path, finding, why in outcome.dropped:
        click.echo(f"amdlint: {path}: the fix of {finding.code} was not written: {why}", err=True)
    _say_errors(outcome)
    failed = 2 if outcome.errors or outcome.faults else 0
    if options["diff"]:
        sys.stdout.write("".join(outcome.diffs))
        raise SystemExit(failed or (0 if options["exit_zero"] else int(bool(outcome.diffs))))
    for_people = options["output_format"] in ("text", "markdown")
    items = report.items(
        outcome,
        settings,
        edits=options["output_format"] in ("json", "json-lines", "sarif"),
        lang=language(options["lang"]) if for_people else "en",
    )
    if options["diff_base"] or options["write_baseline"] or options["baseline"]:
        items = _compared(items, options, _folder(paths[0]), failed)
    if options["add_noqa"]:
        from . import suppress

        added, refused = suppress.add(items)
        for path, why in refused:
            click.echo(f"amdlint: {path}: {why}", err=True)
        click.echo(f"amdlint: {added} noqa comments written", err=True)
        raise SystemExit(failed)
    _show(items, options, fixed=len(outcome.fixed))
    raise SystemExit(failed or _exit_code(items, options))


def _compared(items: list[Item], options: dict[str, Any], folder: Path, failed: int) -> list[Item]:
    """The findings that are new since a git revision or a baseline; writing a baseline ends the run."""
    from . import baseline

    try:
        if options["diff_base"]:
            items = baseline.changed_since(items, options["diff_base"], folder)
        if options["write_baseline"]:
            from .fix import write_atomically

            write_atomically(options["write_baseline"], baseline.dump(items, options["write_baseline"]))
            click.echo(f"amdlint: {len(items)} findings written to {options['write_baseline']}", err=True)
            raise SystemExit(failed)
        if options["baseline"]:
            items = baseline.without_known(items, options["baseline"])
    except (baseline.BaselineError, OSError) as e:
        fail(str(e))
    return items


def _exit_code(items: Sequence[Item], options: dict[str, Any]) -> int:
    return 0 if options["exit_zero"] else int(any(i.severity != "note" for i in items))


def _say_errors(outcome: Outcome) -> None:
    for path, why in outcome.errors:
        click.echo(f"amdlint: {path}: {why}", err=True)
    for path, fault in outcome.faults:
        rule = f" in {fault.code}" if fault.code else ""
        click.echo(f"amdlint: internal error{rule} on {path}: {fault.problem}", err=True)
    if outcome.faults:
        click.echo(REPORT_IT, err=True)


def _show(items: list[Item], options: dict[str, Any], *, fixed: int = 0) -> None:
    from . import report

    if options["statistics"]:
        rows = report.statistics(items)
        if options["output_format"] in ("json", "json-lines"):
            import json

            keys = ("count", "code", "title", "fixable")
            click.echo(
                json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2, ensure_ascii=False)
            )
        else:
            for count, code, title, fixable in rows:
                click.echo(f"{count:>6}  {code}  {'[*]' if fixable else '   '}  {title}")
        return
    color = use_color(sys.stdout)
    text = report.render(options["output_format"], items, color=color, fixed=fixed)
    if text:
        click.echo(text, color=color or None)


def _progress(count: int) -> Any:
    """A progress bar on a terminal for runs that take long enough to be watched."""
    if count < 1000 or not sys.stderr.isatty():
        return nullcontext(None)

    class Bar:
        def __enter__(self) -> Callable[[int], None]:
            self.bar = click.progressbar(length=count, label="amdlint", file=sys.stderr)
            return self.bar.__enter__().update

        def __exit__(self, *error: Any) -> None:
            self.bar.__exit__(*error)

    return Bar()


def _check_stdin(settings: Settings, options: dict[str, Any]) -> NoReturn:
    from . import engine, fix, report
    from .discover import Files, language_of
    from .repo import Repo
    from .run import Outcome
    from .source import UnreadableSource

    path = Path(options["stdin_filename"] or "stdin.py")
    if language_of(path) is None:
        fail(f"--stdin-filename: {path}: amdlint reads no such files")
    raw = sys.stdin.buffer.read()
    repo = Repo(path.parent, [path], {path: raw})
    try:
        source = engine.read(path, raw)
    except UnreadableSource as e:
        fail(f"{path}: {e}")
    outcome = Outcome(Files(path.parent, [path]), [engine.check(source, repo, settings)])
    _say_errors(outcome)
    if options["fix"] or options["diff"]:
        result = fix.apply(source, repo, settings, unsafe=options["unsafe_fixes"])
        sys.stdout.flush()
        sys.stdout.buffer.write(fix.diff(result).encode() if options["diff"] else source.encoded(result.data))
        sys.stdout.buffer.flush()
        raise SystemExit(2 if outcome.errors or outcome.faults else 0)
    items = report.items(outcome, settings, raw={path: raw})
    _show(items, options)
    raise SystemExit(2 if outcome.errors or outcome.faults else _exit_code(items, options))


@cli.command()
@click.argument("source", required=False, metavar="[FILE|CODE]")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True
)
@click.option("--all", "show_all", is_flag=True, help="Also show the less likely matches.")
@version_options
@kb_option
@lang_option
def explain(
    source: str | None,
    format_: str,
    show_all: bool,
    targets: Sequence[str],
    rocm: str | None,
    torch: str | None,
    kb: Sequence[Path],
    lang: str | None,
) -> None:
    """Explain a pasted error, a log FILE (default: standard input) or an entry CODE."""
    from . import explain as explaining

    raise SystemExit(
        explaining.run(
            source,
            format=format_,
            show_all=show_all,
            targets=split(targets),
            rocm=rocm,
            torch=torch,
            lang=language(lang),
            kb_dirs=tuple(kb),
            color=use_color(sys.stdout),
        )
    )


@cli.command()
@click.argument("code")
@kb_option
@lang_option
def rule(code: str, kb: Sequence[Path], lang: str | None) -> None:
    """Show the entry behind a CODE: what happens, why, what to do, sources."""
    from . import explain as explaining

    raise SystemExit(
        explaining.show_entry(code, lang=language(lang), kb_dirs=tuple(kb), color=use_color(sys.stdout))
    )


@cli.command()
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@kb_option
def rules(output_format: str, kb: Sequence[Path]) -> None:
    """List all entries: code, severity, whether code can be linted and fixed, title."""
    from ..kb.store import KbError
    from .engine import knowledge

    try:
        entries = knowledge(tuple(kb)).entries
    except KbError as e:
        fail(f"the knowledge base cannot be used:\n{e}")
    if output_format == "json":
        import json

        rows = [
            {
                "code": e.code,
                "slug": e.slug,
                "title": e.title,
                "severity": e.severity,
                "area": e.area,
                "language": e.rule,
                "fixes": sorted({x.fix for x in e.examples if x.fix}),
                "signatures": len(e.signatures),
                "status": e.status,
                "url": e.url,
            }
            for e in entries
        ]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for entry in entries:
        marks = (
            ("L" if entry.rule else "-")
            + ("F" if any(x.fixed for x in entry.examples) else "-")
            + ("E" if entry.signatures else "-")
        )
        click.echo(f"{entry.code}  {entry.severity:<7}  {marks}  {entry.title}")
    click.echo("\nL: found in code   F: rewritten by --fix   E: recognised in error messages")


# nvcc options such as -gencode are names too, and "RX 7900 XTX" needs no quotes.
@cli.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("name", nargs=-1, required=True)
@click.option(
    "--format",
    "--output-format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
@lang_option
def query(name: tuple[str, ...], format_: str, lang: str | None) -> None:
    """Tell what a CUDA name, header, flag, package, variable or GPU is on ROCm."""
    from . import query as querying

    raise SystemExit(querying.run(" ".join(name), format=format_, lang=language(lang)))


@cli.group()
def kb() -> None:
    """Work on the knowledge base."""


@kb.command("check")
@click.argument("folder", type=click.Path(path_type=Path))
def kb_check(folder: Path) -> None:
    """Validate the entries in FOLDER with the same gate as amdlint's own."""
    from . import gate

    if not folder.is_dir():
        fail(f"{folder}: no such folder")
    count, problems = gate.check_folder(folder)
    for problem in problems:
        click.echo(str(problem), err=True)
    if problems:
        raise SystemExit(2)
    click.echo(f"{count} entries are fine" if count != 1 else "1 entry is fine")


def main() -> None:
    """Run the command line; an internal error ends with exit code 2 and says where to report it."""
    try:
        cli(prog_name="amdlint")
    except SystemExit:
        raise
    except BrokenPipeError:
        # The reader of our output has gone (`amdlint . | head`): nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as e:
        if os.environ.get("AMDLINT_DEBUG"):
            raise
        click.echo(
            f"amdlint: internal error: {type(e).__name__}: {e}\n{REPORT_IT}",
            err=True,
        )
        raise SystemExit(2) from e
