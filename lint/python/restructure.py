"""Rewrites that move whole statements. libcst makes them: it keeps comments, line ends and texts over several lines.

Only the statement concerned is parsed, and libcst is imported when such a rewrite is really made: parsing a
whole file with it costs more than ten times what ``ast.parse`` does.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..finding import Edit, Move
from ..source import Source


def written(source: Source, edits: Sequence[Edit]) -> list[Edit] | None:
    """The edits with every Move made; None when libcst cannot read a statement."""
    made = [_under_if(source, e) if isinstance(e, Move) else e for e in edits]
    return None if None in made else [e for e in made if e is not None]


def _under_if(source: Source, move: Move) -> Edit | None:
    import libcst as cst

    newline = source.newline
    # In a block of its own indentation the statement's inner lines mean what they mean in the file.
    head = f"if 1:{newline}{move.indent}" if move.indent else ""
    config: cst.PartialParserConfig = cst.PartialParserConfig(
        default_indent=move.step, default_newline=newline
    )
    try:
        text = source.data[move.start : move.end].decode("utf-8")
        tree = cst.parse_module(f"{head}{text}{newline}", config)
        amd = (
            cst.parse_module(textwrap.dedent(move.otherwise).strip() + "\n", config).body
            if move.otherwise
            else ()
        )
    except (cst.ParserSyntaxError, UnicodeDecodeError):
        return None
    block = tree.body[0].body if move.indent and isinstance(tree.body[0], cst.If) else tree
    if not isinstance(block, (cst.IndentedBlock, cst.Module)) or len(block.body) != 1:
        return None
    branch = cst.If(
        test=cst.parse_expression(move.test),
        body=cst.IndentedBlock(body=block.body, indent=move.step),
        orelse=cst.Else(body=cst.IndentedBlock(body=amd, indent=move.step)) if amd else None,
    )
    moved = tree.deep_replace(block, block.with_changes(body=[branch]))
    assert isinstance(moved, cst.Module)
    return Edit(move.start, move.end, moved.code[len(head) :].removesuffix(newline))
