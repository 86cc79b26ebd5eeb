"""Entry point of the ``amdlint`` command and of ``python -m amdlint.lint``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; ``--version`` answers before anything heavy is imported."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from .version import VERSION

        print(f"amdlint {VERSION}")
        return
    # Reading the entries makes many objects that stay: looking through them for garbage is wasted time.
    gc.set_threshold(100_000, 20, 20)
    from .cli import main as run

    run()


if __name__ == "__main__":
    main()
