"""Write the JSON Schema of entries for editors: ``python -m amdlint.kb.schema``."""

from __future__ import annotations

import json
from pathlib import Path

from .store import json_schema

FILE = Path(__file__).parent / "entry.schema.json"


def main() -> None:
    """Write ``entry.schema.json`` beside the entries."""
    FILE.write_text(json.dumps(json_schema(), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
