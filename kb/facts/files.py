"""Read the YAML files of facts once, then from a compiled copy in the user's cache.

A warm start parses no YAML and does not import PyYAML. Without a writable cache folder everything
works, only slower.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from ..compiled import compiled, state
from . import model

FOLDER = Path(__file__).parent
T = TypeVar("T")


class FactsError(Exception):
    """A file of facts does not fit its model."""


def load(name: str, kind: type[T]) -> T:
    """The content of ``<name>.yaml`` as ``kind``."""
    file = FOLDER / f"{name}.yaml"
    key = state((Path(model.__file__), file))
    return compiled(f"facts-{name}", key, kind, lambda: parse(file, kind))


def parse(file: Path, kind: type[T]) -> T:
    """Parse and validate a YAML file of facts, without the cache."""
    import yaml

    raw = yaml.load(file.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as e:
        raise FactsError(f"{file.name}: {e}") from None
