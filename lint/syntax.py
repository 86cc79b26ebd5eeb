"""Whether a file still parses: the first thing that every rewrite has to prove."""

from __future__ import annotations

import json
import sys

from .discover import language_of
from .source import Source


def errors(source: Source) -> int:
    """How many syntax errors a parser of the file's language sees; 0 or 1 where parsers stop at the first.

    CUDA C++ that a parser without the preprocessor does not understand is common in healthy code: there
    only the comparison of two counts says something.
    """
    language = language_of(source.path)
    if language == "python":
        return int(_python(source))
    if language == "native":
        from .native import tree

        return tree.errors(source.data)
    return int(_project(source))


def _python(source: Source) -> bool:
    from .python.module import parse

    try:
        parse(source)
    except SyntaxError:
        return True
    return False


def _project(source: Source) -> bool:
    text = source.data.decode("utf-8", "replace")
    ending = source.path.suffix.lower()
    try:
        if ending == ".json":
            json.loads(text)
        elif ending == ".toml" or source.path.name == "Pipfile":
            if sys.version_info >= (3, 11):
                import tomllib
            else:
                import tomli as tomllib

            tomllib.loads(text)
        elif ending in (".yml", ".yaml"):
            import yaml

            for _ in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                pass
    except (ValueError, RecursionError):
        return True
    except Exception as e:
        # PyYAML's errors share no base class with the others; anything else is a fault of ours.
        if type(e).__module__.split(".")[0] != "yaml":
            raise
        return True
    return False
