"""amdlint's linter and command line."""

from .version import VERSION as __version__

__all__ = ["__version__"]
