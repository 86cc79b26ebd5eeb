"""Settings from ``[tool.amdlint]`` in pyproject.toml or from an ``amdlint.toml``, below the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from .settings import Settings

NAMES = ("amdlint.toml", ".amdlint.toml", "pyproject.toml")

_LISTS = {
    # key in the file: field of Settings
    "select": "select",
    "ignore": "ignore",
    "exclude": "exclude",
    "target": "targets",
    "kb": "kb",
}
_STRINGS = {"rocm": "rocm", "torch": "torch", "native-style": "native_style"}


class ConfigError(Exception):
    """A configuration that cannot be used; the message names file, key and reason."""


def find(start: Path) -> Path | None:
    """The nearest configuration file at or above a folder."""
    start = start.absolute()
    for folder in (start, *start.parents):
        for name in NAMES:
            file = folder / name
            if file.is_file() and (name != "pyproject.toml" or b"[tool.amdlint" in file.read_bytes()):
                return file
    return None


def load(file: Path) -> Settings:
    """Settings of a configuration file; unknown keys and wrong types are errors."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        document = tomllib.loads(file.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise ConfigError(f"{file}: {e}") from e
    table = document.get("tool", {}).get("amdlint", {}) if file.name == "pyproject.toml" else document
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{file}: [tool.amdlint] {key}" if file.name == "pyproject.toml" else f"{file}: {key}"
        if key in _LISTS:
            items = [value] if isinstance(value, str) else value
            if not isinstance(items, list) or not all(isinstance(i, str) for i in items):
                raise ConfigError(f"{where}: must be a list of strings")
            values[_LISTS[key]] = tuple(file.parent / i for i in items) if key == "kb" else tuple(items)
        elif key in _STRINGS:
            if not isinstance(value, str):
                raise ConfigError(f"{where}: must be a string in quotes")
            if key == "native-style" and value not in ("portable", "hip"):
                raise ConfigError(f"{where}: must be 'portable' or 'hip'")
            values[_STRINGS[key]] = value
        elif key == "per-file-ignores":
            if not isinstance(value, Mapping) or not all(isinstance(v, list) for v in value.values()):
                raise ConfigError(f"{where}: must map file patterns to lists of codes")
            values["per_file_ignores"] = {k: tuple(v) for k, v in value.items()}
        else:
            known = ", ".join([*_LISTS, *_STRINGS, "per-file-ignores"])
            raise ConfigError(f"{where}: unknown key; known are {known}")
    return Settings(**values)


def merged(base: Settings, **given: Any) -> Settings:
    """``base`` with what the command line gave; None and empty tuples mean "not given"."""
    return msgspec.structs.replace(base, **{k: v for k, v in given.items() if v not in (None, ())})


def check(settings: Settings) -> None:
    """Refuse targets, versions and codes that mean nothing; raises ConfigError."""
    for key, value in (("--rocm", settings.rocm), ("--torch", settings.torch)):
        if value is not None:
            from packaging.version import InvalidVersion, Version

            try:
                Version(value)
            except InvalidVersion as e:
                raise ConfigError(f"{key}: {value!r} is not a version such as 7.2") from e
    if settings.targets:
        from ..kb.facts import expand_gfx

        for target in settings.targets:
            try:
                expand_gfx(target)
            except ValueError as e:
                raise ConfigError(f"--target: {e}") from e
    patterns = {"select": settings.select, "ignore": settings.ignore}
    patterns["per-file-ignores"] = tuple(c for codes in settings.per_file_ignores.values() for c in codes)
    if any(patterns.values()):
        from .engine import knowledge

        codes = knowledge(settings.kb).by_code
        for key, prefixes in patterns.items():
            for prefix in prefixes:
                if prefix != "ALL" and not any(code.startswith(prefix) for code in codes):
                    raise ConfigError(
                        f"{key}: no code starts with {prefix!r}; `amdlint rules` lists all codes"
                    )
