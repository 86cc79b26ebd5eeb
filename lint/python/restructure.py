"""Rewrites that move whole statements. libcst makes them: it keeps comments, line ends and texts over several lines.

Only the statement concerned is parsed, and libcst is imported when such a rewrite is really made: parsing a
whole file with it costs more than ten times what ``ast.parse`` does.
"""

from __future__ import annotations

import textwrap

from ..finding import Edit
from ..source import Source


def under_if(
    source: Source, span: tuple[int, int], indent: str, step: str, test: str, otherwise: str = ""
) -> Edit | None:
    """The statement at ``span`` (bytes) goes under ``if test:``; ``otherwise`` (statements) into the else branch.

    ``indent`` is the white space before the statement, ``step`` one more level of it. None when libcst
    cannot read the statement.
    """
    import libcst as cst

    start, end = span
    line_end = source.data.find(b"\n", end)
    line_end = len(source.data) if line_end < 0 else line_end
    newline = source.newline
    # In a block of its own indentation the statement's inner lines mean what they mean in the file.
    head = f"if 1:{newline}{indent}" if indent else ""
    config: cst.PartialParserConfig = cst.PartialParserConfig(default_indent=step, default_newline=newline)
    try:
        text = source.data[start:line_end].decode("utf-8")
        tree = cst.parse_module(f"{head}{text}{newline}", config)
        amd = cst.parse_module(textwrap.dedent(otherwise).strip() + "\n", config).body if otherwise else ()
    except (cst.ParserSyntaxError, UnicodeDecodeError):
        return None
    block = tree.body[0].body if indent and isinstance(tree.body[0], cst.If) else tree
    if not isinstance(block, (cst.IndentedBlock, cst.Module)) or len(block.body) != 1:
        return None
    branch = cst.If(
        test=cst.parse_expression(test),
        body=cst.IndentedBlock(body=block.body, indent=step),
        orelse=cst.Else(body=cst.IndentedBlock(body=amd, indent=step)) if amd else None,
    )
    moved = tree.deep_replace(block, block.with_changes(body=[branch]))
    assert isinstance(moved, cst.Module)
    return Edit(start, line_end, moved.code[len(head) :].removesuffix(newline))
