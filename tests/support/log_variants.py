"""One log in the many shapes in which it reaches us: coloured, prefixed, quoted, wrapped, cut, interleaved."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from itertools import zip_longest

Variant = Callable[[str], str | bytes]


def _each(prefix: Callable[[int], str]) -> Variant:
    """Every line with a prefix, which may depend on the line number."""
    return lambda log: "".join(f"{prefix(n)}{line}\n" for n, line in enumerate(log.splitlines()))


def coloured(log: str) -> str:
    """As a terminal recorder keeps it."""
    return "".join(f"\x1b[0m\x1b[31;1m{line}\x1b[0m\n" for line in log.splitlines())


def escapes_lost(log: str) -> str:
    """Colour codes whose escape character the clipboard dropped."""
    return "".join(f"[31m{line}[0m\n" for line in log.splitlines())


def crlf(log: str) -> str:
    return log.replace("\n", "\r\n")


def utf16(log: str) -> bytes:
    """What PowerShell's ``>`` writes."""
    return crlf(log).encode("utf-16")


def wrapped(log: str, width: int = 80) -> str:
    """Copied from a window of that many columns."""
    return "".join(
        line[at : at + width] + "\n" for line in log.splitlines() for at in range(0, max(len(line), 1), width)
    )


def fenced(log: str) -> str:
    """Pasted into an issue."""
    return f"It fails like this:\n\n```console\n{log}```\n"


def after_a_progress_bar(log: str) -> str:
    """A bar that redraws itself stands before the failure."""
    return (
        "\r".join(f"{n:3d}%|{'#' * (n // 10):<10}| {n}/100 [00:0{n // 20}<00:01]" for n in range(0, 100, 20))
        + "\n"
        + log
    )


def json_records(log: str) -> str:
    """What docker's json-file driver writes."""
    return "".join(
        json.dumps({"log": f"{line}\n", "stream": "stderr", "time": "2026-03-04T10:11:12.1Z"}) + "\n"
        for line in log.splitlines()
    )


def two_ranks(log: str) -> str:
    """All ranks fail alike and their lines mix."""
    return "".join(f"[rank{r}]: {line}\n" for line in log.splitlines() for r in (1, 0))


def beside_a_healthy_rank(log: str) -> str:
    """Rank 3 fails between the lines of rank 0, which trains on; torchrun's summary follows."""
    healthy = [f"[rank0]: step {n} | loss {2.0 - n / 100:.4f} | lr 1.0e-04" for n in range(8)]
    failing = [f"[rank3]: {line}" for line in log.splitlines()]
    mixed = [x for pair in zip_longest(healthy, failing) for x in pair if x is not None]
    return "\n".join([*mixed, *_SUMMARY]) + "\n"


def last_lines(log: str, count: int = 15) -> str:
    """The end of it, as ``tail`` shows it."""
    return "".join(f"{line}\n" for line in log.splitlines()[-count:])


def deep_in_a_long_log(log: str) -> str:
    """After hours of training."""
    before = "".join(
        f"{{'loss': {2 - n / 1000:.4f}, 'grad_norm': 0.81, 'epoch': {n / 100:.2f}}}\n" for n in range(300)
    )
    return before + log


_SUMMARY = (
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "============================================================",
    "train.py FAILED",
    "Root Cause (first observed failure):",
    "[0]:",
    "  time      : 2026-03-04_10:11:12",
    "  host      : node17",
    "  rank      : 3 (local_rank: 3)",
    "  exitcode  : 1 (pid: 4242)",
)

VARIANTS: dict[str, Variant] = {
    "coloured": coloured,
    "escapes lost": escapes_lost,
    "crlf": crlf,
    "utf-16": utf16,
    "fenced": fenced,
    "json records": json_records,
    "html": html.escape,
    "html with fixed spaces": lambda log: html.escape(log).replace(" ", "&nbsp;"),
    "no-break spaces": lambda log: log.replace(" ", "\u00a0"),
    "progress bar": after_a_progress_bar,
    "iso time": _each(lambda n: f"2026-03-04T10:11:{n % 60:02d}.123456Z "),
    "clock": _each(lambda n: f"10:11:{n % 60:02d} "),
    "torchrun": _each(lambda n: "[rank2]: "),
    "torchrun log tee": _each(lambda n: "[default5]:"),
    "mpirun": _each(lambda n: "[1,3]<stderr>:"),
    "srun --label": _each(lambda n: "3: "),
    "docker compose": _each(lambda n: "trainer-1  | "),
    "kubectl --prefix": _each(lambda n: "[pod/train-worker-0/pytorch] "),
    "cri": _each(lambda n: f"2026-03-04T10:11:{n % 60:02d}.123456789Z stderr F "),
    "ray": _each(lambda n: "(TrainWorker pid=31337, ip=10.0.0.7) "),
    "dmesg -T": _each(lambda n: f"[Wed Mar  4 10:11:{n % 60:02d} 2026] "),
    "journal": _each(lambda n: f"Mar  4 10:11:{n % 60:02d} gpu-box "),
    "e-mail quote": _each(lambda n: "> "),
    "e-mail quoted twice": _each(lambda n: "> > "),
    "indented": _each(lambda n: "    "),
    "two ranks": two_ranks,
    "beside a healthy rank": beside_a_healthy_rank,
    "long log": deep_in_a_long_log,
}
"""Shapes that must not change the answer."""

LOSSY: dict[str, Variant] = {
    "80 columns": wrapped,
    "100 columns": lambda log: wrapped(log, 100),
    "last 15 lines": last_lines,
    "torchrun and 80 columns": lambda log: wrapped(str(_each(lambda n: "[rank2]: ")(log))),
}
"""Shapes that may lose something the answer rests on."""
