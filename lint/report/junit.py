"""JUnit XML: one test case per finding, as CI servers show them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from . import Item

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(found: Sequence[Item], **_: object) -> str:
    failures = sum(i.severity != "note" for i in found)
    suites = ET.Element(
        "testsuites", name="amdlint", tests=str(len(found)), failures=str(failures), errors="0"
    )
    for path in dict.fromkeys(i.path for i in found):
        here = [i for i in found if i.path == path]
        failed = sum(i.severity != "note" for i in here)
        suite = ET.SubElement(
            suites, "testsuite", name=path.as_posix(), tests=str(len(here)), failures=str(failed), errors="0"
        )
        for item in here:
            case = ET.SubElement(
                suite,
                "testcase",
                name=f"{item.code} {item.slug}",
                classname=path.as_posix(),
                file=path.as_posix(),
                line=str(item.start.row),
            )
            text = _NOT_XML.sub(
                "?",
                f"line {item.start.row}, column {item.start.column}: {item.message}\n{item.line}\n{item.url}",
            )
            if item.severity == "note":
                ET.SubElement(case, "system-out").text = text
            else:
                ET.SubElement(
                    case, "failure", message=_NOT_XML.sub("?", item.message), type=item.severity
                ).text = text
    ET.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suites, encoding="unicode")
