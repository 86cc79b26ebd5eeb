"""Throughput of the matcher on large logs, and CPU of a small paste.

    python tests/benchmarks/explain.py [MEGABYTES]

Four kinds of log are made: ordinary training output with one error at its end, chatty prose, lines of
which each is new, and a storm of the same error. Beside each stand the cost of merely reading the lines and, when it is
installed, of ``rg -F`` over the same literals.
"""

from __future__ import annotations

import io
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from amdlint.kb import clean, load, match
from amdlint.kb.index import index_of
from amdlint.kb.reduce import SMALL, reduced

ERROR = "[rank3]: torch.AcceleratorError: HIP error: invalid device function\n"
HEADER = "PyTorch version: 2.9.0+rocm6.4\nGPU: AMD Instinct MI300X\n"


def training(rng: random.Random, size: int) -> Iterator[str]:
    """Steps, progress bars and NCCL chatter: the same few lines with other numbers."""
    made, step = 0, 0
    while made < size:
        step += 1
        line = rng.choice(
            (
                f"2026-03-05 12:41:{step % 60:02d},{step % 1000:03d} - INFO - {{'loss': {rng.random():.4f}, 'epoch': {step / 1e4:.2f}}}\n",
                f"[rank{step % 8}]: step {step} | loss {rng.random():.4f} | tokens/s {rng.randint(1000, 9000)} | mem 61.2 GiB\n",
                f" {step % 100}%|{'#' * (step % 40):40}| {step}/100000 [04:16<13:02:24, 25.43s/it]\n",
                f"node{step % 4}:{step}:{step} [{step % 8}] NCCL INFO Channel {step % 32:02d}/0 : 0[0] -> 1[1] via P2P/IPC\n",
            )
        )
        made += len(line)
        yield line
    yield "[rank3]: Traceback (most recent call last):\n" + ERROR


def prose(rng: random.Random, size: int) -> Iterator[str]:
    """Sentences of licences and of this project's pages about AMD GPUs, each in a new order of words: no line repeats."""
    root = Path(__file__).parents[2]
    pages = [*root.glob("docs/**/*.md"), *root.glob("*.md"), *Path(sys.prefix).glob("**/LICENSE*")]
    lines = [x for p in sorted(pages) for x in p.read_text("utf-8", "replace").splitlines() if len(x) > 40]
    made = 0
    while made < size:
        words = rng.choice(lines).split()
        at = rng.randrange(len(words))
        line = f"2026-03-05 12:00:00 DEBUG [engine.py:{rng.randint(1, 900)}] {' '.join(words[at:] + words[:at])}\n"
        made += len(line)
        yield line
    yield ERROR


def noise(rng: random.Random, size: int) -> Iterator[str]:
    """Requests, each with identifiers of its own."""
    made = 0
    while made < size:
        line = f"2026-03-05 12:00:00 INFO request id={rng.randbytes(16).hex()} path=/v1/chat/{rng.randbytes(4).hex()} status=200\n"
        made += len(line)
        yield line
    yield ERROR


def storm(rng: random.Random, size: int) -> Iterator[str]:
    """The same error without end."""
    for n in range(size // len(ERROR)):
        yield f"[rank{n % 8}]: torch.AcceleratorError: HIP error: invalid device function at step {n}\n"


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def ripgrep(literals: Path, log: Path) -> float | None:
    if shutil.which("rg") is None:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["rg", "-F", "-c", "-f", str(literals), str(log)], stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    size = int(sys.argv[1] if len(sys.argv) > 1 else 100) * 1_000_000
    base = load()
    index = index_of(base)
    print(f"{len(base)} entries, {len(index.signatures)} signatures, {len(index.by_literal)} literals")
    with tempfile.TemporaryDirectory() as folder:
        literals = Path(folder, "literals")
        literals.write_text("\n".join(index.by_literal), "utf-8")
        for kind in (training, prose, noise, storm):
            log = Path(folder, f"{kind.__name__}.log")
            with log.open("w", encoding="utf-8") as f:
                f.write(HEADER)
                f.writelines(kind(random.Random(1), size))
            answers: list[str] = []

            def explain(log: Path = log, answers: list[str] = answers) -> None:
                with log.open("rb") as stream:
                    paste = clean.clean_lines(reduced(stream, index))
                answers += [m.entry.slug for m in match.explain(paste, base).matches[:1]]

            took = cpu(explain)
            plain = cpu(lambda log=log: sum(1 for _ in log.open("rb")))  # type: ignore[misc]
            rg = ripgrep(literals, log)
            beside = f", {took / rg:.1f}x rg" if rg else ""
            print(
                f"{kind.__name__:<9} {size / took / 1e6:6.0f} MB/s, {took / plain:4.1f}x reading lines{beside}, says {answers}"
            )
    whole = "".join(training(random.Random(2), SMALL - 1000))
    took = cpu(lambda: match.explain(clean.clean(whole), base))
    print(f"largest log read as a whole ({len(whole) // 1000} kB): {1000 * took:.0f} ms")
    paste = io.StringIO(HEADER + ERROR).getvalue()
    print(
        f"small paste: {1000 * min(cpu(lambda: match.explain(clean.clean(paste), base)) for _ in range(20)):.1f} ms"
    )
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
