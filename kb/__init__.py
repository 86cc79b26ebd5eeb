"""amdlint's knowledge base and everything that reads it.

``load()`` gives the entries; ``kb.match.explain`` maps a log to them; ``kb.facts`` holds GPUs,
ROCm releases, environment variables, packages and the CUDA-to-HIP names.
"""

from .model import Entry
from .store import KbError, KnowledgeBase, load

__all__ = ["Entry", "KbError", "KnowledgeBase", "load"]
